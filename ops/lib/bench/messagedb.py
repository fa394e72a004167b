"""Lane message-db: what a user would pick instead, on the same PostgreSQL: the event store message-db, which is functions
in PL/pgSQL. Its public source is given with --message-db; without it the rows say `not run`."""

import os
import re
import subprocess

from crowd import figure
from lanes import DEVICES, run

DATABASE = "message_store"
# As its own install.sh has them; indexes come behind.
SOURCES = (
    "schema/message-store", "extensions/pgcrypto", "tables/messages", "types/message",
    "functions/message-store-version", "functions/hash-64", "functions/acquire-lock", "functions/category",
    "functions/is-category", "functions/id", "functions/cardinal-id", "functions/stream-version",
    "functions/write-message", "indexes/messages-id", "indexes/messages-stream", "indexes/messages-category")
BATCH = 100
GOAL = 10
SINGLY = "one event at a time, 64 writers"
IN_BATCHES = f"batches of {BATCH} in one transaction, 64 writers"

WRITE = """write_message(gen_random_uuid()::varchar, 'bench-' || :client_id, 'notification.posted',
    jsonb_build_object('text', '{text}'))"""


def write_both(bench):
    if not bench.options.message_db:
        return [
            {"title": title, "unit": "events/s", "ours": [], "against": [], "ratios": [], "goal": GOAL, "at_most": False,
             "reached": None, "note": "not run: --message-db DIR names a checkout of its source"}
            for title in (SINGLY, IN_BATCHES)]
    conninfo = install(bench)
    found = []
    for title, options, calls in ((SINGLY, ("--batch", 1, "--window", 1), 1), (IN_BATCHES, ("--batch", BATCH), BATCH)):
        rounds = [(ours(bench, options), theirs(bench, conninfo, calls)) for _ in range(bench.options.rounds)]
        found.append(figure(
            title, "events/s", [mine for mine, _ in rounds], [other for _, other in rounds], GOAL, False,
            f"acknowledged; against `write_message` of message-db {version(bench)}, all streams in one category, by "
            f"`pgbench -M prepared -c {DEVICES}`"))
    return found


def install(bench):
    bench.sql.run(f"CREATE DATABASE {DATABASE};")
    conninfo = bench.server.conninfo.replace("dbname=focusd", f"dbname={DATABASE}")
    settings = "-c search_path=message_store,public -c client_min_messages=warning"
    for name in SOURCES:
        subprocess.run(
            ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-f",
             f"{bench.options.message_db}/database/{name}.sql"],
            check=True, env={**os.environ, "PGOPTIONS": settings}, stdout=subprocess.DEVNULL)
    return f"{conninfo} options='{settings}'"


def version(bench):
    with open(f"{bench.options.message_db}/database/VERSION.txt") as text:
        return text.read().strip()


def ours(bench, options):
    bench.settle()
    return bench.generate(*options, "--seconds", bench.options.seconds)["events_per_second"]


def theirs(bench, conninfo, calls):
    size = int(bench.sql.value("SELECT avg(length(payload))::integer FROM events;"))
    script = f"{bench.server.directory}/message-db.sql"
    with open(script, "w") as file:
        file.write(f"SELECT {WRITE.format(text='x' * size)} FROM generate_series(1, {calls});\n")
    bench.settle()
    output = run([
        "pgbench", "-n", "-M", "prepared", "-c", str(DEVICES), "-j", "2", "-T", str(bench.options.seconds),
        "-f", script, conninfo], stderr=subprocess.DEVNULL)
    # As between other measurements, but this database is not theirs.
    run(["psql", "-X", "-q", "-d", conninfo, "-c", "VACUUM ANALYZE message_store.messages"])
    return calls * float(re.search(r"tps = ([\d.]+) \(without", output).group(1))


LANES = {"message-db": {"figures": write_both}}
