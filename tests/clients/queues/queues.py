"""Job queues and locks of Python, as users run them: workers wait before the jobs come, and every job is done.

With SENTINELS, half of the jobs come after the death of the leader. The test kills it when this program prints "half", and then
writes a line. All queues run at the same time.
"""
import asyncio
import logging
import os
import sys
import threading
import time

import redis
import redis_lock
import saq
from celery import Celery
from celery.contrib.testing.worker import start_worker
from huey import RedisHuey
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel
from saq.queue.redis import RedisQueue

FAILOVER = "SENTINELS" in os.environ
JOBS = 160 if FAILOVER else 200
logging.disable(logging.CRITICAL)

if FAILOVER:
    NODES = [(host, int(port)) for host, port in (node.split(":") for node in os.environ["SENTINELS"].split(","))]
    URI = ";".join(f"sentinel://{host}:{port}" for host, port in NODES)
    # by default redis-py asks a dead Sentinel for four seconds, and Celery asks all of them for each connection
    AT_SENTINEL = {"socket_connect_timeout": 0.5, "socket_timeout": 1, "retry": Retry(NoBackoff(), 0)}
    OPTIONS = {"master_name": "mymaster", "sentinel_kwargs": AT_SENTINEL, "socket_timeout": 5, "socket_connect_timeout": 0.5}
else:
    URI, OPTIONS = f"redis://{os.environ['ADDR']}", {}


def connect(sentinels=Sentinel, plain=redis.Redis):
    if FAILOVER:
        return sentinels(NODES, sentinel_kwargs=dict(AT_SENTINEL), socket_timeout=5).master_for("mymaster")
    host, port = os.environ["ADDR"].split(":")
    return plain(host=host, port=int(port))


class Death:
    """The death of the leader. It comes when all queues have done half of their jobs, or have failed."""

    def __init__(self):
        self.waiting, self.happened = threading.Semaphore(0), threading.Event()

    def conduct(self, queues):
        for _ in range(queues):
            self.waiting.acquire()
        print("half", flush=True)
        sys.stdin.readline()
        self.happened.set()

    def wait(self):
        self.waiting.release()
        assert self.happened.wait(60), "the leader does not die"


death = Death()


def surely(send):
    """Repeats a call that finds no leader, as a program of a user does."""
    for _ in range(100 if FAILOVER else 0):
        try:
            return send()
        except Exception:
            time.sleep(0.1)
    return send()


class Done:
    """Collects the numbers of jobs."""

    def __init__(self, patience=40):
        self.numbers, self.changed, self.patience = [], threading.Condition(), patience

    def add(self, n):
        with self.changed:
            self.numbers.append(n)
            self.changed.notify_all()

    def wait(self, jobs):
        with self.changed:
            assert self.changed.wait_for(lambda: len(set(self.numbers)) >= jobs, self.patience), f"{len(set(self.numbers))} of {jobs} are done"

    def all_of(self, send):
        """Sends the jobs, and waits until each one is done."""
        if FAILOVER:
            for n in range(JOBS // 2):
                send(n)
            self.wait(JOBS // 2)
            death.wait()
        for n in range(JOBS // 2 if FAILOVER else 0, JOBS):
            surely(lambda: send(n))
        self.wait(JOBS)
        assert set(self.numbers) == set(range(JOBS))

    def all_once(self, send):
        """Sends the jobs, and waits until each one is done once. After the death of the leader a job may be sent twice."""
        self.all_of(send)
        time.sleep(0.3)  # a job that is done twice would come now
        assert FAILOVER or len(self.numbers) == JOBS, "a job is done twice"


def celery():
    done, results = Done(patience=20), []
    app = Celery("jobs", broker=URI, backend=URI)
    app.conf.update(
        worker_hijack_root_logger=False, broker_connection_retry_on_startup=True,
        broker_transport_options=OPTIONS, result_backend_transport_options=OPTIONS,
    )

    @app.task(name="work")
    def work(n):
        done.add(n)
        return n

    def worker():
        return start_worker(app, pool="threads", concurrency=4, perform_ping_check=False, shutdown_timeout=30)

    with worker():
        try:
            done.all_once(lambda n: results.append(work.apply_async((n,), ignore_result=FAILOVER)))
        except AssertionError:
            if not FAILOVER or len(results) < JOBS:
                raise
        assert FAILOVER or [r.get(timeout=10) for r in results] == list(range(JOBS))
    if len(set(done.numbers)) < JOBS:  # kombu ends a worker that has jobs in hand: 'NoneType' object has no attribute 'hostname'
        with worker():
            done.wait(JOBS)


def huey():
    done, results = Done(), []
    queue = RedisHuey("jobs", connection_pool=connect().connection_pool, blocking=True)

    @queue.task()
    def work(n):
        done.add(n)
        return n

    consumer = queue.create_consumer(workers=4, check_worker_health=False)
    consumer._set_signal_handlers = lambda: None
    consumer.start()
    done.all_once(lambda n: results.append(work(n)))
    assert [r.get(blocking=True, timeout=10) for r in results[-JOBS // 2:]] == list(range(JOBS // 2, JOBS))
    consumer.stop(graceful=True)


def saq_jobs():
    done = Done()

    async def work(ctx, *, n):
        done.add(n)

    async def run():
        loop = asyncio.get_running_loop()
        queue = RedisQueue(connect(AsyncSentinel, redis.asyncio.Redis))
        worker = saq.Worker(queue, functions=[("work", work)], concurrency=4)
        running = asyncio.create_task(worker.start())

        def send(n):
            job = saq.Job("work", kwargs={"n": n}, key=f"job{n}")
            asyncio.run_coroutine_threadsafe(queue.enqueue(job), loop).result(20)

        await asyncio.to_thread(done.all_of, send)  # saq itself may run a job again while it begins
        await worker.stop()
        running.cancel()
        await queue.disconnect()

    asyncio.run(run())


def lock():
    """Eight threads increment a number under one lock, and most of them wait for it."""
    number, entries = [0], []

    def turn(own):
        with redis_lock.Lock(own, "number", expire=10):
            entries.append(1)
            seen = number[0]
            time.sleep(0.001)
            number[0] = seen + 1

    def work(turns):
        own = connect()
        for _ in range(turns):
            surely(lambda: turn(own))

    parts = 2 if FAILOVER else 1
    for part in range(parts):
        if part == 1:
            death.wait()
        threads = [threading.Thread(target=work, args=(JOBS // 8 // parts,)) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
    assert number[0] == len(entries), f"{len(entries)} entries count {number[0]}"
    assert len(entries) == JOBS or FAILOVER and len(entries) > JOBS, f"{len(entries)} entries"  # some calls are repeated


def check(library, name, run):
    try:
        if not FAILOVER:
            connect().flushall()
        run()
        print(f"ok   {library} {name}", flush=True)
    except Exception as err:  # a check that fails must not end the others
        print(f"FAIL {library} {name}: {type(err).__name__} {err}".replace("\n", " "), flush=True)
    death.waiting.release()  # for a check that has failed before


checks = [
    ("celery", f"{JOBS} jobs", celery), ("huey", f"{JOBS} jobs", huey), ("python-redis-lock", f"{JOBS} turns", lock),
    ("saq", f"{JOBS} jobs", saq_jobs),  # its worker needs the main thread
]
if FAILOVER:
    threads = [threading.Thread(target=check, args=args) for args in checks[:-1]]
    threading.Thread(target=death.conduct, args=(len(checks),), daemon=True).start()
    for thread in threads:
        thread.start()
    check(*checks[-1])
    for thread in threads:
        thread.join()
else:
    for args in checks:
        check(*args)
os._exit(0)  # without the threads that a library leaves behind
