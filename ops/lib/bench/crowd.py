"""Lanes about many devices: latency, fan-out, watch, cold-sync, idle and storm."""

import contextlib
import ctypes
import ctypes.util
import multiprocessing
import os
import selectors
import ssl
import statistics
import subprocess
import tempfile
import time

import mqtt
from device import (
    APPENDED, CHECKPOINT, PEER_STATUSES, SNAPSHOT_END, SNAPSHOT_ROWS, Device, Devices, Tokens, fields, focused,
    identifiers, posted, registered, shared)
from server import Server


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def figure(title, unit, ours, against, goal, at_most, note=""):
    """Of several rounds. `against` empty: the goal is absolute."""
    ratios = [a / b for a, b in zip(ours, against)] if against else list(ours)
    median = statistics.median(ratios)
    return {
        "title": title, "unit": unit, "ours": ours, "against": against, "ratios": ratios, "goal": goal,
        "at_most": at_most, "reached": median <= goal if at_most else median >= goal, "note": note}


class People:
    """Users with one app each, and their devices."""

    def __init__(self, bench, kind, count):
        bench.seed += 1
        self.bench, self.seed, self.kind = bench, bench.seed, kind
        self.tokens = Tokens(f"{bench.server.data}/token.key")
        self.users = identifiers(self.seed, kind, count)

    def token(self, user, device=0):
        name = identifiers(self.seed, f"{self.kind}-device-{user}-{device}", 1)[0]
        return self.tokens.sign(self.users[user], name)

    def device(self, user, device=0, cursor=None, tls=None, token=None):
        return Device(
            self.bench.server.address, token or self.token(user, device), self.seed, cursor, tls=tls)


# latency

RATE = 200
# Events of `registered`.
REGISTERED = 3
PAIRS = 20
IDLE = 1_000


def latency(bench):
    devices, writers = couples(bench)
    bench.twin("told")
    rounds = []
    for _ in range(bench.options.rounds):
        rounds.append((deltas(bench, devices, writers), notifications(bench)))
    devices.close()
    return [
        figure(
            f"append on one device → delta at another, {name}", "ms",
            [percentile(ours, share) * 1_000 for ours, _ in rounds],
            [percentile(theirs, share) * 1_000 for _, theirs in rounds], goal, True,
            f"{RATE} events/s offered, {IDLE:,} connections idle beside; against INSERT and pg_notify in one "
            "transaction, seen by a bare libpq LISTENer")
        for name, share, goal in (("p50", 0.5, 1.25), ("p99", 0.99, 1.5))]


def couples(bench):
    """All devices, connected: idle ones, and pairs of one user each, of which one writes and one reads. And those that
    write."""
    people, beside, devices = People(bench, "pair", PAIRS), People(bench, "idle", IDLE), Devices()
    idle = [beside.device(index) for index in range(IDLE)]
    writers = [people.device(index, 0) for index in range(PAIRS)]
    readers = [people.device(index, 1) for index in range(PAIRS)]
    for kind, some in (("idle", idle), ("writer", writers), ("reader", readers)):
        for index, device in enumerate(some):
            devices.add(device, (kind, index))
    devices.wait(idle + writers + readers, CHECKPOINT)
    for writer in writers:
        writer.append(registered())
    devices.bring(readers, REGISTERED)
    return devices, writers


def paced(seconds):
    """The moments at which the offered events are due."""
    began = time.perf_counter()
    for index in range(int(RATE * seconds)):
        yield index, began + index / RATE


def deltas(bench, devices, writers):
    """Seconds from when a frame is handed to the socket to when there is something to read at the other device: what
    the client takes to write and read frames is not the server's."""
    sent, times = {}, []

    def receive(timeout):
        for device, (kind, index), _, _ in devices.turn(timeout):
            if kind == "reader":
                for version in [key for key in sent if key[0] == index and key[1] <= device.version]:
                    times.append(devices.woke - sent.pop(version))

    for index, due in paced(bench.options.seconds):
        while (left := due - time.perf_counter()) > 0:
            receive(left)
        writer = writers[index % PAIRS]
        sequence = writer.sequence
        frame = writer.encoded([posted(f"n{sequence}")])
        sent[index % PAIRS, sequence] = time.perf_counter()
        writer.send(frame)
    deadline = time.time() + 10
    while sent and time.time() < deadline:
        receive(0.1)
    if sent:
        raise SystemExit(f"{len(sent)} events did not arrive")
    return times


class Libpq:
    """Just enough of libpq (PostgreSQL documentation, "libpq — C Library")."""

    def __init__(self, conninfo):
        self.pq = ctypes.CDLL(ctypes.util.find_library("pq") or "libpq.so.5")
        for name in ("PQconnectdb", "PQgetResult", "PQnotifies"):
            getattr(self.pq, name).restype = ctypes.c_void_p
        self.pq.PQerrorMessage.restype = ctypes.c_char_p
        self.connection = ctypes.c_void_p(self.pq.PQconnectdb(conninfo.encode()))
        if self.pq.PQstatus(self.connection) != 0:
            raise SystemExit(self.pq.PQerrorMessage(self.connection).decode())

    def fileno(self):
        return self.pq.PQsocket(self.connection)

    def send(self, statement):
        if not self.pq.PQsendQuery(self.connection, statement.encode()):
            raise SystemExit(self.pq.PQerrorMessage(self.connection).decode())

    def finish(self):
        while result := self.pq.PQgetResult(self.connection):
            if self.pq.PQresultStatus(ctypes.c_void_p(result)) not in (1, 2):
                raise SystemExit(self.pq.PQerrorMessage(self.connection).decode())
            self.pq.PQclear(ctypes.c_void_p(result))

    def payloads(self):
        self.pq.PQconsumeInput(self.connection)
        found = []
        while notify := self.pq.PQnotifies(self.connection):
            # struct pgNotify: relname, be_pid, extra.
            found.append(ctypes.cast(notify + 16, ctypes.POINTER(ctypes.c_char_p))[0].decode())
            self.pq.PQfreemem(ctypes.c_void_p(notify))
        return found

    def close(self):
        self.pq.PQfinish(self.connection)


TOLD = """WITH told AS (INSERT INTO bench.told (partition, type, log_offset, version, incarnation, device_seq,
    occurred_at, recorded_at, user_id, device_id, event_id, schema_version, app_id, payload)
    VALUES ({partition}, 'notification.posted', {id}, {id}, 1, {id}, now(), now(), md5('{partition}')::uuid,
    md5('{partition}')::uuid, '0190a1b2-c3d4-7e5f-8a6b-0123456789ab', 1, 'com.example.messages', '\\x{payload}')
    RETURNING 1) SELECT pg_notify('bench', '{id}') FROM told"""


def notifications(bench):
    listener = Libpq(bench.server.conninfo)
    listener.send("LISTEN bench")
    listener.finish()
    writers = [Libpq(bench.server.conninfo) for _ in range(PAIRS)]
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    sent, times = {}, []
    first = int(bench.sql.value("SELECT coalesce(max(log_offset), 0) + 1 FROM bench.told;"))

    def receive(timeout):
        if selector.select(timeout):
            woke = time.perf_counter()
            for payload in listener.payloads():
                times.append(woke - sent.pop(payload))

    for index, due in paced(bench.options.seconds):
        while (left := due - time.perf_counter()) > 0:
            receive(left)
        writer = writers[index % PAIRS]
        writer.finish()
        statement = TOLD.format(partition=index % 16, id=first + index, payload="61" * 90)
        sent[str(first + index)] = time.perf_counter()
        writer.send(statement)
    deadline = time.time() + 10
    while sent and time.time() < deadline:
        receive(0.1)
    for connection in [listener, *writers]:
        connection.close()
    return times


# fan-out

SUBSCRIBERS = 100
INFLIGHT = 20


def fan_out(bench):
    devices, receivers = subscribers(bench)
    broker = mqtt.Broker(bench.options.dir)
    try:
        clients = mqtt.Clients()
        for index in range(SUBSCRIBERS):
            clients.add(mqtt.Client(broker.port, f"s{index}", "bench"))
        publisher = mqtt.Client(broker.port, "publisher")
        clients.add(publisher)
        until(lambda: clients.turn(0.1), 0.5)
        rounds = [
            (events_out(bench, devices, receivers), messages_out(bench, broker, clients, publisher))
            for _ in range(bench.options.rounds)]
        clients.close()
    finally:
        broker.stop()
    devices.close()
    return [figure(
        f"1 user, {SUBSCRIBERS} devices: deliveries per processor second of the server", "1/s",
        [ours for ours, _ in rounds], [theirs for _, theirs in rounds], 3, False,
        f"{INFLIGHT} events (messages) unacknowledged; of ours focusd and PostgreSQL together, durable; mosquitto QoS 1, "
        "not persistent, payload as large as ours")]


def subscribers(bench):
    """Connected devices of one user, and all of them as a list: the first of it writes."""
    people, devices = People(bench, "fan", 1), Devices()
    receivers = [people.device(0, index) for index in range(SUBSCRIBERS)]
    for index, device in enumerate(receivers):
        devices.add(device, index)
    devices.wait(receivers, CHECKPOINT)
    receivers[0].append(registered())
    devices.bring(receivers, REGISTERED)
    return devices, receivers


# watch: one user, watched by many

WATCHERS = 1_000
# Rule V4: more changes of a user than one in 250 ms are told as one.
CHANGE_SECONDS = 0.3


def watch(bench):
    devices, writer = watchers(bench)
    broker = mqtt.Broker(bench.options.dir)
    try:
        clients = mqtt.Clients()
        for index in range(WATCHERS):
            clients.add(mqtt.Client(broker.port, f"w{index}", "bench"))
        publisher = mqtt.Client(broker.port, "publisher")
        clients.add(publisher)
        until(lambda: clients.turn(0.1), 0.5)
        rounds = []
        for _ in range(bench.options.rounds):
            ours, size = statuses_out(bench, devices, writer)
            rounds.append((ours, statuses_published(bench, broker, clients, publisher, size)))
        clients.close()
    finally:
        broker.stop()
    devices.close()
    return [figure(
        f"1 watched user, {WATCHERS:,} watchers: deliveries per processor second of the server", "1/s",
        [ours for ours, _ in rounds], [theirs for _, theirs in rounds], 1.5, False,
        f"a change every {CHANGE_SECONDS * 1_000:.0f} ms (rule V4), the same rate of messages to mosquitto; of ours focusd "
        "and PostgreSQL together, durable; mosquitto QoS 1, not persistent, payload as large as ours")]


def watchers(bench):
    """Connected devices that watch one user, and that user's device, which writes."""
    people, viewers, devices = People(bench, "watched", 1), People(bench, "viewer", WATCHERS), Devices()
    writer = people.device(0)
    some = [viewers.device(index) for index in range(WATCHERS)]
    for name, device in enumerate([writer, *some]):
        devices.add(device, name)
    devices.wait([writer, *some], CHECKPOINT)
    setup = registered() + shared(viewers.users)
    writer.append(setup)
    devices.bring([writer], len(setup))
    for device in some:
        device.watch(people.users)
    devices.wait(some, PEER_STATUSES)
    # Sharing with so many is a dear event, behind which the device rests (rule Q1): the first changes wait for that.
    for is_active in (True, False):
        writer.append([focused(is_active)])
        devices.wait(some, PEER_STATUSES)
    # What setting up left to do is not the deliveries' cost.
    bench.wait_for_projection()
    return devices, writer


def changes(seconds):
    """The moments at which a change is due. After a late one nobody hurries: of two that come together one would be told."""
    due = time.perf_counter()
    for index in range(int(seconds / CHANGE_SECONDS)):
        yield index, due
        due = max(due, time.perf_counter()) + CHANGE_SECONDS


def statuses_out(bench, devices, writer):
    delivered = size = changed = 0
    processor = bench.server.processor_times()

    def receive(timeout):
        nonlocal delivered, size
        for _, _, kind, message in devices.turn(timeout):
            if kind == PEER_STATUSES:
                delivered, size = delivered + 1, len(message)

    for index, due in changes(bench.options.seconds):
        while (left := due - time.perf_counter()) > 0:
            receive(left)
        writer.append([focused(index % 2 == 0)])
        changed += 1
    # An even number of changes or not: it ends as it began, so that the next round's first is a change.
    if changed % 2:
        until(lambda: receive(0.05), CHANGE_SECONDS)
        writer.append([focused(False)])
        changed += 1
    deadline = time.time() + 10
    while delivered < changed * WATCHERS and time.time() < deadline:
        receive(0.1)
    if delivered < changed * WATCHERS * 0.98:
        raise SystemExit(f"{delivered} statuses came of {changed} changes to {WATCHERS} watchers")
    used = bench.server.processor_times()
    return delivered / sum(used[name] - processor[name] for name in ("focusd", "postgres")), size


def statuses_published(bench, broker, clients, publisher, size):
    before = sum(client.published for client in clients.clients)
    processor = broker.processor_time()
    for _, due in changes(bench.options.seconds):
        while (left := due - time.perf_counter()) > 0:
            clients.turn(left)
        publisher.publish("bench", b"x" * size)
    until(lambda: clients.turn(0.1), 1)
    delivered = sum(client.published for client in clients.clients) - before
    return delivered / (broker.processor_time() - processor)


def until(turn, seconds):
    end = time.time() + seconds
    while time.time() < end:
        turn()


def events_out(bench, devices, receivers):
    """A delivery: an event whose rows a device has."""
    writer = receivers[0]
    before = writer.version
    began = writer.sequence
    acknowledged, processor = began - 1, bench.server.processor_times()
    end = time.time() + bench.options.seconds
    while time.time() < end:
        while writer.sequence - 1 - acknowledged < INFLIGHT:
            writer.append([posted(f"n{writer.sequence}")])
        for device, _, kind, message in devices.turn(0.1):
            if kind == APPENDED and device is writer:
                acknowledged = dict(fields(message))[1]
    last = writer.sequence - 1
    devices.bring(receivers, before + last - began + 1)
    used = bench.server.processor_times()
    seconds = sum(used[name] - processor[name] for name in ("focusd", "postgres"))
    return (last - began + 1) * SUBSCRIBERS / seconds


def messages_out(bench, broker, clients, publisher):
    payload = b"x" * 180
    before = sum(client.published for client in clients.clients)
    sent = acknowledged = publisher.acknowledged
    processor = broker.processor_time()
    end = time.time() + bench.options.seconds
    while time.time() < end:
        while sent - publisher.acknowledged < INFLIGHT:
            publisher.publish("bench", payload)
            sent += 1
        clients.turn(0.1)
    deadline = time.time() + 30
    while sum(client.published for client in clients.clients) - before < (sent - acknowledged) * SUBSCRIBERS:
        clients.turn(0.1)
        if time.time() > deadline:
            raise SystemExit("not all subscribers got all messages")
    delivered = sum(client.published for client in clients.clients) - before
    return delivered / (broker.processor_time() - processor)


# cold-sync: snapshots to new devices

ROWS = 1_000
NEWCOMERS = 40

SELECT = """\\copy (SELECT 'notifications', app, key, version, value FROM read_1.notifications WHERE partition = {partition} \
AND user_id = '{user}' UNION ALL SELECT 'alerts', app, key, version, value FROM read_1.alerts WHERE partition = \
{partition} AND user_id = '{user}') TO '{file}' (FORMAT binary)"""


def prepare(bench):
    """Users whose snapshots have so many rows, in the read model."""
    people, devices = People(bench, "cold", NEWCOMERS), Devices()
    writers = [people.device(index) for index in range(NEWCOMERS)]
    for index, device in enumerate(writers):
        devices.add(device, index)
        device.append(registered())
        device.append([posted(f"n{number}") for number in range(ROWS // 2)])
    devices.bring(writers, REGISTERED + ROWS // 2)
    devices.close()
    bench.wait_for_projection()
    return people


def cold_sync(bench):
    people = prepare(bench)
    cold, warm, theirs = [], [], []
    for _ in range(bench.options.rounds):
        bench.server.restart()
        cold.append(newcomers(people, "cold"))
        warm.append(newcomers(people, "warm"))
        theirs.append(select(bench, people))
    note = f"{NEWCOMERS} users one after the other, connection and Hello included; against psql \\copy, connected"
    return [
        figure(f"snapshot of {ROWS:,} rows, user not in memory", "rows/s", cold, theirs, 0.5, False, note),
        figure(f"snapshot of {ROWS:,} rows, user in memory", "rows/s", warm, theirs, 1.0, False, note)]


def newcomers(people, name):
    rows = seconds = 0
    for user in range(NEWCOMERS):
        token = people.token(user, f"{name}-{time.time()}")
        devices, began, found = Devices(), time.perf_counter(), []
        devices.add(people.device(user, token=token), user)
        ended = False
        while not ended:
            for _, _, kind, message in devices.turn(10):
                found.append((kind, message))
                ended = ended or kind == SNAPSHOT_END
        seconds += time.perf_counter() - began
        devices.close()
        rows += sum(1 for kind, message in found if kind == SNAPSHOT_ROWS for _ in fields(message))
    if rows < ROWS * NEWCOMERS:
        raise SystemExit(f"{rows} rows came")
    return rows / seconds


def select(bench, people):
    file = f"{bench.server.directory}/rows.out"
    partitions = {
        user: int(bench.sql.value(f"SELECT partition FROM read.users WHERE user_id = '{user}';"))
        for user in people.users}
    began = time.perf_counter()
    for user, partition in partitions.items():
        bench.sql.run(SELECT.format(partition=partition, user=user, file=file))
    seconds = time.perf_counter() - began
    os.remove(file)
    return ROWS * NEWCOMERS / seconds


# idle: connections

CROWD = 10_000


def idle(bench):
    """On servers of their own, as memory that was in use before would hide what connections take."""
    found = []
    for name, secured, goal, processor_goal in (("in the clear", False, 6, 2.5), ("TLS", True, 18, 4)):
        with contextlib.ExitStack() as ends:
            certificate = ends.enter_context(certified(bench.options.dir)) if secured else None
            server = Server(bench.server.binaries, bench.options.dir, tls=certificate)
            ends.callback(server.stop)
            broker = mqtt.Broker(bench.options.dir, certificate)
            ends.callback(broker.stop)
            ours, microseconds, kernel = idle_devices(bench, server, secured)
            theirs, theirs_taken = idle_clients(broker, secured)
        found.append(figure(
            f"{CROWD:,} idle connections, {name}: memory", "KiB each", [ours], [], goal, True,
            f"resident, above the empty server; mosquitto {theirs:.1f} KiB"))
        found.append(figure(
            f"{CROWD:,} idle connections, {name}: processor time", "µs a second each", [microseconds], [], processor_goal,
            True, f"of focusd over {IDLE_SECONDS} s, above the empty server; the kernel's share is {kernel:.0%}; "
            f"mosquitto {theirs_taken:.1f} µs"))
    return found


@contextlib.contextmanager
def certified(directory):
    """Files of a certificate and its key, which are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="focus-bench-tls-", dir=directory) as place:
        certificate, key = f"{place}/server.crt", f"{place}/server.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
             "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        # mosquitto, started by root, reads them as a user of its own.
        os.chmod(place, 0o755)
        os.chmod(key, 0o644)
        yield certificate, key


def trusting():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["focus-sync/1"])
    return context


def resident(pid):
    """KiB in memory."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


# Two heartbeats of each connection (rule L4).
IDLE_SECONDS = 50


def idle_devices(bench, server, secured):
    people, devices = People(bench, "crowd", CROWD), Devices()
    people.tokens = Tokens(f"{server.data}/token.key")
    context = trusting() if secured else None
    empty = resident(server.process.pid)
    base = processor_over(server.process.pid, lambda: time.sleep(1))
    some = []
    for index in range(CROWD):
        some.append(Device(server.address, people.token(index), people.seed, tls=context))
        devices.add(some[-1], index)
        if index % 500 == 499:
            # Pings are answered also while the rest connect.
            list(devices.turn(0))
    deadline = time.time() + 120
    while any(device.cursor is None for device in some):
        list(devices.turn(1))
        if time.time() > deadline:
            raise SystemExit("not all devices were let in")
    # Checkpoints follow within seconds, and what a beginning leaves in memory is given back.
    until(lambda: list(devices.turn(0.5)), 10)
    taken = processor_over(server.process.pid, lambda: list(devices.turn(0.5)))
    each = (resident(server.process.pid) - empty) / CROWD
    devices.close()
    used = [with_them - without for with_them, without in zip(taken, base)]
    return each, sum(used) / CROWD * 1e6, used[1] / sum(used)


def processor_over(pid, turn):
    """Processor seconds a second of the program and of the kernel for it, while idle."""
    before = mqtt.processor.parts_of_process(pid)
    until(turn, IDLE_SECONDS)
    return [(after - earlier) / IDLE_SECONDS for after, earlier in zip(mqtt.processor.parts_of_process(pid), before)]


def idle_clients(broker, secured):
    clients, context = mqtt.Clients(), trusting() if secured else None
    empty = resident(broker.process.pid)
    for index in range(CROWD):
        clients.add(mqtt.Client(broker.port, f"c{index}", f"t{index}", tls=context))
    until(lambda: clients.turn(0.5), 2)
    before = broker.processor_time()
    until(lambda: clients.turn(0.5), IDLE_SECONDS)
    taken = (broker.processor_time() - before) / IDLE_SECONDS / CROWD * 1e6
    each = (resident(broker.process.pid) - empty) / CROWD
    clients.close()
    return each, taken


# storm: all reconnect at once

OTHERS = 20
# Notifications that each user of the storm has.
POSTED = 20
STORMS = 3
SETTLING = 20
# p99 of 1,000 acknowledgements, those of 5 s, is 0.8 to 3.1 ms where nothing else happens.
CALM = 20


def storm(bench):
    # In a process of its own, so that the crowd's client does not delay what it measures. It begins before the crowd
    # connects: it would hold the crowd's sockets too, and none of them would be closed when the crowd leaves.
    told, ask = multiprocessing.Pipe()
    others = multiprocessing.Process(target=acknowledgements, args=(bench, told, 3))
    others.start()
    ask.recv()
    crowd = Crowd(bench)
    # The read model takes some seconds for what the crowd has posted, which is no calm to compare with.
    until(lambda: list(crowd.devices.turn(0.2)), SETTLING)
    ask.send("connected")
    ask.recv()
    until(lambda: list(crowd.devices.turn(0.2)), CALM)
    ask.send("calm")
    calm = ask.recv()
    warm = [crowd.reconnect() for _ in range(STORMS)]
    ask.send("storm")
    stormy = ask.recv()
    others.join()
    cold = [crowd.reconnect(restarts=True) for _ in range(STORMS)]
    crowd.devices.close()
    note = "with its checkpoint; the client is one Python process on the same two cores; "
    return [
        figure(
            f"{CROWD:,} devices reconnect at once: the last is current", "s", [seconds for seconds, _ in warm], [], 6,
            True, note + f"{spent(warm)}; each user has {POSTED} notifications, and is in memory"),
        figure(
            "the same after focusd was restarted", "s", [seconds for seconds, _ in cold], [], 6, True,
            f"{spent(cold)}; nobody is in memory, and everybody's cursor is current"),
        figure(
            "acknowledgements of other devices meanwhile, p99", "ms", [percentile(stormy, 0.99) * 1_000],
            [percentile(calm, 0.99) * 1_000], 3, True,
            f"{OTHERS} devices, {RATE} events/s, users in memory; against the same in the {CALM} s before")]


def spent(rounds):
    """What the processors did in a round."""
    return ", ".join(
        f"{name} {statistics.median(used[key] for _, used in rounds):.1f} s of processor"
        for name, key in (("focusd", "focusd"), ("PostgreSQL", "postgres")))


class Crowd:
    """Users of one device each, all connected. Each has what a person has, and all of it is in the read model."""

    def __init__(self, bench):
        self.bench = bench
        self.people, self.devices = People(bench, "storm", CROWD), Devices()
        self.tokens = [self.people.token(index) for index in range(CROWD)]
        self.some = [self.people.device(index, token=self.tokens[index]) for index in range(CROWD)]
        for index, device in enumerate(self.some):
            self.devices.add(device, index)
        self.devices.wait(self.some, CHECKPOINT, 120)
        for first in range(0, CROWD, 500):
            for device in self.some[first:first + 500]:
                device.append(registered() + [posted(f"n{number}") for number in range(POSTED)])
            self.devices.bring(self.some[first:first + 500], REGISTERED + POSTED)
        # The checkpoints of these deltas.
        until(lambda: list(self.devices.turn(0.2)), 3)

    def reconnect(self, restarts=False):
        """All at once. The seconds until everybody is current, and those of processor of the server.
        `restarts`: focusd begins anew before; nobody else may append then."""
        cursors = [device.cursor for device in self.some]
        self.devices.close()
        until(lambda: time.sleep(0.1), 2)
        if restarts:
            self.bench.wait_for_projection()
            self.bench.server.restart()
        self.devices, began = Devices(), time.time()
        before = self.bench.server.processor_times()
        self.some = [
            self.people.device(index, token=self.tokens[index], cursor=cursors[index]) for index in range(CROWD)]
        for index, device in enumerate(self.some):
            self.devices.add(device, index)
        reached = self.devices.wait(self.some, CHECKPOINT, 120)
        after = self.bench.server.processor_times()
        return max(reached.values()) - began, {name: after[name] - before[name] for name in after}


def acknowledgements(bench, pipe, asks):
    """Appends at an even pace and times the answers: those since the last time it was asked for them. Until it is asked
    for the last of `asks` times; None: until it is told to end."""
    people, devices = People(bench, "other", OTHERS), Devices()
    writers = [people.device(index) for index in range(OTHERS)]
    for index, device in enumerate(writers):
        devices.add(device, index)
        device.append(registered())
    devices.bring(writers, REGISTERED)
    sent, times, asked = {}, [], 0

    def receive(timeout):
        for device, index, kind, message in devices.turn(timeout):
            if kind == APPENDED:
                through, now = dict(fields(message))[1], time.perf_counter()
                for key in [key for key in sent if key[0] == index and key[1] <= through]:
                    times.append(now - sent.pop(key))

    pipe.send("ready")
    for index, due in paced(600 if asks else 86_400):
        while (left := due - time.perf_counter()) > 0:
            receive(left)
        writer = writers[index % OTHERS]
        sent[index % OTHERS, writer.sequence] = time.perf_counter()
        writer.append([posted(f"n{writer.sequence}")])
        if pipe.poll():
            if pipe.recv() == "end":
                break
            pipe.send(list(times))
            times.clear()
            asked += 1
            if asked == asks:
                break
    devices.close()


LANES = {
    "latency": {"figures": latency},
    "fan-out": {"figures": fan_out},
    "watch": {"figures": watch},
    "cold-sync": {"figures": cold_sync},
    "idle": {"figures": idle},
    "storm": {"figures": storm},
}
