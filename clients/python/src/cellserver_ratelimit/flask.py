"""Limits for Flask: an extension for all requests of an app, and a decorator for views."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response, after_this_request, current_app, request

from .limiter import Limiter, NoDecision
from .reply import Decision, refusal
from .rules import Key, Rule, Rules
from .source import Keys


class RateLimit:
    """Asks rules before views: RateLimit("redis://127.0.0.1:6379", app, rules=[("per-ip", None)]).

    limiter  a Limiter, or the URL of the server
    app      the app whose requests all ask the rules; or call init_app
    rules    the rules of all requests: a name, and a key as in Key
    cost     a function from the request to its quantity
    skip     a function from the request that lets it pass without counting
    keys     makes the key functions of texts such as "header:X-Api-Key"
    """

    def __init__(
        self,
        limiter: Limiter | str,
        app: Flask | None = None,
        *,
        rules: Iterable[Rule] = (),
        cost: Callable[[Any], int] | None = None,
        skip: Callable[[Any], bool] | None = None,
        keys: Keys | None = None,
    ) -> None:
        self.limiter = limiter if isinstance(limiter, Limiter) else Limiter(limiter)
        for name, value in ("cost", cost), ("skip", skip):
            if not (value is None or callable(value)):
                raise ValueError(f"{name} is a function of the request, not {value!r}")
        self.rules, self.cost, self.skip, self.keys = rules, cost, skip, keys or Keys()
        if app is not None:
            self.init_app(app)

    def init_app(self, app: Flask) -> None:
        """Lets all requests of an app ask the rules."""
        rules = Rules(self.rules, self.keys, lambda request: request.environ)
        app.before_request(lambda: self._ask(rules, self.cost))

    def __call__(
        self, rule: str, key: Key = None, *more: Rule, cost: Callable[[Any], int] | None = None
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Returns a decorator for a view. It asks a rule, and further pairs of a rule and a key."""
        if callable(rule):
            raise TypeError('the decorator needs the name of a rule: write @limit("login")')
        rules = Rules([(rule, key), *more], self.keys, lambda request: request.environ)

        def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(view)
            def limited(*args: Any, **kwargs: Any) -> Any:
                refused = self._ask(rules, cost)
                return current_app.ensure_sync(view)(*args, **kwargs) if refused is None else refused

            return limited

        return decorate

    def _ask(self, rules: Rules, cost: Callable[[Any], int] | None) -> Response | None:
        """Asks the rules about the request of this context, and returns the answer to a refused one."""
        if self.skip and self.skip(request):
            return None
        decision: Decision | None = None
        try:
            quantity = cost(request) if cost else 1
            decision = self.limiter.ask(*rules.questions(request), quantity=quantity)
        except NoDecision:
            pass
        if decision is None or not decision.allowed:
            status, headers, body = refusal(decision)
            return Response(body, status, headers)
        allowed = decision

        @after_this_request
        def add(response: Response) -> Response:
            allowed.add_to(response.headers)
            return response

        return None
