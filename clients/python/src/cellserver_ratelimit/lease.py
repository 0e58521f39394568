"""Decisions about hot keys of one rule, from units that the server has granted in advance."""

import asyncio
import collections
import dataclasses
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import redis
from redis import exceptions

from .account import LOCAL, PASS, REFUSED, WAIT, Account, Answer, Ask, Grant, Time
from .fork import begin_in_each_process
from .loop import ClientOfLoop
from .reply import Decision, Limit, decision, limits

LEASE = 1000  # milliseconds
TICK = 0.02  # seconds between the times at which units are given back
FRESH = 10_000_000  # µs for which the headers show the limits of a reply
ASK_PAUSE = 100_000  # µs between two questions for a newer reply
MOST = 1_000_000_000  # the largest quantity of a lease

# The errors of a server that has no answer for a while: redis-py has types for some, and takes their codes away.
LOSSES = redis.ReadOnlyError, exceptions.ClusterDownError, exceptions.TryAgainError, exceptions.MovedError
LOSS_CODES = "BUSY ", "CLUSTERDOWN ", "MASTERDOWN ", "MOVED ", "NOREPLICAS ", "TRYAGAIN "

# The clock that counts the time in which the machine is suspended. Without it only the wall clock counts it.
BOOT = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


def clock() -> Time:
    boot = time.monotonic_ns() if BOOT is None else time.clock_gettime_ns(BOOT)
    return Time(boot // 1000, time.time_ns() // 1000)


def is_loss(error: Exception) -> bool:
    """Reports whether the server has no answer for a while, so that leases go on after a short pause."""
    return isinstance(error, LOSSES) or str(error).startswith(LOSS_CODES)


@dataclasses.dataclass(eq=False)
class Leased:
    """A rule and a key, with the last reply of the rule."""

    pair: tuple[Any, ...]
    account: Account
    answered: Any  # an event: a question of the account is answered
    policy: str = ""
    limits: list[Limit] = dataclasses.field(default_factory=list)
    fresh: int = 0  # when the reply is too old
    asked: int = 0  # when a decision has last asked for a newer one

    def check(self, quantity: int) -> list[Any]:
        return ["CL.MCHECK", 1, *self.pair, "QUANTITY", quantity, "EXPLAIN", "MS"]

    def question(self, ask: Ask, gives_back: bool) -> list[Any]:
        back = ["BACK", *ask.back] if gives_back and ask.back.units else []
        return ["CL.LEASE", ask.want, ask.ttl, *back, "CL.CHECK", *self.pair]

    def learn(self, reply: list[Any], now: Time) -> tuple[Decision, Answer]:
        """Keeps the limits of a reply of the rule."""
        decided = decision(reply, list(self.pair))
        rule = reply[2]
        self.policy, self.limits = decided.policy, limits(self.pair[0], rule[7])
        self.fresh = now.boot + FRESH
        return decided, Answer(*rule[1:5])

    def decide(self, allowed: bool, answer: Answer) -> Decision:
        """Returns the decision of a lease. Its headers show the limit of the rule that the answer is of. If the rule has no such limit
        any more, there are none, and the rule is asked from time to time."""
        wait = 0 if allowed else answer.retry_after
        same = [one for one in self.limits if one.most == answer.limit]
        if not same:
            self.fresh = min(self.fresh, self.asked + ASK_PAUSE)
            return Decision(allowed, wait)
        tightest = min(same, key=lambda one: one.left)
        shown = tightest._replace(
            limited=not allowed, left=answer.remaining, retry=answer.retry_after, reset=answer.reset_after
        )
        return Decision(allowed, wait, self.policy, shown.state(), () if allowed else (shown.name,))


class _Leases:
    """The common part of Leases and AsyncLeases."""

    event: Callable[[], Any]

    def __init__(self, client: Any, timeout: float, most: int):
        self.client, self.timeout, self.most = client, timeout, most
        self.gives_back = sends_once(client)
        self.clock = clock
        begin_in_each_process(self._begin)  # a child must not spend the units of its parent

    def _begin(self) -> None:
        self.lock = threading.Lock()  # guards all of the accounts
        self.by_pair: collections.OrderedDict[tuple[Any, ...], Leased] = collections.OrderedDict()
        self.holders: set[Leased] = set()

    def serves(self, pairs: tuple[Any, ...], quantity: int) -> bool:
        """Reports whether a lease can decide about an action: one rule without a scope counts it."""
        return len(pairs) == 2 and 1 <= quantity <= MOST and "@" not in pairs[0]

    def _find(self, pair: tuple[Any, ...]) -> Leased:
        if (one := self.by_pair.get(pair)) is None:
            one = self.by_pair[pair] = Leased(pair, Account(LEASE), self.event())
            if len(self.by_pair) > self.most:
                self.by_pair.popitem(last=False)
        self.by_pair.move_to_end(pair)
        return one

    def _next(self, one: Leased, now: Time, verdict: int) -> Ask | None:
        """Returns the question that is due after a verdict."""
        if verdict not in (LOCAL, WAIT) or (ask := one.account.next_ask(now)) is None:
            return None
        self.holders.add(one)
        return ask

    def _is_old(self, one: Leased, now: Time) -> bool:
        """Reports, once, whether the rule must be asked for its limits of today."""
        old = now.boot >= one.fresh
        if old:
            one.fresh, one.asked = now.boot + FRESH, now.boot
        return old

    def _answered(self, one: Leased, ask: Ask, reply: Any, error: Exception | None) -> None:
        now = self.clock()
        with self.lock:
            if isinstance(error, redis.ResponseError) and not is_loss(error):
                one.account.failed(now, ask)
            elif error is not None or len(reply) != len(Grant._fields):
                one.account.lost(now, ask)
            else:
                one.account.granted(now, ask, Grant(*reply))
            one.answered.set()
            one.answered = self.event()

    def _due(self) -> list[tuple[Leased, Ask]]:
        """Returns the questions that give units back now."""
        now, due = self.clock(), []
        with self.lock:
            for one in list(self.holders):
                if ask := one.account.give_back(now):
                    due.append((one, ask))
                elif not one.account.holds:
                    self.holders.discard(one)
        return due

    def _late(self, one: Leased, quantity: int) -> TimeoutError:
        one.account.gone(quantity)
        return TimeoutError(f"no lease within {self.timeout} s")


class Leases(_Leases):
    """Leases of threads. A thread of its own sends the questions for which nobody waits."""

    event = threading.Event

    def _begin(self) -> None:
        super()._begin()
        self.work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.worker: threading.Thread | None = None

    def ask(self, pair: tuple[Any, ...], quantity: int) -> Decision:
        """Decides about an action."""
        with self.lock:
            one, now = self._find(pair), self.clock()
            began = now
            verdict, answer = one.account.take(now, quantity)
            ask, answered = self._next(one, now, verdict), one.answered
        while verdict == WAIT:
            try:
                if ask:
                    self._send(one, ask)
                late = not answered.wait(max(0.0, self.timeout - (now.boot - began.boot) / 1e6))
            except BaseException:  # a signal, or a time-out of gevent
                with self.lock:
                    one.account.gone(quantity)
                raise
            with self.lock:
                if late:
                    raise self._late(one, quantity)
                now = self.clock()
                verdict, answer = one.account.again(now, quantity)
                ask, answered = self._next(one, now, verdict), one.answered
        if verdict == PASS:
            if now.boot - began.boot >= self.timeout * 1e6:
                raise self._late(one, 0)
            departed = self.clock()
            decided, answer = self._check(one, quantity)
            with self.lock:
                one.account.passed(self.clock(), departed, quantity, not decided.allowed, answer)
            return decided
        if ask:
            self._later(lambda: self._send(one, ask))
        with self.lock:
            decided = one.decide(verdict != REFUSED, answer)
            old = self._is_old(one, now)
        if old:
            self._later(lambda: self._refresh(one))
        return decided

    def _check(self, one: Leased, quantity: int) -> tuple[Decision, Answer]:
        reply = self.client.execute_command(*one.check(quantity))
        with self.lock:
            return one.learn(reply, self.clock())

    def _refresh(self, one: Leased) -> None:
        try:
            self._check(one, 0)
        except Exception:
            pass  # the headers show the limits of before

    def _send(self, one: Leased, ask: Ask) -> None:
        """Sends a question, and gives the account the reply."""
        reply: Any = ()
        failed: Exception | None = None
        try:
            reply = self.client.execute_command(*one.question(ask, self.gives_back))
        except Exception as error:  # whatever goes wrong must not stop the service
            failed = error
        finally:
            self._answered(one, ask, reply, failed)
        self._later(None)

    def _later(self, work: Callable[[], None] | None) -> None:
        """Lets the thread work, and give units back until no account holds any."""
        with self.lock:
            if work:
                self.work.put(work)  # with the lock: a thread without work ends
            if self.worker is None:
                self.worker = threading.Thread(target=self._run, daemon=True, name="cellserver-leases")
                self.worker.start()

    def _run(self) -> None:
        ticked = time.monotonic()
        while True:
            try:
                self.work.get(timeout=TICK)()
            except queue.Empty:
                pass
            if time.monotonic() - ticked < TICK:
                continue
            for one, ask in self._due():
                self._send(one, ask)
            ticked = time.monotonic()
            with self.lock:
                if not self.holders and self.work.empty():
                    self.worker = None
                    return


class AsyncLeases(_Leases):
    """Leases of asyncio."""

    event = asyncio.Event

    def _begin(self) -> None:
        super()._begin()
        self.tasks: set[asyncio.Task[None]] = set()
        self.ticks = False

    async def ask(self, pair: tuple[Any, ...], quantity: int) -> Decision:
        """Decides about an action."""
        now, end = self.clock(), asyncio.get_running_loop().time() + self.timeout
        one = self._find(pair)
        verdict, answer = one.account.take(now, quantity)
        while verdict == WAIT:
            answered = one.answered
            self._start(one, now, verdict)
            try:
                async with asyncio.timeout_at(end):
                    await answered.wait()
            except TimeoutError:
                raise self._late(one, quantity) from None
            except asyncio.CancelledError:
                one.account.gone(quantity)
                raise
            now = self.clock()
            verdict, answer = one.account.again(now, quantity)
        if verdict == PASS:
            departed = self.clock()
            decided, answer = await self._check(one, quantity, end)
            one.account.passed(self.clock(), departed, quantity, not decided.allowed, answer)
            return decided
        self._start(one, now, verdict)
        decided = one.decide(verdict != REFUSED, answer)
        if self._is_old(one, now):
            self._later(self._refresh(one))
        return decided

    def _start(self, one: Leased, now: Time, verdict: int) -> None:
        if ask := self._next(one, now, verdict):
            self._later(self._send(one, ask))

    def _later(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _check(self, one: Leased, quantity: int, end: float) -> tuple[Decision, Answer]:
        async with asyncio.timeout_at(end):
            reply = await self.client.execute_command(*one.check(quantity))
        return one.learn(reply, self.clock())

    async def _refresh(self, one: Leased) -> None:
        try:
            await self._check(one, 0, asyncio.get_running_loop().time() + self.timeout)
        except Exception:
            pass  # the headers show the limits of before

    async def _send(self, one: Leased, ask: Ask) -> None:
        """Sends a question, and gives the account the reply."""
        if not self.ticks:
            self.ticks = True
            self._later(self._tick())
        reply: Any = ()
        failed: Exception | None = None
        try:
            async with asyncio.timeout(self.timeout):
                reply = await self.client.execute_command(*one.question(ask, self.gives_back))
        except Exception as error:  # whatever goes wrong must not stop the service
            failed = error
        finally:
            self._answered(one, ask, reply, failed)

    async def _tick(self) -> None:
        """Gives units back, until no account holds any."""
        while self.holders:
            await asyncio.sleep(TICK)
            for one, ask in self._due():
                self._later(self._send(one, ask))
        self.ticks = False


def sends_once(client: Any) -> bool:
    """Reports whether a client sends no command twice, so that units come back once."""
    if isinstance(client, ClientOfLoop):
        return True  # the options of a limiter say so
    pool = getattr(client, "connection_pool", None)
    if not isinstance(client, (redis.Redis, redis.asyncio.Redis)) or pool is None:
        return False
    retry = pool.connection_kwargs.get("retry")
    return retry is not None and getattr(retry, "_retries", 1) == 0
