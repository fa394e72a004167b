"""A device's side of the protocol, as little of it as the lanes need, on plain sockets: Schema/README.md, "Protocol".

Frames are written by hand (protobuf.dev, "Encoding"), so that thousands of devices cost the machine little."""

import base64
import hashlib
import hmac
import json
import os
import selectors
import socket
import ssl
import struct
import time
import uuid

APP = "com.example.bench"
# Numbers of ServerFrame in sync.proto.
WELCOME, APPENDED, SNAPSHOT_ROWS, SNAPSHOT_END, DELTA_END, DELTA, CHECKPOINT = 1, 2, 4, 5, 8, 9, 10
PING, ERROR, GO_AWAY, PEER_STATUSES = 11, 13, 14, 15


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def number(field, value):
    return varint(field << 3) + varint(value & 0xFFFFFFFFFFFFFFFF)


def frame(field, message):
    body = data(field, message)
    return struct.pack(">I", len(body)) + body


def fields(message):
    """(number, value) of each field; fixed-size ones as their bytes."""
    position, end = 0, len(message)
    while position < end:
        tag, position = read_varint(message, position)
        kind = tag & 7
        if kind == 0:
            value, position = read_varint(message, position)
        elif kind == 2:
            size, position = read_varint(message, position)
            value, position = message[position:position + size], position + size
        else:
            size = 8 if kind == 1 else 4
            value, position = message[position:position + size], position + size
        yield tag >> 3, value


def read_varint(message, position):
    value = shift = 0
    while True:
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


class Tokens:
    """HS256, as `focusctl token` makes them; a process for each of 10,000 devices would take minutes."""

    def __init__(self, file):
        with open(file) as text:
            self.secret, self.header = signing_key(text.read())
        self.expires = int(time.time()) + 7 * 86_400

    def sign(self, user, device, scope="system"):
        claims = {"sub": str(user), "device": str(device), "scope": scope, "exp": self.expires}
        text = encoded(self.header) + "." + encoded(claims)
        mac = hmac.new(self.secret, text.encode(), hashlib.sha256).digest()
        return text + "." + base64.urlsafe_b64encode(mac).rstrip(b"=").decode()


def signing_key(text):
    """The secret of a file of keys, a JWK Set or hex, and the header of tokens that are signed with it."""
    header = {"alg": "HS256", "typ": "JWT"}
    if not text.lstrip().startswith("{"):
        return bytes.fromhex(text.strip()), header
    keys = [key for key in json.loads(text)["keys"] if key["kty"] == "oct"]
    key = next((key for key in keys if key.get("signs")), keys[0])
    if "kid" in key:
        header["kid"] = key["kid"]
    return base64.urlsafe_b64decode(key["k"] + "=" * (-len(key["k"]) % 4)), header


def encoded(claims):
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()


def hello(token, incarnation, cursor=None, collections=()):
    message = number(1, 1) + number(2, 1) + data(3, token) + number(4, 1)
    message += varint(5 << 3 | 1) + struct.pack("<q", incarnation)
    if cursor:
        message += data(6, cursor)
    return frame(1, message + b"".join(data(7, name) for name in collections))


def envelope(kind, payload, app=APP):
    now = int(time.time() * 1_000_000)
    # UUIDv7: RFC 9562 §5.7.
    event = bytearray(struct.pack(">Q", now // 1_000)[2:] + os.urandom(10))
    event[6], event[8] = event[6] & 0x0F | 0x70, event[8] & 0x3F | 0x80
    of_app = data(3, app) if app else b""
    return data(1, bytes(event)) + data(2, kind) + of_app + number(4, now) + number(5, 1) + data(6, payload)


def registered():
    """The app, and its leave to notify."""
    app = data(1, "Bench") + number(2, 1) + b"".join(number(4, capability) for capability in (1, 2, 3))
    return [
        envelope("app.registered", app + data(5, "So that friends know when to write.")),
        *[envelope("authorization.changed", number(1, kind) + number(2, 3)) for kind in (1, 2)]]


def posted(name, size=60):
    return envelope("notification.posted", data(1, name) + data(4, "Bench") + data(6, "x" * size))


def shared(viewers):
    """A Focus that shows, and who may see it in the app."""
    some = [data(1, str(viewer)) for viewer in viewers]
    return [envelope("focus.configured", data(1, "work") + data(2, "Work") + number(7, 1), app=None)] + [
        envelope("audience.changed", b"".join(some[start:start + 500])) for start in range(0, len(some), 500)]


def focused(is_active):
    return envelope("focus.changed", data(1, "work") + (number(2, 1) if is_active else b""), app=None)


class Device:
    """One connection. Not blocking: `frames` gives what has come whole."""

    def __init__(self, address, token, incarnation=1, cursor=None, collections=(), tls=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.sequence = 1
        self.cursor = cursor
        self.version = 0
        self.received = b""
        self.socket.sendall(hello(token, incarnation, cursor, collections))
        self.socket.setblocking(False)

    def append(self, envelopes):
        self.send(self.encoded(envelopes))

    def encoded(self, envelopes):
        """The frame that appends them, for `send`: the next one goes on behind it."""
        message = number(1, self.sequence) + b"".join(data(2, one) for one in envelopes)
        self.sequence += len(envelopes)
        return frame(2, message)

    def watch(self, users):
        self.send(frame(9, b"".join(data(1, user.bytes) for user in users)))

    def send(self, bytes):
        """Small frames only: it waits until the socket takes them."""
        while bytes:
            try:
                bytes = bytes[self.socket.send(bytes):]
            except (BlockingIOError, ssl.SSLWantWriteError):
                time.sleep(0.001)

    def frames(self):
        """(number, message) of every whole frame there is; answers pings, and keeps the newest cursor."""
        found = []
        while True:
            try:
                some = self.socket.recv(262_144)
            except (BlockingIOError, ssl.SSLWantReadError):
                return found
            if not some:
                raise SystemExit("the server closed a connection")
            self.received += some
            position = 0
            while len(self.received) - position >= 4:
                size, = struct.unpack_from(">I", self.received, position)
                if len(self.received) - position - 4 < size:
                    break
                found += self.take(self.received[position + 4:position + 4 + size])
                position += 4 + size
            self.received = self.received[position:]

    def take(self, body):
        for kind, message in fields(body):
            if kind == PING:
                self.send(frame(6, message))
            elif kind in (ERROR, GO_AWAY):
                raise SystemExit(f"the server said {message!r}")
            elif kind in (SNAPSHOT_END, DELTA_END, DELTA, CHECKPOINT):
                self.reached(message, 3 if kind == DELTA else 1)
            return [(kind, message)]
        return []

    def reached(self, message, field):
        for name, cursor in fields(message):
            if name == field:
                self.cursor = cursor
                self.version = dict(fields(cursor)).get(2, 0)

    def close(self):
        self.socket.close()


class Devices:
    """Many devices on one thread."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        # When the last turn had something to read.
        self.woke = 0

    def add(self, device, name):
        self.selector.register(device.socket, selectors.EVENT_READ, (device, name))

    def turn(self, timeout):
        """(device, name, frame number, message) of everything that came within the time."""
        ready = self.selector.select(timeout)
        self.woke = time.perf_counter()
        for key, _ in ready:
            device, name = key.data
            for kind, message in device.frames():
                yield device, name, kind, message

    def wait(self, devices, kind, seconds=60):
        """Until each of the devices has got a frame of this kind. Their times."""
        left, times, deadline = set(map(id, devices)), {}, time.time() + seconds
        while left:
            if time.time() > deadline:
                raise SystemExit(f"{len(left)} devices got no frame {kind} within {seconds} s")
            for device, name, found, _ in self.turn(1):
                if found == kind and id(device) in left:
                    left.discard(id(device))
                    times[name] = time.time()
        return times

    def bring(self, devices, version, seconds=60):
        """Until each of the devices holds this version of its user."""
        deadline = time.time() + seconds
        while any(device.version < version for device in devices):
            if time.time() > deadline:
                raise SystemExit(f"not all devices reached version {version} within {seconds} s")
            list(self.turn(1))

    def close(self):
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            key.data[0].close()
        self.selector.close()


def identifiers(seed, kind, count):
    return [uuid.uuid5(uuid.NAMESPACE_URL, f"focus-bench:{seed}:{kind}:{index}") for index in range(count)]
