"""Middleware that asks the rules of cellserver: WSGI with Limiter, ASGI with AsyncLimiter.

limiter.py asks the server within the time-out, reply.py reads its reply, denials.py remembers refusals, key.py has the keys,
wsgi.py and asgi.py are the middleware. README.md says how to use it.
"""
from .asgi import ASGIMiddleware
from .key import network
from .limiter import AsyncLimiter, Limiter, NoDecision
from .reply import Decision
from .wsgi import WSGIMiddleware

__all__ = ["ASGIMiddleware", "AsyncLimiter", "Decision", "Limiter", "NoDecision", "WSGIMiddleware", "network"]
