"""Calls a cluster until standard input ends. Each call prints a line, which README.md describes.

usage: failover.py redis-py-cluster|redis-py-sentinel|redis-cli
"""
import os
import subprocess
import sys
import threading
import time

NAME = sys.argv[1]
COUNTERS = "COUNTERS" in os.environ
DEFAULTS = "DEFAULTS" in os.environ
NODES = [node.rsplit(":", 1) for node in os.environ["NODES"].split(",")]
stopped = threading.Event()
printing = threading.Lock()


def say(*words):
    with printing:
        print(*words, flush=True)


def work(worker, call):
    i = 0
    while not stopped.is_set():
        args = ["INCR", f"{NAME}:counter:{worker}:{i % 5}"]
        if i % 4 == 3 and not COUNTERS:
            args = ["CL.THROTTLE", f"{NAME}:limit:{i // 4 % 10}", "49", "1", "1000000"]
        say(worker, "call", args[1])
        try:
            reply = call(*args)
            say(worker, "ok", args[1], int(reply[0] if isinstance(reply, list) else reply))
            time.sleep(0.005)
        except Exception as err:
            say(worker, "error", args[1], type(err).__name__, " ".join(str(err).split()))
            time.sleep(0.02)
        i += 1


def cluster():
    from redis.cluster import ClusterNode, RedisCluster

    nodes = [ClusterNode(host, int(port)) for host, port in NODES]
    settings = {} if DEFAULTS else {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}
    return [RedisCluster(startup_nodes=nodes, **settings).execute_command] * 4


def sentinel():
    from redis.sentinel import Sentinel

    sentinels = Sentinel([(host, int(port)) for host, port in NODES], socket_timeout=2)
    return [sentinels.master_for("mymaster").execute_command] * 4


class CLI:
    """redis-cli without a terminal: it reads a command from each line, and prints one line of each number."""

    def __init__(self, *args):
        self.process = subprocess.Popen(["redis-cli", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)

    def line(self):
        while not (line := self.process.stdout.readline().strip()):
            if self.process.poll() is not None:
                raise RuntimeError(f"redis-cli ended with {self.process.returncode}")
        return line

    def __call__(self, *args):
        self.process.stdin.write(" ".join(args) + "\n")
        replies = [self.line()]
        while args[0] == "CL.THROTTLE" and len(replies) < 5 and replies[0].isdigit():
            replies.append(self.line())
        if not replies[0].isdigit():
            raise RuntimeError(replies[0])
        return replies


def cli():
    host, port = os.environ["PROXY"].rsplit(":", 1)
    return [CLI("-h", host, "-p", port)]


programs = {"redis-py-cluster": cluster, "redis-py-sentinel": sentinel, "redis-cli": cli}
workers = [threading.Thread(target=work, args=pair, daemon=True) for pair in enumerate(programs[NAME]())]
for thread in workers:
    thread.start()
sys.stdin.read()
stopped.set()
for thread in workers:
    thread.join(30)
