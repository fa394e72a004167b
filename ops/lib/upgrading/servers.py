"""Two servers on one log, each of the old program or of the new one, on a PostgreSQL of our own."""

import json
import os
import re
import signal
import socket
import subprocess
import time

from recovery.logs import Own
from recovery.programs import Failed, require, run


class SharedLog(Own):
    """The PostgreSQL alone; servers are `Server`."""

    def serve(self):
        pass

    def focusctl(self, program, *arguments, code=0):
        return run([f"{program}/focusctl", *arguments, *self.place_of_log()], code=code)


class Server:
    def __init__(self, name, log, place, key):
        self.name, self.log, self.key = name, log, key
        self.journal = os.path.join(place, f"{name}.log")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.process = self.program = None

    def command(self, program):
        return [f"{program}/focusd", "serve", "--plaintext", "--listen", self.address, "--token-key", self.key,
                *self.log.source()]

    def start(self, program):
        """Seconds until it lets devices in."""
        begin, self.program = time.time(), program
        with open(self.journal, "ab") as journal:
            self.process = subprocess.Popen(
                self.command(program), stdout=subprocess.PIPE, stderr=journal, text=True)
        line = self.process.stdout.readline()
        if not re.match("focusd ready ", line):
            self.process.wait()
            raise Failed(f"{self.name} of {program} did not start: {line}{self.told()[-3000:]}")
        return time.time() - begin

    def stop(self):
        """SIGTERM; seconds until it has ended, by itself and in order (rule G1)."""
        begin = time.time()
        if not self.process or self.process.poll() is not None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed(f"{self.name} has not ended 30 s after SIGTERM")
        require(code == 0, f"{self.name} ended with {code} after SIGTERM")
        return time.time() - begin

    def refuses(self, program):
        """What a program says that does not start, and its exit code."""
        done = subprocess.run(self.command(program), capture_output=True, text=True, timeout=60)
        return done.returncode, (done.stdout + done.stderr).strip()

    def told(self):
        with open(self.journal) as file:
            return file.read()


class Fleet:
    """The devices, in a process of their own (fleet.py)."""

    def __init__(self, root, place, settings):
        client = os.path.join(root, "Schema", "clients", "python")
        run([os.path.join(client, "focus-client"), "--prepare"])
        built = os.path.join(root, ".build", "python-client")
        here = os.path.dirname(os.path.abspath(__file__))
        paths = [os.path.join(built, "messages"), client, os.path.join(here, "..", "bench"), os.path.dirname(here)]
        self.acknowledged = settings["acknowledged"] = os.path.join(place, "acknowledged")
        file = os.path.join(place, "fleet.json")
        with open(file, "w") as out:
            json.dump(settings, out)
        self.process = subprocess.Popen(
            [os.path.join(built, "venv", "bin", "python"), os.path.join(here, "fleet.py"), file],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"})

    def ask(self, *command):
        self.process.stdin.write(" ".join(map(str, command)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        require(line, "the devices ended")
        return json.loads(line)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
