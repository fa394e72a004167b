"""Lane time-travel, one user's long history: states of the past, what differs between two, and what happened."""

import os
import random
import shutil
import subprocess
import time

import crowd
import lanes
from server import Server

EVENTS = 1_000_000
GOAL = 0.3
FIRST_GOAL = 8


def travel(bench):
    server = Server(bench.server.binaries, bench.options.dir)
    try:
        lanes.run([
            f"{server.binaries}/focusctl", "generate", "--events", str(EVENTS), "--users", "1", "--seed",
            str(bench.seed), "--data-dir", server.data], stderr=subprocess.DEVNULL)
        server.sql.run("VACUUM ANALYZE events;")
        server.sql.run("CHECKPOINT;")
        return figures(bench, server)
    finally:
        server.stop()


def figures(bench, server):
    user = server.sql.value("SELECT user_id FROM events LIMIT 1;")
    cache = f"{server.directory}/states"
    chance = random.Random(bench.seed)

    def seconds(*command, cached=True):
        where = ["--cache", cache] if cached else ["--no-cache"]
        began = time.time()
        with open(os.devnull, "w") as sink:
            subprocess.run(
                [f"{server.binaries}/focusctl", *command, "--user", user, "--data-dir", server.data, *where],
                stdout=sink, check=True)
        return time.time() - began

    def around(share):
        """A version near there, another each time: none that is kept by chance."""
        return min(EVENTS - 1, max(1, int(EVENTS * share) + chance.randrange(-EVENTS // 50, EVENTS // 50)))

    first = []
    for _ in range(min(3, bench.options.rounds)):
        shutil.rmtree(cache, ignore_errors=True)
        first.append(seconds("state", "--at", str(EVENTS - 1)))
    uncached = [seconds("state", "--at", str(EVENTS - 1), cached=False)]
    kept = [os.path.join(path, name) for path, _, names in os.walk(cache) for name in names]
    size = sum(os.path.getsize(file) for file in kept) / 2**20
    note = f"one user with {EVENTS:,} events; a process of its own each time, from start to end"
    found = [
        crowd.figure(
            "state --at the last version, nothing cached yet: folds all and keeps states on the way", "s", first, [],
            FIRST_GOAL, True, f"{note}; then {len(kept)} states are kept, {size:.0f} MiB"),
        crowd.figure("the same with --no-cache", "s", uncached, [], FIRST_GOAL, True, note)]
    every = range(bench.options.rounds)
    for share in (0.1, 0.5, 0.98):
        found.append(crowd.figure(
            f"state --at a version about {int(EVENTS * share):,}, asked before", "s",
            [seconds("state", "--at", str(around(share))) for _ in every], [], GOAL, True, note))
    for title, command, span in (
        ("diff over 1,000 events", "diff", 1_000), ("diff over 50,000 events", "diff", 50_000),
        ("timeline of 1,000 events", "timeline", 1_000),
    ):
        times = []
        for _ in every:
            begin = around(0.8)
            times.append(seconds(command, "--from", str(begin), "--to", str(begin + span)))
        found.append(crowd.figure(f"{title}, about version {int(EVENTS * 0.8):,}", "s", times, [], GOAL, True, note))
    return found


LANES = {"time-travel": {"figures": travel}}
