"""Libraries of Python that use several slots and databases, as their users run them on a Redis with Sentinel.

SENTINELS names the nodes, PROXY is a proxy-port. The same calls must give the same results over both.
"""
import os
import time
from datetime import timedelta

from django.conf import settings
from limits import parse, storage, strategies
from throttled import RateLimiterType, Throttled, per_duration
from throttled.store import RedisStore

NODES, PROXY = os.environ["SENTINELS"].split(","), os.environ["PROXY"]


def limits(uri):
    store = storage.storage_from_string(uri)
    item, seen = parse("3/hour"), []
    for kind in strategies.FixedWindowRateLimiter, strategies.MovingWindowRateLimiter, strategies.SlidingWindowCounterRateLimiter:
        limiter, user = kind(store), (kind.__name__, uri.split(":")[0])
        seen.append([limiter.hit(item, *user) for _ in range(4)])
        limiter.clear(item, *user)
        for _ in range(100):  # over Sentinel it asks a replica, which may be a moment behind
            if limiter.test(item, *user):
                break
            time.sleep(0.05)
        seen.append(limiter.test(item, *user))
    assert seen == [[True, True, True, False], True] * 3, seen


def throttled(uri):
    store = RedisStore(server=uri)
    quota = per_duration(timedelta(days=10_000), 3, burst=3)  # windows begin by the clock, and none ends during a check
    for kind in RateLimiterType.choice():
        limiter = Throttled(using=kind, quota=quota, store=store)
        seen = [limiter.limit(f"{kind}{uri[:6]}").limited for _ in range(5)]
        assert seen == [False, False, False, True, True], f"{kind} {seen}"


def django(name):
    from django.core.cache import caches

    cache = caches[name]
    cache.set_many({"a": 1, "b": 2, "c": 3})
    assert cache.incr("a") == 2
    assert cache.get_or_set("d", 4) == 4
    master = cache.client.get_client(write=True)
    with master.pipeline(transaction=True) as pipe:
        assert pipe.incr("x").incr("y").execute() == [1, 1]
    with cache.lock("lock", timeout=5):
        cache.touch("a", 100)
    assert 0 < cache.ttl("a") <= 100
    cache.delete_many(["b", "c"])
    assert cache.delete_pattern("*") == 2
    assert master.flushdb()


def check(name, run, door, address):
    try:
        run(address)
        print(f"ok   {name} {door}", flush=True)
    except Exception as err:  # a check that fails must not end the others
        print(f"FAIL {name} {door}: {type(err).__name__} {err}".replace("\n", " "), flush=True)


settings.configure(
    CACHES={
        "proxy-port": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": f"redis://{PROXY}/1"},
        "sentinel": {
            "BACKEND": "django_redis.cache.RedisCache", "LOCATION": "redis://mymaster/2",
            "OPTIONS": {
                "CLIENT_CLASS": "django_redis.client.SentinelClient",
                "CONNECTION_FACTORY": "django_redis.pool.SentinelConnectionFactory",
                "SENTINELS": [(host, int(port)) for host, port in (node.split(":") for node in NODES)],
            },
        },
    },
)
for door, uri in {"proxy-port": f"redis://{PROXY}/3", "sentinel": f"redis+sentinel://{','.join(NODES)}/mymaster"}.items():
    check("limits", limits, door, uri)
    check("throttled-py", throttled, door, uri)
    check("django-redis", django, door, door)
