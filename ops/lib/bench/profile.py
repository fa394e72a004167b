"""Where the time of a lane goes: perf on the program of ours and on the backends, and what each statement took."""

import argparse
import collections
import os
import re
import shutil
import subprocess
import threading
import time

import history
import processor
from lanes import Bench, load_singly, load_until_projected
from server import Psql, Server

SETTINGS = "shared_preload_libraries = 'pg_stat_statements'\n"
SECONDS = 8

STATEMENTS = """SELECT calls, rows, total_exec_time, wal_bytes,
    regexp_replace(left(regexp_replace(query, '--[^\\n]*\\n', '', 'g'), 80), '\\s+', ' ', 'g')
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 12;"""
ROLES = """SELECT pid, CASE WHEN query LIKE '%log_partitions%' THEN 'append'
    WHEN query LIKE '%read\_%' THEN 'projection' END FROM pg_stat_activity WHERE backend_type = 'client backend';"""


def append_pipelined(bench):
    return looked(bench, "focusd", lambda begun: by_focusd(bench, begun, load_until_projected))


def append_singly(bench):
    return looked(bench, "focusd", lambda begun: by_focusd(bench, begun, load_singly))


def by_focusd(bench, begun, load):
    begun(bench.server.process.pid)
    return load(bench)


def rebuild(bench):
    history.generate(bench.server, history.REBUILT, bench.seed)
    return looked(bench, "focusctl", lambda begun: history.rebuild_ours(bench.server, begun))


# Of the lanes that are looked into.
PROFILES = {"append": append_pipelined, "append-single": append_singly, "rebuild": rebuild}


def of_lane(name, options):
    """Of a run of its own, as looking costs, and long enough to be looked into. None when this machine cannot look."""
    if not shutil.which("perf"):
        return None
    longer = argparse.Namespace(**{**vars(options), "events": 2 * options.events, "seconds": 2 * SECONDS})
    server = Server(options.bin.binaries, options.dir, SETTINGS)
    try:
        return PROFILES[name](Bench(server, longer))
    finally:
        server.stop()


def looked(bench, program, work):
    """What perf sees while `work` goes on, which tells the process that does it."""
    server = bench.server
    bench.sql.run("CREATE EXTENSION pg_stat_statements;")
    bench.sql.run("SELECT pg_stat_statements_reset();")
    data = {name: f"{server.directory}/{name}.perf" for name in (program, "postgres")}
    found = {"program": program}
    threads = []

    def begun(pid):
        threads.append(threading.Thread(target=watch, args=(server, pid, data, found)))
        threads[0].start()

    found["report"] = bench.measured(lambda: work(begun))
    threads[0].join()
    samples = {name: stacks(file, name == program) for name, file in data.items()}
    found["ours"] = {"self": leaves(samples[program]), "callers": callers(samples[program], program)}
    found["postgres"] = {"self": leaves(samples["postgres"])}
    found["statements"] = [
        {
            "calls": int(calls), "rows": int(rows), "seconds": round(float(ms) / 1_000, 2),
            "wal_mib": round(float(wal) / 2**20, 1), "query": query}
        for calls, rows, ms, wal, query in bench.sql.run(STATEMENTS)]
    return found


def watch(server, pid, data, found):
    """Begins when the work keeps the process busy: connecting and setting up do not, for so long."""
    deadline = time.time() + 60
    busy = 0.0
    while busy < 0.15 and time.time() < deadline:
        before = processor.of_process(pid)
        time.sleep(0.25)
        busy = processor.of_process(pid) - before
    backends = processor.children(server.postmaster)
    began = {backend: processor.of_process(backend) for backend in backends}
    ours, postgres = data.values()
    recorders = [record(ours, pid, "-g"), record(postgres, ",".join(str(backend) for backend in backends))]
    roles = roles_while(server, recorders)
    used = collections.Counter()
    for backend in backends:
        used[roles.get(backend, "PostgreSQL's own")] += processor.of_process(backend) - began[backend]
    found["backends"] = {role: round(seconds, 2) for role, seconds in used.most_common()}


def roles_while(server, recorders):
    """What each backend works for, as far as its statements tell; of several looks the most frequent."""
    sql = Psql(server.conninfo)
    seen = collections.defaultdict(collections.Counter)
    while any(recorder.poll() is None for recorder in recorders):
        for pid, role in sql.run(ROLES):
            if role:
                seen[int(pid)][role] += 1
        time.sleep(0.2)
    sql.close()
    return {pid: counts.most_common(1)[0][0] for pid, counts in seen.items()}


def record(file, pids, *options):
    return subprocess.Popen(
        ["perf", "record", "-q", "-F", "499", *options, "-o", file, "-p", str(pids), "--", "sleep", str(SECONDS)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stacks(file, has_graphs):
    """Of each sample its frames, innermost first: (function, object)."""
    text = subprocess.run(
        ["perf", "script", "-i", file, "-F", "ip,sym,dso"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True).stdout
    if shutil.which("swift"):
        text = subprocess.run(
            ["swift", "demangle", "--simplified"], input=text, stdout=subprocess.PIPE, text=True).stdout or text
    samples = []
    # Samples with call graphs are blocks between empty lines, those without are lines.
    for block in text.split("\n\n" if has_graphs else "\n"):
        frames = re.findall(r"^\s*[0-9a-f]+ (.*) \((.*)\)\s*$", block, re.MULTILINE)
        if frames:
            samples.append([(name, os.path.basename(dso)) for name, dso in frames])
    return samples


def leaves(samples, limit=20):
    """Self time: (per cent, object, function)."""
    return shares(collections.Counter((sample[0][1], sample[0][0]) for sample in samples), len(samples), limit)


# What the compiler made or the language's library specialised for us says little: its caller counts.
INDIRECT = re.compile(
    r"outlined |specialized (_|Set|Dictionary|Array|Collection|Sequence|Contiguous|Mutable)|initializeWithCopy|"
    r"destroy for|getEnumTag|.*hash\(|.*== |protocol witness|value witness|partial apply|thunk|\[unknown|.*__derived")


def callers(samples, program, limit=25):
    """Time by the nearest function of our own, which reference counting, hashing and copying are then part of."""
    counts = collections.Counter()
    for sample in samples:
        own = [name for name, dso in sample if dso == program and not INDIRECT.match(name)]
        counts[(program, own[0] if own else sample[0][0])] += 1
    return shares(counts, len(samples), limit)


def shares(counts, total, limit):
    return [(round(100 * count / total, 1), dso, name) for (dso, name), count in counts.most_common(limit)]
