"""Limiters ask the rules of a server."""

import abc
import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from .denials import Denials
from .key import encode
from .reply import Decision, decision

log = logging.getLogger("cellserver_ratelimit")

Pairs = tuple[Any, ...]  # the rules and keys of a command


class NoDecision(Exception):
    """The server did not decide in time, and the limiter fails closed."""


class _Limiter(abc.ABC):
    """The common part of Limiter and AsyncLimiter.

    timeout     seconds that a request waits for a decision
    fail_closed refuse requests while there is no decision
    denials     how many refusals the limiter remembers; 0 for none
    on_error    is called for each request without a decision; by default the limiter logs one of them every 10 seconds
    """

    def __init__(
        self,
        server: Any,
        *,
        timeout: float = 0.25,
        fail_closed: bool = False,
        denials: int = 10_000,
        on_error: Callable[[Exception], None] | None = None,
    ):
        self.timeout, self.fail_closed = timeout, fail_closed
        self.on_error = on_error or self._log
        self.client = self._connect(server) if isinstance(server, str) else server
        self.denials = Denials(denials, timeout)
        self.now = time.monotonic
        self.next_log, self.lock = 0.0, threading.Lock()

    @property
    def options(self) -> dict[str, Any]:
        """The options of a client that keeps to the time-out. It sends no command again, because the server may have counted it."""
        return {
            "socket_timeout": self.timeout,
            "socket_connect_timeout": self.timeout,
            "retry": Retry(NoBackoff(), 0),
        }

    @abc.abstractmethod
    def _connect(self, url: str) -> Any:
        """Returns a client of a URL."""

    def _begin(self, questions: Any, quantity: int) -> tuple[list[Any], Pairs, float, Decision | None]:
        if not isinstance(quantity, int) or not 0 <= quantity < 2**63:
            raise ValueError(f"the quantity of an action is an integer from 0 to 2**63-1, not {quantity!r}")
        pairs = [part for rule, key in questions for part in (rule, encode(key))]
        command, now = (
            ["CL.MCHECK", len(questions), *pairs, "QUANTITY", int(quantity), "EXPLAIN", "MS"],
            self.now(),
        )
        return command, tuple(pairs), now, self.denials.find(tuple(pairs), quantity, now)

    def _end(self, reply: Any, pairs: Pairs, quantity: int, asked: float) -> Decision:
        decided = decision(reply, list(pairs))
        self.denials.learn(pairs, quantity, decided, asked)
        return decided

    def _failed(self, error: Exception, pairs: Pairs, quantity: int, asked: float) -> Decision:
        self.denials.learn(pairs, quantity, None, asked)
        self.on_error(error)
        if self.fail_closed:
            raise NoDecision from error
        return Decision(allowed=True)

    def _log(self, error: Exception) -> None:
        with self.lock:
            now = self.now()
            if now < self.next_log:
                return
            self.next_log = now + 10
        log.error("the rate limiter did not decide: %s: %s", type(error).__name__, error)


class Limiter(_Limiter):
    """Asks rules for threads. server is a URL such as redis://:secret@10.0.0.5:6379, or a client of redis-py with a socket_timeout."""

    def _connect(self, url: str) -> redis.Redis:
        return redis.Redis.from_url(url, **self.options)

    def ask(self, *questions: tuple[str, str | bytes | None], quantity: int = 1) -> Decision:
        """Asks all rules about one action; a question is a rule and a key. Either all rules allow the action and count it, or no rule
        counts it. A quantity of 0 only looks. Without a decision the action is allowed; with fail_closed the limiter raises NoDecision."""
        command, pairs, now, denied = self._begin(questions, quantity)
        if denied:
            return denied
        try:
            return self._end(self.client.execute_command(*command), pairs, quantity, now)
        except Exception as error:  # whatever goes wrong must not stop the service
            return self._failed(error, pairs, quantity, now)


class AsyncLimiter(_Limiter):
    """Asks rules for asyncio. server is a URL, or a client of redis.asyncio."""

    def _connect(self, url: str) -> redis.asyncio.Redis:
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            url, max_connections=100, timeout=self.timeout, **self.options
        )
        return redis.asyncio.Redis.from_pool(pool)

    async def ask(self, *questions: tuple[str, str | bytes | None], quantity: int = 1) -> Decision:
        """Asks as Limiter.ask does."""
        command, pairs, now, denied = self._begin(questions, quantity)
        if denied:
            return denied
        try:
            async with asyncio.timeout(self.timeout):
                reply = await self.client.execute_command(*command)
            return self._end(reply, pairs, quantity, now)
        except Exception as error:  # whatever goes wrong must not stop the service
            return self._failed(error, pairs, quantity, now)
