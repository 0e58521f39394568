"""Lets calls of a service begin within a limit that the server finds for all callers (CL.ENTER).

AdaptiveLimit is for threads, and AsyncAdaptiveLimit for asyncio. httpx.py has transports for httpx, and AdaptiveASGI is
for the service itself.
"""

import asyncio
import itertools
import logging
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from .key import encode

log = logging.getLogger("cellserver_ratelimit")

OK, DROP, IGNORE = "OK", "DROP", "IGNORE"
DROPS = {408, 429, 503, 504}  # statuses of a service that has too much to do, or that is late


class LimitReached(Exception):
    """As many calls as the limit are under way. Do not retry at once."""


def outcome_of(status: int) -> str:
    """How a call with a status of HTTP ended. An error of the caller says nothing about the service."""
    return DROP if status in DROPS else IGNORE if 400 <= status < 500 else OK


def outcome_of_error(error: BaseException) -> str:
    """How a call with an error ended. Only a time-out is a drop: those of asyncio, of sockets and of httpx."""
    late = isinstance(error, TimeoutError) or any(
        one.__name__ == "TimeoutException" for one in type(error).__mro__
    )
    return DROP if late else IGNORE


class Call:
    """A call that is under way. The outcome may be set before its end."""

    def __init__(self, holder: str | None):
        self.holder, self.began, self.took = holder, time.monotonic(), 0.0
        self.outcome: str | None = None

    def measured(self) -> None:
        """Ends the time that the service has taken. Without it the time ends with the call."""
        self.took = self.took or max(time.monotonic() - self.began, 1e-9)


class _Limit:
    """The common part of AdaptiveLimit and AsyncAdaptiveLimit.

    lease     seconds after which the permit of a caller that has crashed is free; longer than a call
    timeout   seconds that a call waits for the limiter
    ceiling   how many calls of this process may be under way while the limiter does not answer
    words     options of CL.ENTER, such as ["BETWEEN", 5, 200]; all callers of a key have the same ones
    on_error  is called for each call about which the limiter did not decide
    """

    def __init__(
        self,
        server: Any,
        key: str | bytes | int,
        *,
        lease: float = 60,
        timeout: float = 0.25,
        ceiling: int = 20,
        words: Sequence[str | int | float] = (),
        on_error: Callable[[Exception], None] | None = None,
    ):
        if not lease > 0 or not timeout > 0:
            raise ValueError(f"lease and timeout are numbers of seconds above 0, not {lease!r} and {timeout!r}")
        if not isinstance(ceiling, int) or ceiling < 1:
            raise ValueError(f"ceiling is an integer from 1, not {ceiling!r}")
        if isinstance(words, str):
            raise ValueError(f"words is a list, not {words!r}")
        self.key, self.words = encode(key), [str(word) for word in words]
        self.lease, self.timeout, self.ceiling = f"{lease:.9f}", timeout, ceiling
        self.on_error = on_error or self._log
        self.client = self._connect(server) if isinstance(server, str) else server
        self.process, self.calls = secrets.token_hex(12), itertools.count()
        self.local, self.next_log, self.lock = 0, 0.0, threading.Lock()

    def _connect(self, url: str) -> Any:
        raise NotImplementedError

    @property
    def options(self) -> dict[str, Any]:
        """The options of a client that keeps to the time-out, and sends no command again."""
        return {
            "socket_timeout": self.timeout,
            "socket_connect_timeout": self.timeout,
            "retry": Retry(NoBackoff(), 0),
        }

    def _enter(self) -> tuple[str, list[Any]]:
        holder = f"{self.process}:{next(self.calls)}"
        return holder, ["CL.ENTER", self.key, self.lease, holder, *self.words]

    def _entered(self, holder: str, reply: Any) -> Call:
        if int(reply[0]) != 0:
            raise LimitReached
        return Call(holder)

    def _enter_locally(self, error: Exception) -> Call:
        self.on_error(error)
        with self.lock:
            if self.local >= self.ceiling:
                raise LimitReached from error
            self.local += 1
        return Call(None)

    def _leave(self, call: Call, error: BaseException | None) -> list[Any] | None:
        """The command that ends a call; None for a call without the server."""
        call.measured()
        if call.holder is None:
            with self.lock:
                self.local -= 1
            return None
        outcome = outcome_of_error(error) if error is not None else call.outcome or OK
        return ["CL.LEAVE", self.key, call.holder, f"{call.took:.9f}", outcome]

    def _log(self, error: Exception) -> None:
        with self.lock:
            now = time.monotonic()
            if now < self.next_log:
                return
            self.next_log = now + 10
        log.error("the adaptive limit did not decide", exc_info=error)


class AdaptiveLimit(_Limit):
    """A limit for threads. server is a URL, or a client of redis-py that keeps to the time-out."""

    def _connect(self, url: str) -> Any:
        return redis.Redis.from_url(url, **self.options)

    @contextmanager
    def call(self) -> Iterator[Call]:
        """Runs its block as a call. It raises LimitReached if the call must not begin."""
        holder, command = self._enter()
        try:
            call = self._entered(holder, self.client.execute_command(*command))
        except redis.RedisError as error:
            call = self._enter_locally(error)
        failure: BaseException | None = None
        try:
            yield call
        except BaseException as error:
            failure = error
            raise
        finally:
            if ending := self._leave(call, failure):
                try:
                    self.client.execute_command(*ending)
                except redis.RedisError as error:
                    self.on_error(error)  # the permit comes back at the end of its lease


class AsyncAdaptiveLimit(_Limit):
    """A limit for asyncio. server is a URL, or a client of redis.asyncio."""

    def _connect(self, url: str) -> Any:
        return redis.asyncio.Redis.from_url(url, **self.options)

    async def _ask(self, command: list[Any]) -> Any:
        """Sends a command. It goes on if its caller is cancelled, because the server may have counted it."""
        return await asyncio.wait_for(self.client.execute_command(*command), self.timeout)

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Call]:
        """Runs its block as a call. It raises LimitReached if the call must not begin."""
        holder, command = self._enter()
        try:
            call = self._entered(holder, await self._ask(command))
        except (redis.RedisError, TimeoutError) as error:
            call = self._enter_locally(error)
        failure: BaseException | None = None
        try:
            yield call
        except BaseException as error:
            failure = error
            raise
        finally:
            if ending := self._leave(call, failure):
                try:
                    await asyncio.shield(self._ask(ending))
                except (redis.RedisError, TimeoutError) as error:
                    self.on_error(error)  # the permit comes back at the end of its lease


class AdaptiveASGI:
    """Passes requests to app within a limit. A request that must not begin has the status 503."""

    def __init__(self, app: Callable[..., Any], limit: AsyncAdaptiveLimit):
        self.app, self.limit = app, limit

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[..., Any], send: Callable[[Any], Any]
    ) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False
        try:
            async with self.limit.call() as call:
                begun = True

                async def seen(event: dict[str, Any]) -> None:
                    if event["type"] == "http.response.start":
                        call.outcome = outcome_of(event["status"])
                    await send(event)

                await self.app(scope, receive, seen)
        except LimitReached:
            if begun:  # the app called another service
                raise
            body = b"too many requests are under way: try again later\n"
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": body})
