import asyncio
import json
import signal
import time
import urllib.error
import urllib.request

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from cellserver_ratelimit import ASGIMiddleware, AsyncLimiter

from .harness import ServerTest, costs, fixed, free_port


async def send(app, kind="http", extensions=None):
    """Sends a request to an ASGI app. It returns the status, the headers and the body, or the events of a WebSocket."""
    scope = {"type": kind, "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": "/", "raw_path": b"/", "root_path": "",
             "scheme": "http", "query_string": b"", "headers": [], "client": ("10.0.0.1", 1), "server": ("10.0.0.2", 80), "extensions": extensions or {}}
    events = []

    async def receive():
        return {"type": "http.request", "body": b""}

    async def collect(event):
        events.append(event)

    await app(scope, receive, collect)
    if kind == "websocket":
        return events
    headers = {name.decode(): value.decode() for name, value in events[0]["headers"]}
    return events[0]["status"], headers, b"".join(event.get("body", b"") for event in events[1:])


async def socket_page(scope, receive, send):
    await send({"type": "websocket.accept"})


page = Starlette(routes=[Route("/", lambda request: PlainTextResponse("page"))])


class TestASGI(ServerTest):
    def setUp(self):
        super().setUp()
        runner = asyncio.Runner()
        self.addCleanup(runner.close)
        self.run_async = runner.run

    def limiter(self, **options):
        limiter = AsyncLimiter(self.url, **{"timeout": 60, **options})
        self.addCleanup(lambda: self.run_async(limiter.client.aclose()))
        return limiter

    def visit(self, limiter, *pairs, quantity=None):
        return self.run_async(send(ASGIMiddleware(page, limiter, fixed(pairs), **costs(quantity))))

    def test_story(self):
        limiter = self.limiter(denials=0)
        self.play(lambda pairs, quantity: self.visit(limiter, *pairs, quantity=quantity))

    def test_smaller_quantity(self):
        """A remembered refusal says nothing of smaller quantities."""
        self.do("CL.RULE", "SET", "tokens", "CL.WINDOW", 100, 3600)
        limiter = self.limiter()
        limiter.now = lambda: 0
        for quantity, status, asked in (101, 429, 1), (102, 429, 0), (100, 200, 1), (101, 429, 0), (1, 429, 1), (2, 429, 0):
            before = self.questions()
            self.assertEqual(self.visit(limiter, ("tokens", "ann"), quantity=quantity)[0], status)
            self.assertEqual(self.questions() - before, asked)
        with self.assertRaises(ValueError):
            self.visit(limiter, ("tokens", "ann"), quantity=-1)

    def test_hot_key(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        limiter = self.limiter()
        limiter.now = lambda: 0
        self.assertEqual(self.visit(limiter, ("api", "ann"))[0], 200)
        before = self.questions()
        for i in range(3000):
            limiter.now = lambda: i / 1000
            self.assertEqual(self.visit(limiter, ("api", "ann"))[0], 429)
        self.assertEqual(self.questions() - before, 3)

    def test_many_at_once(self):
        """More requests than connections get exactly what the rule allows."""
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 99, 1, 3600)
        app = ASGIMiddleware(page, self.limiter(), fixed([("api", "ann")]))

        async def all_at_once():
            return [status for status, _, _ in await asyncio.gather(*(send(app) for _ in range(500)))]

        self.assertEqual(self.run_async(all_at_once()).count(200), 100)

    def test_server_is_down(self):
        errors = []
        opened, closed = self.limiter(on_error=errors.append), self.limiter(on_error=errors.append, fail_closed=True)
        self.kill()
        self.assertEqual(self.visit(opened, ("api", "ann"))[0], 200)
        status, headers, body = self.visit(closed, ("api", "ann"))
        self.assertEqual((status, headers["retry-after"], json.loads(body)["status"]), (503, "1", 503))
        self.assertEqual(len(errors), 2)

    def test_server_is_slow(self):
        """Requests wait for the time-out only, and later replies belong to later questions."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.do("CL.RULE", "SET", "other", "CL.WINDOW", 7, 3600)
        limiter = self.limiter(timeout=0.1, fail_closed=True, denials=0, on_error=lambda error: None)
        app = ASGIMiddleware(page, limiter, fixed([("api", "ann")]))
        self.pause()
        began = time.monotonic()

        async def all_at_once():
            return {status for status, _, _ in await asyncio.gather(*(send(app) for _ in range(300)))}

        self.assertEqual(self.run_async(all_at_once()), {503})
        self.assertLess(time.monotonic() - began, 10)
        self.process.send_signal(signal.SIGCONT)
        limiter.timeout = 60
        for key in range(20):
            self.assertIn('"other";r=6', self.visit(limiter, ("other", str(key)))[1].get("ratelimit", ""))

    def test_websocket(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        app = ASGIMiddleware(socket_page, self.limiter(), fixed([("api", "ann")]))
        accepted, = self.run_async(send(app, "websocket"))
        self.assertEqual(accepted["headers"][1], (b"ratelimit", b'"api";r=0;t=3600'))
        self.assertEqual(self.run_async(send(app, "websocket")), [{"type": "websocket.close"}])
        start, body = self.run_async(send(app, "websocket", {"websocket.http.response": {}}))
        self.assertEqual((start["type"], start["status"]), ("websocket.http.response.start", 429))

    def test_uvicorn(self):
        """A real server of HTTP, with its lifespan."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        port = free_port(self)
        app = ASGIMiddleware(page, self.limiter(), [("api", None)])
        server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))

        def get():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as reply:
                    return reply.status, reply.headers["RateLimit"]
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, error.headers["Retry-After"]

        async def serve():
            task = asyncio.create_task(server.serve())
            while not server.started:
                await asyncio.sleep(0.01)
            got = [await asyncio.to_thread(get) for _ in range(2)]
            server.should_exit = True
            await task
            return got

        self.assertEqual(self.run_async(serve()), [(200, '"api";r=0;t=3600'), (429, "3600")])
        self.assertEqual(self.do("EXISTS", "api:{127.0.0.1}:window"), 1)
