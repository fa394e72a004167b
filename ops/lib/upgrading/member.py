"""One device that appends all the time, and holds its rows against the server's digests at every checkpoint.

It is a device of Schema/clients/python whose store is in memory. When its server sends it away, it waits as long as
GoAway asks (rule L5); when a connection just ends, up to a tenth of a second. Then it takes the other server, as behind
a load balancer that knows which servers accept."""

import random
import select
import socket
import struct
import threading
import time

import focus_client
from google.protobuf import json_format
from focus.sync.v1 import sync_pb2 as sync
from focus_client import event_of, framed


class Broken(Exception):
    """The connection ended; how long to wait before the next one, and what the server said."""

    def __init__(self, seconds, code):
        self.seconds, self.code = seconds, code


class MemoryStore(focus_client.Store):
    def save(self, cursor=None):
        self.cursor = cursor.SerializeToString() if cursor else self.cursor


class Member(threading.Thread):
    def __init__(self, fleet, name, token, device_class, place, server, life):
        super().__init__(daemon=True)
        self.fleet, self.name, self.token, self.server, self.life = fleet, name, token, server, life
        self.device_class = sync.DeviceClass.Value("DEVICE_CLASS_" + device_class.upper())
        self.store = MemoryStore(place, token)
        self.socket, self.received = None, b""
        self.last_sent = self.last_answer = 0.0
        self.waited, self.codes = 0.0, []  # Since the last acknowledgement: what the servers asked to wait, and why.
        # What was asked of it: to connect anew to a server, and how often it has had a checkpoint there.
        self.wanted, self.checkpoints, self.version = None, 0, 0
        self.unsent = 0
        self.before = None  # The rows that differed from the server's digests, until they are healed.

    def is_done(self):
        return self.fleet.is_over

    def run(self):
        while not self.is_done():
            try:
                self.session()
            except Broken as end:
                self.codes.append(end.code)
                self.waited += end.seconds
                self.server = 1 - self.server
                self.pause(end.seconds)
            except OSError as error:
                seconds = random.uniform(0, 0.1)
                self.codes.append(type(error).__name__)
                self.waited += seconds
                self.server = 1 - self.server
                self.pause(seconds)
            except Exception as error:  # Nothing else may happen to a device.
                self.fleet.fail(f"{self.name}: {error!r}")
                self.pause(0.5)

    def pause(self, seconds):
        self.close()
        time.sleep(seconds)

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def connect_to(self, server):
        """Asks for a new connection, to that server."""
        self.wanted = server
        self.checkpoints = 0

    def session(self):
        if self.wanted is not None:
            self.server, self.checkpoints, self.wanted = self.wanted, 0, None
        host, port = self.fleet.addresses[self.server].rsplit(":", 1)
        self.received = b""
        self.socket = socket.create_connection((host, int(port)), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        store = self.store
        self.send(hello=sync.Hello(
            minimum_protocol=1, maximum_protocol=2, token=self.token, incarnation=store.incarnation,
            device_class=self.device_class, cursor=sync.Cursor.FromString(store.cursor) if store.cursor else None))
        welcome = None
        while welcome is None:
            for name, message in self.receive(5):
                if name == "welcome":
                    welcome = message
                else:
                    self.take(name, message)
        if store.is_restored(welcome):
            self.fleet.fail(f"{self.name}: the log has more of it than it ever appended, or other events")
        if welcome.last_sequence < store.answered[0]:
            self.fleet.fail(
                f"{self.name}: the log has its events to {welcome.last_sequence}, {store.answered[0]} is acknowledged")
        self.unsent = 0
        while not self.fleet.is_over and self.wanted is None:
            self.send_what_waits()
            for name, message in self.receive(0.02):
                self.take(name, message)
        self.send(bye=sync.Bye())
        self.close()

    def send_what_waits(self):
        store, now = self.store, time.monotonic()
        if not store.queue and self.fleet.is_appending and now - self.last_sent >= self.fleet.interval:
            for line in self.life.next():
                store.queue.append([store.next_sequence, focus_client.envelope(line).SerializeToString()])
                store.next_sequence += 1
        if self.unsent < len(store.queue):
            frame = sync.Append(first_sequence=store.queue[self.unsent][0])
            frame.envelopes.extend(sync.Envelope.FromString(event) for _, event in store.queue[self.unsent:])
            self.unsent, self.last_sent = len(store.queue), now
            self.send(append=frame)

    def send(self, **message):
        self.socket.settimeout(5)
        self.socket.sendall(framed(sync.ClientFrame(**message)))

    def receive(self, seconds):
        """What came whole within the time."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return []
        some = self.socket.recv(1 << 18)
        if not some:
            raise Broken(random.uniform(0, 0.1), "closed")
        self.received += some
        frames, position = [], 0
        while len(self.received) - position >= 4:
            size, = struct.unpack_from(">I", self.received, position)
            if len(self.received) - position - 4 < size:
                break
            frames.append(sync.ServerFrame.FromString(self.received[position + 4:position + 4 + size]))
            position += 4 + size
        self.received = self.received[position:]
        named = [(frame.WhichOneof("message"), frame) for frame in frames]
        return [(name, getattr(frame, name)) for name, frame in named if name]

    def take(self, name, message):
        if name == "ping":
            self.send(pong=sync.Pong(nonce=message.nonce))
        elif name == "go_away":
            bounds = message.min_backoff_ms / 1000, message.max_backoff_ms / 1000
            raise Broken(random.uniform(*bounds), message.code)
        elif name == "error" and message.code == "unavailable":
            raise Broken(message.retry_after_ms / 1000, message.code)
        elif name == "error":
            self.fleet.fail(f"{self.name}: the server answers {message.code}: {message.message}")
            raise Broken(0.5, message.code)
        elif name == "appended":
            self.answered(message)
        else:
            self.show(name, message)

    def answered(self, message):
        store, now = self.store, time.monotonic()
        done = [entry for entry in store.queue if entry[0] <= message.through_sequence]
        if not done:
            return
        refused = {one.sequence: one.code for one in message.refused}
        store.queue = store.queue[len(done):]
        self.unsent = max(0, self.unsent - len(done))
        store.answered = [done[-1][0], event_of(done[-1][1])]
        self.fleet.acknowledged(self, now, [
            (store.incarnation, sequence, event_of(event).hex(), refused.get(sequence, ""))
            for sequence, event in done])
        self.last_answer, self.waited, self.codes = now, 0.0, []

    def show(self, name, message):
        """Takes rows, and compares what they come to with each checkpoint."""
        store = self.store
        store.take(name, message)
        if name == "snapshot_end":
            self.fleet.snapshots += 1
        elif name == "checkpoint":
            store.save(message.cursor)
            self.version = message.cursor.version
            differing = store.differing(message)
            if differing:
                self.before = self.before or (differing, dict(store.rows))
                self.send(resync=sync.Resync(collections=differing))
                return
            if self.before:
                self.fleet.differs(self, self.before[0], self.changed(self.before[1]))
                self.before = None
            if self.wanted is None:
                self.checkpoints += 1

    def changed(self, before):
        """One of the rows that came out different, as it was and as the server has it."""
        now = self.store.rows
        for key in sorted({*before, *now}):
            if before.get(key) != now.get(key):
                kind = focus_client.message_class("focus.sync.v1." + focus_client.ROWS[key[0]])
                return [*key, *(row and json_format.MessageToDict(kind.FromString(row))
                                for row in (before.get(key), now.get(key)))]
        return None


class Visitor(Member):
    """A device of a new user, whom its server has to load: it appends once, and goes."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.last_answer = time.monotonic()

    def is_done(self):
        return self.fleet.is_over or self.store.answered[0] > 0

    def answered(self, message):
        super().answered(message)
        self.wanted = self.server


class Visitors(threading.Thread):
    """Twice a second somebody new."""

    def __init__(self, fleet, visitor):
        super().__init__(daemon=True)
        self.fleet, self.visitor, self.is_idle = fleet, visitor, True

    def run(self):
        number = 0
        while not self.fleet.is_over:
            time.sleep(0.5)
            self.is_idle = False
            if self.fleet.is_appending:
                number += 1
                self.visitor(number).run()
            self.is_idle = True
