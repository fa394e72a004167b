"""ops/long-log: makes a log of 10,000,000 events, and shows on it what a rebuild stands. See ops/long-log."""

import argparse
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import crash
import history
import lanes
import report
from server import Server


def parse():
    parser = argparse.ArgumentParser(prog="ops/long-log", add_help=False, allow_abbrev=False)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("directory", metavar="DIR")
    parser.add_argument("--bin")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--events", type=int, default=history.LARGE)
    # Of so many the busiest has a little over a tenth (Zipf): of 10,000,000 events 1,003,000.
    parser.add_argument("--users", type=int, default=12_000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    if min(options.events, options.users, options.kills, options.sample) < 1:
        parser.error("--events, --users, --kills and --sample are at least 1")
    has = os.path.exists(f"{options.directory}/postgres/PG_VERSION")
    if options.command == "make" and has:
        parser.error(f"{options.directory} holds a log already")
    if options.command != "make" and not has:
        parser.error(f"{options.directory} holds no log; `ops/long-log make {options.directory}` makes one")
    # As root the cluster runs as another user, which has to pass.
    options.directory = os.path.abspath(options.directory)
    return options


def make(options):
    os.makedirs(options.directory, 0o755, exist_ok=True)
    seed = 1 if options.seed is None else options.seed
    server = Server(options.bin, os.path.dirname(options.directory), data=options.directory)
    try:
        found = {"machine": report.machine(server), "seed": seed, "events": options.events, "users": options.users}
        say(f"{options.events:,} events of {options.users:,} users, seed {seed}; {load()}")
        made = history.fill(server, options.events, options.users, seed)
        found["generate"] = {"seconds": made["seconds"], "rate": made["eventsPerSecond"]}
        say(f"made in {made['seconds']:.1f} s, {made['eventsPerSecond']:,.0f} events/s; {load()}")
        began = time.time()
        server.start()
        history.wait_for_projection(server)
        seconds = time.time() - began
        found["project"] = {"seconds": seconds, "rate": options.events / seconds}
        say(f"focusd's read model caught up in {seconds:.1f} s, {options.events / seconds:,.0f} events/s; {load()}")
        history.tidy(server)
        found["sizes"] = sizes(server)
        for name, size in found["sizes"].items():
            say(f"{name}: {size}")
    finally:
        server.stop()
    return found, 0


def sizes(server):
    """In MiB, and rows."""
    sql, mib = server.sql, 2**20
    events, indexes = (
        int(sql.value(f"SELECT pg_{what}_size('events');")) for what in ("table", "indexes"))
    schema = f"read_{history.shown(server)}"
    query = f"""SELECT sum(pg_table_size(oid)), sum(pg_indexes_size(oid)), sum(reltuples)::bigint FROM pg_class
        WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r';"""
    table, index, rows = (int(value) for value in sql.run(query)[0])
    busiest = sql.run(
        "SELECT user_id, version FROM read.users ORDER BY version DESC LIMIT 1;")[0]
    return {
        "events, MiB": events // mib, "their indexes, MiB": indexes // mib, "read model, MiB": table // mib,
        "its indexes, MiB": index // mib, "its rows, about": rows, "busiest user": " with events: ".join(busiest)}


def load():
    return f"load average {os.getloadavg()[0]:.1f}"


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


COMMANDS = {"make": make, "crash": lambda options: crash.run(options, say, load)}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse()
    if options.check:
        return
    found, code = COMMANDS[options.command](options)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(found, file, indent=1, ensure_ascii=False)
            file.write("\n")
    sys.exit(code)


main()
