"""The examples of README.md."""
import asyncio
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import redis
from flask import Flask, request
from starlette.applications import Starlette
from starlette.datastructures import Headers

from cellserver_ratelimit import ASGIMiddleware, AsyncLimiter, Keys, Limiter, WSGIMiddleware
from cellserver_ratelimit.flask import RateLimit

from .harness import ServerTest, page, visit
from .test_asgi import send


README = pathlib.Path(__file__).parents[1] / "README.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.M | re.S)


def status(app, **environ):
    return visit(app, **environ)[0]


class TestExample(ServerTest):
    def test_example(self):
        url = self.url
        client = redis.Redis.from_url(url)
        self.addCleanup(client.close)
        client.execute_command("DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000)  # the clock stands still
        client.execute_command("CL.RULE", "SET", "login", "CL.THROTTLE", 2, 1, 10)  # three at once, then one every 10 seconds
        service = WSGIMiddleware(page, Limiter(url, denials=0, timeout=60), [("login", None)])
        self.assertEqual([status(service) for _ in range(4)], [200, 200, 200, 429])
        client.execute_command("DEBUG", "CLOCK", "ADVANCE", 10_000_000_000)
        self.assertEqual(status(service), 200)


    def test_token(self):
        """Each token has a limit of its own, and its key does not show it."""
        self.do("CL.RULE", "SET", "per-ip", "CL.WINDOW", 9, 3600)
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.do("CL.RULE", "SET", "login", "CL.WINDOW", 9, 3600)
        app, secret = page, "s"
        with self.limiter_of_page():
            limiter = Limiter("redis://127.0.0.1:6379")
            keys = Keys(proxies="10.0.0.0/8", secret=secret)  # or the number of proxies: "1"
            app = WSGIMiddleware(app, limiter, [
                ("per-ip", keys.wsgi("ip")),
                ("api", keys.wsgi("header:Authorization")),
                ("login", lambda environ: environ.get("HTTP_X_USER")),
            ])
        tokens = "Bearer sk-secret123", "bearer  sk-secret123", "Bearer other"
        headers = {"HTTP_X_FORWARDED_FOR": "6.6.6.6", "HTTP_X_USER": "ann"}
        self.assertEqual([status(app, HTTP_AUTHORIZATION=token, **headers) for token in tokens], [200, 429, 200])
        self.assertEqual(self.do("EXISTS", "per-ip:{6.6.6.6}:window", "login:{ann}:window",
                                 "api:{hmac:606592c9b1e6d428c9a5e9be1d1bfacd}:window"), 3)

    def limiter_of_page(self):
        """Lets the URL of the page lead to the server, and no loaded machine makes its limiters late."""
        def connect(limiter, url):
            client = redis.Redis.from_url(self.url)
            self.addCleanup(client.close)
            return client
        return unittest.mock.patch.object(Limiter, "_connect", connect)

    def test_flask(self):
        self.do("CL.RULE", "SET", "login", "CL.WINDOW", 9, 3600)
        self.do("CL.RULE", "SET", "per-user", "CL.WINDOW", 1, 3600)
        app, secret = Flask(__name__), "s"
        with self.limiter_of_page():
            keys = Keys(proxies="10.0.0.0/8", secret=secret)  # or the number of proxies: "1"
            limit = RateLimit("redis://127.0.0.1:6379", keys=keys)

        @app.post("/login")
        @limit("login", "ip", ("per-user", lambda request: request.headers.get("X-User")))
        def login():
            return f"hello {request.headers['X-User']}"

        visits = [app.test_client().post("/login", headers={"X-User": user}) for user in ("ann", "ann", "bob")]
        self.assertEqual([visit.status_code for visit in visits], [200, 429, 200])
        self.assertEqual(visits[2].text, "hello bob")

    def test_cost(self):
        """A body of 2 kB, and then none."""
        self.do("CL.RULE", "SET", "upload", "CL.WINDOW", 4, 3600)
        app, limiter = page, Limiter(self.url, timeout=60)
        self.addCleanup(limiter.client.close)

        def kilobytes(environ):
            return 1 + max(int(environ.get("CONTENT_LENGTH") or 0), 0) // 1024

        app = WSGIMiddleware(app, limiter, [("upload", None)], cost=kilobytes)
        self.assertEqual([status(app, CONTENT_LENGTH=length) for length in ("2048", "2048", "", "")], [200, 429, 200, 429])


class TestReadme(ServerTest):
    def test_names(self):
        """Each program has its import lines, and mypy knows all its names."""
        self.assertGreaterEqual(len(PROGRAMS), 8)
        given = ("app", "limiter", "secret", "client", "page", "url", "self", "status")
        with tempfile.TemporaryDirectory() as folder:
            for i, text in enumerate(PROGRAMS):
                imports = re.search(r"^from cellserver_ratelimit(\.\w+)? import ", text, re.M)
                self.assertTrue(imports or '"cellserver_ratelimit.django.RateLimitMiddleware"' in text, text)
                defined = re.findall(r"^(\w+) = (?:Flask|Limiter|AsyncLimiter)\(", text, re.M)
                missing = [name for name in given if name not in defined]
                declared = "".join(f"{name}: Any\n" for name in missing)
                pathlib.Path(folder, f"readme_{i}.py").write_text(f"from typing import Any\n{declared}{text}")
            config = pathlib.Path(folder, "mypy.ini")
            config.write_text("[mypy]\ncache_dir = ../../tests/.cache/mypy\n"
                              "[mypy-django.*]\nignore_missing_imports = True\n")
            run = [sys.executable, "-m", "mypy", "--config-file", config, "--check-untyped-defs", folder]
            done = subprocess.run(run, capture_output=True, text=True, cwd=README.parent)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_first_program(self):
        """The first program of the page limits."""
        self.do("CL.RULE", "SET", "per-ip", "100/minute")
        limiter = Limiter(self.url, timeout=60)
        self.addCleanup(limiter.client.close)
        names = {"__name__": "readme", "limiter": limiter}
        exec(PROGRAMS[0].replace('"redis://127.0.0.1:6379"', "limiter"), names)
        client = names["app"].test_client()
        statuses = [client.get("/").status_code for _ in range(101)]
        self.assertEqual((statuses.count(200), statuses[-1]), (100, 429))


class TestServices(unittest.TestCase):
    """Nothing listens for these services, or nothing with these rules: they fail open."""

    def test_asgi(self):
        app = Starlette()
        limiter = AsyncLimiter("redis://127.0.0.1:6379")
        app.add_middleware(ASGIMiddleware, limiter=limiter, rules=[
            ("per-ip", None),
            ("login", lambda scope: Headers(scope=scope).get("X-User")),
        ])
        limiter.on_error = lambda error: None
        self.assertEqual(asyncio.run(send(app))[0], 404)
