"""Rate-limit libraries of Python, as users run them."""
import os
import time

import redis
from flask import Flask
from flask_limiter import Limiter
from limits import parse, storage, strategies
from pyrate_limiter import Duration, Limiter as PyrateLimiter, Rate, RedisBucket

HOST, PORT = os.environ["ADDR"].split(":")
URI = f"redis://{HOST}:{PORT}"
client = redis.Redis(host=HOST, port=int(PORT))


def check(library, name, run):
    try:
        client.flushall()
        run()
        print(f"ok   {library} {name}", flush=True)
    except Exception as err:  # a check that fails must not end the others
        print(f"FAIL {library} {name}: {type(err).__name__} {err}".replace("\n", " "), flush=True)


def flask_limiter(strategy):
    def run():
        app = Flask("app")
        Limiter(lambda: "user", app=app, storage_uri=URI, strategy=strategy, default_limits=["3 per minute"], headers_enabled=True)
        app.get("/")(lambda: "ok")
        got = [app.test_client().get("/") for _ in range(5)]
        assert [r.status_code for r in got] == [200, 200, 200, 429, 429], got
        assert got[2].headers["X-RateLimit-Remaining"] == "0", got[2].headers
        assert int(got[4].headers["Retry-After"]) <= 60, got[4].headers
    return run


def limits(make):
    def run():
        limiter, limit = make(storage.storage_from_string(URI)), parse("2/minute")
        assert [limiter.hit(limit, "user") for _ in range(3)] == [True, True, False]
        assert not limiter.test(limit, "user")
        assert limiter.get_window_stats(limit, "user").remaining == 0
        limiter.clear(limit, "user")
        assert limiter.hit(limit, "user")
    return run


def moving_window():
    """An action counts for ten seconds from its own time on, and several count at once or not at all."""
    limiter, limit = strategies.MovingWindowRateLimiter(storage.storage_from_string(URI)), parse("4 per 10 second")
    began = time.time()
    assert limiter.hit(limit, "user", cost=3)
    assert not limiter.hit(limit, "user", cost=2)
    assert limiter.hit(limit, "user")
    reset, remaining = limiter.get_window_stats(limit, "user")
    assert remaining == 0 and began - 1 <= reset - 10 <= time.time() + 1, (began, reset, remaining)
    while not limiter.hit(limit, "user", cost=3):
        assert time.time() < began + 120
        time.sleep(0.05)
    assert time.time() >= began + 10
    assert not limiter.hit(limit, "user", cost=4)


def pyrate():
    bucket = RedisBucket.init([Rate(3, Duration.MINUTE)], client, "bucket")
    limiter = PyrateLimiter(bucket)
    assert [limiter.try_acquire("user", blocking=False) for _ in range(4)] == [True, True, True, False]
    assert bucket.count() == 3
    bucket.flush()
    assert limiter.try_acquire("user", blocking=False)


check("Flask-Limiter", "fixed-window", flask_limiter("fixed-window"))
check("Flask-Limiter", "sliding-window-counter", flask_limiter("sliding-window-counter"))
check("Flask-Limiter", "moving-window", flask_limiter("moving-window"))
check("limits", "FixedWindowRateLimiter", limits(strategies.FixedWindowRateLimiter))
check("limits", "SlidingWindowCounterRateLimiter", limits(strategies.SlidingWindowCounterRateLimiter))
check("limits", "MovingWindowRateLimiter", limits(strategies.MovingWindowRateLimiter))
check("limits", "MovingWindowRateLimiter, time passes", moving_window)
check("pyrate-limiter", "RedisBucket", pyrate)
