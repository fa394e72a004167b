"""ops/bench: measures, prints, writes BENCHMARKS.md and bench.json. See ops/bench for the options."""

import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import against
import contention
import crowd
import fairness
import history
import lanes
import memory
import messagedb
import paired_report
import picture
import profile
import programs
import rebuilding
import report
import route
import travel
from server import Server

# In which they run, and stand in the tables.
ORDER = (
    "append", "append-single", "latency", "fan-out", "watch", "cold-sync", "replay", "replay-ndjson", "replay-csv",
    "rebuild", "idle", "growth", "storm", "route", "rebuild-beside", "time-travel", "contention", "fairness", "memory",
    "message-db")
UNORDERED = {**lanes.LANES, **crowd.LANES, **history.LANES, **route.LANES, **rebuilding.LANES, **travel.LANES,
    **contention.LANES, **fairness.LANES, **memory.LANES, **messagedb.LANES}
LANES = {name: UNORDERED[name] for name in ORDER}


def parse():
    parser = argparse.ArgumentParser(
        prog="ops/bench", usage="ops/bench [options] [LANE …], see ops/bench --help", add_help=False,
        allow_abbrev=False)
    parser.add_argument("lanes", nargs="*", metavar="LANE")
    parser.add_argument("--bin", help="where focusd, focusctl and focus-bench are")
    parser.add_argument("--check", action="store_true", help="only say whether these arguments are right")
    parser.add_argument("--against")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--events", type=int, default=320_000)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--log", type=int, default=300_000)
    parser.add_argument("--max-load", type=int)
    parser.add_argument("--long-log")
    parser.add_argument("--idle", type=int, default=600)
    parser.add_argument("--message-db")
    parser.add_argument("--attacks", type=lambda text: text.split(","))
    parser.add_argument("--out")
    parser.add_argument("--dir", default=tempfile.gettempdir())
    parser.add_argument("--no-profile", action="store_true")
    options = parser.parse_args()
    complete(options)
    for name in options.lanes:
        if name not in LANES:
            parser.error(f"no lane {name}; there are {', '.join(LANES)}")
        if options.against and name not in against.LANES:
            parser.error(f"the lane {name} cannot be taken in pairs; these can: {', '.join(against.LANES)}")
    for kind in options.attacks or []:
        if kind not in fairness.KINDS:
            parser.error(f"no attack {kind}; there are {', '.join(fairness.KINDS)}")
    if not options.bin and not options.check:
        parser.error("--bin is missing")
    try:
        options.bin = options.bin and programs.find(options.bin)
        options.against = options.against and programs.find(options.against)
    except programs.Missing as missing:
        parser.error(str(missing))
    if options.against and (options.long_log or options.max_load):
        parser.error("--long-log and --max-load are for lanes that cannot be taken in pairs")
    if min(options.rounds, options.events, options.seconds, options.log, options.idle) < 1:
        parser.error("--rounds, --events, --seconds, --log and --idle are at least 1")
    if options.long_log and not os.path.exists(f"{options.long_log}/postgres/PG_VERSION"):
        parser.error(f"{options.long_log} holds no log; `ops/long-log make {options.long_log}` makes one")
    if options.long_log and os.path.exists(f"{options.long_log}/postgres/postmaster.pid"):
        parser.error(f"a PostgreSQL runs in {options.long_log}, or was killed there; stop its focusd with SIGTERM first")
    if options.message_db and not os.path.exists(f"{options.message_db}/database/functions/write-message.sql"):
        parser.error(f"{options.message_db} is no checkout of message-db: it lacks database/functions/write-message.sql")
    for program in ("psql", "pgbench"):
        if not shutil.which(program):
            parser.error(f"{program} is not on the PATH (Debian: apt install postgresql)")
    return options


def complete(options):
    """Fills in what was not given. A comparison takes more rounds, and does not write into the record."""
    if options.against:
        defaults = {"lanes": ["append", "append-single"], "rounds": 10, "seconds": 6, "out": ".build/against.md"}
    else:
        defaults = {"lanes": list(LANES), "rounds": 5, "seconds": 5, "out": "ops/BENCHMARKS.md"}
    for name, value in defaults.items():
        if getattr(options, name) in (None, []):
            setattr(options, name, value)


def measure(options):
    # What other lanes said before stays: each says when and of which commit.
    figures = earlier(options)
    machine = None
    for name in options.lanes:
        print(f"{name} …", file=sys.stderr, flush=True)
        with new_server(options) as server:
            if not machine:
                machine = figures["machine"] = report.machine(server)
                report.require_disk(machine, options.dir)
            summary = measure_lane(LANES[name], server, options)
        summary["measured"] = report.measured(machine)
        figures["lanes"][name] = summary
        for line in report.outcome(name, LANES[name], summary):
            print(line, file=sys.stderr, flush=True)
        # Before the next lane, which may fail.
        write(options, figures)
    return figures


@contextlib.contextmanager
def new_server(options):
    """For one lane, on a cluster of its own: what the lanes before it appended, and left to be done, is no part of it."""
    server = Server(options.bin.binaries, options.dir)
    try:
        yield server
    finally:
        server.stop()
        # Its files are gone from the disk.
        os.sync()


def measure_lane(lane, server, options):
    bench = lanes.Bench(server, options)
    bench.warm_up()
    if "figures" in lane:
        return {"figures": lane["figures"](bench)}
    return report.summarize(lane, lane["rounds"](bench))


def earlier(options):
    file = results_file(options)
    if not os.path.exists(file):
        return {"lanes": {}}
    with open(file) as text:
        return json.load(text)


def results_file(options):
    return os.path.join(os.path.dirname(options.out) or ".", "bench.json")


def main():
    # Ctrl-C and kill end the server too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse()
    if options.check:
        return
    if options.against:
        return compare(options)
    figures = measure(options)
    for name in profile.PROFILES:
        if name in options.lanes and not options.no_profile:
            print(f"profile of {name} …", file=sys.stderr, flush=True)
            found = profile.of_lane(name, options)
            if found:
                found["measured"] = report.measured(figures["machine"])
            figures.setdefault("profiles", {})[name] = found
            write(options, figures)


def compare(options):
    """Two programs in turn; what they came to also goes to standard output."""
    figures_file = os.path.splitext(options.out)[0] + ".json"
    os.makedirs(os.path.dirname(options.out) or ".", exist_ok=True)

    def write_pairs(figures):
        write_files(options.out, paired_report.markdown(figures), figures_file, figures)

    figures = against.run({"ours": options.bin, "against": options.against}, options, write_pairs)
    print(paired_report.markdown(figures), end="")


def write(options, figures):
    # What people found out about the figures; the run cannot know it.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes.md")) as notes:
        table = report.markdown(figures, LANES, os.path.basename(picture_file(options))) + notes.read()
    write_files(options.out, table, results_file(options), figures)
    with open(picture_file(options), "w") as file:
        file.write(picture.drawn(figures["lanes"], LANES))


def picture_file(options):
    return f"{os.path.splitext(options.out)[0].lower()}.svg"


def write_files(table_file, table, figures_file, figures):
    with open(table_file, "w") as file:
        file.write(table)
    with open(figures_file, "w") as file:
        json.dump(figures, file, indent=1, ensure_ascii=False)
        file.write("\n")


main()
