"""Limits for Django: middleware that the setting RATELIMIT configures, and a decorator for views."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.module_loading import import_string

from .limiter import AsyncLimiter, Limiter, NoDecision
from .reply import Decision, refusal
from .rules import Key, Rule, Rules
from .source import Keys
from .wsgi import pairs

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
        self.rules = values["RULES"]
        functions = {}
        for name in ("COST", "SKIP", "ON_ERROR"):
            with _named(f'RATELIMIT["{name}"]'):
                functions[name] = _function(values[name])
        self.cost, self.skip = functions["COST"], functions["SKIP"]
        options = {name.lower(): values[name] for name in ("TIMEOUT", "FAIL_CLOSED", "DENIALS")}
        options["on_error"] = functions["ON_ERROR"]
        self.sync = functools.cache(lambda: Limiter(values["URL"], **options))
        self.asynchronous = functools.cache(lambda: AsyncLimiter(values["URL"], **options))
        with _named("RATELIMIT"):
            self.keys = Keys(values["PROXIES"], values["SECRET"])
            self.sync()  # a wrong option is an error now, and not at each request

    def of(self, rules: Any, where: str) -> Rules:
        """Returns rules for requests of Django. A function may be a dotted path."""
        with _named(where):
            found = [
                (name, _function(key) if _is_path(key) else key) for name, key in pairs(rules, texts=True)
            ]
            return Rules(found, self.keys, lambda request: request.META)


@contextlib.contextmanager
def _named(where: str) -> Iterator[None]:
    """Says in which setting an error is."""
    try:
        yield
    except (ImportError, TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"{where}: {error}") from error


def _is_path(key: Any) -> bool:
    """Reports whether a key is a dotted path. A source of Keys has no dot, or it has a colon."""
    return isinstance(key, str) and "." in key and ":" not in key


def _function(value: Any) -> Any:
    """Returns a function, which may be a dotted path, or None."""
    found = import_string(value) if isinstance(value, str) else value
    if not (found is None or callable(found)):
        raise ValueError(f"this is a function or its dotted path, not {value!r}")
    return found


limits = functools.cache(_Limits)  # a test that changes the setting calls limits.cache_clear


@sync_and_async_middleware  # type: ignore[untyped-decorator, unused-ignore]
def RateLimitMiddleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Asks the RULES of the setting RATELIMIT about each request."""
    if not limits().rules:
        raise ImproperlyConfigured('RATELIMIT needs RULES, such as [("per-ip", None)]')
    rules = limits().of(limits().rules, 'RATELIMIT["RULES"]')
    return _limited(get_response, lambda: rules, limits().cost)


def ratelimit(
    rule: str, key: Key = None, *more: Rule, cost: Callable[[Any], int] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator for a view. It asks a rule, and further pairs of a rule and a key."""
    if callable(rule):
        raise TypeError('the decorator needs the name of a rule: write @ratelimit("login")')
    rules = functools.cache(
        lambda: limits().of([(rule, key), *more], "ratelimit")
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
        # With WSGI each request has an event loop of its own, and no connection outlives its loop.
        is_asgi = isinstance(request, ASGIRequest)
        ask = limits().asynchronous().ask if is_asgi else sync_to_async(limits().sync().ask)
        try:
            decision = await ask(*asked[0], quantity=asked[1])
        except NoDecision:
            return _answer(None)
        return _add(decision, await call(request, *args, **kwargs)) if decision.allowed else _answer(decision)

    return limited_async if iscoroutinefunction(call) else limited


def _answer(decision: Decision | None) -> HttpResponse:
    status, headers, body = refusal(decision)
    return HttpResponse(body, status=status, headers=dict(headers))


def _add(decision: Decision, response: HttpResponseBase) -> HttpResponseBase:
    decision.add_to(response)
    return response
