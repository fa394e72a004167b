"""Lane contention: two focusd on one PostgreSQL, whose users share the partitions."""

import json
import re
import subprocess

from crowd import figure
from server import metrics

# Events of both servers together in a second, one event a frame.
RATE = 8_000
DEVICES = 128
WINDOW = 16


def contention(bench):
    second = Beside(bench.server)
    try:
        # The second loads its code and plans its statements.
        load(bench, second, 2)
        rounds = []
        for _ in range(bench.options.rounds):
            bench.settle()
            rounds.append(load(bench, second, bench.options.seconds))
        return figures(rounds, metrics(second.admin))
    finally:
        second.stop()


class Beside:
    """Another focusd on the PostgreSQL of a server."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [
                f"{server.binaries}/focusd", "serve", "--plaintext", "--listen", "127.0.0.1:0",
                "--database", server.conninfo, "--token-key", f"{server.data}/token.key",
                "--receipt-key", f"{server.data}/receipt.key", "--admin", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=server.log, text=True)
        ready = re.match(r"focusd ready listen=(\S+) admin=(\S+)", self.process.stdout.readline())
        if not ready:
            raise SystemExit("the second focusd did not start")
        self.address, self.admin = ready.groups()

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def load(bench, second, seconds):
    """Reports of one generator for each server, which run at the same time."""
    server, generators = bench.server, []
    for address in (server.address, second.address):
        bench.seed += 1
        generators.append(subprocess.Popen(
            [
                f"{server.binaries}/focus-bench", "append", "--server", address, "--plaintext",
                "--key", f"{server.data}/token.key", "--devices", str(DEVICES), "--seed", str(bench.seed), "--json",
                "--batch", "1", "--window", str(WINDOW), "--rate", str(RATE // 2),
                "--seconds", str(seconds)],
            stdout=subprocess.PIPE, text=True))
    outputs = [generator.communicate()[0] for generator in generators]
    if any(generator.returncode for generator in generators):
        raise SystemExit("a generator failed")
    return [json.loads(output) for output in outputs]


def figures(rounds, counted):
    note = (
        f"{DEVICES} devices and users at each of two servers, {RATE:,} events/s offered in all, one a frame; since its "
        f"start the second came too late {counted['focus_late_batches_total']:,.0f} times and locked first "
        f"{counted['focus_locked_statements_total']:,.0f} times")
    found = []
    for index, name in enumerate(("first", "second")):
        found.append(figure(
            f"events at the {name} server", "/s", [reports[index]["events_per_second"] for reports in rounds], [],
            0.9 * RATE / 2, False, note))
        found.append(figure(
            f"acknowledgements of the {name} server, p99", "ms",
            [reports[index]["ack_p99_us"] / 1_000 for reports in rounds], [], 250, True,
            "from when each was due"))
    return found


LANES = {"contention": {"figures": contention}}
