"""A repository of pgBackRest, with the settings of ops/pgbackrest and places of our own."""

import json
import os
import shutil

from .logs import SETTINGS
from .programs import as_owner, owner, run


class Repository:
    def __init__(self, place):
        self.place = place
        self.file = os.path.join(place, "pgbackrest.conf")
        for name in ("", "repository", "log", "lock", "spool"):
            directory = os.path.join(place, name)
            os.makedirs(directory, 0o755, exist_ok=True)
            shutil.chown(directory, owner().pw_uid, owner().pw_gid)
        # A copy: PostgreSQL's user need not be able to enter the checkout.
        self.script = shutil.copy(os.path.join(SETTINGS, "backup"), place)

    def point_at(self, log):
        """Writes the settings for a log: the stanza's PostgreSQL is that one from now on."""
        with open(os.path.join(SETTINGS, "pgbackrest.conf")) as file:
            text = file.read()
        for old, new in (
                ("pg1-path=/var/lib/focusd/postgres", f"pg1-path={log.cluster}"),
                ("pg1-socket-path=/var/lib/focusd/socket", f"pg1-socket-path={log.socket}\npg1-port={log.port}"),
                ("pg1-database=focusd", f"pg1-database={log.DATABASE}"),
                ("repo1-path=/var/lib/pgbackrest", "\n".join([
                    f"repo1-path={self.place}/repository", f"log-path={self.place}/log",
                    f"lock-path={self.place}/lock", f"spool-path={self.place}/spool"]))):
            assert old in text, f"ops/pgbackrest/pgbackrest.conf has no {old}"
            text = text.replace(old, new)
        with open(self.file, "w") as file:
            file.write(text)

    def pgbackrest(self, *arguments):
        return run(as_owner(["pgbackrest", f"--config={self.file}", "--stanza=focus", *arguments]))

    def last_backup(self):
        """When the last backup was finished, in whole seconds since 1970."""
        return json.loads(self.pgbackrest("info", "--output=json"))[0]["backup"][-1]["timestamp"]["stop"]

    def back_up(self, kind, log, code=0):
        """ops/pgbackrest/backup: makes a backup, verifies it and records it."""
        return run(
            as_owner([self.script, kind, log.conninfo()]), code=code,
            environment={"PGBACKREST_CONFIG": self.file})

    def damage(self):
        """Changes a byte of the largest file of the first backup."""
        backup = os.path.join(self.place, "repository", "backup", "focus")
        paths = [os.path.join(place, name) for place, _, names in os.walk(backup) for name in names
                 if name.endswith(".zst")]
        path = max(paths, key=os.path.getsize)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))
