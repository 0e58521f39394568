"""Middleware for ASGI: FastAPI, Starlette, Django and others."""

from collections.abc import Callable, Iterable
from typing import Any

from .key import network
from .limiter import AsyncLimiter, NoDecision
from .reply import Decision, refusal
from .wsgi import checked, pairs


def address(scope: dict[str, Any]) -> str:
    """The key of a client without a name: the address of its connection."""
    return network((scope.get("client") or [""])[0])


class ASGIMiddleware:
    """Passes requests and WebSockets to app if all rules allow them. rules are pairs of a name and a function from the scope to the key,
    or None for the address. cost is a function from the scope to the quantity of the request."""

    def __init__(
        self,
        app: Callable[..., Any],
        limiter: AsyncLimiter,
        rules: Iterable[tuple[str, Callable[[dict[str, Any]], str | bytes | int | None] | None]],
        cost: Callable[[dict[str, Any]], int] = lambda _: 1,
    ) -> None:
        self.app, self.limiter, self.cost = app, checked(limiter, AsyncLimiter, cost), cost
        self.rules = [(name, key or address) for name, key in pairs(rules)]

    async def __call__(
        self, scope: dict[str, Any], receive: Callable[..., Any], send: Callable[[Any], Any]
    ) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            decision = await self.limiter.ask(
                *[(name, key(scope)) for name, key in self.rules], quantity=self.cost(scope)
            )
        except NoDecision:
            return await refuse(scope, send, None)
        if not decision.allowed:
            return await refuse(scope, send, decision)
        headers = encoded(decision.headers())

        async def send_with_headers(event: dict[str, Any]) -> None:
            if event["type"] in ("http.response.start", "websocket.accept"):
                event = {**event, "headers": [*event.get("headers", ()), *headers]}
            await send(event)

        await self.app(scope, receive, send_with_headers)


async def refuse(scope: dict[str, Any], send: Callable[[Any], Any], decision: Decision | None) -> None:
    """Answers in the place of the app. A server without the extension for replies to WebSockets sends 403."""
    status, headers, body = refusal(decision)
    prefix = ""
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close"})
            return
        prefix = "websocket."
    headers.append(("Content-Length", str(len(body))))
    await send({"type": prefix + "http.response.start", "status": status, "headers": encoded(headers)})
    await send({"type": prefix + "http.response.body", "body": body})


def encoded(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers]
