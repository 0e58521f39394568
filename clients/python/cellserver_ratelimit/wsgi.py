"""Middleware for WSGI: Flask, Django and others."""
from collections.abc import Callable

from .key import network
from .limiter import Limiter, NoDecision
from .reply import problem


def address(environ: dict) -> str:
    """The key of a client without a name: the address of its connection."""
    return network(environ.get("REMOTE_ADDR", ""))


class WSGIMiddleware:
    """Passes a request to app if all rules allow it. rules are pairs of a name and a function from the environment to the key, or
    None for the address. cost is a function from the environment to the quantity of the request."""

    def __init__(self, app, limiter: Limiter, rules: list, cost: Callable[[dict], int] = lambda _: 1):
        self.app, self.limiter, self.cost = app, limiter, cost
        self.rules = [(name, key or address) for name, key in rules]

    def __call__(self, environ, start_response):
        try:
            decision = self.limiter.ask(*((name, key(environ)) for name, key in self.rules), quantity=self.cost(environ))
        except NoDecision:
            return self.answer(environ, start_response, "503 Service Unavailable", [("Retry-After", "1")],
                               problem(503, "The rate limiter does not answer"))
        headers = decision.headers()
        if not decision.allowed:
            return self.answer(environ, start_response, "429 Too Many Requests", headers, decision.body())
        return self.app(environ, lambda status, own, *more: start_response(status, own + headers, *more))

    def answer(self, environ, start_response, status, headers, body):
        start_response(status, headers + [("Content-Type", "application/problem+json"), ("Content-Length", str(len(body)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
