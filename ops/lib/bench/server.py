"""A focusd of our own with its embedded PostgreSQL, and a psql that stays connected."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

import processor


class Server:
    def __init__(self, binaries, parent, settings="", tls=None, data=None, copy=None, options=()):
        """In a directory of its own in `parent`, removed at the end; its data are those of the data directory `copy`
        of a stopped focusd. Or in the data directory `data`, which stays. `options` are focusd's."""
        self.options = options
        self.binaries = binaries
        # Files of a certificate and its key; None: in the clear.
        self.security = ["--tls-cert", tls[0], "--tls-key", tls[1]] if tls else ["--plaintext"]
        os.makedirs(parent, exist_ok=True)
        self.directory = tempfile.mkdtemp(prefix="focus-bench-", dir=parent)
        # As root the cluster runs as another user, which has to pass.
        os.chmod(self.directory, 0o755)
        self.data = data or os.path.join(self.directory, "data")
        if copy:
            subprocess.run(["cp", "-a", copy, self.data], check=True)
        os.makedirs(self.data, 0o755, exist_ok=True)
        if settings:
            with open(os.path.join(self.data, "custom.conf"), "w") as file:
                file.write(settings)
        self.log = open(os.path.join(self.directory, "focusd.log"), "w")
        self.start()
        self.find_database()
        self.sql = Psql(self.conninfo)
        # What the bench asks while it measures goes through a connection whose cost is nobody's.
        self.beside = Psql(self.conninfo)
        self.beside_backend = int(self.beside.value("SELECT pg_backend_pid();"))

    def find_database(self):
        with open(f"{self.data}/postgres/postmaster.pid") as file:
            lines = file.read().split("\n")
        self.postmaster = int(lines[0])
        self.socket, self.port = lines[4], lines[3]
        self.conninfo = f"host={self.socket} port={self.port} user=focusd dbname=focusd"

    def start(self):
        self.process = subprocess.Popen(
            [f"{self.binaries}/focusd", "serve", *self.security, "--listen", "127.0.0.1:0", "--data-dir", self.data,
             *self.options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = re.match(r"focusd ready listen=(\S+)(?: admin=(\S+))?", self.process.stdout.readline())
        if not ready:
            self.process.wait()
            with open(self.log.name) as log:
                text = log.read()
            shutil.rmtree(self.directory, ignore_errors=True)
            raise SystemExit(f"focusd did not start:\n{text}")
        self.address, self.admin = ready.groups()

    def restart(self):
        """A new focusd, whose memory is empty, on the PostgreSQL that runs: killed, it leaves that behind."""
        self.process.kill()
        self.process.wait()
        self.start()

    def processor_times(self):
        return {
            "focusd": processor.of_process(self.process.pid),
            "postgres": processor.of_tree(self.postmaster) - processor.of_process(self.beside_backend),
            "psql": processor.of_process(self.sql.process.pid),
        }

    def stop(self):
        for connection in (self.sql, self.beside):
            connection.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        if os.path.exists(f"/proc/{self.postmaster}") and os.path.exists(f"{self.data}/postgres/postmaster.pid"):
            os.kill(self.postmaster, signal.SIGINT)
            time.sleep(2)
        shutil.rmtree(self.directory, ignore_errors=True)


def metrics(admin):
    """The figures without labels of the focusd with this admin port."""
    with urllib.request.urlopen(f"http://{admin}/metrics", timeout=30) as answer:
        lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines if "{" not in name}


class Psql:
    """One connection, statement after statement."""

    MARK = "-- done --"

    def __init__(self, conninfo, stderr=None):
        self.process = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", conninfo],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, bufsize=1)

    def run(self, command):
        """Rows as lists of texts. `command`: statements with their semicolons, or one backslash command."""
        self.process.stdin.write(f"{command}\n\\echo {self.MARK}\n")
        self.process.stdin.flush()
        rows = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"psql ended at: {command}")
            if line.rstrip("\n") == self.MARK:
                return rows
            rows.append(line.rstrip("\n").split("\t"))

    def value(self, command):
        return self.run(command)[0][0]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
