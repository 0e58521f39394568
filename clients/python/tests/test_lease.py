"""Leases: the account, and limiters that hold units."""

import asyncio
import contextlib
import gc
import json
import os
import pathlib
import threading
import time
import unittest

import redis
from cellserver_ratelimit import AsyncLimiter, Limiter, NoDecision
from cellserver_ratelimit import lease as leases
from cellserver_ratelimit.account import Account, Answer, Grant, Time

from .harness import ServerTest, VirtualLoop

STORIES = pathlib.Path(__file__).parents[2] / "account.jsonl"


def words(ask, asks):
    if ask is None:
        return [None]
    asks[ask.number] = ask
    return [[ask.want, ask.ttl, *ask.back]]


def step(account, asks, name, now, args):
    """Takes a step of a story, and returns what the story has at its end."""
    match name:
        case "take" | "again":
            verdict, answer = getattr(account, name)(now, args[0])
            return [args[0], verdict, list(answer)]
        case "look":
            seen = account.look(now, args[0])
            limited, answer = seen or (False, Answer())
            return [args[0], seen is not None, limited, list(answer)]
        case "nextAsk":
            return words(account.next_ask(now), asks)
        case "giveBack":
            return words(account.give_back(now), asks)
        case "passed":
            account.passed(now, Time(args[0], 0), args[1], args[2], Answer(*args[3]))
        case "gone":
            account.gone(args[0])
        case "granted":
            account.granted(now, asks[args[0]], Grant(*args[1]))
        case _:
            getattr(account, name)(now, asks[args[0]])
    return args


class TestAccount(unittest.TestCase):
    def test_stories(self):
        steps = 0
        for story in STORIES.read_text().splitlines():
            (_, lease), *all_steps = json.loads(story)
            account, asks = Account(lease), {}
            for name, boot, wall, *args in all_steps:
                self.assertEqual(
                    step(account, asks, name, Time(boot, wall), args), args, f"{name} at {boot}"
                )
                steps += 1
        self.assertGreater(steps, 4000)


class Clock:
    """The clocks of a server and of its limiters."""

    def __init__(self, server):
        self.server, self.now, self.threads = server, 1_800_000_000_000_000, []

    def __call__(self):
        return Time(self.now, self.now)

    def settle(self):
        """Waits until the threads of all limiters have an answer to every question."""
        for leased in self.threads:
            idle = threading.Event()
            leased._later(idle.set)
            assert idle.wait(60)

    def passes(self, milliseconds):
        self.settle()
        self.now += milliseconds * 1000
        self.server.do("DEBUG", "CLOCK", "ADVANCE", milliseconds * 1_000_000)


class LeaseTest(ServerTest):
    """A test whose limiters read the clock of the test."""

    def setUp(self):
        super().setUp()
        self.clock = Clock(self)

    def commands(self):
        """How many commands have asked for decisions or leases."""
        return self.questions() + self.admin.info("commandstats").get("cmdstat_cl.lease", {}).get("calls", 0)


class TestLeases(LeaseTest):
    def setUp(self):
        super().setUp()
        self.limiter = self.more()

    def more(self, **options):
        limiter = Limiter(self.url, lease=True, **{"timeout": 60, **options})
        self.addCleanup(limiter.client.close)
        limiter.leases.clock = self.clock
        self.clock.threads.append(limiter.leases)
        return limiter

    def warm(self, key):
        for _ in range(10):
            for _ in range(20):
                self.limiter.ask(("api", key))
            self.clock.passes(100)

    def test_hot_key(self):
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 5999, 6000, 60)
        self.assertEqual(self.limiter.ask(("api", "ann")).limit, '"api";r=5999;t=1')
        self.warm("ann")
        before = self.commands()
        for i in range(1000):
            decision = self.limiter.ask(("api", "ann"))
            self.assertTrue(decision.allowed)
            self.assertEqual(decision.policy, '"api";q=6000;w=60')
            self.assertRegex(decision.limit, r'^"api";r=5\d\d\d;t=\d+$')
            if i % 2:
                self.clock.passes(10)
        self.assertLess(self.commands() - before, 40)
        self.assertTrue(self.limiter.ask(("api", "ann"), ("api", "bob")).allowed)

    def test_changed_rule(self):
        """While a lease of the old numbers goes on, its decisions do not all ask the rule."""
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 100_000, 3600)
        self.warm("ann")
        for _ in range(20):
            self.limiter.ask(("api", "ann"))
        leased = self.limiter.leases
        self.clock.settle()  # no question of before brings the new numbers
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 200_000, 3600)
        (one,) = leased.by_pair.values()
        leased._refresh(one)  # it learns the new numbers
        before = self.questions()
        decided = [self.limiter.ask(("api", "ann")) for _ in range(20)]
        old = [decision for decision in decided if not decision.limit]
        self.assertGreater(len(old), 10)
        self.clock.settle()
        self.assertLessEqual(self.questions() - before, 2)

    def test_limit(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1000, 86400)
        limiters, admitted, lock = [self.limiter, self.more()], [], threading.Lock()

        def ask(limiter):
            for _ in range(10):
                if limiter.ask(("api", "all")).allowed:
                    with lock:
                        admitted.append(1)

        for _ in range(40):
            threads = [threading.Thread(target=ask, args=(limiters[i % 2],)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.clock.passes(50)
        self.assertLessEqual(len(admitted), 1000)
        self.assertGreater(len(admitted), 900)
        for _ in range(10):
            self.clock.passes(1000)
            refused = self.limiter.ask(("api", "all"))
        self.assertEqual((refused.allowed, refused.violated), (False, ("api",)))
        self.assertGreater(refused.retry_after, 0)

    def test_work_of_a_thread_that_ends(self):
        """Work that comes at the last moment is done, or a new thread does it."""
        leased = self.limiter.leases

        class Last:
            def __enter__(self):
                pass

            def __exit__(self, *_):
                if leased.work.empty():
                    leased.worker = None  # as the thread does

        leased.lock, leased.worker = Last(), threading.current_thread()
        leased._later(lambda: None)
        self.assertTrue(leased.worker or leased.work.empty(), "nobody does the work")

    def test_one_timeout(self):
        """An action that has waited for units until the time-out does not ask the rule."""
        sent = []

        class Silent:
            def execute_command(_, name, *words):
                sent.append(name)
                if name == "CL.LEASE":
                    self.clock.now += 60_000_000
                raise redis.TimeoutError

        leased = leases.Leases(Silent(), 60, 100)
        leased.clock = self.clock
        self.clock.threads.append(leased)
        while "CL.LEASE" not in sent:  # the key becomes hot
            with self.assertRaises((redis.TimeoutError, TimeoutError)):
                leased.ask(("api", b"ann"), 1)
        self.assertEqual(sent[-1], "CL.LEASE")

    def test_errors_that_pass(self):
        """The next question follows soon after an error that passes."""
        for error, soon in (
            (redis.ReadOnlyError("a replica"), True),
            (redis.exceptions.ClusterDownError("no leader"), True),
            (redis.BusyLoadingError("loading"), True),
            (redis.ResponseError("BUSY a script runs"), True),
            (redis.exceptions.NoPermissionError("no right"), False),
        ):
            asked = []

            class Refusing:
                def execute_command(_, name, *words, asked=asked, error=error):
                    asked.append(name)
                    raise error

            leased = leases.Leases(Refusing(), 60, 100)
            leased.clock = self.clock
            self.clock.threads.append(leased)
            while "CL.LEASE" not in asked:  # the key becomes hot
                with self.assertRaises(redis.RedisError):
                    leased.ask(("api", b"ann"), 1)
            self.clock.now += 100_000
            with self.assertRaises(redis.RedisError):
                leased.ask(("api", b"ann"), 1)
            self.assertEqual(asked.count("CL.LEASE"), 2 if soon else 1, error)

    def test_interrupted(self):
        """A question that a signal interrupts, or whose task is cancelled, is lost. A later action asks again."""

        class Interrupted:
            def execute_command(self, name, *_):
                raise KeyboardInterrupt if name == "CL.LEASE" else redis.TimeoutError

        class Cancelled:
            async def execute_command(self, name, *_):
                raise asyncio.CancelledError if name == "CL.LEASE" else redis.TimeoutError

        leased = leases.Leases(Interrupted(), 60, 100)
        leased.clock = self.clock
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(100):
                with contextlib.suppress(redis.TimeoutError):
                    leased.ask(("api", b"ann"), 1)
        (one,) = leased.by_pair.values()
        self.assertEqual((one.account._asking, one.account._waiting), (0, 0))

        async def run():
            leased = leases.AsyncLeases(Cancelled(), 1, 100)
            leased.clock = self.clock
            for _ in range(20):  # the key becomes hot
                with contextlib.suppress(redis.TimeoutError, TimeoutError):
                    await leased.ask(("api", b"ann"), 1)
            (one,) = leased.by_pair.values()
            self.assertGreater(one.account._asks, 0)
            self.assertEqual((one.account._asking, one.account._waiting), (0, 0))

        asyncio.run(run())

    def test_not_leasable(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 10, 60, "SHADOW")
        self.warm("ann")
        before = self.commands()
        for _ in range(10):
            self.assertTrue(self.limiter.ask(("api", "ann")).allowed)
        self.assertEqual(self.commands() - before, 10)

    def test_without_server(self):
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 5999, 6000, 60)
        self.limiter = self.more(fail_closed=True, on_error=lambda _: None)
        self.warm("ann")
        self.limiter.ask(("api", "ann"))
        self.kill()
        for _ in range(5):
            self.assertTrue(self.limiter.ask(("api", "ann")).allowed)
        self.clock.now += 2_000_000
        with self.assertRaises(NoDecision):
            self.limiter.ask(("api", "ann"))

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_fork(self):
        self.do("CL.RULE", "SET", "api", "CL.THROTTLE", 5999, 6000, 60)
        self.warm("ann")
        self.limiter.ask(("api", "ann"))
        pair = ("api", b"ann")
        self.assertTrue(self.limiter.leases.by_pair[pair].account.holds)
        child = os.fork()
        if child == 0:
            os._exit(len(self.limiter.leases.by_pair))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, "a child holds nothing")

    def test_options(self):
        for options in ({"lease": 1}, {"lease": True, "denials": 0}):
            with self.assertRaisesRegex(ValueError, "lease"):
                Limiter("redis://127.0.0.1:1", **options)
        self.assertTrue(self.limiter.leases.gives_back)
        self.assertTrue(AsyncLimiter("redis://127.0.0.1:1", lease=True).leases.gives_back)
        self.assertFalse(leases.sends_once(redis.Redis(port=1)))
        now = leases.clock()
        self.assertLessEqual(now.boot, leases.clock().boot)


class TestEventLoops(ServerTest):
    def test_loops(self):
        """A limiter counts in each event loop."""
        self.do("CL.RULE", "SET", "loops", "2/hour")
        errors = []
        limiter = AsyncLimiter(self.url, timeout=60, denials=0, on_error=errors.append)
        runners = [asyncio.Runner() for _ in range(2)]
        for runner in runners:
            self.addCleanup(runner.close)
        allowed = []
        for runner in runners * 2:
            allowed.append(runner.run(limiter.ask(("loops", "k"))).allowed)
        for runner in runners:
            runner.run(limiter.client.aclose())
        self.assertEqual(([True, True, False, False], []), (allowed, errors))

    def test_closed_loops(self):
        """A loop that is closed leaves no connection."""
        self.do("CL.RULE", "SET", "loops", "99/hour")
        limiter = AsyncLimiter(self.url, timeout=60, denials=0)
        for _ in range(5):
            asyncio.run(limiter.ask(("loops", "k")))
        gc.collect()
        self.assertEqual(1, len(limiter.client._clients))
        end = time.monotonic() + 60
        while self.admin.info("clients")["connected_clients"] > 2:  # its own, and that of the last loop
            self.assertLess(time.monotonic(), end, "a connection stays open")


class TestAsyncTimeout(unittest.TestCase):
    def test_one_timeout(self):
        """An action that waits for units, and then asks the rule, has one time-out for both."""

        class Silent:
            async def execute_command(self, *words):
                await asyncio.Event().wait()

        async def run():
            loop = asyncio.get_running_loop()
            leased = leases.AsyncLeases(Silent(), 0.25, 100)
            leased.clock = lambda: Time(int(loop.time() * 1e6), int(loop.time() * 1e6))

            async def ask(delay):
                await asyncio.sleep(delay)
                began = loop.time()
                with self.assertRaises(TimeoutError):
                    await leased.ask(("api", b"ann"), 1)
                return loop.time() - began

            await asyncio.gather(*[ask(0) for _ in range(20)])  # the key becomes hot
            took = await asyncio.gather(*[ask(i / 20) for i in range(5)])
            for seconds in took:
                self.assertAlmostEqual(seconds, 0.25)

        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(run())


class TestAsyncLeases(LeaseTest):
    def test_hot_key(self):
        self.do("CL.RULE", "SET", "api", "CL.WINDOW", 1000, 86400)
        self.assertEqual(asyncio.run(self.ask_often()), 1000)
        self.assertLess(self.commands(), 700)

    async def ask_often(self):
        limiter = AsyncLimiter(self.url, lease=True, timeout=60)
        limiter.leases.clock = self.clock

        async def passes(milliseconds):
            while any(task.get_coro().__name__ != "_tick" for task in limiter.leases.tasks):
                await asyncio.sleep(0)  # every question of before has its answer
            self.clock.passes(milliseconds)

        admitted = 0
        for _ in range(60):
            decisions = await asyncio.gather(*[limiter.ask(("api", "ann")) for _ in range(30)])
            admitted += sum(decision.allowed for decision in decisions)
            await passes(50)
        for _ in range(30):  # what was left of leases has come back
            await passes(1000)
            admitted += (await limiter.ask(("api", "ann"))).allowed
        await limiter.client.aclose()
        return admitted
