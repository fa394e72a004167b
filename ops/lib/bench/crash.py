"""ops/long-log crash: a rebuild of a long log that is killed at random moments, against one that is left alone.

Flow: undisturbed rebuild → digest of every table → second rebuild, killed and resumed so many times → digests again."""

import hashlib
import json
import os
import random
import signal
import subprocess
import time

import history
import lanes
import processor
import report
from server import Psql, Server

# Of a rebuild's way: filling in events, comparing users, cutting over. The last is short, and gets its kills all the same.
FILLING, COMPARING, CUTTING = 0.55, 0.25, 0.2
PREPARED = FILLING + COMPARING
# Moments are drawn up to here: at the very end there is nothing to resume.
LAST = 0.985


def run(options, say, load):
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    say(f"seed {seed}, {options.kills} kills; {load()}")
    server = Server(options.bin, os.path.dirname(options.directory), data=options.directory)
    try:
        trial = Trial(server, random.Random(seed), say)
        if trial.unfinished():
            raise SystemExit("a rebuild is unfinished: `focusctl projections rebuild --resume`, or `drop-old`, first")
        found = {
            "machine": report.machine(server), "seed": seed, "events": trial.events(),
            "shared_buffers": server.sql.value("SHOW shared_buffers;")}
        heads = trial.heads()
        found["undisturbed"] = trial.undisturbed()
        say(f"undisturbed: {told(found['undisturbed'])}; {load()}")
        expected = trial.digests()
        trial.drop_old(options.keep)
        began = time.time()
        found["kills"] = kills = trial.disturbed(options.kills, lambda: trial.differing(expected))
        seconds = time.time() - began
        found["disturbed"] = {"seconds": seconds, "runs": trial.runs}
        say(f"{len(kills)} kills, {trial.runs} runs of focusctl, {seconds:.0f} s with all restarts; {load()}")
        found["differing"] = sorted(set(trial.found) | set(trial.differing(expected)))
        if trial.heads() != heads:
            # What fell due meanwhile (rules T1, T3), or devices. Both are to be of the same log: once more in peace.
            say("events were appended meanwhile: compared with another undisturbed rebuild, of the log as it is now")
            history.wait_for_projection(server)
            disturbed = trial.digests()
            found["again"] = trial.undisturbed()
            expected = trial.digests()
            found["differing"] = sorted(name for name in expected if expected[name] != disturbed.get(name))
        rows = sum(rows for rows, _ in expected.values())
        if found["differing"]:
            say(f"DIFFERENT from the undisturbed one: {', '.join(found['differing'])}")
        else:
            say(f"identical: {len(expected)} tables, {rows:,} rows, byte by byte (SHA-256 of binary COPY, by key)")
        found["digests"] = {table: digest for table, (_, digest) in expected.items()}
        found["verify"] = trial.verify(options.sample, seed)
        say(f"verify --sample {options.sample}: {json.dumps(found['verify'])}")
        trial.drop_old(options.keep)
    finally:
        server.stop()
    return found, 3 if found["differing"] or found["verify"]["exit"] else 0


def told(rebuild):
    return (
        f"{rebuild['seconds']:.1f} s, {rebuild['rate']:,.0f} events/s; at most {rebuild['focusctl_mib']} MiB of focusctl "
        f"(VmHWM), {rebuild['postgres_mib']} MiB of PostgreSQL's processes besides shared_buffers, "
        f"{rebuild['backend_mib']} MiB of one of them")


class Trial:
    def __init__(self, server, chance, say):
        self.server, self.chance, self.say = server, chance, say
        self.runs = 0
        # Seconds that the undisturbed one took to cut over all partitions.
        self.cutting = 0.0
        # Tables of killed rebuilds that had others after them.
        self.found = []
        self.users = {int(p): int(n) for p, n in self.rows(
            "SELECT partition, count(*) FROM read.users GROUP BY partition;")}

    # What the database says, also while it comes back

    def rows(self, statement):
        deadline = time.time() + 300
        while True:
            try:
                return self.server.sql.run(statement)
            except (SystemExit, OSError):
                if time.time() > deadline:
                    raise
                time.sleep(0.05)
                self.reconnect()

    def reconnect(self):
        try:
            self.server.sql.process.kill()
            self.server.sql.process.wait()
            self.server.find_database()
        except (OSError, IndexError, ValueError):
            return  # The next postmaster has not written its file yet.
        self.server.sql = Psql(self.server.conninfo, stderr=subprocess.DEVNULL)

    def events(self):
        return int(self.rows("SELECT sum(next_offset) FROM log_partitions;")[0][0])

    def heads(self):
        return self.rows("SELECT partition, next_offset FROM log_partitions ORDER BY partition;")

    def unfinished(self):
        """Number of the generation that is on its way; None."""
        found = self.rows("""SELECT r.generation FROM rebuilds r JOIN generations g USING (generation)
            WHERE r.finished_at IS NULL AND g.dropped_at IS NULL;""")
        return int(found[0][0]) if found else None

    def works(self):
        return self.rows("""SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
            WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = 'focusctl-projections-rebuild';""")[
            0][0] != "0"

    def way(self):
        """How far the rebuild is, 0 to 1, and in words."""
        places = self.rows("""SELECT p.partition, p.phase, p.events, p.through, p.users FROM rebuild_partitions p
            JOIN rebuilds r USING (generation) WHERE r.finished_at IS NULL;""")
        total, filled, compared, done = 1, 0, 0, 0
        for partition, phase, events, through, users in places:
            total += int(through)
            filled += int(events if phase == "filling" else through)
            if phase == "comparing":
                compared += int(users)
            elif phase in ("following", "done"):
                compared += self.users.get(int(partition), 0)
            done += phase == "done"
        everybody = max(1, sum(self.users.values()))
        place = FILLING * filled / total + COMPARING * compared / everybody + CUTTING * done / max(1, len(places))
        return place, f"{filled:,} events filled in, {compared:,} users compared, {done} of {len(places)} partitions shown"

    # Rebuilds

    def rebuild(self, *how):
        self.runs += 1
        return subprocess.Popen(
            # What is resumed knows by itself that it keeps the old one.
            [f"{self.server.binaries}/focusctl", "projections", "rebuild", *how,
             *(["--keep-old"] if "--all" in how else []), "--max-load", "100", "--json", "--data-dir",
             self.server.data], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def undisturbed(self):
        self.rows("CHECKPOINT;")
        began, peak = time.time(), {"focusctl": 0, "postgres": 0, "backend": 0}
        process, prepared, place = self.rebuild("--all"), None, 0.0
        while process.poll() is None:
            if not prepared and self.works() and self.unfinished():
                place, _ = self.way()
                prepared = time.time() if place >= PREPARED else None
            peak["focusctl"] = max(peak["focusctl"], memory(process.pid, "VmHWM"))
            each = [memory(pid, "RssAnon") for pid in processor.children(self.server.postmaster)]
            peak["postgres"] = max(peak["postgres"], sum(each))
            peak["backend"] = max(peak["backend"], *each, 0)
            time.sleep(0.2 if place < 0.9 * PREPARED or prepared else 0.005)
        text, error = process.communicate()
        if process.returncode:
            raise SystemExit(f"the undisturbed rebuild failed with {process.returncode}:\n{error}")
        seconds = time.time() - began
        self.cutting = time.time() - (prepared or time.time())
        return {
            **json.loads(text), "seconds": seconds, "cuttingOver": self.cutting, "rate": self.events() / seconds,
            **{f"{name}_mib": value // 1024 for name, value in peak.items()}}

    def disturbed(self, count, differing):
        """Kills `count` times. When a rebuild was done before the last kill, it is compared, and another one begins."""
        kills = []
        while len(kills) < count:
            moments = sorted(self.chance.random() * LAST for _ in range(count - len(kills)))
            process = self.rebuild("--all")
            for moment in moments:
                kill = self.kill_at(moment, process)
                if not kill:
                    break
                kills.append(kill)
                self.say(f"kill {len(kills)}: {kill['what']} at {kill['way'] * 100:.1f} %: {kill['where']}")
                if not (self.unfinished() or self.begun(process)):
                    break
                process = self.rebuild("--resume" if self.unfinished() else "--all")
            self.finish(process)
            if len(kills) < count:
                self.found += differing()
                self.say(f"done before the last kill, different: {self.found or 'nothing'}; another rebuild")
                self.drop_old(False)
        return kills

    def begun(self, process):
        """Killed before there was anything to resume?"""
        return self.rows("SELECT max(generation) FROM log_partitions;") == self.rows(
            "SELECT max(generation) FROM generations;") and process.returncode != 0

    def kill_at(self, moment, process):
        """None: it was done before."""
        # As random as the moment of the way: what it writes down, it writes down between the moments of its work.
        delay = self.chance.random() * (3 if moment < FILLING + 0.8 * COMPARING else 0.1)
        if moment >= PREPARED:
            # Too short for looking how far it is: by the time that it takes.
            delay = (moment - PREPARED) / CUTTING * self.cutting
        draw, also_server = self.chance.random(), self.chance.random() < 0.2
        place, where = 0.0, ""
        begins = time.time()
        while process.poll() is None:
            if self.works() and self.unfinished():
                place, where = self.way()
                if place >= min(moment, PREPARED):
                    break
            time.sleep(0.002 if place > 0.9 * PREPARED else 0.05)
        if process.poll() is None:
            time.sleep(delay)
        place, where = self.way() if process.poll() is None and moment >= PREPARED else (place, where)
        if process.poll() is not None:
            error = process.stderr.read()
            if process.returncode:
                raise SystemExit(f"the rebuild failed by itself with {process.returncode}:\n{error}")
            return None
        what = ["focusctl"]
        if draw < 0.2:
            what = ["PostgreSQL"]
            os.kill(self.server.postmaster, signal.SIGKILL)
        else:
            process.kill()
        if also_server:
            what.append("focusd")
            self.server.process.kill()
            self.server.process.wait()
        if also_server:
            self.server.start()
        process.communicate()
        self.rows("SELECT 1;")
        self.server.find_database()
        if process.returncode == 0:
            return None
        return {
            "moment": moment, "way": place, "where": where, "what": " and ".join(what),
            "seconds": round(time.time() - begins, 2)}

    def finish(self, process):
        """To the end, whatever still goes wrong because of what was killed."""
        text, error = process.communicate()
        if self.unfinished():
            self.say(f"resumed once more, after: {error.strip()[-200:] or process.returncode}")
            process = self.rebuild("--resume")
            text, error = process.communicate()
            if process.returncode:
                raise SystemExit(f"the last resumption failed with {process.returncode}:\n{error}")
        if int(self.rows("SELECT count(*) FROM generations WHERE dropped_at IS NULL;")[0][0]) < 2:
            raise SystemExit("the generation that --keep-old was to keep was dropped")

    def drop_old(self, keeps):
        if not keeps:
            lanes.run([f"{self.server.binaries}/focusctl", "projections", "drop-old", "--data-dir", self.server.data])

    # What came of it

    def tables(self, schema):
        """Of each the columns of its key."""
        return {name: key for name, key in self.rows(f"""SELECT c.relname, string_agg(a.attname, ', ' ORDER BY k.place)
            FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
            CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
            WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind = 'r' GROUP BY c.relname;""")}

    def digests(self):
        """Of every table that is shown: rows, and SHA-256 of all columns of all rows, ordered by key."""
        schema, found = f"read_{history.shown(self.server)}", {}
        count = int(self.rows(
            f"SELECT count(*) FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r';")[0][0])
        for table, key in sorted(self.tables(schema).items()):
            digest = hashlib.sha256()
            copy = subprocess.Popen(
                ["psql", "-X", "-q", "-d", self.server.conninfo, "-c",
                 f"COPY (SELECT * FROM {schema}.{table} ORDER BY {key}) TO STDOUT (FORMAT binary)"],
                stdout=subprocess.PIPE)
            while block := copy.stdout.read(1 << 20):
                digest.update(block)
            if copy.wait():
                raise SystemExit(f"{schema}.{table} could not be read")
            rows = int(self.rows(f"SELECT count(*) FROM {schema}.{table};")[0][0])
            found[table] = (rows, digest.hexdigest())
        if len(found) != count:
            raise SystemExit(f"{schema}: {count} tables, of which only {len(found)} have a key to order by")
        return found

    def differing(self, expected):
        found = self.digests()
        return sorted(
            table for table in expected.keys() | found.keys() if expected.get(table) != found.get(table))

    def verify(self, sample, seed):
        done = subprocess.run(
            [f"{self.server.binaries}/focusctl", "projections", "verify", "--sample", str(sample), "--seed",
             str(seed), "--json", "--data-dir", self.server.data], stdout=subprocess.PIPE, text=True)
        lines = done.stdout.strip().split("\n")
        return {"exit": done.returncode, "said": lines[-1]}


def memory(pid, name):
    """KiB; 0 when the process has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith(name)), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0
