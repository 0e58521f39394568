"""Adaptive limits before a real slow service."""
import asyncio
import gc
import http.server
import os
import threading
import time
import unittest
import unittest.mock

import httpx
import redis
import redis.asyncio
from cellserver_ratelimit import AdaptiveASGI, AdaptiveLimit, AsyncAdaptiveLimit, Limiter, LimitReached, fork
from cellserver_ratelimit.httpx import AsyncTransport, Transport

from .harness import ServerTest, VirtualLoop


class Service(http.server.BaseHTTPRequestHandler):
    """A service that takes 20 ms, or longer than its caller waits."""

    gone = threading.Event()  # the caller of /late has given up
    now = most = 0
    lock = threading.Lock()

    def do_GET(self):
        with Service.lock:
            Service.now += 1
            Service.most = max(Service.most, Service.now)
        if self.path == "/late":
            Service.gone.wait(60)
        time.sleep(0.02)
        with Service.lock:
            Service.now -= 1
        try:
            self.send_response({"/full": 503, "/wrong": 404}.get(self.path, 200))
            self.send_header("Content-Length", "0")
            self.end_headers()
        except OSError:
            pass  # the caller has given up

    def log_message(self, *_):
        pass


class AdaptiveTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=self.service.serve_forever).start()
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.address = f"http://127.0.0.1:{self.service.server_port}"

    def limit(self, key="service", *words):
        client = redis.Redis.from_url(self.url)
        self.addCleanup(client.close)
        return AdaptiveLimit(client, key, timeout=60, words=words)

    def state(self, key):
        return self.do("CL.LIMIT", key)

    def test_threads(self):
        limit, full = self.limit("service", "START", 4, "BETWEEN", 1, 8, "WINDOW", 0), []
        client = httpx.Client(transport=Transport(limit, httpx.HTTPTransport()), timeout=60)
        self.addCleanup(client.close)
        Service.most = 0

        def calls():
            for _ in range(5):
                try:
                    client.get(self.address)
                except LimitReached:
                    full.append(1)

        threads = [threading.Thread(target=calls) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(Service.most, 8)
        self.assertTrue(full)
        self.assertEqual(self.state("service")["inflight"], 0)
        self.assertGreaterEqual(self.state("service")["base_us"], 15_000)

    def test_transport(self):
        for path, want in {"/late": 9, "/full": 9, "/wrong": 10, "/": 10}.items():
            limit = self.limit(path, "AIMD", 100, "WINDOW", 0, "START", 10)
            with httpx.Client(transport=Transport(limit, httpx.HTTPTransport()), timeout=60) as client:
                if path == "/late":
                    with self.assertRaises(httpx.ReadTimeout):
                        client.get(self.address + path, timeout=httpx.Timeout(60, read=0.1))
                    Service.gone.set()
                else:
                    client.get(self.address + path)
            self.assertEqual((self.state(path)["limit"], self.state(path)["inflight"]), (want, 0), path)

    def test_asyncio(self):
        async def run():
            client = redis.asyncio.Redis.from_url(self.url)
            limit = AsyncAdaptiveLimit(client, "service", timeout=60, words=["BETWEEN", 1, 1])
            replies = []

            async def app(scope, receive, send):
                if not replies:
                    await AdaptiveASGI(app, limit)({"type": "http"}, None, send)  # a second request meanwhile
                await send({"type": "http.response.start", "status": 200, "headers": []})

            async def send(event):
                if event["type"] == "http.response.start":
                    replies.append(event["status"])

            await AdaptiveASGI(app, limit)({"type": "http"}, None, send)
            self.assertEqual(replies, [503, 200])
            transport = AsyncTransport(limit, httpx.AsyncHTTPTransport())
            async with httpx.AsyncClient(transport=transport, timeout=60) as http_client:
                self.assertEqual((await http_client.get(self.address + "/full")).status_code, 503)
            with self.assertRaises(asyncio.CancelledError):
                async with limit.call():
                    raise asyncio.CancelledError
            await client.aclose()

        asyncio.run(run())
        self.assertEqual(self.state("service")["inflight"], 0)
        self.assertEqual(self.state("service")["drops"], 1)

    def test_without_server(self):
        errors = []
        limit = AdaptiveLimit("redis://127.0.0.1:1", "k", ceiling=2, on_error=errors.append)
        with limit.call():
            with limit.call(), self.assertRaises(LimitReached), limit.call():
                pass
            with limit.call():
                pass
        self.assertEqual(len(errors), 4)

    def test_late_reports(self):
        """A permit whose answer is lost, and one whose report is, are free as soon as the server answers again."""
        late = []

        class Lossy(redis.Redis):
            def execute_command(self, *command, **options):
                if late and command[0] == "CL.LEAVE":
                    raise redis.ConnectionError("away")
                reply = super().execute_command(*command, **options)
                if late:
                    raise redis.TimeoutError("lost")
                return reply

        class AsyncLossy(redis.asyncio.Redis):
            async def execute_command(self, *command, **options):
                if late and command[0] == "CL.LEAVE":
                    raise redis.ConnectionError("away")
                reply = await super().execute_command(*command, **options)
                if late:
                    await asyncio.sleep(60)
                return reply

        client, errors = Lossy.from_url(self.url), []
        self.addCleanup(client.close)
        limit = AdaptiveLimit(client, "threads", ceiling=1, on_error=errors.append)
        with limit.call():
            late.append(True)
            with limit.call(), self.assertRaises(LimitReached), limit.call():
                self.fail("the ceiling is 1")
        self.assertEqual((self.state("threads")["inflight"], len(errors)), (3, 3))
        late.clear()
        with limit.call():
            self.assertEqual(self.state("threads")["inflight"], 1)
        self.assertEqual(self.state("threads")["samples"], 3)
        late.append(True)
        for _ in range(510):
            limit._leave(limit._enter_locally("h", TimeoutError()), None)
        self.assertEqual(len(limit.late), 500)
        limit._keep([limit.late[0]] * 700)
        self.assertEqual(len(limit.late), 1000)
        limit.late = [(time.monotonic(), ["CL.LEAVE", "threads", "h"])]
        self.assertEqual(limit._take_late(), [])
        late.clear()

        async def run():
            client = AsyncLossy.from_url(self.url)
            limit = AsyncAdaptiveLimit(client, "asyncio", ceiling=1, on_error=errors.append)
            async with limit.call():
                late.append(True)
                async with limit.call():
                    pass
            late.clear()
            self.assertEqual(self.state("asyncio")["inflight"], 2)
            async with limit.call():
                self.assertEqual(self.state("asyncio")["inflight"], 1)
            await client.aclose()

        asyncio.run(run())

    def test_cancelled(self):
        """A call that is cancelled while it asks, or while it reports late ends, gives its permit back."""
        held = []

        class Slow(redis.asyncio.Redis):
            async def execute_command(self, *command, **options):
                reply = await super().execute_command(*command, **options)
                if command[0] in held:
                    held.append("asked")
                    await asyncio.sleep(60)
                return reply

        class SlowReports(AsyncAdaptiveLimit):
            async def _send_late(self, *end):
                if held:
                    held.append("asked")
                    await asyncio.sleep(60)
                await super()._send_late(*end)

        async def cancelled(limit):
            async def call():
                async with limit.call():
                    self.fail("the call has begun")

            task = asyncio.ensure_future(call())
            while "asked" not in held:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            held.clear()

        async def run():
            client = Slow.from_url(self.url)
            for kind, slow in (AsyncAdaptiveLimit, "CL.ENTER"), (SlowReports, "reports"):
                limit = kind(client, slow, timeout=60)
                held.append(slow)
                await cancelled(limit)
                self.assertEqual(self.state(slow)["inflight"], 1)
                async with limit.call():
                    self.assertEqual(self.state(slow)["inflight"], 1)
                self.assertEqual(self.state(slow)["inflight"], 0)
            await client.aclose()

        asyncio.run(run())

    def test_wrong_options(self):
        for options in ({"lease": 0}, {"timeout": 0}, {"ceiling": 0}, {"ceiling": 1.5}, {"words": "VEGAS"}):
            with self.assertRaises(ValueError):
                AdaptiveLimit(self.url, "k", **options)

    def test_one_timeout(self):
        """A call that also reports late ends has one time-out for both."""

        class Slow:
            """A server that takes 200 ms, and never answers reports of late ends."""

            async def execute_command(self, *command):
                await asyncio.sleep(0.2)
                return [0]

            def pipeline(self, transaction):
                return unittest.mock.Mock(execute=self.never)

            async def never(self, raise_on_error):
                await asyncio.Event().wait()

        async def run():
            limit, loop = AsyncAdaptiveLimit(Slow(), "k"), asyncio.get_running_loop()
            limit.late = [(time.monotonic() + 3600, ["CL.LEAVE"])]
            began = loop.time()
            async with limit.call():
                self.assertAlmostEqual(loop.time() - began, 0.25)
            self.assertEqual(len(limit.late), 1, "it is reported again")

        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(run())


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
class ForkTest(ServerTest):
    def test_processes(self):
        """A process and its child are two holders, also if the limit was made before the fork."""
        limit = AdaptiveLimit(self.url, "service", timeout=60, words=["BETWEEN", 1, 1])
        self.addCleanup(limit.client.close)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.read(reader, 1)  # the parent has the only permit
            try:
                with limit.call():
                    os._exit(1)
            except LimitReached:
                os._exit(0)
        with limit.call():
            os.write(writer, b".")
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, "the child has the permit, too")
        os.close(reader)
        os.close(writer)

    def test_locks(self):
        """A lock that another thread holds at the fork is free in the child."""
        limiter, limit = Limiter(self.url), AdaptiveLimit(self.url, "service")
        for holder in limiter, limiter.denials, limit:
            with holder.lock:
                child = os.fork()
                if child == 0:
                    os._exit(0 if holder.lock.acquire(blocking=False) else 1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, type(holder))

    def test_memory(self):
        """A limiter that is gone leaves nothing for later forks."""
        with unittest.mock.patch("os.register_at_fork") as register:
            for _ in range(10):
                Limiter("redis://127.0.0.1:1", lease=True)
                AdaptiveLimit("redis://127.0.0.1:1", "service")
        register.assert_not_called()
        gc.collect()
        self.assertFalse([method for method in fork._begins if method() is None])


def page():
    """The program of README.md."""
    limit = AdaptiveLimit("redis://127.0.0.1:6379", "search", words=["BETWEEN", 5, 500])
    client = httpx.Client(transport=Transport(limit))
    return client


class ReadmeTest(unittest.TestCase):
    def test_page(self):
        with page() as client:
            self.assertIsInstance(client._transport, Transport)
