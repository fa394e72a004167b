"""Lanes about long logs: rebuild and growth. The log is made by `focusctl generate`."""

import json
import os
import subprocess
import time

import crowd
import lanes
from server import Server

REBUILT = 1_000_000
SMALL, LARGE = 100_000, 10_000_000


def generate(server, events, seed):
    """Fills the empty log, and waits until focusd's read model has it."""
    fill(server, events, max(200, events // 500), seed)
    server.start()
    wait_for_projection(server)
    tidy(server)


def fill(server, events, users, seed):
    """Fills the empty log without focusd; PostgreSQL stays. focusd would project, and append what falls due for users
    that it knows already.
    Returns what `focusctl generate` says of it."""
    server.process.kill()
    server.process.wait()
    return json.loads(lanes.run([
        f"{server.binaries}/focusctl", "generate", "--events", str(events), "--users", str(users), "--seed", str(seed),
        "--json", "--data-dir", server.data]))


def wait_for_projection(server, seconds=3_600):
    query = """SELECT sum(p.next_offset - coalesce(c.log_offset, 0)) FROM log_partitions p
        LEFT JOIN read.checkpoints c USING (partition);"""
    deadline = time.time() + seconds
    while server.sql.value(query) != "0":
        if time.time() > deadline:
            raise SystemExit("the read model does not catch up")
        time.sleep(0.5)


def tidy(server):
    """As a log is that has not been filled a moment ago: vacuumed, its statistics known, nothing left to write."""
    server.sql.run("VACUUM ANALYZE;")
    server.sql.run("CHECKPOINT;")


# rebuild


def rebuild(bench):
    server = Server(bench.server.binaries, bench.options.dir)
    try:
        generate(server, REBUILT, bench.seed)
        alone = lanes.Bench(server, bench.options)
        rounds = []
        for number in range(bench.options.rounds):
            server.sql.run("CHECKPOINT;")
            ours = alone.measured(lambda: rebuild_ours(server))
            drop_old(server)
            server.sql.run("CHECKPOINT;")
            files = dump(server)
            theirs = alone.measured(lambda: copy_out_and_in(server, files, number))
            rounds.append((ours, theirs))
        return rounds
    finally:
        server.stop()


def rebuild_ours(server, begun=lambda process: None):
    """Until every partition shows the new generation. Dropping the old one, and the two seconds' grace before it, are not
    part of either side. `begun` hears of the process."""
    began = time.time()
    rebuild = subprocess.Popen(
        [f"{server.binaries}/focusctl", "projections", "rebuild", "--all", "--keep-old", "--parallel", "3", "--max-load",
         "100", "--json", "--data-dir", server.data], stdout=subprocess.DEVNULL)
    begun(rebuild.pid)
    if rebuild.wait():
        raise SystemExit(f"the rebuild failed with {rebuild.returncode}")
    seconds = time.time() - began
    return {"rows": REBUILT, "seconds": seconds, "rate": REBUILT / seconds}


def drop_old(server):
    lanes.run([f"{server.binaries}/focusctl", "projections", "drop-old", "--data-dir", server.data])


def shown(server):
    return int(server.sql.value("SELECT max(generation) FROM log_partitions;"))


def dump(server):
    """Every table of the generation that is shown, as files; not timed."""
    schema = f"read_{shown(server)}"
    tables = [row[0] for row in server.sql.run(
        f"SELECT relname FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r';")]
    files = {}
    for table in tables:
        files[table] = f"{server.directory}/{table}.copy"
        server.sql.run(f"\\copy {schema}.{table} TO '{files[table]}' (FORMAT binary)")
    return files


def copy_out_and_in(server, files, number):
    schema = f"copied_{number}"
    server.sql.run(f"CREATE SCHEMA {schema};")
    for table in files:
        server.sql.run(f"CREATE TABLE {schema}.{table} (LIKE read_1.{table} INCLUDING ALL);")
    began = time.time()
    with open(os.devnull, "w") as sink:
        subprocess.run(
            ["psql", "-X", "-d", server.conninfo, "-c", "COPY events TO STDOUT (FORMAT binary)"], stdout=sink, check=True)
    for table, file in files.items():
        server.sql.run(f"\\copy {schema}.{table} FROM '{file}' (FORMAT binary)")
    seconds = time.time() - began
    server.sql.run(f"SET client_min_messages TO warning; DROP SCHEMA {schema} CASCADE;")
    return {"rows": REBUILT, "seconds": seconds, "rate": REBUILT / seconds}


# growth


def growth(bench):
    """The same measurements on a short log and on a long one, in turn; the other server is idle meanwhile."""
    servers = []
    try:
        servers.append(Server(bench.server.binaries, bench.options.dir))
        generate(servers[0], SMALL, bench.seed)
        servers.append(long_log(bench))
        benches = [lanes.Bench(server, bench.options) for server in servers]
        acks, times, snapshots = ([], []), ([], []), ([], [])
        prepared = [crowd.prepare(one) for one in benches]
        before = [events_of(server) for server in servers]
        for one in benches:
            one.settle()
        # The first touches pages and makes plans that nobody had: it does not count.
        for number in range(1 + bench.options.rounds):
            for index, one in enumerate(benches):
                # No checkpoint: after it the first change of each page is written whole, and a short round has little else.
                one.wait_for_projection()
                load = one.measured(lambda: lanes.load_singly(one))
                one.wait_for_projection()
                one.server.restart()
                snapshot = 1_000 / crowd.newcomers(prepared[index], "cold")
                if number:
                    acks[index].append(load["ack_p50_us"] / 1_000)
                    times[index].append(sum(load["cpu"][name] for name in ("focusd", "postgres")) / load["rows"] * 1e6)
                    snapshots[index].append(snapshot)
        after = [events_of(server) for server in servers]
        note = "{1} events in the log against {0}".format(
            *(f"{first:,} (at the end {last:,})" for first, last in zip(before, after)))
        return [
            crowd.figure("append-single, acknowledgement p50", "ms", acks[1], acks[0], 1.10, True, note),
            crowd.figure(
                "append-single, processor time of focusd and PostgreSQL an event", "µs", times[1], times[0], 1.10,
                True, note),
            crowd.figure("cold-sync, a snapshot to a new device, per row", "ms", snapshots[1], snapshots[0], 1.10, True, note)]
    finally:
        for server in servers:
            server.stop()


def long_log(bench):
    """A server with the long log: a copy of --long-log, or made now."""
    if not bench.options.long_log:
        server = Server(bench.server.binaries, bench.options.dir)
        generate(server, LARGE, bench.seed)
        return server
    server = Server(bench.server.binaries, bench.options.dir, copy=bench.options.long_log)
    # As of a server that has run for a while: autovacuum is done with what was filled in, and what appends and loads go
    # through is in memory.
    tidy(server)
    server.sql.run("CREATE EXTENSION IF NOT EXISTS pg_prewarm;")
    server.sql.run("SELECT sum(pg_prewarm(indexrelid, 'read')) FROM pg_index WHERE indrelid = 'events'::regclass;")
    return server


def events_of(server):
    return int(server.sql.value("SELECT sum(next_offset) FROM log_partitions;"))


LANES = {
    "rebuild": {
        "ours": f"`focusctl projections rebuild --all --keep-old --parallel 3 --max-load 100` of a log of {REBUILT:,} generated events",
        "against": "`COPY events` out to /dev/null, and COPY in of every row of the read model into tables of the same "
        "shape, one after the other",
        "goal": 0.6, "rounds": rebuild,
    },
    "growth": {"figures": growth},
}
