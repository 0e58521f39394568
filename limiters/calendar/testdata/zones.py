#!/usr/bin/env python3
"""Writes zones.txt: when each local day of 2015 to 2024 begins, as Python's zoneinfo says.

A line has the names of zones with the same days, and runs of days: the first day as a number since 2015-01-01, and how many
seconds after midnight UTC of that date each of these days begins.
"""
import datetime
import zoneinfo

FIRST, LAST = datetime.date(2015, 1, 1), datetime.date(2025, 1, 1)

lines = {}
for name in sorted(zoneinfo.available_timezones()):
    if name in ("localtime", "posixrules", "Factory") or name.startswith(("posix/", "right/")):
        continue
    zone, runs, before = zoneinfo.ZoneInfo(name), [], None
    for number in range((LAST - FIRST).days + 1):
        day = FIRST + datetime.timedelta(number)
        midnight = datetime.datetime(day.year, day.month, day.day)
        after = int(midnight.replace(tzinfo=zone).timestamp() - midnight.replace(tzinfo=datetime.timezone.utc).timestamp())
        if after != before:
            runs.append(f"{number}:{after}")
            before = after
    lines.setdefault(" ".join(runs), []).append(name)
with open(__file__.replace("zones.py", "zones.txt"), "w") as out:
    for runs, names in sorted(lines.items(), key=lambda line: line[1]):
        out.write(",".join(names) + " " + runs + "\n")
