"""Lane rebuild-beside, appends while the read model is built anew: their latency with and without, in the same run."""

import json
import multiprocessing
import subprocess
import time

import crowd
import history
import lanes
from server import Server


def appends(bench):
    server = Server(bench.server.binaries, bench.options.dir)
    try:
        history.generate(server, bench.options.log, bench.seed)
        alone = lanes.Bench(server, bench.options)
        # In a process of its own, with nothing else to do while it times the answers.
        pipe, theirs = multiprocessing.Pipe()
        devices = multiprocessing.Process(target=crowd.acknowledgements, args=(alone, theirs, None), daemon=True)
        devices.start()
        pipe.recv()
        rounds = [one_round(server, pipe, bench.options) for _ in range(bench.options.rounds)]
        pipe.send("end")
        devices.join()
        return figures(bench.options, rounds)
    finally:
        server.stop()


def one_round(server, pipe, options):
    """Times without and with a rebuild, and what the rebuild reports."""
    asked(pipe)
    time.sleep(options.seconds)
    calm = asked(pipe)
    began = time.time()
    # As an operator starts it: with the default throttle, and the generation before dropped at the end.
    load = ["--max-load", str(options.max_load)] if options.max_load else []
    rebuild = subprocess.Popen(
        [f"{server.binaries}/focusctl", "projections", "rebuild", "--all", *load, "--json", "--data-dir", server.data],
        stdout=subprocess.PIPE, text=True)
    asked(pipe)
    report, _ = rebuild.communicate()
    if rebuild.returncode:
        raise SystemExit(f"the rebuild failed with {rebuild.returncode}")
    busy = asked(pipe)
    report = json.loads(report)
    report["seconds"] = time.time() - began
    # Both sides begin with the same: what the rebuild left to be written is written.
    server.sql.run("CHECKPOINT;")
    return calm, busy, report


def asked(pipe):
    """Seconds that each answer took since the last time."""
    pipe.send("so far")
    return pipe.recv()


def figures(options, rounds):
    samples = min(min(len(calm), len(busy)) for calm, busy, _ in rounds)
    seconds = [report["seconds"] for _, _, report in rounds]
    note = (
        f"{crowd.OTHERS} devices, {crowd.RATE} events/s, at least {samples:,} answers a side; the rebuild of "
        f"{options.log:,} events, {f'--max-load {options.max_load}' if options.max_load else 'default options'}, took {crowd.percentile(seconds, 0.5):.1f} s; against the same before it")
    found = []
    for name, share, goal in (("p50", 0.5, 1.5), ("p99", 0.99, 1.5)):
        busy = [crowd.percentile(times, share) * 1_000 for _, times, _ in rounds]
        calm = [crowd.percentile(times, share) * 1_000 for times, _, _ in rounds]
        found.append(crowd.figure(
            f"acknowledgements while the read model is rebuilt, {name}", "ms", busy, calm, goal, True, note))
    longest = [report["longestWaitMs"] for _, _, report in rounds]
    found.append(crowd.figure(
        "a partition's appends waited for its cut-over at most", "ms", longest, [], 1_000, True,
        "as the rebuild reports it: for how long the partition's row was locked"))
    return found


LANES = {"rebuild-beside": {"figures": appends}}
