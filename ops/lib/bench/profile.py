"""Where the time of B1 goes: perf on focusd and on the backends, and what each statement took."""

import os
import re
import shutil
import subprocess
import threading
import time

import processor
from lanes import load_until_projected

SETTINGS = "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = off\n"
SECONDS = 8


def append_pipelined(bench, events):
    """Of a run of its own, as looking costs. None when this machine cannot look."""
    if not shutil.which("perf"):
        return None
    server = bench.server
    bench.sql.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset();")
    data = {name: f"{server.directory}/{name}.perf" for name in ("focusd", "postgres")}
    found = {}
    thread = threading.Thread(target=watch, args=(bench, data, found))
    thread.start()
    threads = thread_times(server.process.pid)
    found["report"] = bench.measured(lambda: load_until_projected_of(bench, events))
    found["threads"] = {
        name: round(seconds - threads.get(name, 0), 2) for name, seconds in thread_times(server.process.pid).items()
        if seconds - threads.get(name, 0) >= 0.05}
    thread.join()
    found["focusd"] = symbols(data["focusd"])
    found["postgres"] = symbols(data["postgres"])
    found["statements"] = [
        {"calls": int(calls), "rows": int(rows), "seconds": round(float(ms) / 1_000, 2), "query": query}
        for calls, rows, ms, query in bench.sql.run(
            """SELECT calls, rows, total_exec_time, regexp_replace(left(regexp_replace(query, '--[^\\n]*\\n', '', 'g'), 70),
            '\\s+', ' ', 'g') FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 12;""".replace("\n", " "))]
    return found


def load_until_projected_of(bench, events):
    usual, bench.options.events = bench.options.events, events
    try:
        return load_until_projected(bench)
    finally:
        bench.options.events = usual


def watch(bench, data, found):
    """Begins when appends of the mix keep focusd busy: connecting and setting up do not, for so long."""
    server = bench.server
    pid = server.process.pid
    deadline = time.time() + 60
    busy = 0.0
    while busy < 0.15 and time.time() < deadline:
        before = processor.of_process(pid)
        time.sleep(0.25)
        busy = processor.of_process(pid) - before
    backends = processor.children(server.postmaster)
    before = {backend: processor.of_process(backend) for backend in backends}
    recorders = [
        record(data["focusd"], pid, "-g"), record(data["postgres"], ",".join(str(backend) for backend in backends))]
    for recorder in recorders:
        recorder.wait()
    titles = {backend: title(backend) for backend in backends}
    found["backends"] = sorted(
        ((round(processor.of_process(backend) - before[backend], 2), titles[backend]) for backend in backends),
        reverse=True)


def record(file, pids, *options):
    return subprocess.Popen(
        ["perf", "record", "-q", "-F", "499", *options, "-o", file, "-p", str(pids), "--", "sleep", str(SECONDS)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def title(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode().strip()
    except FileNotFoundError:
        return "gone"


def thread_times(pid):
    """Processor seconds by thread name."""
    times = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                text = file.read()
        except FileNotFoundError:
            continue
        name = text[text.index("(") + 1:text.rindex(")")]
        fields = text.rsplit(")", 1)[1].split()
        times[name] = times.get(name, 0) + (int(fields[11]) + int(fields[12])) / processor.TICK
    return times


def symbols(file, limit=25):
    """The functions with the most self time: (per cent, object, name)."""
    report = subprocess.run(
        ["perf", "report", "-i", file, "--no-children", "--stdio", "-g", "none", "--sort", "dso,symbol", "-w", "0,24,0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    demangled = demangle(report)
    found = []
    for line in demangled.split("\n"):
        match = re.match(r"\s*([\d.]+)%\s+(\S+)\s+\[(.)\]\s+(.*)", line)
        if match and len(found) < limit:
            found.append((float(match.group(1)), match.group(2), match.group(4).strip()))
    return found


def demangle(text):
    if not shutil.which("swift"):
        return text
    done = subprocess.run(
        ["swift", "demangle", "--simplified"], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout if done.returncode == 0 else text
