"""Attackers that no client library would be: they break the protocol, or keep to it in bad faith.

Each is a thread that goes on until its standard input ends; then one JSON object says what each has done."""

import collections
import json
import os
import random
import select
import socket
import struct
import sys
import threading
import time
import uuid

import device

MIB = 1 << 20


class Attacker:
    def __init__(self, name, address, tokens, seed):
        host, port = address.rsplit(":", 1)
        self.name, self.address, self.endpoint = name, address, (host, int(port))
        self.tokens = tokens
        # Text seeds do not depend on the process (hash randomization does).
        self.chance = random.Random(f"{seed}:{name}")
        self.counts = collections.Counter()
        self.ending = threading.Event()

    def run(self):
        while not self.ending.is_set():
            try:
                KINDS[self.name](self)
                self.counts["turns"] += 1
            except (OSError, SystemExit) as error:
                # It is thrown out, which is what it is there for.
                self.counts[f"thrown out: {type(error).__name__}"] += 1
                self.pause(0.02)

    def pause(self, seconds):
        self.ending.wait(seconds)

    def connect(self, receive=None):
        connection = socket.socket()
        if receive:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        connection.settimeout(20)
        connection.connect(self.endpoint)
        self.counts["connections"] += 1
        return connection

    def hello(self, user=None, identifier=None):
        return device.hello(
            self.tokens.sign(user or self.uuid(), identifier or self.uuid()), self.chance.randrange(1, 1 << 40))

    def uuid(self):
        return uuid.UUID(int=self.chance.getrandbits(128), version=4)

    def until_closed(self, connection, seconds):
        """Reads until the server has had enough, or the time is over."""
        connection.settimeout(0.5)
        deadline = time.time() + seconds
        while time.time() < deadline and not self.ending.is_set():
            try:
                if not connection.recv(65_536):
                    self.counts["closed by the server"] += 1
                    return
            except TimeoutError:
                pass


def silent(attacker):
    """Two hundred connections that never say hello."""
    connections = [attacker.connect() for _ in range(200)]
    attacker.until_closed(connections[-1], 30)
    for connection in connections:
        connection.close()


def half_frames(attacker):
    """Frames that are announced long and come slowly, of some who are let in and some who are not."""
    connections = []
    for _ in range(20):
        connection = attacker.connect()
        if attacker.chance.random() < 0.5:
            connection.sendall(attacker.hello())
        connection.sendall(struct.pack(">I", attacker.chance.choice((100, 65_536, MIB))))
        connections.append(connection)
    for _ in range(40):
        for connection in list(connections):
            try:
                connection.sendall(attacker.chance.randbytes(attacker.chance.choice((1, 100, 1_400))))
            except OSError:
                attacker.counts["closed by the server"] += 1
                connections.remove(connection)
        attacker.pause(0.25)
        if attacker.ending.is_set():
            break
    for connection in connections:
        connection.close()


def garbage(attacker):
    """Bytes of chance: at once, in a frame, in place of some of a frame that is right."""
    for _ in range(10):
        with attacker.connect() as connection:
            way = attacker.chance.randrange(4)
            if way == 0:
                connection.sendall(attacker.chance.randbytes(4_096))
            elif way == 1:
                body = attacker.chance.randbytes(attacker.chance.randrange(1, 2_000))
                connection.sendall(struct.pack(">I", len(body)) + body)
            else:
                frames = bytearray(attacker.hello() + append([device.posted(f"g{n}") for n in range(5)]))
                first = 4 if way == 2 else len(frames) // 2
                for _ in range(attacker.chance.randrange(1, 8)):
                    frames[attacker.chance.randrange(first, len(frames))] = attacker.chance.randrange(256)
                connection.sendall(frames)
            attacker.until_closed(connection, 2)
        attacker.pause(0.02)


def wrong_tokens(attacker):
    """Signed by nobody, by others, for others, long ago, without end."""
    header = device.encoded({"alg": "none", "typ": "JWT"})
    right = attacker.tokens.sign(attacker.uuid(), attacker.uuid())
    claims, signature = right.split(".")[1:]
    tokens = (
        f"{header}.{claims}.", f"{header}.{claims}.{signature}", right[:-3] + "AAA", right[: len(right) // 2], "",
        "a.b.c", "é" * 500, "." * 8_000, right + "." + signature, "x" * 60_000,
        device.encoded({"alg": "HS256", "typ": "JWT"}) + "." + device.encoded({"sub": [[]] * 50}) + "." + signature)
    for token in tokens:
        with attacker.connect() as connection:
            connection.sendall(device.hello(token, 1))
            attacker.until_closed(connection, 2)
        attacker.pause(0.02)


def storms(attacker):
    """Users whom nobody knows, who come in and are gone before they are answered."""
    for _ in range(50):
        with attacker.connect() as connection:
            connection.sendall(attacker.hello())
            if attacker.chance.random() < 0.3:
                # An abrupt end: what was not sent is not sent any more (socket(7), SO_LINGER).
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        attacker.pause(0.01)


def same_device(attacker):
    """One device that comes again and again: each session ends the one before."""
    user, identifier = attacker.uuid(), attacker.uuid()
    kept = collections.deque(maxlen=20)
    for _ in range(100):
        connection = attacker.connect()
        connection.sendall(attacker.hello(user, identifier))
        kept.append(connection)
        attacker.pause(0.03)
        if attacker.ending.is_set():
            break
    for connection in kept:
        connection.close()


def non_readers(attacker):
    """They ask for everything there is, over and over, and read nothing of it."""
    user, connections = attacker.uuid(), []
    for index in range(8):
        connection = attacker.connect(receive=4_096)
        connection.sendall(attacker.hello(user))
        connection.settimeout(1)
        connections.append(connection)
    for turn in range(30):
        for number, connection in enumerate(list(connections)):
            try:
                posts = [device.posted(f"{number}-{turn}-{one}", size=900) for one in range(200)]
                connection.sendall(append((device.registered() if turn == 0 else []) + posts, 1 + turn * 200))
                connection.sendall(device.frame(4, device.data(1, "notifications")))
            except OSError:
                attacker.counts["closed by the server, or stuck"] += 1
                connections.remove(connection)
        attacker.pause(0.5)
        if attacker.ending.is_set() or not connections:
            break
    for connection in connections:
        connection.close()


def watchers(attacker):
    """They ask whether any of five hundred thousand users is focused."""
    with attacker.connect() as connection:
        connection.sendall(attacker.hello())
        for _ in range(1_000):
            ids = b"".join(device.data(1, attacker.uuid().bytes) for _ in range(500))
            connection.sendall(device.frame(9, ids))
            attacker.pause(0.05)
            if attacker.ending.is_set():
                return


def nonsense(attacker):
    """Frames that are right and mean nothing: acks of what never was, pings without end, numbers that nobody gave."""
    with attacker.connect() as connection:
        connection.sendall(attacker.hello())
        for _ in range(2_000):
            way = attacker.chance.randrange(6)
            big = attacker.chance.getrandbits(63)
            frames = (
                device.frame(3, device.number(1, big)), device.frame(5, device.number(1, big)),
                device.frame(6, device.number(1, big)), device.frame(90, attacker.chance.randbytes(64)),
                device.frame(8, device.data(2, b"\0") + device.number(3, big)),
                device.frame(15, device.number(2, big) + b"".join(device.data(3, os.urandom(16)) for _ in range(9))))
            connection.sendall(frames[way])
            attacker.pause(0.005)
            if attacker.ending.is_set():
                return


def floods(attacker):
    """Sixty-four connections of one user, full of the smallest frames there are, as fast as the server takes them."""
    user, connections = attacker.uuid(), []
    pings = device.frame(5, device.number(1, 7)) * 10_000
    for _ in range(64):
        connection = attacker.connect()
        connection.sendall(attacker.hello(user))
        connection.settimeout(0)
        connections.append(connection)
    deadline, sent = time.time() + 30, collections.Counter()
    while connections and time.time() < deadline and not attacker.ending.is_set():
        for connection in list(connections):
            try:
                place = sent[connection] % len(pings)
                sent[connection] += connection.send(pings[place:])
            except BlockingIOError:
                pass
            except OSError:
                attacker.counts["closed by the server"] += 1
                connections.remove(connection)
                continue
            try:
                while connection.recv(1 << 18):
                    pass
            except OSError:
                pass
        attacker.pause(0.002)
    attacker.counts["bytes of pings"] += sum(sent.values())
    for connection in connections:
        connection.close()


def crowds(attacker):
    """Five hundred devices of one user, all of which hear of what one of them says a hundred times a second."""
    user, poll = attacker.uuid(), select.epoll()
    connections = {}
    for _ in range(500):
        connection = attacker.connect()
        connection.sendall(attacker.hello(user))
        connection.settimeout(0)
        connections[connection.fileno()] = connection
        poll.register(connection, select.EPOLLIN)
        if attacker.ending.is_set():
            break
    speaker = next(iter(connections.values()))
    events, deadline = device.registered(), time.time() + 30
    first, heard = 1, 0
    while connections and time.time() < deadline and not attacker.ending.is_set():
        try:
            speaker.sendall(append(events, first))
        except BlockingIOError:
            pass
        first += len(events)
        events = [device.posted(f"c{first % 100}")]
        for number, _ in poll.poll(0):
            try:
                read = len(connections[number].recv(1 << 18))
            except OSError:
                read = 0
            heard += read
            if not read:
                attacker.counts["closed by the server"] += 1
                poll.unregister(number)
                connections.pop(number).close()
        attacker.pause(0.01)
    attacker.counts["bytes heard"] += heard
    poll.close()
    for connection in connections.values():
        connection.close()


def append(envelopes, first=1):
    return device.frame(2, device.number(1, first) + b"".join(device.data(2, one) for one in envelopes))


KINDS = {
    "silent": silent, "half-frames": half_frames, "garbage": garbage, "wrong-tokens": wrong_tokens, "storms": storms,
    "same-device": same_device, "non-readers": non_readers, "watchers": watchers, "nonsense": nonsense,
    "floods": floods, "crowds": crowds}


def main():
    address, key, seed, *names = sys.argv[1:]
    attackers = [Attacker(name, address, device.Tokens(key), seed) for name in names]
    threads = [threading.Thread(target=attacker.run) for attacker in attackers]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    for attacker in attackers:
        attacker.ending.set()
    for thread in threads:
        thread.join()
    print(json.dumps({attacker.name: attacker.counts for attacker in attackers}))


if __name__ == "__main__":
    main()
