"""Middleware for WSGI: Flask, Django and others."""

import http
from collections.abc import Callable, Iterable
from typing import Any

from .key import network
from .limiter import Limiter, NoDecision
from .reply import Decision, refusal


def address(environ: dict[str, Any]) -> str:
    """The key of a client without a name: the address of its connection."""
    return network(environ.get("REMOTE_ADDR", ""))


def pairs(rules: Any, texts: bool = False) -> list[tuple[str, Any]]:
    """Returns rules as a list. A wrong one is a ValueError. With texts a key may be a source of Keys."""
    found = list(rules) if isinstance(rules, Iterable) and not isinstance(rules, (str, bytes)) else []
    for one in found:
        name, key = one if isinstance(one, (tuple, list)) and len(one) == 2 else (None, None)
        if not (isinstance(name, str) and name) or not (
            key is None or callable(key) or (texts and isinstance(key, str))
        ):
            found = []
            break
    if not found:
        kinds = "a function of the request, None" + (' or a source such as "ip"' if texts else "")
        raise ValueError(
            f'the rules are pairs of a name and a key, such as [("per-ip", None)], not {rules!r}; '
            f"a key is {kinds}"
        )
    return found


def checked(limiter: Any, kind: type, cost: Any) -> Any:
    """Returns a limiter of a kind. Another one, or a cost that is no function, is a ValueError."""
    if not isinstance(limiter, kind):
        raise ValueError(f"the limiter is of the type {kind.__name__}, not {type(limiter).__name__}")
    if not callable(cost):
        raise ValueError(f"the cost is a function of the request, not {cost!r}")
    return limiter


class WSGIMiddleware:
    """Passes a request to app if all rules allow it. rules are pairs of a name and a function from the
    environment to the key, or None for the address. cost is a function from the environment to the quantity of the request."""

    def __init__(
        self,
        app: Callable[..., Any],
        limiter: Limiter,
        rules: Iterable[tuple[str, Callable[[dict[str, Any]], str | bytes | int | None] | None]],
        cost: Callable[[dict[str, Any]], int] = lambda _: 1,
    ) -> None:
        self.app, self.limiter, self.cost = app, checked(limiter, Limiter, cost), cost
        self.rules = [(name, key or address) for name, key in pairs(rules)]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        try:
            decision = self.limiter.ask(
                *((name, key(environ)) for name, key in self.rules), quantity=self.cost(environ)
            )
        except NoDecision:
            return self.refuse(environ, start_response, None)
        if not decision.allowed:
            return self.refuse(environ, start_response, decision)
        headers = decision.headers()
        return self.app(environ, lambda status, own, *more: start_response(status, own + headers, *more))

    def refuse(
        self, environ: dict[str, Any], start_response: Callable[..., Any], decision: Decision | None
    ) -> list[bytes]:
        status, headers, body = refusal(decision)
        line = f"{status} {http.HTTPStatus(status).phrase}"
        start_response(line, headers + [("Content-Length", str(len(body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
