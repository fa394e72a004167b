"""As much of MQTT 3.1.1 (OASIS Standard) as a yardstick needs, QoS 1; and a mosquitto of our own."""

import os
import selectors
import shutil
import socket
import struct
import subprocess
import tempfile
import time

import processor


def packet(first, body):
    size, length = b"", len(body)
    while True:
        size += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
        if not length:
            return bytes([first]) + size + body


def text(value):
    return struct.pack(">H", len(value)) + value.encode()


class Broker:
    def __init__(self, parent, tls=None):
        self.directory = tempfile.mkdtemp(prefix="focus-bench-mqtt-", dir=parent)
        os.chmod(self.directory, 0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        file = f"{self.directory}/mosquitto.conf"
        with open(file, "w") as config:
            config.write(
                f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nmax_queued_messages 0\n"
                "max_inflight_messages 0\nset_tcp_nodelay true\nlog_type error\n")
            if tls:
                config.write(f"certfile {tls[0]}\nkeyfile {tls[1]}\n")
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        if not os.path.exists(program):
            raise SystemExit("mosquitto is not installed (Debian: apt install mosquitto)")
        self.process = subprocess.Popen([program, "-c", file], stderr=subprocess.DEVNULL)
        deadline = time.time() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                if time.time() > deadline or self.process.poll() is not None:
                    raise SystemExit("mosquitto did not start") from None
                time.sleep(0.02)

    def processor_time(self):
        return processor.of_process(self.process.pid)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Client:
    """Connected when made; answers every PUBLISH with PUBACK and counts them."""

    def __init__(self, port, name, topic=None, tls=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.socket.sendall(packet(0x10, text("MQTT") + bytes([4, 2, 0, 60]) + text(name)))
        self.received = b""
        self.published = self.acknowledged = 0
        if topic:
            self.socket.sendall(packet(0x82, struct.pack(">H", 1) + text(topic) + b"\x01"))
        self.socket.setblocking(False)

    def publish(self, topic, payload):
        self.sent = getattr(self, "sent", 0) + 1
        identifier = self.sent % 0xFFFF + 1
        self.socket.sendall(packet(0x32, text(topic) + struct.pack(">H", identifier) + payload))

    def take(self):
        """Reads what there is."""
        try:
            some = self.socket.recv(262_144)
        except BlockingIOError:
            return
        if not some:
            raise SystemExit("mosquitto closed a connection")
        self.received += some
        answers, position = b"", 0
        while True:
            whole = header(self.received, position)
            if not whole:
                break
            kind, start, end = whole
            if kind == 3:
                self.published += 1
                size, = struct.unpack_from(">H", self.received, start)
                answers += packet(0x40, self.received[start + 2 + size:start + 4 + size])
            elif kind == 4:
                self.acknowledged += 1
            position = end
        self.received = self.received[position:]
        if answers:
            self.socket.sendall(answers)


def header(received, position):
    """(kind, start, end) of the packet there; None until it is whole."""
    size, shift, start = 0, 0, position + 1
    while start < len(received):
        byte = received[start]
        size |= (byte & 0x7F) << shift
        shift, start = shift + 7, start + 1
        if byte < 0x80:
            return (received[position] >> 4, start, start + size) if start + size <= len(received) else None
    return None


class Clients:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.clients = []

    def add(self, client):
        self.clients.append(client)
        self.selector.register(client.socket, selectors.EVENT_READ, client)

    def turn(self, timeout):
        for key, _ in self.selector.select(timeout):
            key.data.take()

    def close(self):
        for client in self.clients:
            client.socket.close()
        self.selector.close()
