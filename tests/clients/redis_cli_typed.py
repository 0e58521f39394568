"""Types a text into redis-cli at a terminal, and prints the line that redis-cli shows.

usage: redis_cli_typed.py HOST PORT TEXT
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

host, port, text = sys.argv[1:]


def read(fd, quiet, first=60):
    """Returns what the terminal shows until it is quiet for some seconds. It waits longer for the first byte."""
    shown = b""
    while select.select([fd], [], [], quiet if shown else first)[0]:
        shown += os.read(fd, 65536)
    return shown


pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm", REDISCLI_HISTFILE="/dev/null")
    os.execvp("redis-cli", ["redis-cli", "-h", host, "-p", port])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
deadline = time.monotonic() + 60
shown = b""
while b"> " not in shown and time.monotonic() < deadline:
    shown += read(fd, 0.1)
# redis-cli reads all that is there as one key, so each key waits for the one before it.
for key in text:
    os.write(fd, key.encode())
    shown = read(fd, 0.1) or shown
shown = read(fd, 1, first=1) or shown
print(re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", shown.decode()).split("\r")[-2].strip())
os.write(fd, b"\x03")
os.close(fd)
os.waitpid(pid, 0)
