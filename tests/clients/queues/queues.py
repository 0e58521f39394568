"""Job queues and locks of Python, as users run them: workers wait before the jobs come, and every job is done."""
import asyncio
import logging
import os
import threading
import time

import redis
import redis_lock
import saq
from celery import Celery
from celery.contrib.testing.worker import start_worker
from huey import RedisHuey

HOST, PORT = os.environ["ADDR"].split(":")
URI = f"redis://{HOST}:{PORT}"
JOBS = 200
client = redis.Redis(host=HOST, port=int(PORT))
logging.disable(logging.CRITICAL)


def check(library, name, run):
    try:
        client.flushall()
        run()
        print(f"ok   {library} {name}", flush=True)
    except Exception as err:  # a check that fails must not end the others
        print(f"FAIL {library} {name}: {type(err).__name__} {err}".replace("\n", " "), flush=True)


class Done:
    """Collects the numbers of jobs."""

    def __init__(self):
        self.numbers, self.changed = [], threading.Condition()

    def add(self, n):
        with self.changed:
            self.numbers.append(n)
            self.changed.notify_all()

    def all_once(self):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.numbers) >= JOBS, 30), f"{len(self.numbers)} of {JOBS} are done"
        time.sleep(0.3)  # a job that is done twice would come now
        assert sorted(self.numbers) == list(range(JOBS)), "a job is done twice"


def celery():
    done = Done()
    app = Celery("jobs", broker=URI, backend=URI)
    app.conf.update(worker_hijack_root_logger=False, broker_connection_retry_on_startup=True)

    @app.task(name="work")
    def work(n):
        done.add(n)
        return n

    with start_worker(app, pool="threads", concurrency=4, perform_ping_check=False):
        results = [work.delay(n) for n in range(JOBS)]
        done.all_once()
        assert [r.get(timeout=10) for r in results] == list(range(JOBS))


def huey():
    done = Done()
    queue = RedisHuey("jobs", host=HOST, port=int(PORT), blocking=True)

    @queue.task()
    def work(n):
        done.add(n)
        return n

    consumer = queue.create_consumer(workers=4, check_worker_health=False)
    consumer._set_signal_handlers = lambda: None
    consumer.start()
    results = [work(n) for n in range(JOBS)]
    done.all_once()
    assert [r.get(blocking=True, timeout=10) for r in results] == list(range(JOBS))
    consumer.stop(graceful=True)


def saq_jobs():
    done = Done()

    async def work(ctx, *, n):
        done.add(n)

    async def run():
        queue = saq.Queue.from_url(URI)
        worker = saq.Worker(queue, functions=[("work", work)], concurrency=4)
        running = asyncio.create_task(worker.start())
        for n in range(JOBS):
            await queue.enqueue(saq.Job("work", kwargs={"n": n}))
        for _ in range(300):
            if len(done.numbers) >= JOBS:
                break
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.3)
        await worker.stop()
        running.cancel()
        await queue.disconnect()

    asyncio.run(run())
    # saq itself may run a job again while it begins
    assert sorted(set(done.numbers)) == list(range(JOBS)), f"{len(done.numbers)} of {JOBS} are done"


def lock():
    """Eight threads increment a number under one lock, and most of them wait for it."""
    number = [0]

    def work():
        own = redis.Redis(host=HOST, port=int(PORT))
        for _ in range(25):
            with redis_lock.Lock(own, "number", expire=10):
                seen = number[0]
                time.sleep(0.001)
                number[0] = seen + 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert number[0] == 200, number[0]


check("celery", f"{JOBS} jobs", celery)
check("huey", f"{JOBS} jobs", huey)
check("saq", f"{JOBS} jobs", saq_jobs)
check("python-redis-lock", "200 turns", lock)
os._exit(0)  # without the threads that a library leaves behind
