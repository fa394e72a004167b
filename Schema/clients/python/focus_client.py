#!/usr/bin/env python3
"""A device of a focus-sync server in Python: an example of a client made from Schema/ alone.

`focus-client` beside this file runs it with what it needs (Python 3.9, protobuf, the messages of Schema/proto):

    focus-client append --plaintext --token-file T --state DIR < events.ndjson   # {"type": …, "app": …, "payload": {…}}
    focus-client sync   --plaintext --token-file T --state DIR                   # the rows, one a line
    focus-client watch  --plaintext --token-file T --state DIR USER…             # others' Focus, until it is stopped
    focus-client reach  --plaintext --token-file T --state DIR --app APP USER    # whether our message would ring now
    focus-client selftest                                                        # this program against Schema/samples

All print JSON lines. Exit codes: 0 done, 1 failed, 2 usage, 3 rows had differed from the server's digests, and healed.
The state of a device is one JSON file, replaced at once: queue, rows and cursor change together or not at all (S3). It
may be put back from a backup, or copied: the log is asked which of its events it has before they are sent again (P10).
`append` queues every line or, where one is no event or too large for a server (E5), none, with exit code 1.
One command at a time uses a state. A second one fails at once with exit code 1, also while the first is a `watch`.
What it leaves out: it keeps no acknowledged events, so it gives a log that lost its tail nothing back (S6), nor does it
end incarnations again (P10); it stamps events by its own clock alone (E3, E4), and does not notice another log.
"""
import argparse, base64, fcntl, hashlib, importlib, ipaddress, json, math, os, pkgutil, random, re, secrets, socket
import ssl, struct, sys, threading, time, uuid

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError
import focus.events.v1, focus.sync.v1
from focus.sync.v1 import sync_pb2 as sync

for package in (focus.events.v1, focus.sync.v1):  # So that messages are found by their names.
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")

ROWS = dict(pair.split(":") for pair in """apps:AppRow authorizations:AuthorizationRow focuses:FocusRow
    active_focus:ActiveFocusRow audience:AudienceRow focus_visibility:FocusVisibilityRow notifications:NotificationRow
    alerts:AlertRow class_alerts:AlertRow badges:BadgeRow categories:CategoriesRow actions:ActionRow
    waiting_actions:WaitingActionRow suggestions:SuggestionRow workouts:WorkoutRow refusals:RefusalRow
    preferences:PreferenceRow routes:RouteRow route_totals:RouteTotalRow delivery_schedule:DeliveryScheduleRow
    notification_settings:NotificationSettingsRow""".split())  # Schema/README.md, "Rows".

VERSION = "0.1.0"  # Of focus-sync.
MAXIMUM_FRAME_BYTES = 1 << 20  # Of a server's frame, from the first on (W1).
FRAMES_UNDERWAY = 4  # Without an answer: nothing is read while they are sent, and rows wait at the server (L2).
MAXIMUM_PAYLOAD_BYTES = 256 * 1024  # Of an event (E5).
TYPE = re.compile(r"[a-z][A-Za-z]*\.[a-z][A-Za-z]*")  # As all names of the event catalogue are.
APP = re.compile(r"[A-Za-z0-9.-]{1,155}")  # A bundle identifier (Schema/README.md, "Words").

class Failed(Exception):
    """The server said no for good."""

class Revoked(Failed):
    """The device was revoked (A3): what it holds of its user is to be erased."""

class Interrupted(Exception):
    """The connection ended, or the server asks to come back later: why, and between how many seconds from now."""

    def __str__(self):
        return self.args[0]

def locked(directory):
    """A lock on a store's directory, for as long as the file is open: a second process would write what it read at its
    start over events that the first queued since. The operating system lets it go however the process ends."""
    os.makedirs(directory, mode=0o700, exist_ok=True)
    file = open(os.open(os.path.join(directory, "lock"), os.O_RDWR | os.O_CREAT, 0o600), "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise Failed(f"another process uses {directory}: wait for its end, stop it, or give another --state") from None
    return file

class Store:
    """What a device keeps over restarts: its queue, its rows, its cursor."""

    def __init__(self, directory, token):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.path = os.path.join(directory, "device.json")
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        self.device, self.scope = uuid.UUID(claims["device"]).bytes, claims["scope"]
        self.owner = [claims["sub"], claims["device"], claims["scope"]]
        self.queue = []  # [sequence, envelope's bytes], not acknowledged.
        self.answered = [0, b""]  # The last sequence that was answered, and its event's id: never forgotten (P10).
        self.recalling = False  # The log must be asked about the queue before anything is sent.
        self.rows = {}  # (collection, app, key) -> value's bytes
        self.cursor = b""  # As it came.
        self.digests = {}  # collection -> [count, sum of row hashes]
        self.pending, self.replaces = [], None  # Rows between Begin and End, and what a snapshot replaces.
        self.begin_incarnation()
        if os.path.exists(self.path):
            kept = json.load(open(self.path))
            # What is queued here is its owner's: with another token it would get into another user's log.
            owner = kept.get("owner", self.owner)  # Older files do not say.
            if owner != self.owner:
                sys.exit(f"{self.path} is the store of user {owner[0]}, device {owner[1]}, {owner[2]}; the token is for "
                         f"user {self.owner[0]}, device {self.owner[1]}, {self.owner[2]}. Give another --state.")
            self.incarnation, self.next_sequence = kept["incarnation"], kept["next_sequence"]
            self.queue = [[sequence, base64.b64decode(event)] for sequence, event in kept["queue"]]
            sequence, event = kept.get("answered", [0, ""])  # Older files have neither.
            self.answered, self.recalling = [sequence, base64.b64decode(event)], kept.get("recalling", False)
            self.cursor = base64.b64decode(kept["cursor"])
            for key, value in kept["rows"]:
                self.put(tuple(key), base64.b64decode(value))

    def save(self, cursor=None):
        self.cursor = cursor.SerializeToString() if cursor else self.cursor
        text = lambda data: base64.b64encode(data).decode()
        kept = {
            "owner": self.owner, "incarnation": self.incarnation, "next_sequence": self.next_sequence, "cursor": text(self.cursor),
            "queue": [[sequence, text(event)] for sequence, event in self.queue], "recalling": self.recalling,
            "answered": [self.answered[0], text(self.answered[1])],
            "rows": [[list(key), text(value)] for key, value in self.rows.items()]}
        # It holds what the log holds of a person.
        with open(os.open(self.path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + ".new", self.path)

    def erase(self):
        """Nothing of the user is left: the device was revoked (A3)."""
        for path in (self.path, self.path + ".new"):
            if os.path.exists(path):
                os.remove(path)

    def begin_incarnation(self):
        """For a new store, and for a restored one once the log has said what it holds (E1, P10): derived from the first
        event that is left, so that copies of this store give their events the same places; without one, random."""
        if self.queue:
            sequence, event = self.queue[0]
            self.incarnation = following(self.device, self.incarnation, sequence, event_of(event), self.scope)
        else:
            self.incarnation = secrets.randbits(63) or 1
        self.queue = [[index + 1, event] for index, (_, event) in enumerate(self.queue)]
        self.next_sequence, self.answered, self.recalling = len(self.queue) + 1, [0, b""], False

    def is_restored(self, welcome):
        """Whether the log has more of the incarnation than this store ever made, or another event than the last one
        answered, or takes no more. While events wait their ids are not judged: the answer to the first tells (P2)."""
        (sequence, event), last = self.answered, welcome.last_sequence
        is_other = last == sequence and b"" not in (event, welcome.last_event_id) and event != welcome.last_event_id
        return last >= self.next_sequence or welcome.ended or is_other and not self.queue

    def put(self, key, value):
        """A row comes, instead of what was there, or goes (None); its collection's digest keeps up (S9)."""
        for sign, data in (-1, self.rows.pop(key, None)), (1, value):
            if data is not None:
                count, digest = self.digests.get(key[0], (0, 0))
                self.digests[key[0]] = [count + sign, (digest + sign * row_hash(key, data)) % (1 << 128)]
        if value is not None:
            self.rows[key] = value

    def take(self, name, message):
        """Takes the rows that a message brings: of one delta, or of a snapshot or delta in pieces, at its end."""
        if name in ("snapshot_begin", "delta_begin"):
            self.pending, self.replaces = [], set(message.collections) if name == "snapshot_begin" else None
        elif name in ("snapshot_rows", "delta_rows"):
            self.pending.extend(message.rows)
        elif name in ("snapshot_end", "delta_end", "delta"):
            if name == "snapshot_end":
                self.clear(self.replaces)
            for row in message.rows if name == "delta" else self.pending:
                self.put((row.collection, row.app, row.key), None if row.deleted else row.value)
            self.save(message.cursor)

    def clear(self, collections):
        for key in [key for key in self.rows if not collections or key[0] in collections]:
            self.put(key, None)

    def differing(self, checkpoint):
        """Collections whose digest is not the server's; one that a checkpoint does not name has no rows."""
        theirs = {d.collection: [d.count, int.from_bytes(d.digest, "big")] for d in checkpoint.digests}
        ours, none = self.digests, [0, 0]
        return sorted(name for name in {*theirs, *ours} if theirs.get(name, none) != ours.get(name, none))

def following(device, incarnation, sequence, event, scope):
    """The incarnation in which a store goes on whose first event without a place had this one (P10)."""
    place = struct.pack(">qq", incarnation, sequence)
    text = b"focus-sync incarnation 1" + device + place + event + scope.encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") & (1 << 63) - 1 or 1

def row_hash(key, value):
    """Of (collection, app, key) and the value's bytes, each behind its length (S9)."""
    parts = [part.encode() for part in key] + [value]
    message = b"".join(struct.pack(">I", len(part)) + part for part in parts)
    return int.from_bytes(hashlib.sha256(message).digest()[:16], "big")

def framed(message):
    data = message.SerializeToString()
    return struct.pack(">I", len(data)) + data

def read_frame(file):
    """The bytes of the next message; None when the connection ends before its last byte. A length that no server
    announces is never read for: the connection counts as broken."""
    head = file.read(4)
    size = struct.unpack(">I", head)[0] if len(head) == 4 else 0
    if size > MAXIMUM_FRAME_BYTES:
        raise Interrupted(
            f"the server announces a frame of {size} bytes, over the {MAXIMUM_FRAME_BYTES} of rule W1 (does it expect "
            "TLS?)", (0.1, 1))
    data = file.read(size)
    return data if len(head) == 4 and len(data) == size else None

def host_and_port(text):
    """(host, port) of "host:port", where an IPv6 host has brackets."""
    host, _, port = text.rpartition(":")
    if not 0 < int(port) < 65_536:
        raise ValueError(port)
    return host.strip("[]"), int(port)

def is_loopback(host):
    """Whether the host is this machine, so that nobody can listen in on the way."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # Any other name may lead anywhere.

class Connection:
    """Frames: a 4-byte big-endian length and one message. `left` says how many seconds the server still has."""

    def __init__(self, options, left):
        self.left = left
        self.socket = socket.create_connection(options.server, timeout=left())
        if not options.plaintext:
            context = ssl.create_default_context(cafile=options.tls_ca)
            context.set_alpn_protocols(["focus-sync/1"])
            self.socket = context.wrap_socket(self.socket, server_hostname=options.server[0])
        self.in_use = options.in_use

    def send(self, **message):
        self.socket.settimeout(self.left())
        self.socket.sendall(framed(sync.ClientFrame(**message)))

    def bye(self):
        """What was asked is done, whether the server hears this or not."""
        try:
            self.send(bye=sync.Bye())
        except OSError:
            pass

    def read(self, size):
        """So many bytes, or fewer when the connection ends before. The time is over also while single bytes come."""
        data = bytearray()
        while len(data) < size:
            self.socket.settimeout(self.left())
            some = self.socket.recv(size - len(data))
            if not some:
                break
            data += some
        return bytes(data)

    def report(self):
        """The device is in use, if the user says so; the server wants to hear it within each minute (L6)."""
        if self.in_use is not None:
            self.send(active=sync.Active(active=True, app=self.in_use or None))

    def receive(self):
        """The next message that is no heartbeat, as (name, message). What it does not know, it passes over (W3)."""
        while True:
            data = read_frame(self)
            if data is None:
                raise Interrupted("the server closed the connection", (0.1, 1))
            try:
                frame = sync.ServerFrame.FromString(data)
            except DecodeError:
                raise Interrupted("the server sent bytes that are no message", (0.1, 1)) from None
            name = frame.WhichOneof("message")
            if name == "ping":
                self.send(pong=sync.Pong(nonce=frame.ping.nonce))
                self.report()  # Pings come every 25 s.
            elif name == "go_away" and frame.go_away.code == "revoked":
                raise Revoked("the server sent the device away")
            elif name == "go_away" and frame.go_away.code == "superseded":
                raise Failed("another connection of this device took over")
            elif name == "go_away":
                away = frame.go_away
                raise Interrupted(away.code, (away.min_backoff_ms / 1000, away.max_backoff_ms / 1000))
            elif name == "error" and frame.error.HasField("request"):  # Answers a Fetch; the connection stays.
                return name, frame.error
            elif name == "error" and frame.error.code not in ("sequence_gap", "sequence_conflict", "unknown_message"):
                error = frame.error
                if error.code == "revoked":
                    raise Revoked(error.message)
                if not error.retryable or error.code == "event_unknown":
                    raise Failed(f"{error.code}: {error.message}")
                raise Interrupted(error.code, (error.retry_after_ms / 1000, error.retry_after_ms / 1000 + 1))
            elif name not in (None, "pong", "token_expiry"):
                return name, getattr(frame, name)

class Device:
    def __init__(self, options):
        self.options = options
        self.lock = locked(options.state)  # Before the store is read.
        self.store = Store(options.state, options.token)
        self.differs, self.healed, self.watched, self.on_statuses = [], 0, [], None
        self.resyncs = 0  # How many Resyncs in a row have not helped.
        self.asks = self.answer = None  # A Fetch, and what it is answered.
        self.must_send = False  # What is queued is what this run is for.
        self.wants_rows = False  # Rows are.

    def begin_time(self):
        """From now on the server has --timeout for its answer: no connection is tried behind `deadline`."""
        self.deadline = time.monotonic() + self.options.timeout

    def extend_time(self, answered=False):
        """What this run asked for comes on: its connection has until `end`. The next connection repeats what has no
        answer, so only answers move the deadline too. Heartbeats, and rows that nobody asked for, move neither: a server
        may send them for ever."""
        self.end = max(self.end, time.monotonic() + self.options.timeout)
        if answered:
            self.begin_time()

    def left(self):
        """The seconds that the server has for its next bytes."""
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds

    def run(self, is_done, on_appended=lambda appended: None):
        """Connects, sends the queue and applies what comes until `is_done(name)` says so; again when it breaks."""
        self.begin_time()
        broken = None  # Why the last connection ended that did not end with the time.
        while True:
            try:
                return self.session(is_done, on_appended)
            except Revoked as error:
                self.store.erase()
                raise Revoked(f"{error} The store is erased.")
            except (Interrupted, OSError) as error:
                if self.end == math.inf:  # It watched until now.
                    self.begin_time()
                pause = random.uniform(*(error.args[1] if isinstance(error, Interrupted) else (0.1, 1)))  # L5: jitter.
                after = f", after: {broken}" if broken and isinstance(error, TimeoutError) else ""
                if time.monotonic() + pause > self.deadline:
                    raise Failed(f"no answer in {self.options.timeout} s: {error}{after}")
                broken = broken if isinstance(error, TimeoutError) else error
                time.sleep(pause)

    def session(self, is_done, on_appended):
        self.end = self.deadline
        store, connection = self.store, Connection(self.options, self.left)
        hello = sync.Hello(
            minimum_protocol=1, maximum_protocol=2, token=self.options.token, incarnation=store.incarnation,
            device_class=sync.DeviceClass.Value("DEVICE_CLASS_" + self.options.device_class.upper()),
            cursor=sync.Cursor.FromString(store.cursor) if store.cursor else None)
        connection.send(hello=hello)
        name, welcome = connection.receive()
        if name == "error":  # The incarnation is another scope's: nothing of it is held here (P10).
            store.begin_incarnation()
            store.save()
            raise Interrupted("a new incarnation begins", (0, 0))
        connection.report()
        if self.watched:  # The server forgets with the connection; it pings, and is gone after two intervals (L4).
            self.end = math.inf
            connection.left = lambda: 2 * welcome.heartbeat_ms / 1000
            connection.send(watch=sync.Watch(users=self.watched))
        if self.asks:  # A fetch changes nothing: it is asked again on the next connection.
            connection.send(fetch=self.asks)
        if store.is_restored(welcome) and not store.recalling:
            if store.queue:
                self.begin_recalling()
            else:  # The log hears of the new incarnation when there is something to append.
                store.begin_incarnation()
                store.save()
                raise Interrupted("a new incarnation begins", (0, 0))
        waits = store.recalling and welcome.protocol < 2  # Which knows no Recall: rows come, events wait.
        if waits:
            print("focus_client: events wait for a server of protocol 2, to ask what it has of them", file=sys.stderr)
            if self.must_send:
                raise Failed("the server is too old to be asked which of the queued events it has; they are kept")
        elif store.recalling:
            self.recall(connection, on_appended)
        unsent, underway = 0, 0  # Index into the queue; frames without an answer.
        never_sent = len(store.queue)  # On this connection.
        while True:
            window = min(FRAMES_UNDERWAY, welcome.maximum_unacknowledged_appends)
            while not waits and unsent < len(store.queue) and underway < window:
                frame = sync.Append(first_sequence=store.queue[unsent][0])
                for _, event in store.queue[unsent:unsent + 1000]:
                    if frame.envelopes and frame.ByteSize() + len(event) + 64 > welcome.maximum_frame_bytes:
                        break
                    frame.envelopes.append(sync.Envelope.FromString(event))
                connection.send(append=frame)
                unsent, underway = unsent + len(frame.envelopes), underway + 1
                if len(store.queue) - unsent < never_sent:  # What is sent again after a gap is no news.
                    never_sent = len(store.queue) - unsent
                    self.extend_time()
            if is_done(name):
                return connection.bye()
            name, message = connection.receive()
            if name == "appended":
                left = [entry for entry in store.queue if entry[0] > message.through_sequence]
                if len(left) < len(store.queue):
                    sequence, event = store.queue[len(store.queue) - len(left) - 1]
                    store.answered = [sequence, event_of(event)]
                    self.extend_time(answered=True)
                unsent, underway = max(0, unsent - len(store.queue) + len(left)), max(0, underway - 1)
                store.queue = left
                store.save()
                on_appended(message)
            elif name == "error" and message.code == "sequence_gap" and message.expected in dict(store.queue):
                unsent, underway = [sequence for sequence, _ in store.queue].index(message.expected), 0
            elif name == "error" and message.code.startswith("sequence_"):  # Or the server misses what is gone here.
                self.begin_recalling()
                raise Interrupted("the store was restored or copied", (0, 0))
            else:
                self.apply(name, message, connection)

    def begin_recalling(self):
        self.store.recalling = True
        self.store.save()  # Before anything is asked: the answer to the first question ends the incarnation.

    def recall(self, connection, on_appended):
        """Asks which queued events the log holds at their places; the others get new ones, and go on there (P10)."""
        store, moved = self.store, 0  # How many of the queue it does not hold, as far as it has said.
        while moved < len(store.queue):
            asked = sync.Recall(incarnation=store.incarnation, first_sequence=store.queue[moved][0])
            size = 0
            for sequence, event in store.queue[moved:moved + 1000]:
                size += len(event)
                if sequence != asked.first_sequence + len(asked.event_ids) or asked.event_ids and size > 256 * 1024:
                    break
                asked.event_ids.append(event_of(event))
            connection.send(recall=asked)
            name, message = connection.receive()
            while name != "recalled" and not (name == "error" and message.code == "sequence_conflict"):
                self.apply(name, message, connection)
                name, message = connection.receive()
            if name == "error":  # The incarnation is another scope's: nothing of it is held here.
                moved += len(asked.event_ids)
                continue
            if not 0 < len(message.events) <= len(asked.event_ids):
                raise Failed("the server answers what was not asked")
            answer = sync.Appended(through_sequence=message.first_sequence + len(message.events) - 1)
            answer.version, left = message.version, []
            for (sequence, event), known in zip(store.queue[moved:], message.events):  # Perhaps only the first of them.
                if known.holding == sync.RecalledEvent.HOLDING_NOT_HELD:
                    left.append([sequence, event])
                elif known.holding != sync.RecalledEvent.HOLDING_HELD:
                    raise Failed("the server says neither that it holds an event nor that it does not")
                elif known.HasField("refused_code"):
                    answer.refused.add(
                        sequence=sequence, event_id=event_of(event), code=known.refused_code,
                        message=known.refused_message)
            store.queue[moved:moved + len(message.events)] = left
            moved += len(left)
            store.save()
            if len(left) < len(message.events):
                self.extend_time(answered=True)
                on_appended(answer)
        store.begin_incarnation()
        store.save()
        raise Interrupted("a new incarnation begins", (0, 0))

    def apply(self, name, message, connection):
        store = self.store
        store.take(name, message)
        if self.wants_rows and name in ("snapshot_rows", "delta_rows"):
            self.extend_time()
        if name == "checkpoint":
            store.save(message.cursor)
            self.differs = store.differing(message)
            self.resyncs = self.resyncs + 1 if self.differs else 0
            if self.differs:
                print(json.dumps({"differs": self.differs}), flush=True)
                self.healed += 1
                if self.resyncs > 3:
                    raise Failed("the rows differ from the server's digests, also after three Resyncs")
                connection.send(resync=sync.Resync(collections=self.differs))
        elif name == "peer_statuses" and self.on_statuses:
            self.on_statuses(message)
        elif name == "fetched" or name == "error" and message.HasField("request"):
            if name == "error" and message.retryable:
                raise Interrupted(message.code, (message.retry_after_ms / 1000, message.retry_after_ms / 1000 + 1))
            self.answer = message

def message_class(name):
    return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))

def payload_class(event_type):
    if not TYPE.fullmatch(event_type):
        raise KeyError(event_type)
    words = event_type.split(".")
    return message_class("focus.events.v1." + "".join(word[0].upper() + word[1:] for word in words))

def event_of(envelope):
    return sync.Envelope.FromString(envelope).event_id

def event_id():  # UUIDv7: 48 bits of milliseconds, version, variant, random.
    number = int(time.time() * 1000) << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return number.to_bytes(16, "big")

def envelope(line):
    """{"type": "focus.changed", "app": …, "payload": {…}}: the payload's message is the type's name in CamelCase.
    ValueError for what must not be queued: a server ends the connection for a frame that is too long, and takes nothing
    behind a type that it does not know, however often it is sent."""
    kind, app = str(line.get("type")), line.get("app", line.get("appId"))
    try:
        payload = payload_class(kind)()
    except KeyError:
        raise ValueError(f"{kind[:80]!r} is no type of event") from None
    if app is not None and not (isinstance(app, str) and APP.fullmatch(app)):
        raise ValueError("the app is no bundle identifier: 1 to 155 of A-Z, a-z, 0-9, '.' and '-'")
    json_format.ParseDict(line.get("payload", {}), payload)
    data = payload.SerializeToString()
    if len(data) > MAXIMUM_PAYLOAD_BYTES:
        raise ValueError(f"the payload has {len(data)} bytes, over the {MAXIMUM_PAYLOAD_BYTES} of rule E5: split it")
    return sync.Envelope(
        event_id=event_id(), type=kind, occurred_at_us=int(time.time() * 1e6), schema_version=1, payload=data, app=app)

def append(device):
    store = device.store
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            event = envelope(json.loads(line)).SerializeToString()
        except (ValueError, TypeError, AttributeError, json_format.ParseError) as error:
            raise Failed(f"line {number}: {error}; no line is queued") from None
        store.queue.append([store.next_sequence, event])
        store.next_sequence += 1
    store.save()  # Durable before it is sent.
    device.must_send = True
    def report(appended):
        refused = [{"sequence": r.sequence, "code": r.code, "message": r.message} for r in appended.refused]
        print(json.dumps({"through": appended.through_sequence, "version": appended.version, "refused": refused}))
    device.run(lambda name: not store.queue, report)

def sync_rows(device):
    device.wants_rows = True
    device.run(lambda name: name == "checkpoint" and not device.differs)
    for (collection, app, key), value in sorted(device.store.rows.items()):
        kind = message_class("focus.sync.v1." + ROWS[collection]) if collection in ROWS else None
        row = json_format.MessageToDict(kind.FromString(value)) if kind else value.hex()  # Unknown: as it is.
        print(json.dumps({"collection": collection, "app": app, "key": key, "value": row}, ensure_ascii=False))
    version = sync.Cursor.FromString(device.store.cursor).version
    print(json.dumps({"version": version, "rows": len(device.store.rows), "healed": device.healed}))
    return 3 if device.healed else 0

def watch(device):
    shown, timers = {}, {}
    def show(user, app, focused):
        if shown.get((user, app), "nothing yet") is not focused:  # What still holds is told again.
            shown[user, app] = focused
            print(json.dumps({"user": str(uuid.UUID(bytes=user)), "app": app, "focused": focused}), flush=True)
    def told(message):
        seconds, news = (message.valid_until_us - message.server_time_us) / 1e6, {}  # By our own clock (V3).
        for status in message.statuses:
            app = status.app if status.HasField("app") else None  # Absent: every app.
            focused = status.is_focused if status.HasField("is_focused") else None  # Absent: unavailable.
            news |= {**{key: None for key in shown if not app and key[0] == status.user}, (status.user, app): focused}
        for key in news.keys() & timers.keys():
            timers.pop(key).cancel()
        for (user, app), focused in news.items():  # Only what comes of the whole frame; named apps say more than none.
            if app or not any(key[0] == user and key[1] for key in news):
                show(user, app, focused)
            if focused is not None:
                timer = timers[user, app] = threading.Timer(seconds, show, (user, app, None))
                timer.daemon = True
                timer.start()
    device.watched, device.on_statuses = [uuid.UUID(user).bytes for user in device.options.users], told
    device.run(lambda name: False)

def reach(device):
    """Whether a message of ours to somebody would ring now, as far as they share it with us (F6)."""
    options = device.options
    question = sync.ReachQuestion(
        user=uuid.UUID(options.users[0]).bytes, app=options.app, communication=options.communication,
        level=message_class("focus.events.v1.NotificationPosted").Level.Value(options.level))
    device.asks = sync.Fetch(request=1, reach=question)
    device.run(lambda name: device.answer is not None)
    answer = device.answer
    if isinstance(answer, sync.Error):
        raise Failed(f"{answer.code}: {answer.message}")
    said = {"user": options.users[0], "reach": sync.Reach.Outcome.Name(answer.reach.outcome)
            if answer.reach.outcome in sync.Reach.Outcome.values() else "WAITS"}
    if answer.reach.HasField("at_us"):
        said["atUs"] = answer.reach.at_us
    print(json.dumps(said))

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=VERSION)
    parser.add_argument("command", choices=["append", "sync", "watch", "reach", "selftest"])
    parser.add_argument(
        "users", nargs="*", help="whom to watch, at most 256; to whom we would write; of selftest, other samples")
    parser.add_argument("--server", type=host_and_port, default="127.0.0.1:7464", help="host:port")
    parser.add_argument("--plaintext", action="store_true", help="no TLS: to 127.0.0.0/8, ::1 or localhost only")
    parser.add_argument("--tls-ca", help="PEM file of certificates to trust instead of the system's")
    parser.add_argument("--token-file", help="file with the device's token")
    parser.add_argument("--state", help="directory of the device's store; one command at a time uses it")
    parser.add_argument("--device-class", default="phone", choices=["phone", "tablet", "watch", "desktop"])
    parser.add_argument("--in-use", nargs="?", const="", metavar="APP",
                        help="report the device as in use, with this app in front, for as long as the command runs")
    parser.add_argument("--app", default="", help="of reach: the app by which the message would come")
    parser.add_argument("--level", default="ACTIVE", choices=["PASSIVE", "ACTIVE", "TIME_SENSITIVE", "CRITICAL"],
                        help="of reach: the message's interruption level")
    parser.add_argument("--communication", action="store_true", help="of reach: we would be the message's sender")
    parser.add_argument("--timeout", type=float, default=30,
                        help="seconds that the server has to answer, and between the parts of a long answer; of watch: "
                             "to let us in")
    options = parser.parse_intermixed_args()
    if options.command == "selftest":
        import focus_selftest
        return focus_selftest.check(*options.users[:1])
    if not (options.token_file and options.state):
        parser.error("--token-file and --state are required")
    if options.plaintext and not is_loopback(options.server[0]):
        parser.error(f"--plaintext is for loopback only, and {options.server[0]!r} is not: the token would go in clear")
    try:
        options.token = open(options.token_file).read().strip()
        if options.command == "reach" and len(options.users) != 1:
            parser.error("reach takes one user")
        if (options.command in ("watch", "reach")) != bool(options.users):
            parser.error("watch and reach, and nothing else, take users")
        return {"append": append, "sync": sync_rows, "watch": watch, "reach": reach}[options.command](Device(options))
    except (Failed, OSError, ValueError, KeyError, json_format.ParseError) as error:
        print(f"focus_client: {error!r}", file=sys.stderr)
        return 1

if __name__ == "__main__":
    sys.exit(main())
