"""Middleware for ASGI: FastAPI, Starlette, Django and others."""
from collections.abc import Callable

from .key import network
from .limiter import AsyncLimiter, NoDecision
from .reply import problem


def address(scope: dict) -> str:
    """The key of a client without a name: the address of its connection."""
    return network((scope.get("client") or [""])[0])


class ASGIMiddleware:
    """Passes requests and WebSockets to app if all rules allow them. rules are pairs of a name and a function from the scope to the key,
    or None for the address. cost is a function from the scope to the quantity of the request."""

    def __init__(self, app, limiter: AsyncLimiter, rules: list, cost: Callable[[dict], int] = lambda _: 1):
        self.app, self.limiter, self.cost = app, limiter, cost
        self.rules = [(name, key or address) for name, key in rules]

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        try:
            decision = await self.limiter.ask(*[(name, key(scope)) for name, key in self.rules], quantity=self.cost(scope))
        except NoDecision:
            return await answer(scope, send, 503, [("Retry-After", "1")], problem(503, "The rate limiter does not answer"))
        if not decision.allowed:
            return await answer(scope, send, 429, decision.headers(), decision.body())
        headers = encoded(decision.headers())

        async def send_with_headers(event):
            if event["type"] in ("http.response.start", "websocket.accept"):
                event = {**event, "headers": [*event.get("headers", ()), *headers]}
            await send(event)

        await self.app(scope, receive, send_with_headers)


async def answer(scope, send, status, headers, body):
    """Answers in the place of the app. A server without the extension for replies to WebSockets sends 403."""
    prefix = ""
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            return await send({"type": "websocket.close"})
        prefix = "websocket."
    headers = headers + [("Content-Type", "application/problem+json"), ("Content-Length", str(len(body)))]
    await send({"type": prefix + "http.response.start", "status": status, "headers": encoded(headers)})
    await send({"type": prefix + "http.response.body", "body": body})


def encoded(headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers]
