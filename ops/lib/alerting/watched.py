"""A focusd that is watched, on its own PostgreSQL."""

import os
import resource
import signal
import subprocess

import device
from server import Psql

from .waits import await_frame, free_port, wait


class Focusd:
    """A focusd on its own PostgreSQL, with a port for machines; its log goes to a file."""

    def __init__(self, run, name, options=(), settings="", security=("--plaintext",), data=None, files=None):
        self.run, self.name, self.options, self.security, self.files = run, name, list(options), security, files
        self.place = os.path.join(run.place, name)
        self.data = data or os.path.join(self.place, "data")
        os.makedirs(self.data, 0o755, exist_ok=True)
        os.chmod(self.place, 0o755) if os.path.isdir(self.place) else os.makedirs(self.place, 0o755)
        self.log = os.path.join(run.place, f"{name}.log")
        if settings:
            with open(os.path.join(self.data, "custom.conf"), "w") as file:
                file.write(settings)
        self.ports = [free_port(), free_port()]
        self.start()
        with open(f"{self.data}/postgres/postmaster.pid") as file:
            lines = file.read().split("\n")
        self.conninfo = f"host={lines[4]} port={lines[3]} user=focusd dbname=focusd"
        self.tokens = device.Tokens(os.path.join(self.data, "token.key"))

    def start(self, errors=None):
        def limited():
            if self.files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [f"{self.run.binaries}/focusd", "serve", *self.security, "--listen", f"127.0.0.1:{self.ports[0]}",
                 "--admin", f"127.0.0.1:{self.ports[1]}", "--data-dir", self.data, *self.options],
                stdout=subprocess.PIPE, stderr=errors if errors is not None else log, text=True, preexec_fn=limited)
        line = self.process.stdout.readline()
        if not line.startswith("focusd ready"):
            raise SystemExit(f"{self.name} did not start: {open(self.log).read()[-2000:]}")

    address = property(lambda self: f"127.0.0.1:{self.ports[0]}")

    def psql(self):
        return Psql(self.conninfo, stderr=subprocess.DEVNULL)

    def sql(self, text):
        connection = self.psql()
        try:
            return connection.run(text)
        finally:
            connection.close()

    def device(self, user, name, incarnation=1):
        """A device that has its Welcome."""
        made = device.Device(self.address, self.tokens.sign(user, name), incarnation)
        await_frame(made, device.WELCOME)
        return made

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
        # What a killed focusd left behind; only the postmaster of this directory.
        file = f"{self.data}/postgres/postmaster.pid"
        if os.path.exists(file):
            with open(file) as lines:
                pid = int(lines.readline())
            if os.path.exists(f"/proc/{pid}"):
                os.kill(pid, signal.SIGINT)
                wait(30, lambda: not os.path.exists(f"/proc/{pid}"))
