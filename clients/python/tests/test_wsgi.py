import signal
import threading
import time
import unittest

import redis
import redis.asyncio

from cellserver_ratelimit import (
    ASGIMiddleware,
    AsyncLimiter,
    Limiter,
    NoDecision,
    WSGIMiddleware,
    network,
)
from cellserver_ratelimit.denials import LONGEST
from cellserver_ratelimit.limiter import log
from cellserver_ratelimit.reply import decision

from .harness import ServerTest, costs, fixed, page, visit


class TestWSGI(ServerTest):
    def app(self, *pairs, **options):
        """Returns an app with fixed keys. A loaded machine does not make it late."""
        self.limiter = Limiter(self.url, **{"timeout": 60, **options})
        self.addCleanup(self.limiter.client.close)
        return WSGIMiddleware(page, self.limiter, fixed(pairs)) if pairs else None

    def at(self, seconds):
        self.limiter.now = lambda: seconds

    def statuses(self, app, times):
        return [visit(app)[0] for _ in range(times)]

    def test_story(self):
        limiter = Limiter(self.url, timeout=60, denials=0)
        self.addCleanup(limiter.client.close)
        self.play(lambda pairs, quantity: visit(WSGIMiddleware(page, limiter, fixed(pairs), **costs(quantity))))

    def test_hot_key(self):
        """1000 requests a second of a refused key, for 10 seconds: the server gets one a second."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        app = self.app(("api", "ann"))
        self.at(0)
        self.assertEqual(visit(app)[0], 200)
        before = self.questions()
        for i in range(10_000):
            self.at(i / 1000)
            status, headers, _ = visit(app)
            self.assertEqual((status, headers["retry-after"]), (429, "3600"))
        self.assertEqual(self.questions() - before, 10)

    def test_smaller_quantity(self):
        """A remembered refusal refuses its quantity and larger ones. It says nothing of smaller ones."""
        self.do("CL.RULE", "SET", "tokens", "CL.WINDOW", 100, 3600)
        self.app()
        self.at(0)
        steps = [(60, True, 1), (60, False, 1), (60, False, 0), (99, False, 0), (1, True, 1), (60, False, 0), (50, False, 1), (50, False, 0),
                 (60, False, 0), (49, False, 1), (39, True, 1), (1, False, 1), (2, False, 0), (2**63 - 1, False, 0), (0, True, 1)]
        for quantity, allowed, asked in steps:
            with self.subTest(quantity):
                before = self.questions()
                self.assertEqual(self.limiter.ask(("tokens", "ann"), quantity=quantity).allowed, allowed)
                self.assertEqual(self.questions() - before, asked)
        self.at(LONGEST)
        before = self.questions()
        for _ in range(10):
            self.assertFalse(self.limiter.ask(("tokens", "ann"), quantity=70).allowed)
        self.assertEqual(self.questions() - before, 1)

    def test_wrong_quantity(self):
        """A wrong cost is an error of the service. It neither passes nor gives back."""
        self.app()
        for quantity in -1, 1.5, "7", None, 2**63:
            with self.assertRaises(ValueError):
                self.limiter.ask(("api", "ann"), quantity=quantity)
        self.assertEqual(self.questions(), 0)

    def test_rate_stays_whole(self):
        """A remembered refusal ends when the limit allows the action, also within a second."""
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 0, 10, 1)
        app, allowed = self.app(("api", "ann")), 0
        for i in range(1000):
            self.at(i / 500)
            allowed += visit(app)[0] == 200
            self.do("DEBUG", "CLOCK", "ADVANCE", 2_000_000)
        self.assertEqual(allowed, 20)
        self.assertLessEqual(self.questions(), 2 * allowed)

    def test_rule_changes(self):
        """A remembered refusal ends at most a second after its rule."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        app = self.app(("api", "ann"))
        self.at(0)
        self.assertEqual(self.statuses(app, 2), [200, 429])
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 5, 3600)
        self.at(LONGEST - 0.001)
        self.assertEqual(self.statuses(app, 1), [429])
        self.at(LONGEST)
        self.assertEqual(self.statuses(app, 2), [200, 200])

    def test_one_asks_again(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        app = self.app(("api", "ann"))
        self.at(0)
        self.assertEqual(self.statuses(app, 2), [200, 429])
        self.at(LONGEST)
        before = self.questions()
        threads = [threading.Thread(target=visit, args=(app,)) for _ in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.questions() - before, 1)

    def test_denials_are_bounded(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.app(denials=10)
        for i in range(100):
            self.limiter.ask(("api", f"user:{i}"))
            self.assertFalse(self.limiter.ask(("api", f"user:{i}")).allowed)
        self.assertEqual(len(self.limiter.denials.by_question), 10)
        before = self.questions()
        self.assertFalse(self.limiter.ask(("api", "user:99")).allowed)
        self.assertEqual(self.questions(), before)
        self.assertFalse(self.limiter.ask(("api", "user:0")).allowed)
        self.assertEqual(self.questions(), before + 1)

    def test_many_at_once(self):
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 99, 1, 3600)
        app, got = self.app(("api", "ann")), []
        threads = [threading.Thread(target=lambda: got.extend(self.statuses(app, 20))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((got.count(200), len(got)), (100, 400))

    def test_long_and_binary_keys(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        for key in ["x" * 256, "x" * 257, "y" * (1 << 20), "\udcff\ud800", "\udcff" * 300, b"\xff\xfe\x00", None]:
            self.assertEqual(self.statuses(self.app(("api", key), denials=0), 2), [200, 429])
        self.assertEqual(self.do("EXISTS", "api:{" + "x" * 256 + "}:window"), 1)
        self.assertEqual(self.do("EXISTS", "api:{sha256:15eb95a462ee20bd91a415ae2d4aed341288186ddaa2b37908f7d592f0c3f85f}:window"), 1)

    def test_server_is_down_and_comes_back(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        errors = []
        opened = self.app(("api", "ann"), on_error=errors.append)
        closed = self.app(("api", "ann"), on_error=errors.append, fail_closed=True)
        self.assertEqual(self.statuses(closed, 2), [200, 429])
        self.at(time.monotonic() + 10)
        self.kill()
        status, headers, _ = visit(opened)
        self.assertEqual((status, headers), (200, {"content-type": "text/plain"}))
        status, headers, _ = visit(closed)
        self.assertEqual((status, headers["retry-after"], headers["content-type"]), (503, "1", "application/problem+json"))
        self.assertEqual(len(errors), 2)
        self.start()
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.assertEqual(self.statuses(closed, 1), [200])

    def test_server_is_slow(self):
        """Requests wait for the time-out only, and later replies belong to later questions."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.app(timeout=0.1, fail_closed=True, denials=0, on_error=lambda error: None)
        self.pause()
        began = time.monotonic()
        for _ in range(5):
            with self.assertRaises(NoDecision):
                self.limiter.ask(("api", "ann"))
        self.assertLess(time.monotonic() - began, 10)
        self.process.send_signal(signal.SIGCONT)
        self.limiter.client.connection_pool.connection_kwargs["socket_timeout"] = 60
        self.do("CL.RULE", "SET", "other", "CL.WINDOW", 7, 3600)
        self.assertIn('"other";r=6', self.limiter.ask(("other", "bob")).limit)

    def test_error_replies(self):
        errors = []
        app = self.app(("unknown", "ann"), fail_closed=True, on_error=errors.append)
        self.assertEqual(self.statuses(app, 1), [503])
        self.assertIn("no such rule", str(errors[-1]))
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        self.do("ZADD", "api:{ann}:window", 1, "member")
        self.assertEqual(self.statuses(self.app(("api", "ann"), fail_closed=True, on_error=errors.append), 1), [503])
        self.assertIn("WRONGTYPE", str(errors[-1]))

    def test_log(self):
        """One error in 10 seconds is logged."""
        app = self.app(("unknown", "ann"))
        with self.assertLogs(log, "ERROR") as lines:
            for second in range(25):
                self.at(second)
                self.assertEqual(self.statuses(app, 2), [200, 200])
        self.assertEqual(len(lines.output), 3)
        self.assertIn("no such rule", lines.output[0])

    def test_head_has_no_body(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        app = self.app(("api", "ann"))
        visit(app)
        self.assertEqual(visit(app, REQUEST_METHOD="HEAD")[2], b"")


class TestCluster(ServerTest):
    def start(self, *directives):
        super().start("--cluster-enabled", "yes")

    def test_cluster(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1, 3600)
        client = redis.RedisCluster.from_url(self.url, socket_timeout=60)
        self.addCleanup(client.close)
        app = WSGIMiddleware(page, Limiter(client, fail_closed=True), fixed([("api", "ann"), ("api", "{ann}x")]))
        self.assertEqual([visit(app)[0], visit(app)[0]], [200, 429])


class TestPure(unittest.TestCase):
    def test_wrong_options(self):
        """Options that would fail open at each request are errors at the start."""
        url = "redis://127.0.0.1:6379"
        for kind in Limiter, AsyncLimiter:
            for timeout in "1", None, 0, -1, float("nan"), float("inf"), 3e9, True:
                with self.assertRaisesRegex(ValueError, "timeout is a number of seconds above 0"):
                    kind(url, timeout=timeout)
            for denials in None, -1, 1.5, "9", True:
                with self.assertRaisesRegex(ValueError, "denials is an integer from 0"):
                    kind(url, denials=denials)
            with self.assertRaisesRegex(ValueError, "fail_closed is True or False, not 'no'"):
                kind(url, fail_closed="no")
            with self.assertRaisesRegex(ValueError, "on_error is a function"):
                kind(url, on_error="log")
            for server in None, 6379, object():
                with self.assertRaisesRegex(ValueError, "the server is a URL such as redis://127.0.0.1:6379, or a client of"):
                    kind(server)
        for kind, client in (Limiter, redis.asyncio.Redis()), (AsyncLimiter, redis.Redis()):
            with self.assertRaisesRegex(ValueError, "or a client of redis"):
                kind(client)
        Limiter(redis.Redis(), timeout=1, denials=0)
        AsyncLimiter(redis.asyncio.Redis(), timeout=0.5)

    def test_wrong_questions(self):
        limiter = Limiter("redis://127.0.0.1:1")
        for questions in [], [("", "ann")], [(None, "ann")], [("api", "ann"), (7, "ann")]:
            with self.assertRaisesRegex(ValueError, "a question is the name of a rule and a key"):
                limiter.ask(*questions)

    def test_wrong_rules(self):
        url = "redis://127.0.0.1:6379"
        for middleware, limiter, other in [
            (WSGIMiddleware, Limiter(url), AsyncLimiter(url)),
            (ASGIMiddleware, AsyncLimiter(url), Limiter(url)),
        ]:
            for rules in [], None, "api", ["api"], [("api",)], [("api", "ip")], [(None, None)]:
                with self.assertRaisesRegex(ValueError, "the rules are pairs of a name and a key"):
                    middleware(page, limiter, rules)
            for wrong in other, url, None:
                with self.assertRaisesRegex(ValueError, f"the limiter is of the type {type(limiter).__name__}"):
                    middleware(page, wrong, [("api", None)])
            with self.assertRaisesRegex(ValueError, "the cost is a function"):
                middleware(page, limiter, [("api", None)], cost=5)

    def test_network(self):
        for address, key in {"10.0.0.1": "10.0.0.1", "::ffff:10.0.0.1": "10.0.0.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
                             "fe80::1%eth0": "fe80::/64", "::1": "::/64", "@": "@", "": ""}.items():
            self.assertEqual(network(address), key)

    def test_refusal_that_never_ends(self):
        """A quantity of 1 cannot cause this reply today."""
        limit = [b"", b"CL.WINDOW 5 60", 1, 5, 5, -1, 0, -1, b"rule"]
        got = decision([1, 0, [1, 5, 5, -1, 0, b"", b"CL.WINDOW 5 60", [limit], 0]], ["api", b"ann"])
        self.assertEqual(got.headers(), [("RateLimit-Policy", '"api";q=5'), ("RateLimit", '"api";r=5;t=0')])
