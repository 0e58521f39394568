"""Limits for Django: middleware that the setting RATELIMIT configures, and a decorator for views."""

import functools
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.module_loading import import_string

from .limiter import AsyncLimiter, Limiter, NoDecision
from .reply import Decision, refusal
from .rules import Key, Rule, Rules
from .source import Keys

# The names in the setting RATELIMIT, with their defaults.
DEFAULTS: dict[str, Any] = {
    "URL": None,
    "RULES": (),
    "COST": None,
    "SKIP": None,
    "PROXIES": "0",
    "SECRET": "",
    "TIMEOUT": 0.25,
    "FAIL_CLOSED": False,
    "DENIALS": 10_000,
    "ON_ERROR": None,
}


class _Limits:
    """What the setting RATELIMIT says. Each of the two limiters connects with its first request."""

    def __init__(self) -> None:
        given = getattr(settings, "RATELIMIT", {})
        if unknown := [name for name in given if name not in DEFAULTS]:
            raise ImproperlyConfigured(f"RATELIMIT has no {unknown[0]}. It has {', '.join(DEFAULTS)}")
        values = {**DEFAULTS, **given}
        if not values["URL"]:
            raise ImproperlyConfigured('RATELIMIT needs a URL, such as "redis://127.0.0.1:6379"')
        self.rules, self.cost, self.skip = (
            values["RULES"],
            _function(values["COST"]),
            _function(values["SKIP"]),
        )
        self.keys = Keys(values["PROXIES"], values["SECRET"])
        options = {name.lower(): values[name] for name in ("TIMEOUT", "FAIL_CLOSED", "DENIALS")}
        options["on_error"] = _function(values["ON_ERROR"])
        self.sync = functools.cache(lambda: Limiter(values["URL"], **options))
        self.asynchronous = functools.cache(lambda: AsyncLimiter(values["URL"], **options))

    def of(self, rules: Any) -> Rules:
        """Returns rules for requests of Django. A function may be a dotted path."""
        found = [(name, _function(key) if _is_path(key) else key) for name, key in rules]
        return Rules(found, self.keys, lambda request: request.META)


def _is_path(key: Any) -> bool:
    """Reports whether a key is a dotted path. A source of Keys has no dot, or it has a colon."""
    return isinstance(key, str) and "." in key and ":" not in key


def _function(value: Any) -> Any:
    return import_string(value) if isinstance(value, str) else value


limits = functools.cache(_Limits)  # a test that changes the setting calls limits.cache_clear


@sync_and_async_middleware  # type: ignore[untyped-decorator, unused-ignore]
def RateLimitMiddleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Asks the RULES of the setting RATELIMIT about each request."""
    if not limits().rules:
        raise ImproperlyConfigured('RATELIMIT needs RULES, such as [("per-ip", None)]')
    rules = limits().of(limits().rules)
    return _limited(get_response, lambda: rules, limits().cost)


def ratelimit(
    rule: str, key: Key = None, *more: Rule, cost: Callable[[Any], int] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator for a view. It asks a rule, and further pairs of a rule and a key."""
    rules = functools.cache(
        lambda: limits().of([(rule, key), *more])
    )  # a module of views may load before the settings
    return lambda view: functools.wraps(view)(_limited(view, rules, cost))


def _limited(
    call: Callable[..., Any], rules: Callable[[], Rules], cost: Callable[[Any], int] | None
) -> Callable[..., Any]:
    """Asks rules before a function that answers requests."""

    def question(request: HttpRequest) -> tuple[Any, int] | None:
        """Returns the arguments of a limiter, or None for a request that passes without counting."""
        if (skip := limits().skip) and skip(request):
            return None
        return rules().questions(request), cost(request) if cost else 1

    def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if (asked := question(request)) is None:
            return call(request, *args, **kwargs)
        try:
            decision = limits().sync().ask(*asked[0], quantity=asked[1])
        except NoDecision:
            return _answer(None)
        return _add(decision, call(request, *args, **kwargs)) if decision.allowed else _answer(decision)

    async def limited_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if (asked := question(request)) is None:
            return await call(request, *args, **kwargs)
        try:
            decision = await limits().asynchronous().ask(*asked[0], quantity=asked[1])
        except NoDecision:
            return _answer(None)
        return _add(decision, await call(request, *args, **kwargs)) if decision.allowed else _answer(decision)

    return limited_async if iscoroutinefunction(call) else limited


def _answer(decision: Decision | None) -> HttpResponse:
    status, headers, body = refusal(decision)
    return HttpResponse(body, status=status, headers=dict(headers))


def _add(decision: Decision, response: HttpResponseBase) -> HttpResponseBase:
    """Adds the headers of a decision. Another limit may have written some."""
    for name, value in decision.headers():
        response[name] = f"{response[name]}, {value}" if name in response else value
    return response
