"""ops/bench --against: two programs in turn, "ours" and "against". See ops/bench."""

import contextlib
import dataclasses
import os
import statistics
import sys
import time
from typing import Callable

import crowd
import history
import lanes
import paired_report
import pairing
import report
import route
from paired_report import SIDES
from server import Server

# Sides that do not do the same for a commit cannot be compared.
DURABILITY = ("fsync", "synchronous_commit", "full_page_writes")

@dataclasses.dataclass
class Lane:
    # Brings a new server to where rounds begin. What it returns is what `measure` gets beside the bench.
    prepare: Callable
    # One round: a result with "seconds", "cpu", and "figures", by name.
    measure: Callable
    # Each round is a new process of the program that is measured, so that one server of each side can stand for all
    # of them. Else each round has a server of its own: how a process happens to lie in memory must not decide all
    # rounds of a side.
    stands: bool = False


def run(sides, options, write):
    """The figures; `write` gets them after each lane. `sides`: the programs of each of SIDES."""
    figures = {"date": report.now(), "rounds": options.rounds, **look(sides, options), "lanes": {}}
    for name in options.lanes:
        print(f"{name} …", file=sys.stderr, flush=True)
        figures["lanes"][name] = summarize(list(pairs(LANES[name], sides, options)))
        write(figures)
        for line in paired_report.outcome(name, figures["lanes"][name]):
            print(line, file=sys.stderr, flush=True)
    return figures


def look(sides, options):
    """The machine, and what is known of each side."""
    found = {}
    for side, programs in sides.items():
        server = Server(programs.binaries, options.dir)
        try:
            found[side] = {**report.machine(server), **programs.facts()}
            report.require_disk(found[side], options.dir)
        finally:
            server.stop()
    for name in DURABILITY:
        ours, theirs = (found[side]["settings"][name] for side in SIDES)
        if ours != theirs:
            raise SystemExit(f"the two programs' clusters differ: {name} is {ours} in ours, {theirs} in the other")
    known = ("binaries", "commit", "focusd", "settings")
    return {"machine": found["ours"], "programs": {side: {key: found[side][key] for key in known} for side in SIDES}}


def pairs(lane, sides, options):
    """The results of each pair, by side, and their order."""
    with contextlib.ExitStack() as stack:
        standing = {
            side: stack.enter_context(ready(lane, sides[side], options, 0)) for side in SIDES if lane.stands}

        def server_for(side, number):
            if lane.stands:
                return contextlib.nullcontext(standing[side])
            return ready(lane, sides[side], options, number)

        for number, order in enumerate(pairing.orders(*SIDES, options.rounds)):
            pair = {"order": order}
            for side in order:
                with server_for(side, number) as prepared:
                    pair[side] = lane.measure(*prepared)
            print(f"  {number + 1} of {options.rounds}: {paired_report.brief(pair)}", file=sys.stderr, flush=True)
            yield pair


@contextlib.contextmanager
def ready(lane, programs, options, number):
    """A new server on a cluster of its own, which the program makes, and what the lane prepared there. Both sides of a
    pair get the same users and events."""
    server = Server(programs.binaries, options.dir)
    try:
        bench = lanes.Bench(server, options)
        bench.seed = 1_000 * (number + 1)
        prepared = lane.prepare(bench)
        bench.settle()
        # What the server before left behind is written, and its files are gone from the disk.
        os.sync()
        yield bench, prepared
    finally:
        server.stop()


def summarize(found):
    names = found[0]["ours"]["figures"]
    shares = {
        key: {side: statistics.median(pair[side][key] for pair in found) for side in SIDES}
        for key in ("generator_share", "others_cores") if key in found[0]["ours"]}
    return {
        "figures": {
            name: pairing.compare([(pair["ours"]["figures"][name], pair["against"]["figures"][name]) for pair in found])
            for name in names},
        **shares, "disturbed": sum(is_disturbed(pair) for pair in found), "pairs": found}


def is_disturbed(pair):
    return any(pair[side]["others_cores"] > paired_report.DISTURBED_CORES for side in SIDES)


# What each lane does in a round


def append(bench, _):
    return loaded(bench, lambda: lanes.load_until_projected(bench))


def append_single(bench, _):
    def load():
        result = lanes.load_singly(bench)
        # What the read model has still to get is part of what an event costs.
        bench.wait_for_projection()
        return result

    return loaded(bench, load)


def loaded(bench, load):
    result = with_generator(bench.measured(load))
    result["figures"] = {
        "events/s": result["rate"], **servers_time(result), "generator, µs an event": per_row(result, "client"),
        "acknowledgement p50, ms": result["ack_p50_us"] / 1_000,
        "acknowledgement p99, ms": result["ack_p99_us"] / 1_000}
    return result


def latency(bench, prepared):
    devices, writers = prepared

    def load():
        began = time.perf_counter()
        times = crowd.deltas(bench, devices, writers)
        seconds = time.perf_counter() - began
        bench.wait_for_projection()
        return {"rows": len(times), "seconds": seconds, "times": times}

    result = with_generator(bench.measured(load))
    devices.close()
    times = result.pop("times")
    result["figures"] = {
        "append → delta p50, ms": crowd.percentile(times, 0.5) * 1_000,
        "append → delta p99, ms": crowd.percentile(times, 0.99) * 1_000, **servers_time(result)}
    return result


def fan_out(bench, prepared):
    return delivered(bench, prepared[0], lambda: crowd.events_out(bench, *prepared))


def watch(bench, prepared):
    return delivered(bench, prepared[0], lambda: crowd.statuses_out(bench, *prepared)[0])


def delivered(bench, devices, deliver):
    """`deliver`: gives deliveries per processor second of focusd and PostgreSQL."""
    result = with_generator(bench.measured(lambda: timed(deliver)))
    devices.close()
    result["figures"] = {"deliveries per processor second": result["value"]}
    return result


def cold_sync(bench, people):
    bench.server.restart()
    cold = with_generator(bench.measured(lambda: timed(lambda: crowd.newcomers(people, "cold"))))
    warm = bench.measured(lambda: timed(lambda: crowd.newcomers(people, "warm")))
    cold["figures"] = {"not in memory, rows/s": cold["value"], "in memory, rows/s": warm["value"]}
    return cold


def replay(bench, _):
    result = alone(bench.measured(lambda: lanes.replay_ours(bench)))
    result["figures"] = {
        "events/s": result["rate"], "focus-bench, µs an event": per_row(result, "client"),
        "PostgreSQL, µs an event": per_row(result, "postgres")}
    return result


def replay_text(form):
    def measure(bench, _):
        result = alone(bench.measured(lambda: lanes.replay_text_ours(bench, form)))
        result["figures"] = {
            "events/s": result["rate"], "focusctl, µs an event": per_row(result, "client"),
            "PostgreSQL, µs an event": per_row(result, "postgres")}
        return result

    return measure


def prepare_rebuild(bench):
    history.generate(bench.server, history.REBUILT, bench.seed)


def rebuild(bench, _):
    bench.sql.run("CHECKPOINT;")
    result = alone(bench.measured(lambda: history.rebuild_ours(bench.server)))
    history.drop_old(bench.server)
    result["figures"] = {
        "events/s": result["rate"], "focusctl, µs an event": per_row(result, "client"),
        "PostgreSQL, µs an event": per_row(result, "postgres")}
    return result


def fold_route(bench, _):
    result = alone(bench.measured(lambda: route.ours_once(bench, f"{bench.server.directory}/places")))
    result["figures"] = {"points/s": result["rate"]}
    return result


def timed(body):
    began = time.perf_counter()
    value = body()
    return {"value": value, "seconds": time.perf_counter() - began}


def per_row(result, *names):
    """Processor microseconds a row."""
    return sum(result["cpu"][name] for name in names) / result["rows"] * 1e6


def servers_time(result):
    return {
        "focusd, µs an event": per_row(result, "focusd"), "PostgreSQL, µs an event": per_row(result, "postgres"),
        "focusd and PostgreSQL, µs an event": per_row(result, "focusd", "postgres")}


def with_generator(result):
    """Says which share of all processors the generator of load took."""
    result["generator_share"] = result["cpu"]["client"] / (result["seconds"] * os.cpu_count())
    return alone(result)


def alone(result):
    result["others_cores"] = result["cpu"]["others"] / result["seconds"]
    return result


LANES = {
    "append": Lane(lanes.Bench.warm_up, append),
    "append-single": Lane(lanes.Bench.warm_up, append_single),
    "latency": Lane(crowd.couples, latency),
    "fan-out": Lane(crowd.subscribers, fan_out),
    "watch": Lane(crowd.watchers, watch),
    "cold-sync": Lane(crowd.prepare, cold_sync),
    "replay": Lane(lanes.prepare_replay, replay, stands=True),
    **{
        f"replay-{form}": Lane(lanes.prepare_replay, replay_text(form), stands=True) for form in lanes.TEXT_YARDSTICKS},
    "rebuild": Lane(prepare_rebuild, rebuild, stands=True),
    "route": Lane(lambda bench: None, fold_route, stands=True),
}
