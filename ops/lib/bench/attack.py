"""ops/attack: all attackers at once beside honest devices, and a verdict. See ops/attack."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import attackers
import device
import fairness
import lanes
import processor
import programs
import report
from crash import memory
from honest import Crowd, differences
from server import Server, metrics

DEVICES, RATE = 50, 100
# The attackers' machines are elsewhere where there is a network: here they are nice, as are the processes that they are
# compared with, so that what they ask of the server counts and not that they run beside it. A process is nice to those of
# its session alone where sessions share the processors evenly (sched(7), autogroup): each has a session that is nice.
NICE = (
    "setsid", "nice", "-n", "10", "sh", "-c", '{ echo 10 > /proc/self/autogroup; } 2>/dev/null; exec "$@"', "sh")
# Seconds: a process that attackers are compared with works for its share of each such period.
PERIOD = 0.01
WINDOW = 60
# Seconds that one of focus-bench's attackers stays the same user, preparation included.
TURN = (60, 180)
# p99 beside the attackers, as a multiple of that beside as much other work.
SLOWER = 2
# What a server may take for each byte that its cache says it has.
CACHED = 1.3
# What a server may take above what it has at the start, as a multiple of its cache; and MiB of frames and parts of frames
# that wait. A quarter of the cache more are states that fold beside the lanes.
ABOVE_CACHE, FRAMES = CACHED + 0.25, 128
# The second half's most, as a multiple of the first half's; what the cache grew by comes on top.
FLAT = 1.1
# GiB that are to stay free.
SPARE = 5
# Seconds between two looks at focusd's own figures.
SCRAPE = 15
# What of it is held against the memory that it takes.
PARTS = ("focus_cache_bytes", "focus_inbound_bytes", "focus_queued_bytes")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
ALL = (*fairness.KINDS, *attackers.KINDS)


def parse():
    parser = argparse.ArgumentParser(
        prog="ops/attack", usage="ops/attack [options], see ops/attack --help", add_help=False, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--cache", default="512MiB")
    parser.add_argument("--attacks", type=lambda text: text.split(","), default=list(ALL))
    parser.add_argument("--out")
    parser.add_argument("--bin")
    parser.add_argument("--dir", default=tempfile.gettempdir())
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not 0 < options.minutes <= 10_000:
        parser.error("--minutes is above 0, and at most 10000")
    for name in options.attacks:
        if name not in ALL:
            parser.error(f"no attack {name}; there are {', '.join(ALL)}")
    try:
        size(options.cache)
    except (KeyError, ValueError):
        parser.error("--cache is a number and KiB, MiB or GiB")
    if not options.check:
        try:
            options.bin = programs.find(options.bin).binaries
        except programs.Missing as missing:
            parser.error(str(missing))
    if not shutil.which("psql"):
        parser.error("psql is not on the PATH (Debian: apt install postgresql)")
    return options


def size(text):
    return int(text[:-3]) * UNITS[text[-3:]]


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def quantile(values, share):
    """Milliseconds; None of none."""
    ordered = sorted(values)
    return round(1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) if ordered else None


class Attackers:
    """Processes: one for each kind of focus-bench, as a new user at each turn, and one for all that break the protocol."""

    def __init__(self, server, names, seed):
        self.server = server
        self.chance = random.Random(seed)
        self.running, self.told = {}, {
            name: {"turns": 0, "worked": 0, "answers": 0, "failures": []} for name in names}
        self.kinds = [name for name in names if name in fairness.KINDS]
        self.began = self.ended = self.children()
        self.ending = False
        self.breakers = [name for name in names if name in attackers.KINDS]
        self.others = self.breakers and subprocess.Popen(
            [*NICE, sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "attackers.py"),
             server.address, f"{server.data}/token.key", str(seed), *self.breakers],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tend()

    @staticmethod
    def children():
        """Processor seconds of the children that were waited for: attackers that have ended, and nobody else."""
        times = os.times()
        return times.children_user + times.children_system

    def processor_seconds(self):
        living = [process.pid for process in self.running.values()] + ([self.others.pid] if self.others else [])
        return self.children() - self.began + sum(processor.of_process(pid) for pid in living)

    def tend(self):
        """Each that has ended begins again, as somebody else."""
        for kind in self.kinds:
            process = self.running.get(kind)
            if process and process.poll() is None:
                continue
            if process:
                self.note(kind, process)
            if not self.ending:
                self.running[kind] = subprocess.Popen(
                    [
                        *NICE, f"{self.server.binaries}/focus-bench", "attack", "--server", self.server.address,
                        "--plaintext", "--key", f"{self.server.data}/token.key", "--kind", kind,
                        "--seconds", str(self.chance.randint(*TURN))],
                    # It waits for a line when it is prepared; there is none, so it begins.
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def note(self, kind, process):
        output, error = process.communicate()
        told = self.told[kind]
        told["turns"] += 1
        lines = [line for line in output.splitlines() if line.startswith("{")]
        # An attacker prints `ready` once it is prepared, and a report at the end of a turn unless it fails. One that is
        # terminated prints no report.
        told["worked"] += "ready\n" in output and (bool(lines) or self.ending)
        if lines:
            told["answers"] += json.loads(lines[-1])["answers"]
        elif not self.ending:
            # Thrown out, or worse. Some of them are enough to see why.
            told["failures"] = (told["failures"] + [error.strip()[-200:] or str(process.returncode)])[-5:]

    def end(self):
        self.ending = True
        for process in self.running.values():
            process.terminate()
        for kind, process in self.running.items():
            process.wait()
            self.note(kind, process)
        self.running = {}
        if self.others:
            output, _ = self.others.communicate()
            for name, counts in json.loads(output or "{}").items():
                self.told[name] = counts
            self.others = None

    def idle(self):
        """Names of those that did nothing, or failed whenever they began."""
        return [name for name, told in self.told.items() if not (told.get("worked") or told.get("connections"))]


class Trial:
    def __init__(self, options, seed):
        self.options, self.seed = options, seed
        self.server = Server(
            options.bin, options.dir, options=(*fairness.QUOTAS, "--cache", options.cache, "--admin", "127.0.0.1:0"))
        self.pid = self.server.process.pid
        self.age()
        self.bench = lanes.Bench(self.server, options)
        self.crowd = Crowd(
            self.server.address, device.Tokens(f"{self.server.data}/token.key"), f"attack:{seed}", DEVICES, RATE)
        # MiB of each second: of focusd, and of what its cache said last.
        self.memory, self.cached, self.parts = [], [], dict.fromkeys(PARTS, 0)
        self.cache = 0
        self.ending = threading.Event()
        # A thread of its own: the honest devices are not to wait for it.
        self.scraper = threading.Thread(target=self.scrape, daemon=True)
        self.scraper.start()

    def age(self):
        """Makes the files of the WAL that a server has after some checkpoints, and uses again. In a new one each is filled
        with zeros when it is needed, while all commits wait."""
        sizes = ("max_wal_size", "wal_segment_size")
        most, each = (int(self.server.beside.value(f"SELECT pg_size_bytes(current_setting('{name}'));")) for name in sizes)
        for _ in range(most // each):
            self.server.beside.run("SELECT pg_logical_emit_message(false, 'focus-bench', ''), pg_switch_wal();")
        self.server.beside.run("CHECKPOINT;")

    def scrape(self):
        """Notes the most of what focusd says of its own memory, until the trial ends."""
        while not self.ending.wait(SCRAPE):
            try:
                figures = metrics(self.server.admin)
            except OSError as error:
                say(f"focusd's figures could not be read: {error}")
                continue
            self.cache = figures["focus_cache_bytes"] / UNITS["MiB"]
            self.parts = {name: max(most, figures[name]) for name, most in self.parts.items()}

    def look(self):
        """Every second: how much memory, and whether there is a disk to go on."""
        self.memory.append(memory(self.pid, "VmRSS") / 1_024)
        self.cached.append(self.cache)
        if shutil.disk_usage(self.options.dir).free < SPARE << 30:
            raise SystemExit(f"less than {SPARE} GiB are left in {self.options.dir}; give another --dir, or fewer --minutes")

    def calm(self, seconds):
        """In peace: code is loaded, statements are planned."""
        latencies = self.crowd.run(seconds, self.look)
        say(f"in peace: p50 {quantile(latencies, 0.5)} ms, p99 {quantile(latencies, 0.99)} ms")
        return latencies

    def attacked(self, seconds):
        """Latencies of each window, and the processors that the attackers took."""
        against = Attackers(self.server, self.options.attacks, self.seed)
        began, windows = time.time(), []
        self.memory, self.cached = [], []

        def tick():
            against.tend()
            self.look()

        try:
            while (left := began + seconds - time.time()) > 1 and self.server.process.poll() is None:
                used, focusd = against.processor_seconds(), processor.of_process(self.pid)
                started = time.time()
                windows.append(self.crowd.run(min(WINDOW, left), tick))
                took = time.time() - started
                say(self.line(
                    windows[-1], started - began, (against.processor_seconds() - used) / took,
                    (processor.of_process(self.pid) - focusd) / took))
            share = against.processor_seconds() / (time.time() - began)
        finally:
            against.end()
        return windows, share, against

    def line(self, latencies, since, attack, focusd):
        acknowledged = sum(honest.acknowledged for honest in self.crowd.all)
        lost = sum(honest.lost is not None for honest in self.crowd.all)
        log = int(self.server.beside.value("SELECT sum(next_offset) FROM log_partitions;"))
        return (
            f"minute {since / 60:.0f}: p50 {quantile(latencies, 0.5)} ms, p99 {quantile(latencies, 0.99)} ms, "
            f"{acknowledged:,} acknowledged, {lost} sessions lost; focusd {self.memory[-1]:,.0f} MiB, {focusd:.0%} of a "
            f"processor, attackers {attack:.0%}; {log:,} events in the log")

    def beside_work(self, seconds, share):
        """Latencies beside processes that take as much processor as the attackers did."""
        count = max(1, int(share + 0.999))
        burners = [
            subprocess.Popen([*NICE, sys.executable, "-c", fairness.BURNER, str(share / count * PERIOD), str(PERIOD)])
            for _ in range(count)]
        try:
            return self.crowd.run(seconds, self.look)
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()

    # What the log and the read model say

    def wrong(self):
        """What is wrong with what the honest devices have, by name: texts."""
        found = {}
        for honest in self.crowd.all:
            rows = self.server.sql.run(f"""SELECT device_seq, encode(event_id::text::bytea, 'escape') FROM events
                WHERE device_id = '{honest.identifier}' ORDER BY device_seq, log_offset;""")
            rows = [(int(sequence), bytes.fromhex(event.replace("-", ""))) for sequence, event in rows if event]
            for text in differences(honest, rows) + ([f"session lost: {honest.lost}"] if honest.lost else []) + (
                    [f"{len(honest.refused)} refused, of them {honest.refused[0]!r}"] if honest.refused else []):
                found.setdefault(text, []).append(str(honest.identifier))
        versions = dict(self.server.sql.run(
            "SELECT user_id, max(version) FROM events WHERE user_id IN ({}) GROUP BY user_id;".format(
                ", ".join(f"'{honest.user}'" for honest in self.crowd.all))))
        behind = self.crowd.reach({user: int(version) for user, version in versions.items()})
        if behind:
            found[f"{behind} devices do not reach their user's last version"] = []
        return found

    def verify(self):
        done = subprocess.run(
            [f"{self.server.binaries}/focusctl", "projections", "verify", "--sample", "200", "--json",
             "--data-dir", self.server.data], stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout.strip().split("\n")[-1]


def run(options):
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    say(f"seed {seed}, {options.minutes:g} minutes, {len(options.attacks)} kinds of attackers")
    trial = Trial(options, seed)
    try:
        trial.calm(20)
        start = trial.memory[-1]
        windows, share, against = trial.attacked(60 * options.minutes)
        recorded, cached = trial.memory, trial.cached
        same = trial.server.process.poll() is None and trial.server.process.pid == trial.pid
        found = {
            "machine": report.machine(trial.server) if same else None, "seed": seed, "minutes": options.minutes,
            "attackers": against.told, "attackers_processor": round(share, 2)}
        checks = {"the process that served at first serves": same}
        if same:
            trial.bench.wait_for_projection()
            beside = trial.beside_work(max(60, 6 * options.minutes), share)
            judge_latencies(checks, found, windows, beside)
            wrong = trial.wrong()
            found["wrong"] = {text: ids[:5] for text, ids in wrong.items()}
            checks["honest devices keep their sessions, and the log has their events exactly once"] = not wrong
            trial.bench.wait_for_projection()
            code, told = trial.verify()
            found["verify"] = told
            checks["the read model is what the events say"] = code == 0
        judge_memory(checks, found, start, recorded, cached, size(options.cache) / UNITS["MiB"])
        found["parts_mib"] = {name: round(most / UNITS["MiB"]) for name, most in trial.parts.items()}
        found["idle"] = against.idle()
        checks["every attacker was at work"] = not found["idle"]
        found["checks"] = checks
    finally:
        trial.ending.set()
        trial.crowd.close()
        trial.server.stop()
    return found


def judge_latencies(checks, found, windows, beside):
    every = [latency for window in windows for latency in window]
    found["p99_ms"], found["p50_ms"] = quantile(every, 0.99), quantile(every, 0.5)
    found["windows_p99_ms"] = [quantile(window, 0.99) for window in windows]
    found["beside_work"] = {"p50_ms": quantile(beside, 0.5), "p99_ms": quantile(beside, 0.99)}
    found["p99_ratio"] = round(found["p99_ms"] / found["beside_work"]["p99_ms"], 2)
    checks[f"p99 is at most {SLOWER} times that beside as much other work"] = found["p99_ratio"] <= SLOWER


def halves(values):
    """The most of each half."""
    half = len(values) // 2
    return max(values[:half], default=0), max(values[half:], default=0)


def judge_memory(checks, found, start, recorded, cached, cache):
    (first, second), (before, after) = halves(recorded), halves(cached)
    found["memory_mib"] = {"start": round(start), "first_half": round(first), "second_half": round(second)}
    checks[f"memory is at most that of the start, {ABOVE_CACHE} times the cache and {FRAMES} MiB"] = (
        max(first, second) <= start + ABOVE_CACHE * cache + FRAMES)
    # A short run may still be filling the cache.
    checks["memory of the second half is that of the first, and of what came into the cache"] = (
        second <= FLAT * first + CACHED * max(0, after - before))


def tell(found):
    for name, told in found["attackers"].items():
        say(f"  {name}: {', '.join(f'{value} {key}' for key, value in told.items() if value)}")
    if "p99_ms" in found:
        beside = found["beside_work"]
        say(f"p50 {found['p50_ms']} ms, p99 {found['p99_ms']} ms beside the attackers, who took "
            f"{found['attackers_processor']:.0%} of a processor; {beside['p50_ms']} and {beside['p99_ms']} ms beside as "
            f"much other work: p99 {found['p99_ratio']} times")
    say("memory, MiB: " + ", ".join(
        f"{name} {value}" for name, value in (found["memory_mib"] | found["parts_mib"]).items()))
    for text, ids in found.get("wrong", {}).items():
        say(f"WRONG: {text} {' '.join(ids)}")
    if found.get("verify"):
        say(f"verify: {found['verify']}")
    for name, holds in found["checks"].items():
        say(f"{'holds' if holds else 'DOES NOT HOLD'}: {name}")


def main():
    # Ctrl-C and kill end the server and the attackers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parse()
    if options.check:
        return
    found = run(options)
    tell(found)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(found, file, indent=1, ensure_ascii=False)
            file.write("\n")
    sys.exit(0 if all(found["checks"].values()) else 3)


if __name__ == "__main__":
    main()
