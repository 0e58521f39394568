"""Middleware that asks the rules of cellserver: WSGI with Limiter, ASGI with AsyncLimiter.

limiter.py asks the server within the time-out, reply.py reads its reply, denials.py remembers refusals, lease.py
decides about hot keys by account.py, key.py and source.py have the keys, adaptive.py lets calls of a service begin,
loop.py serves several event loops, wsgi.py and asgi.py are the middleware. django.py and flask.py are for these
frameworks, and rules.py has the rules of both. README.md says how to use it.
"""

from .adaptive import AdaptiveASGI, AdaptiveLimit, AsyncAdaptiveLimit, LimitReached
from .asgi import ASGIMiddleware
from .key import network
from .limiter import AsyncLimiter, Limiter, NoDecision
from .reply import Decision
from .source import Keys
from .wsgi import WSGIMiddleware

__all__ = [
    "ASGIMiddleware",
    "AdaptiveASGI",
    "AdaptiveLimit",
    "AsyncAdaptiveLimit",
    "AsyncLimiter",
    "Decision",
    "Keys",
    "LimitReached",
    "Limiter",
    "NoDecision",
    "WSGIMiddleware",
    "network",
]
