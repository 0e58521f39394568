"""Limiters ask the rules of a server."""

import abc
import asyncio
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from .denials import Denials
from .fork import begin_in_each_process
from .key import encode
from .lease import AsyncLeases, Leases
from .loop import ClientOfLoop
from .reply import Decision, decision

log = logging.getLogger("cellserver_ratelimit")

Pairs = tuple[Any, ...]  # the rules and keys of a command


LONGEST = 2_147_483  # seconds that a time-out has at most


def is_number(value: object, *types: type) -> bool:
    """Reports whether a value is of one of these types. A boolean is no number."""
    return isinstance(value, types) and not isinstance(value, bool)


class NoDecision(Exception):
    """The server did not decide in time, and the limiter fails closed."""


class _Limiter(abc.ABC):
    """The common part of Limiter and AsyncLimiter.

    timeout     seconds that a request waits for a decision
    fail_closed refuse requests while there is no decision
    denials     how many refusals the limiter remembers; 0 for none
    lease       decide about hot keys here, from units that are taken in advance; denials is then also how many keys there are
    on_error    is called for each request without a decision; by default the limiter logs one of them every 10 seconds
    """

    clients = ""  # which clients the limiter takes
    wrong_clients: tuple[type, ...] = ()  # their calls answer in another way
    kind: Any = None  # of leases

    def __init__(
        self,
        server: Any,
        *,
        timeout: float = 0.25,
        fail_closed: bool = False,
        denials: int = 10_000,
        lease: bool = False,
        on_error: Callable[[Exception], None] | None = None,
    ):
        if not is_number(timeout, int, float) or not 0 < timeout <= LONGEST:
            raise ValueError(f"timeout is a number of seconds above 0, at most {LONGEST}, not {timeout!r}")
        if not isinstance(fail_closed, bool):
            raise ValueError(f"fail_closed is True or False, not {fail_closed!r}")
        if not is_number(denials, int) or denials < 0:
            raise ValueError(f"denials is an integer from 0, not {denials!r}")
        if not isinstance(lease, bool):
            raise ValueError(f"lease is True or False, not {lease!r}")
        if lease and denials == 0:
            raise ValueError("lease remembers refusals: leave out denials, or lease")
        if not (on_error is None or callable(on_error)):
            raise ValueError(f"on_error is a function of the error, not {on_error!r}")
        if not isinstance(server, str) and not self._is_client(server):
            raise ValueError(
                f"the server is a URL such as redis://127.0.0.1:6379, or {self.clients}, not {server!r}"
            )
        self.timeout, self.fail_closed = timeout, fail_closed
        self.on_error = on_error or self._log
        self.client = self._connect(server) if isinstance(server, str) else server
        self.denials = Denials(denials, timeout)
        self.now = time.monotonic
        self.leases = self.kind(self.client, timeout, denials) if lease else None
        begin_in_each_process(self._begin_log)

    def _begin_log(self) -> None:
        self.next_log, self.lock = 0.0, threading.Lock()

    @property
    def options(self) -> dict[str, Any]:
        """The options of a client that keeps to the time-out. It sends no command again, because the server may have counted it."""
        return {
            "socket_timeout": self.timeout,
            "socket_connect_timeout": self.timeout,
            "retry": Retry(NoBackoff(), 0),
        }

    def _is_client(self, server: Any) -> bool:
        return callable(getattr(server, "execute_command", None)) and not isinstance(
            server, self.wrong_clients
        )

    @abc.abstractmethod
    def _connect(self, url: str) -> Any:
        """Returns a client of a URL."""

    def _begin(self, questions: Any, quantity: int) -> tuple[list[Any], Pairs, float, Decision | None]:
        if not isinstance(quantity, int) or not 0 <= quantity < 2**63:
            raise ValueError(f"the quantity of an action is an integer from 0 to 2**63-1, not {quantity!r}")
        if not questions or not all(isinstance(rule, str) and rule for rule, _ in questions):
            raise ValueError(f"a question is the name of a rule and a key, not {questions!r}")
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

    clients = "a client of redis-py that is not one of redis.asyncio"
    wrong_clients = (redis.asyncio.Redis, redis.asyncio.RedisCluster)
    kind = Leases

    def _connect(self, url: str) -> redis.Redis:
        return redis.Redis.from_url(url, **self.options)

    def ask(self, *questions: tuple[str, str | bytes | int | None], quantity: int = 1) -> Decision:
        """Asks all rules about one action; a question is a rule and a key. Either all rules allow the action and count it, or no rule
        counts it. A quantity of 0 only looks. Without a decision the action is allowed; with fail_closed the limiter raises NoDecision."""
        command, pairs, now, denied = self._begin(questions, quantity)
        if denied:
            return denied
        try:
            if self.leases and self.leases.serves(pairs, quantity):
                return cast(Decision, self.leases.ask(pairs, quantity))
            return self._end(self.client.execute_command(*command), pairs, quantity, now)
        except Exception as error:  # whatever goes wrong must not stop the service
            return self._failed(error, pairs, quantity, now)


class AsyncLimiter(_Limiter):
    """Asks rules for asyncio. server is a URL, or a client of redis.asyncio."""

    clients = "a client of redis.asyncio"
    wrong_clients = (redis.Redis, redis.RedisCluster)
    kind = AsyncLeases

    def _connect(self, url: str) -> Any:
        def connect() -> redis.asyncio.Redis:
            pool = redis.asyncio.BlockingConnectionPool.from_url(
                url, max_connections=100, timeout=self.timeout, **self.options
            )
            return redis.asyncio.Redis.from_pool(pool)

        return ClientOfLoop(connect)

    async def ask(self, *questions: tuple[str, str | bytes | int | None], quantity: int = 1) -> Decision:
        """Asks as Limiter.ask does."""
        command, pairs, now, denied = self._begin(questions, quantity)
        if denied:
            return denied
        try:
            if self.leases and self.leases.serves(pairs, quantity):
                return cast(Decision, await self.leases.ask(pairs, quantity))
            async with asyncio.timeout(self.timeout):
                reply = await self.client.execute_command(*command)
            return self._end(reply, pairs, quantity, now)
        except Exception as error:  # whatever goes wrong must not stop the service
            return self._failed(error, pairs, quantity, now)
