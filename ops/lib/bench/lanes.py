"""The lanes of ops/bench. Each gives rounds: ours and the yardstick's, taken in turn."""

import json
import os
import re
import resource
import subprocess
import time

import processor

DEVICES = 64
# Tables are no longer empty, connections are made; the planner then gets statistics.
WARM_UP_EVENTS = 20_000


class Bench:
    """What all lanes share: a server, binaries, and figures of processor time."""

    def __init__(self, server, options):
        self.server = server
        self.sql = server.sql
        self.options = options
        self.seed = int(time.time())
        self.sql.run("CREATE SCHEMA bench;")

    def generate(self, *arguments):
        """Runs the generator of load and returns its report."""
        self.seed += 1
        command = [
            f"{self.server.binaries}/focus-bench", "append", "--server", self.server.address, "--plaintext",
            "--key", f"{self.server.data}/token.key", "--devices", str(DEVICES), "--seed", str(self.seed), "--json",
            *[str(argument) for argument in arguments]]
        return json.loads(run(command))

    def twin(self, name):
        """A table of the same shape: columns, indexes, constraints, storage."""
        self.sql.run(f"CREATE TABLE bench.{name} (LIKE events INCLUDING ALL);")

    def heads(self):
        return {int(p): int(n) for p, n in self.sql.run("SELECT partition, next_offset FROM log_partitions;")}

    def warm_up(self):
        self.generate("--batch", 100, "--events", WARM_UP_EVENTS)
        self.settle()

    def settle(self):
        """Every measurement begins after a vacuum and a checkpoint, so that neither side pays for dead rows, new rows nor
        dirty pages that the other left. Autovacuum then finds nothing to do in the few seconds that a round takes."""
        self.wait_for_projection()
        self.sql.run("VACUUM ANALYZE;")
        self.sql.run("CHECKPOINT;")

    def wait_for_projection(self):
        """Until the read model holds every event of the log."""
        deadline = time.time() + 60
        query = """SELECT count(*) FROM log_partitions p LEFT JOIN read.checkpoints c USING (partition)
            WHERE coalesce(c.log_offset, 0) <> p.next_offset;"""
        while self.server.beside.value(query) != "0":
            if time.time() > deadline:
                raise SystemExit("the read model does not catch up")
            time.sleep(0.005)

    def measured(self, body):
        """What `body` returns, with the processor seconds that went by: focusd's, PostgreSQL's, the client's (this
        process, its children, and psql), and those of whatever else runs on this machine and should not."""
        before, own, busy = self.server.processor_times(), client_seconds(), processor.busy()
        result = body()
        after = self.server.processor_times()
        cpu = {name: after[name] - before[name] for name in ("focusd", "postgres")}
        cpu["client"] = client_seconds() - own + after["psql"] - before["psql"]
        cpu["others"] = max(0.0, processor.busy() - busy - sum(cpu.values()))
        if "cpu_user_seconds" in result:
            # The generator tells what it took while its clock ran, without what it prepared before.
            cpu["client"] = result["cpu_user_seconds"] + result["cpu_system_seconds"]
        result["cpu"] = {name: round(seconds, 3) for name, seconds in cpu.items()}
        return result


def client_seconds():
    """Of this process, and of the children that it has waited for."""
    usages = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed with {done.returncode}")
    return done.stdout


# append: durable, in batches, pipelined


def append_pipelined(bench):
    file = f"{bench.server.directory}/rows.copy"
    bench.twin("copied")
    rounds = []
    for _ in range(bench.options.rounds):
        before = bench.heads()
        bench.settle()
        ours = bench.measured(lambda: load_until_projected(bench))
        dump(bench, file, before)
        bench.settle()
        theirs = bench.measured(lambda: copy_in(bench, file))
        rounds.append((ours, theirs))
    os.remove(file)
    return rounds


def load_until_projected(bench, batch=100):
    report = bench.generate("--batch", batch, "--events", bench.options.events)
    bench.wait_for_projection()
    # The generator's clock starts after it has connected, registered the apps and made its frames.
    seconds = time.time() - report["began_at"]
    report["seconds_to_last_ack"] = report["seconds"]
    report["seconds"] = seconds
    report["rows"], report["rate"] = report["events"], report["events"] / seconds
    return report


def dump(bench, file, before):
    """The rows that the log got since."""
    ranges = " OR ".join(f"(partition = {p} AND log_offset >= {n})" for p, n in sorted(before.items()))
    # In the order in which they came, as far as one can say: that of each partition.
    query = f"SELECT * FROM events WHERE {ranges} ORDER BY recorded_at, partition, log_offset"
    bench.sql.run(f"\\copy ({query}) TO '{file}' (FORMAT binary)")


def copy_in(bench, file):
    count = int(bench.sql.value("SELECT count(*) FROM bench.copied;"))
    began = time.time()
    bench.sql.run(f"\\copy bench.copied FROM '{file}' (FORMAT binary)")
    seconds = time.time() - began
    rows = int(bench.sql.value("SELECT count(*) FROM bench.copied;")) - count
    return {"rows": rows, "seconds": seconds, "rate": rows / seconds, "bytes": os.path.getsize(file)}


# append-single: durable, one at a time

INSERT = """\\set i :i + 1
INSERT INTO bench.inserted (partition, type, log_offset, version, incarnation, device_seq, occurred_at, recorded_at,
    user_id, device_id, event_id, schema_version, app_id, payload)
VALUES (:client_id % 16, 'notification.posted', :i::bigint * 64 + :client_id, :i, 1, :i, now(), now(),
    md5(:client_id::text)::uuid, md5(:client_id::text)::uuid, '0190a1b2-c3d4-7e5f-8a6b-0123456789ab', 1,
    'com.example.messages', '\\x{payload}');
"""


def append_singly(bench):
    script = f"{bench.server.directory}/insert.sql"
    rounds = []
    for number in range(bench.options.rounds):
        bench.settle()
        ours = bench.measured(lambda: load_singly(bench))
        if number == 0:
            size = bench.sql.value("SELECT avg(length(payload))::integer FROM events;")
            with open(script, "w") as file:
                file.write(INSERT.format(payload="61" * int(size)))
            # One for all rounds: it grows as the log does.
            bench.twin("inserted")
        bench.settle()
        theirs = bench.measured(lambda: insert_singly(bench, script, number))
        rounds.append((ours, theirs))
    return rounds


def load_singly(bench):
    report = bench.generate("--batch", 1, "--window", 1, "--seconds", bench.options.seconds)
    report["rows"], report["rate"] = report["events"], report["events_per_second"]
    return report


def insert_singly(bench, script, number):
    output = run([
        "pgbench", "-n", "-M", "prepared", "-c", str(DEVICES), "-j", "2", "-T", str(bench.options.seconds),
        "-D", f"i={number * 10_000_000}", "-f", script, bench.server.conninfo], stderr=subprocess.DEVNULL)
    rows = int(re.search(r"transactions actually processed: (\d+)", output).group(1))
    rate = float(re.search(r"tps = ([\d.]+) \(without", output).group(1))
    latency = float(re.search(r"latency average = ([\d.]+) ms", output).group(1))
    return {"rows": rows, "seconds": rows / rate, "rate": rate, "latency_average_us": latency * 1_000}


# replay

# The log that is replayed has so many times the events of a round of append: a second or two of work.
REPLAYED_ROUNDS = 6


def replay(bench):
    prepare_replay(bench)
    replay_ours(bench), replay_copy(bench)
    rounds = []
    for _ in range(bench.options.rounds):
        ours = bench.measured(lambda: replay_ours(bench))
        theirs = bench.measured(lambda: replay_copy(bench))
        rounds.append((ours, theirs))
    return rounds


def prepare_replay(bench):
    count = int(bench.sql.value("SELECT count(*) FROM events;"))
    if count < bench.options.events:
        bench.generate("--batch", 100, "--events", REPLAYED_ROUNDS * bench.options.events)
    # Hint bits and the visibility map are written once, by whoever comes first: by neither of the two.
    bench.settle()


def replay_ours(bench):
    began = time.time()
    report = json.loads(run([
        f"{bench.server.binaries}/focus-bench", "replay", "--data-dir", bench.server.data, "--json"]))
    if report["undecoded"]:
        raise SystemExit(f"{report['undecoded']} events were not decoded")
    report["seconds"] = time.time() - began
    report["rows"], report["rate"] = report["events"], report["events"] / report["seconds"]
    return report


def replay_copy(bench):
    return written(bench, ["psql", "-X", "-d", bench.server.conninfo, "-c", "COPY events TO STDOUT (FORMAT binary)"])


def written(bench, command):
    """The rate of a command that writes every event of the log; what it writes is thrown away."""
    rows = int(bench.sql.value("SELECT count(*) FROM events;"))
    began = time.time()
    with open(os.devnull, "w") as sink:
        subprocess.run(command, stdout=sink, check=True)
    seconds = time.time() - began
    return {"rows": rows, "seconds": seconds, "rate": rows / seconds}


# replay as text


def replay_text(bench, form):
    prepare_replay(bench)
    replay_text_ours(bench, form), replay_text_copy(bench, form)
    rounds = []
    for _ in range(bench.options.rounds):
        ours = bench.measured(lambda: replay_text_ours(bench, form))
        theirs = bench.measured(lambda: replay_text_copy(bench, form))
        rounds.append((ours, theirs))
    return rounds


def replay_text_ours(bench, form):
    return written(bench, [
        f"{bench.server.binaries}/focusctl", "replay", "--format", form, "--data-dir", bench.server.data])


TEXT_YARDSTICKS = {
    "ndjson": "COPY (SELECT row_to_json(e) FROM events e) TO STDOUT", "csv": "COPY events TO STDOUT (FORMAT csv, HEADER)"}


def replay_text_copy(bench, form):
    return written(bench, ["psql", "-X", "-d", bench.server.conninfo, "-c", TEXT_YARDSTICKS[form]])


LANES = {
    "append": {
        "ours": "64 devices of 64 users over TCP, batches of 100 events, 4 in flight, own deltas delivered; until the "
        "read model's checkpoint reaches the head",
        "against": "`\\copy` (binary) of the same rows into a table of the same shape",
        "goal": 0.50, "rounds": append_pipelined,
    },
    "append-single": {
        "ours": "64 devices of 64 users over TCP, each waits for its ack before the next event",
        "against": "`pgbench -M prepared -c 64 -j 2`: the bare `INSERT` of a row of the same shape",
        "goal": 1.5, "rounds": append_singly,
    },
    "replay": {
        "ours": "the whole log, decoded, one consumer (`focus-bench replay`)",
        "against": "`psql -c 'COPY events TO STDOUT (FORMAT binary)' > /dev/null`",
        "goal": 1.0, "rounds": replay,
    },
    **{
        f"replay-{form}": {
            "ours": f"`focusctl replay --format {form} > /dev/null`: the whole log as one stream, payloads as JSON",
            "against": f"`psql -c '{yardstick}' > /dev/null`, payloads in hexadecimal",
            "goal": 1, "rounds": lambda bench, form=form: replay_text(bench, form),
        } for form, yardstick in TEXT_YARDSTICKS.items()},
}
