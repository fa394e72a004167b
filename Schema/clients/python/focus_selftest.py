"""Checks focus_client.py with the vectors of Schema/samples: `focus-client selftest [DIRECTORY]`.

Each file is checked with the client's own code: frames both ways, rows and digests by its store, incarnations, and the
payloads of events. A receipt is opaque to a client; it is computed here to show what it covers. Prints a JSON line for
each file: what was checked, or what is wrong. Exit codes: 0 all is right, 1 something is not.
"""
import argparse, base64, hashlib, hmac, io, json, os, struct, tempfile, uuid

from google.protobuf import json_format
from google.protobuf.message import DecodeError

import focus_client as client
from focus.sync.v1 import sync_pb2 as sync

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples")

class Wrong(Exception):
    """A line that does not hold."""

def expect(is_so, what):
    if not is_so:
        raise Wrong(what)

class Drip(io.RawIOBase):
    """Bytes that come one at a time, as the network may split them (W2)."""

    def __init__(self, data):
        self.rest = iter(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        byte = next(self.rest, None)
        if byte is None:
            return 0
        buffer[0] = byte
        return 1

def store_options(directory):
    """Of a device with system scope, whose store is kept there."""
    claims = base64.urlsafe_b64encode(json.dumps(
        {"sub": str(uuid.UUID(int=2)), "device": str(uuid.UUID(int=1)), "scope": "system"}).encode())
    return argparse.Namespace(state=directory, token=f".{claims.decode()}.")

def text(word):
    return "" if word == "-" else word

def data(word):
    return b"" if word == "-" else bytes.fromhex(word)

class Frames:
    """Frames say what their JSON says, and JSON makes these frames; the rows in them add up to the checkpoints."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.stream = []  # What the server says, whole frames.
        self.device = client.Device(store_options(self.directory.name))

    def line(self, line):
        side, name, word, said = line.split(" ", 3)
        frame, kind = bytes.fromhex(word), sync.ServerFrame if side.endswith("server") else sync.ClientFrame
        message = client.read_frame(io.BytesIO(frame))
        expect(message is not None and len(message) + 4 == len(frame), "the length is another")
        if side == "malformed":
            try:
                kind.FromString(message)
            except DecodeError:
                return
            raise Wrong("it is no malformed frame")
        found = kind.FromString(message)
        expect(json_format.MessageToDict(found) == json.loads(said), f"it says {json_format.MessageToDict(found)}")
        if side.startswith("later"):  # What was not known is gone.
            return
        made = client.framed(json_format.Parse(said, kind()))
        expect(made == frame, f"the JSON makes {made.hex()}")
        if side == "server":
            self.stream.append(frame)
            self.device.apply(found.WhichOneof("message"), getattr(found, found.WhichOneof("message")), self)
            expect(not self.device.differs, f"its rows have other digests: {self.device.differs}")

    def send(self, **message):
        """The device asks for what differs; that is told already."""

    def end(self):
        drip = io.BufferedReader(Drip(b"".join(self.stream)))
        for frame in self.stream:
            expect(client.read_frame(drip) == frame[4:], "split into bytes, the stream has other frames")
        expect(client.read_frame(drip) is None, "the stream does not end")

class Digests:
    """A store that is given these rows has these digests. It is never saved."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory()

    def line(self, line):
        word, *rest = line.split(" ")
        if word == "set":
            options = store_options(self.directory.name)
            self.store = client.Store(options.state, options.token)
        elif word == "put":
            key, value = (rest[0], text(rest[1]), text(rest[2])), data(rest[3])
            made = f"{client.row_hash(key, value):032x}"
            expect(made == rest[4], f"the row's hash is {made}")
            self.store.put(key, value)
        elif word == "delete":
            self.store.put((rest[0], text(rest[1]), text(rest[2])), None)
        elif word == "digest":
            count, digest = self.store.digests.get(rest[0], (0, 0))
            expect((str(count), f"{digest:032x}") == (rest[1], rest[2]), f"it is {count} {digest:032x}")
        else:
            raise Wrong("unknown word")

    def end(self):
        pass

class Receipts:
    """How servers make them (Schema/README.md, "Healing")."""

    def line(self, line):
        word, *rest = line.split(" ")
        if word == "secret":
            first = hmac.new(bytes(32), data(rest[0]), hashlib.sha256).digest()  # HKDF: extract, then one block.
            self.key = hmac.new(first, b"focus-sync receipts 1" + b"\x01", hashlib.sha256).digest()
        elif word == "receipt":
            _, log, user, device, incarnation, scope, first, last = rest
            self.subject = b"".join(uuid.UUID(part).bytes for part in (log, user, device))
            self.subject += struct.pack(">qqq", int(incarnation), int(first), int(last))
            self.scope, self.hash = scope.encode(), hashlib.sha256()
            self.left = int(last) - int(first) + 1
        elif word == "accepted":
            event, at, version, kind, app, payload = rest
            self.event(1, event, at, struct.pack(">i", int(version)), sized(kind.encode()))
            self.hash.update((b"\x00" if app == "-" else b"\x01" + sized(app.encode())) + sized(data(payload)))
        elif word == "refused":
            event, at, kind, code, message = rest[:4] + [" ".join(rest[4:])]
            self.event(2, event, at, *(sized(part.encode()) for part in (kind, code, message)))
        elif word == "hash":
            expect(self.hash.hexdigest() == rest[0], f"the events' hash is {self.hash.hexdigest()}")
            expect(self.left == 0, "the receipt is of another number of events")
        elif word == "code":
            message = self.subject + self.hash.digest() + self.scope
            made = hmac.new(self.key, message, hashlib.sha256).hexdigest()
            expect(made == rest[0], f"the code is {made}")
        else:
            raise Wrong("unknown word")

    def event(self, kind, event, at, *parts):
        self.left -= 1
        self.hash.update(bytes([kind]) + uuid.UUID(event).bytes + struct.pack(">q", int(at)) + b"".join(parts))

    def end(self):
        pass

def sized(part):
    return struct.pack(">I", len(part)) + part

class Incarnations:
    def line(self, line):
        device, incarnation, sequence, event, scope, wanted = line.split(" ")
        made = client.following(
            uuid.UUID(device).bytes, int(incarnation), int(sequence), uuid.UUID(event).bytes, scope)
        expect(str(made) == wanted, f"it is {made}")

    def end(self):
        pass

class Events:
    """Payloads say what their JSON says, and JSON makes these bytes."""

    def line(self, line):
        kind, word, said = line.split(" ", 2)
        found = client.payload_class(kind).FromString(data(word))
        expect(json_format.MessageToDict(found) == json.loads(said), f"it says {json_format.MessageToDict(found)}")
        made = json_format.Parse(said, client.payload_class(kind)()).SerializeToString(deterministic=True)
        expect(made == data(word), f"the JSON makes {made.hex()}")

    def end(self):
        pass

FILES = {"frames.txt": Frames, "digests.txt": Digests, "receipts.txt": Receipts, "incarnations.txt": Incarnations,
         "events_v1.txt": Events}

def check(samples=SAMPLES):
    wrong = 0
    for name, kind in FILES.items():
        checker, number, checked = kind(), 0, 0
        try:
            for number, line in enumerate(open(os.path.join(samples, name), encoding="utf-8").read().splitlines(), 1):
                if line and not line.startswith("#"):
                    checker.line(line)
                    checked += 1
            checker.end()
            expect(checked, "there is nothing in it")
        except (Wrong, OSError, ValueError, KeyError, AttributeError, json_format.ParseError, DecodeError) as error:
            print(json.dumps({"file": name, "line": number, "wrong": str(error)}, ensure_ascii=False))
            wrong += 1
        else:
            print(json.dumps({"file": name, "checked": checked}))
    return 1 if wrong else 0
