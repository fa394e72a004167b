"""The log that is backed up: focusd on the PostgreSQL that it runs itself, or on one that the operator runs."""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request

from .programs import Failed, as_owner, owner, require, run

SETTINGS = os.path.join(os.path.dirname(__file__), "..", "..", "pgbackrest")


class Log:
    """One data directory of focusd, which a restore makes anew in another place."""

    def __init__(self, binaries, place):
        self.binaries, self.place, self.process = binaries, place, None
        self.data = os.path.join(place, "data")
        for directory in (place, self.data):
            os.makedirs(directory, 0o755, exist_ok=True)
            os.chmod(directory, 0o755)

    def settings(self, repository):
        """The settings of ops/pgbackrest/custom.conf, with the repository's file."""
        with open(os.path.join(SETTINGS, "custom.conf")) as file:
            return file.read().replace("pgbackrest ", f"pgbackrest --config={repository.file} ")

    def serve(self):
        """Starts focusd, and waits until devices are let in."""
        with open(os.path.join(self.place, "focusd.log"), "ab") as log:
            self.process = subprocess.Popen(
                [f"{self.binaries}/focusd", "serve", "--plaintext", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                 "--data-dir", self.data, *self.source()], stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        ready = re.match(r"focusd ready listen=(\S+) .*admin=(\S+)", line)
        if not ready:
            self.process.wait()
            with open(os.path.join(self.place, "focusd.log")) as log:
                raise Failed(f"focusd did not start: {line}{log.read()[-3000:]}")
        self.address, self.admin = ready.groups()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def copy_files(self, other):
        """What no backup of PostgreSQL holds, from another log's directory."""
        for name in ("token.key", "receipt.key", *self.FILES):
            shutil.copy(os.path.join(other.data, name), self.data)

    def figure(self, name, seconds=90):
        """What the port for machines tells, once it does; PostgreSQL is asked for some figures once a minute."""
        deadline = time.time() + seconds
        while time.time() < deadline:
            with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=10) as answer:
                found = re.search(rf"(?m)^{name} (\S+)$", answer.read().decode())
            if found:
                return float(found[1])
            time.sleep(0.5)
        raise Failed(f"{name} is not told after {seconds} s")

    def focusctl(self, *arguments, input=""):
        return run([f"{self.binaries}/focusctl", *arguments, *self.place_of_log()], input)

    def sql(self, text, database=None):
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", self.conninfo(), "-c", text]
        if database:
            command[command.index("-d") + 1] += f" dbname={database}"
        return run(as_owner(command)).strip()


class Embedded(Log):
    NAME = "focusd's own PostgreSQL"
    DATABASE = "focusd"
    FILES = ("custom.conf",)
    # Until it is recovered it lets nobody in: focusd waits for that, and writes as soon as it is let in.
    RECOVERY = ("--recovery-option=hot_standby=off",)

    def __init__(self, binaries, place):
        super().__init__(binaries, place)
        # The socket is elsewhere where its path would be too long; postmaster.pid says where.
        self.cluster, self.socket, self.port = (
            os.path.join(self.data, "postgres"), os.path.join(self.data, "socket"), "5432")

    def start(self):
        self.serve()
        with open(os.path.join(self.cluster, "postmaster.pid")) as file:
            lines = file.read().split("\n")
        self.port, self.socket = lines[3], lines[4]

    def archive(self, repository):
        with open(os.path.join(self.data, "custom.conf"), "a") as file:
            file.write(self.settings(repository))

    def source(self):
        return []

    def place_of_log(self):
        return ["--data-dir", self.data]

    def conninfo(self):
        return f"host={self.socket} port={self.port} user=focusd dbname=focusd"


class Own(Log):
    """A PostgreSQL that the operator runs; its settings are in its own directory, and restored with it."""

    NAME = "a PostgreSQL of the operator's"
    DATABASE = "focus"
    FILES = ()
    RECOVERY = ()

    def __init__(self, binaries, place):
        super().__init__(binaries, place)
        self.cluster, self.socket, self.port = os.path.join(place, "pgdata"), os.path.join(place, "socket"), "5432"
        os.makedirs(self.socket, 0o700, exist_ok=True)
        shutil.chown(self.socket, owner().pw_uid, owner().pw_gid)
        self.tools = run(["pg_config", "--bindir"]).strip()

    def start(self):
        is_new = not os.path.exists(os.path.join(self.cluster, "PG_VERSION"))
        if is_new:
            os.makedirs(self.cluster, 0o700)
            shutil.chown(self.cluster, owner().pw_uid, owner().pw_gid)
            run(as_owner([f"{self.tools}/initdb", "-D", self.cluster, "-U", "focusd", "--auth=trust", "--locale=C",
                          "--encoding=UTF8", "--data-checksums"]))
        run(as_owner([
            f"{self.tools}/pg_ctl", "start", "-w", "-t", "300", "-D", self.cluster, "-l", f"{self.cluster}/server.log",
            "-o", f"-c listen_addresses='' -c unix_socket_directories={self.socket}"]))
        deadline = time.time() + 300
        while self.sql("SELECT pg_is_in_recovery()", "postgres") != "f":
            require(time.time() < deadline, "PostgreSQL has not recovered after 300 s")
            time.sleep(0.5)
        if is_new:
            run(as_owner([f"{self.tools}/createdb", "-h", self.socket, "-U", "focusd", self.DATABASE]))
        self.serve()

    def archive(self, repository):
        path = os.path.join(self.cluster, "postgresql.conf")
        with open(path, "a") as file:
            file.write(self.settings(repository))

    def stop(self):
        super().stop()
        if os.path.exists(os.path.join(self.cluster, "postmaster.pid")):
            run(as_owner([f"{self.tools}/pg_ctl", "stop", "-w", "-m", "fast", "-D", self.cluster]))

    def source(self):
        return ["--database", self.conninfo()]

    def place_of_log(self):
        return ["--database", self.conninfo()]

    def conninfo(self):
        return f"host={self.socket} port={self.port} user=focusd dbname={self.DATABASE}"


KINDS = {"embedded": Embedded, "own": Own}
