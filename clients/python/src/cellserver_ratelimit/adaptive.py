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

from .fork import begin_in_each_process
from .key import encode
from .loop import ClientOfLoop

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


MOST_LATE = 1000  # ends of calls that wait for a server that answers


class Call:
    """A call that is under way. The outcome may be set before its end. A local one began without the server."""

    def __init__(self, holder: str, local: bool = False):
        self.holder, self.local, self.began, self.took = holder, local, time.monotonic(), 0.0
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
        self.lease, self.timeout, self.ceiling = lease, timeout, ceiling
        self.on_error = on_error or self._log
        self.client = self._connect(server) if isinstance(server, str) else server
        begin_in_each_process(self._begin)  # two processes must not be one holder of a permit

    def _begin(self) -> None:
        self.process, self.calls = secrets.token_hex(12), itertools.count()
        self.local, self.next_log, self.lock = 0, 0.0, threading.Lock()
        self.late: list[tuple[float, list[Any]]] = []  # the ends of calls that the server may not know

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
        return holder, ["CL.ENTER", self.key, f"{self.lease:.9f}", holder, *self.words]

    def _entered(self, holder: str, reply: Any) -> Call:
        if int(reply[0]) != 0:
            raise LimitReached
        return Call(holder)

    def _enter_locally(self, holder: str, error: Exception) -> Call:
        self.on_error(error)
        call = Call(holder, local=True)
        with self.lock:
            self.local += 1
            full = self.local > self.ceiling
        if full:
            self._leave(call, error)
            raise LimitReached from error
        return call

    def _leave(self, call: Call, error: BaseException | None) -> tuple[float, list[Any]] | None:
        """The command that ends a call, and the end of its lease; None for a call without the server."""
        call.measured()
        outcome = outcome_of_error(error) if error is not None else call.outcome or OK
        command = ["CL.LEAVE", self.key, call.holder, f"{call.took:.9f}", outcome]
        end = (call.began + self.lease, command)
        if not call.local:
            return end
        with self.lock:
            self.local -= 1
        # The server may have counted the call. The other half is for permits that it has given.
        self._keep([end], MOST_LATE // 2)
        return None

    def _keep(self, ends: list[tuple[float, list[Any]]], most: int = MOST_LATE) -> None:
        """Keeps ends of calls for a server that answers. Without room a permit comes back after its lease."""
        with self.lock:
            self.late += ends[: max(most - len(self.late), 0)]

    def _take_late(self) -> list[tuple[float, list[Any]]]:
        """The ends that the server may not know, and that still count."""
        if not self.late:
            return []
        with self.lock:
            late, self.late = self.late, []
        return [end for end in late if end[0] > time.monotonic()]

    def _pipeline(self, late: list[tuple[float, list[Any]]]) -> Any:
        """A pipeline of the ends."""
        pipeline = self.client.pipeline(transaction=False)
        for _, command in late:
            pipeline.execute_command(*command)
        return pipeline

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
            reply = self.client.execute_command(*command)
        except redis.RedisError as error:
            call = self._enter_locally(holder, error)
        else:
            self._send_late()
            call = self._entered(holder, reply)
        failure: BaseException | None = None
        try:
            yield call
        except BaseException as error:
            failure = error
            raise
        finally:
            if ending := self._leave(call, failure):
                try:
                    self.client.execute_command(*ending[1])
                except redis.RedisError as error:
                    self.on_error(error)
                    self._keep([ending])

    def _send_late(self) -> None:
        """Sends the ends that the server may not know, once it answers."""
        if late := self._take_late():
            try:
                self._pipeline(late).execute(raise_on_error=False)
            except redis.RedisError:
                self._keep(late)


class AsyncAdaptiveLimit(_Limit):
    """A limit for asyncio. server is a URL, or a client of redis.asyncio."""

    def _connect(self, url: str) -> Any:
        return ClientOfLoop(lambda: redis.asyncio.Redis.from_url(url, **self.options))

    async def _ask(self, command: list[Any]) -> Any:
        """Sends a command."""
        return await asyncio.wait_for(self.client.execute_command(*command), self.timeout)

    async def _report(self, ending: tuple[float, list[Any]]) -> None:
        """Sends the end of a call. It goes on if the task of the call is cancelled."""
        try:
            await self._ask(ending[1])
        except (redis.RedisError, TimeoutError) as error:
            self.on_error(error)
            self._keep([ending])

    @asynccontextmanager
    async def call(self) -> AsyncIterator[Call]:
        """Runs its block as a call. It raises LimitReached if the call must not begin."""
        holder, command = self._enter()
        end = asyncio.get_running_loop().time() + self.timeout  # of all that is sent before the call
        try:
            reply = await self._ask(command)
            await self._send_late(end)
        except (redis.RedisError, TimeoutError) as error:
            call = self._enter_locally(holder, error)
        except asyncio.CancelledError as error:
            if ending := self._leave(Call(holder), error):  # the server may have counted the call
                self._keep([ending])
            raise
        else:
            call = self._entered(holder, reply)
        failure: BaseException | None = None
        try:
            yield call
        except BaseException as error:
            failure = error
            raise
        finally:
            if ending := self._leave(call, failure):
                await asyncio.shield(self._report(ending))

    async def _send_late(self, end: float) -> None:
        """Sends the ends that the server may not know, once it answers."""
        if late := self._take_late():
            try:
                async with asyncio.timeout_at(end):
                    await self._pipeline(late).execute(raise_on_error=False)
            except (redis.RedisError, TimeoutError):
                self._keep(late)
            except asyncio.CancelledError:
                self._keep(late)
                raise


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
