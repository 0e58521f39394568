"""Starts servers for the tests, and plays the story of all packages."""
import asyncio
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import redis

STORY = pathlib.Path(__file__).parents[2] / "story.json"
PROGRAM = os.environ["CELLSERVER"]


def free_port(test: unittest.TestCase) -> int:
    """A port that no process uses until the test ends. No system chooses it for a connection, so it stays free while a server
    is down. All test programs hold their ports by UDP sockets of the same numbers."""
    while True:
        port = random.randrange(11_000, 21_000)
        holder = socket.socket(type=socket.SOCK_DGRAM)
        test.addCleanup(holder.close)
        with socket.socket() as s:
            try:
                holder.bind(("127.0.0.1", port))
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves as soon as all tasks wait."""

    now = 1_000.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0].when())
        super()._run_once()


class ServerTest(unittest.TestCase):
    """A test with a server of its own, whose clock stands still."""

    def setUp(self):
        self.port = free_port(self)
        self.url = f"redis://127.0.0.1:{self.port}"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.process = None
        self.addCleanup(self.kill)
        self.admin = redis.Redis.from_url(self.url, decode_responses=True)
        self.addCleanup(self.admin.close)
        self.start()

    def start(self, *directives):
        arguments = ["--port", str(self.port), "--enable-debug-command", "yes", "--appendonly", "no", "--dir", self.folder]
        self.process = subprocess.Popen([PROGRAM, *arguments, *directives], stdout=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=60) as s:
                    s.sendall(b"PING\r\n")
                    if s.recv(7) == b"+PONG\r\n":
                        break
            except OSError:
                pass
            self.assertLess(time.monotonic(), end, "the server does not start")
            time.sleep(0.01)
        self.do("DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()

    def pause(self):
        """Stops the process. A signal acts a moment later, so it waits for that."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def do(self, *args):
        return self.admin.execute_command(*args)

    def questions(self) -> int:
        """How many commands have asked rules."""
        return self.admin.info("commandstats").get("cmdstat_cl.mcheck", {}).get("calls", 0)

    def play(self, serve):
        """Plays the story. serve answers a request, which may have a quantity, with a status, a dict of headers and a body."""
        about, asked = "", 0
        for step in json.loads(STORY.read_text()):
            if "about" in step:
                about = step["about"]
            elif "run" in step:
                self.assertEqual(self.do(*step["run"]), step["reply"])
            elif "advance" in step:
                self.do("DEBUG", "CLOCK", "ADVANCE", step["advance"] * 1_000_000)
            else:
                asked += 1
                with self.subTest(about, ask=step["ask"]):
                    self.check(step, *serve([tuple(pair) for pair in step["ask"]], step.get("quantity")))
        self.assertGreater(asked, 30)

    def check(self, step, status, headers, body):
        self.assertEqual(status, step["status"])
        for name in ("RateLimit-Policy", "RateLimit", "Retry-After"):
            self.assertEqual(headers.get(name.lower()), step[name], name)
        if status == 429:
            self.assertEqual(headers["content-type"], "application/problem+json")
            self.assertEqual(json.loads(body), {
                "type": "https://iana.org/assignments/http-problem-types#quota-exceeded", "title": "The quota is used up",
                "status": 429, "violated-policies": step["violated"]})


def page(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"page"]


def visit(app, **environ):
    """Asks a WSGI app for a page. It returns the status, the headers and the body. wsgiref checks both sides."""
    from wsgiref.util import setup_testing_defaults
    from wsgiref.validate import validator
    environ = {"REMOTE_ADDR": "10.0.0.1", "QUERY_STRING": "", **environ}
    setup_testing_defaults(environ)
    got = []
    parts = validator(app)(environ, lambda status, headers, exc_info=None: got.append((status, headers)) or (lambda data: None))
    body = b"".join(parts)
    parts.close()
    (status, headers), = got
    return int(status.split()[0]), {name.lower(): value for name, value in headers}, body


def costs(quantity):
    """Returns the arguments of middleware for requests that all take a quantity."""
    return {} if quantity is None else {"cost": lambda _: quantity}


def fixed(pairs):
    """Returns rules with one key for all requests."""
    return [(rule, lambda _, key=key: key) for rule, key in pairs]
