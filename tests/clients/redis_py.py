"""Drives a server with redis-py; the checks are those of README.md."""
import os
import traceback

import redis
from redis.cluster import RedisCluster

PASSWORD = os.environ["PASSWORD"]
REFERENCE = os.environ.get("REFERENCE") == "1"
USER = ("CL.THROTTLE", "user", 15, 30, 60)


def address(name):
    host, port = os.environ[name].rsplit(":", 1)
    return {"host": host, "port": int(port)}


def raises(kind, text, call):
    try:
        got = call()
    except kind as err:
        assert text in str(err), f"{err!r} does not say {text!r}"
        return
    raise AssertionError(f"no error but {got!r}")


def ping(r):
    assert r.ping() is True


def strings(r):
    assert r.set("s", "v") and r.get("s") == b"v"
    assert r.execute_command("SETEX", "s", 100, "w") and 0 < r.ttl("s") <= 100
    assert r.incr("n") == 1 and r.incrby("n", 41) == 42
    assert r.expire("n", 50) is True and 0 < r.pttl("n") <= 50_000
    assert r.mget("s", "none", "n") == [b"w", None, b"42"]
    assert r.delete("s", "n", "none") == 2


def nulls(r):
    assert r.get("none") is None and r.ttl("none") == -2
    assert r.zscore("none", "m") is None
    assert r.set("none", "v", xx=True) is None


def zset(r):
    assert r.zadd("z", {"a": 1, "b": 2.5, "c": float("inf")}) == 3
    pairs = [tuple(p) for p in r.zrange("z", 0, -1, withscores=True)]
    assert pairs == [(b"a", 1.0), (b"b", 2.5), (b"c", float("inf"))], pairs
    assert r.zscore("z", "b") == 2.5 and r.zincrby("z", 0.25, "b") == 2.75
    assert r.zrangebyscore("z", "(1", 3) == [b"b"]
    assert [tuple(p) for p in r.zpopmin("z")] == [(b"a", 1.0)]


def pipeline(r):
    p = r.pipeline(transaction=False)
    for _ in range(1000):
        p.incr("p")
    assert p.execute() == list(range(1, 1001))


def transaction(r):
    p = r.pipeline(transaction=True)
    assert p.set("t", 1).incr("t").get("t").execute() == [True, 2, b"2"]
    p = r.pipeline(transaction=True)
    p.watch("t")
    r.set("t", 9)
    p.multi()
    p.set("t", 10)
    raises(redis.WatchError, "", p.execute)
    assert r.get("t") == b"9"


def sliding_log(r):
    for i in range(4):
        now = 1_000 + i
        p = r.pipeline(transaction=True)
        p.zremrangebyscore("log", 0, now - 2).zcard("log").zadd("log", {str(now): now}).expire("log", 60)
        assert p.execute() == [int(i >= 2), min(i, 1), 1, True]


def scan(r):
    p = r.pipeline(transaction=False)
    for i in range(5000):
        p.set(f"scan:{i}", i)
    p.execute()
    assert len(set(r.scan_iter("scan:*", count=100))) == 5000


def throttle(r):
    if REFERENCE:
        raises(redis.ResponseError, "unknown command", lambda: r.execute_command(*USER))
        return
    r.execute_command("DEBUG", "CLOCK", "SET", 1_700_000_000_000_000_000)
    try:
        for i in range(16):
            got = r.execute_command(*USER)
            assert got == [0, 16, 15 - i, -1, 2 * i + 2], got
        assert r.execute_command(*USER) == [1, 16, 0, 2, 32]
        r.execute_command("DEBUG", "CLOCK", "ADVANCE", 2_000_000_000)
        assert r.execute_command(*USER) == [0, 16, 0, -1, 32]
    finally:
        r.execute_command("DEBUG", "CLOCK", "RESUME")


def errors(r):
    r.zadd("z", {"a": 1})
    raises(redis.ResponseError, "WRONGTYPE Operation against a key", lambda: r.incr("z"))
    r.set("s", "word")
    raises(redis.ResponseError, "value is not an integer or out of range", lambda: r.incr("s"))
    if not REFERENCE:
        raises(redis.ResponseError, "Cell error: Store error: Zero rates are not supported",
               lambda: r.execute_command("CL.THROTTLE", "u", 15, 0, 60))
    assert r.ping()


def client(r):
    me = r.client()  # a connection for this client only
    assert me.client_setname("tester") and me.client_getname() in ("tester", b"tester")
    assert me.client_info()["name"] == "tester"
    assert "tester" in [c["name"] for c in r.client_list()]
    assert r.info()["redis_version"].startswith("7.")
    me.close()


def binary(r):
    key, value = bytes(range(256)), os.urandom(5 << 20)
    assert r.set(key, value) and r.get(key) == value
    assert key in r.keys("*")


def reconnect(r):
    me = r.client()
    me.ping()
    assert r.client_kill_filter(_id=me.client_id()) == 1
    assert me.ping()
    me.close()


CHECKS = [ping, strings, nulls, zset, pipeline, transaction, sliding_log, scan, throttle, errors, client, binary, reconnect]


def select(protocol):
    other = redis.Redis(**address("ADDR"), protocol=protocol, db=5)
    other.set("five", 1)
    assert redis.Redis(**address("ADDR"), protocol=protocol).get("five") is None
    assert other.get("five") == b"1" and int(other.client_info()["db"]) == 5


def auth(protocol):
    raises(redis.AuthenticationError, "", redis.Redis(**address("AUTH_ADDR"), protocol=protocol).ping)
    raises(redis.AuthenticationError, "", redis.Redis(**address("AUTH_ADDR"), protocol=protocol, password="no").ping)
    assert redis.Redis(**address("AUTH_ADDR"), protocol=protocol, password=PASSWORD, client_name="me").ping()


def cluster(protocol):
    c = RedisCluster(**address("CLUSTER_ADDR"), protocol=protocol)
    c.flushall()
    assert c.set("a", 1) and c.get("a") == b"1" and len(c.get_nodes()) == 1
    assert c.mset_nonatomic({f"k{i}": i for i in range(100)})
    assert c.mget_nonatomic([f"k{i}" for i in range(100)]) == [str(i).encode() for i in range(100)]
    assert c.mset({"{t}a": 1, "{t}b": 2}) and c.mget("{t}a", "{t}b") == [b"1", b"2"]
    assert c.keyslot("{t}a") == c.cluster_keyslot("{t}a") == 15891
    raises(redis.exceptions.ClusterCrossSlotError, "", lambda: c.execute_command("MGET", "a", "b", target_nodes=c.get_primaries()[0]))
    p = c.pipeline()
    for i in range(1000):
        p.incr(f"p{i % 7}")
    assert len(p.execute()) == 1000
    assert len(list(c.scan_iter(count=50))) == 110
    if REFERENCE:
        raises(redis.ResponseError, "unknown command", lambda: c.execute_command(*USER, target_nodes=c.get_primaries()[0]))
    else:
        assert c.execute_command(*USER) == [0, 16, 15, -1, 2]
    assert c.cluster_info()["cluster_state"] == "ok" and len(c.cluster_nodes()) == 1
    assert c.cluster_shards() and c.cluster_myid(c.get_primaries()[0])


def check(name, call, *args):
    try:
        call(*args)
        print(f"ok   redis-py {name}", flush=True)
    except Exception as err:
        at = traceback.extract_tb(err.__traceback__)
        line = [f.line for f in at if f.filename == __file__][-1]
        print(f"FAIL redis-py {name}: {type(err).__name__} {err} at: {line}", flush=True)


for protocol in 3, 2:
    r = redis.Redis(**address("ADDR"), **({"protocol": 2} if protocol == 2 else {}))
    for one in CHECKS:
        check(f"RESP{protocol} {one.__name__}", lambda: (r.flushall(), one(r)))
    for one in select, auth, cluster:
        check(f"RESP{protocol} {one.__name__}", one, protocol)
