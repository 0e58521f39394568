package calendar

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// zones is what Python's zoneinfo says; testdata/zones.py wrote it.
//
//go:embed testdata/zones.txt
var zones string

const daysOfTable = 3653 // 2015 to 2024

// begins returns the Unix second at which each day of a line begins.
func begins(t *testing.T, runs []string) (all []int64) {
	first := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	after, next := int64(0), 0
	for day := range daysOfTable + 1 {
		if next < len(runs) {
			number, seconds, _ := strings.Cut(runs[next], ":")
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			if n == day {
				after, err = strconv.ParseInt(seconds, 10, 64)
				require.NoError(t, err)
				next++
			}
		}
		all = append(all, first+int64(day)*86400+after)
	}
	require.Equal(t, len(runs), next)
	return all
}

// TestAgainstZoneinfo compares all days, weeks, months and years of ten years in every time zone with Python's answers. A
// unit contains its first and its last nanosecond.
func TestAgainstZoneinfo(t *testing.T) {
	first, tested := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC), 0
	for line := range strings.Lines(zones) {
		f := strings.Fields(line)
		days := begins(t, f[1:])
		for i, name := range strings.Split(f[0], ",") {
			if i > 0 && testing.Short() {
				break // the other names of the same days
			}
			for _, unit := range []Unit{Day, Week, Month, Year} {
				c, err := Of(unit, 0, name)
				require.NoError(t, err, name)
				last := int64(math.MinInt64)
				for n, begin := range days {
					date := first.AddDate(0, 0, n)
					if unit == Week && date.Weekday() != time.Monday || unit == Month && date.Day() != 1 || unit == Year && date.YearDay() != 1 {
						continue
					}
					if last != math.MinInt64 {
						for _, now := range []int64{last * 1e9, (last + begin) / 2 * 1e9, begin*1e9 - 1} {
							end, ok := c.End(now)
							require.True(t, ok)
							require.Equal(t, begin*1e9, end, "%s: %v of unit %d", name, date, unit)
							tested++
						}
					}
					last = begin
				}
			}
		}
	}
	t.Logf("%d ends", tested)
	require.Greater(t, tested, 1_000_000)
}

func TestOf(t *testing.T) {
	for _, zone := range []string{"Local", "Mars/Olympus", "../etc/passwd", "/etc/localtime", "right/UTC", "Europe/Berlin\x00", strings.Repeat("a", 65)} {
		_, err := Of(Day, 0, zone)
		require.ErrorIs(t, err, errZone, zone)
	}
	// Other names of the same file would fill the memory.
	for _, zone := range []string{"Europe//Berlin", "./Europe/Berlin", "Europe/./Berlin", "./right/UTC"} {
		_, err := Of(Day, 0, zone)
		require.ErrorIs(t, err, errZone, zone)
	}
	utc, err := Of(Day, 0, "")
	require.NoError(t, err)
	again, err := Of(Day, 0, "UTC")
	require.NoError(t, err)
	require.Same(t, utc, again)
	end, ok := utc.End(0)
	require.True(t, ok)
	require.EqualValues(t, 86400e9, end)
	end, ok = utc.End(-1)
	require.True(t, ok)
	require.Zero(t, end)
	_, ok = utc.End(math.MaxInt64)
	require.False(t, ok)
	_, ok = utc.End(math.MinInt64)
	require.True(t, ok)
}

func TestTakes(t *testing.T) {
	const day = 86400e9
	require.True(t, Day.Takes(day))
	require.False(t, Day.Takes(day-1))
	require.True(t, Week.Takes(7*day))
	require.False(t, Week.Takes(day))
	require.True(t, Month.Takes(30*day))
	require.False(t, Month.Takes(32*day))
	require.False(t, Month.Takes(30*day+1))
	require.True(t, Year.Takes(365*day))
	require.True(t, Year.Takes(366*day))
	require.False(t, Year.Takes(364*day))
}

func TestLength(t *testing.T) {
	for unit, days := range map[Unit]int64{Day: 1, Week: 7, Month: 31, Year: 366} {
		c, err := Of(unit, 0, "Europe/Berlin")
		require.NoError(t, err)
		require.Equal(t, days*24*60*60*1_000_000_000, c.Length())
	}
}

// TestBegin: weeks and months that begin on any day have the ends that a search day by day finds.
func TestBegin(t *testing.T) {
	_, err := Of(Day, 1, "")
	require.ErrorIs(t, err, errBegin)
	_, err = Of(Year, 1, "")
	require.ErrorIs(t, err, errBegin)
	_, err = Of(Week, 8, "")
	require.ErrorIs(t, err, errBegin)
	_, err = Of(Month, 32, "")
	require.ErrorIs(t, err, errBegin)
	days, err := Of(Day, 0, "Europe/Berlin")
	require.NoError(t, err)
	begins := func(unit Unit, begin int, at time.Time) bool {
		if unit == Week {
			return int(at.Weekday()) == begin-1
		}
		last := time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		return at.Day() == min(begin, last)
	}
	for unit, most := range map[Unit]int{Week: 7, Month: 31} {
		for begin := 1; begin <= most; begin++ {
			c, err := Of(unit, begin, "Europe/Berlin")
			require.NoError(t, err)
			now := time.Date(2023, 12, 1, 5, 0, 0, 0, time.UTC).UnixNano()
			for range 500 {
				want := now
				for ok := true; ok; ok = !begins(unit, begin, time.Unix(0, want).In(days.zone)) {
					want, _ = days.End(want)
				}
				end, ok := c.End(now)
				require.True(t, ok)
				require.Equal(t, time.Unix(0, want), time.Unix(0, end), "%d of unit %d at %v", begin, unit, time.Unix(0, now))
				require.LessOrEqual(t, end-now, c.Length()+int64(time.Hour))
				now += 17 * int64(time.Hour)
			}
		}
	}
}
