"""What happens to processes, files and settings."""

import fcntl
import os
import signal
import subprocess
import time

from .waits import refused, wait


class MachineFaults:
    def CertificateEndsSoon(self):
        self.run.expect("CertificateEndsSoon", self.ending)

    def CertificateEnds(self):
        self.run.expect("CertificateEnds", self.ending)

    def DurabilityWeak(self):
        self.run.expect("DurabilityWeak", self.store)

    def DiskAlmostFull(self):
        if not self.disk:
            return self.run.failures.append("DiskAlmostFull needs a small file system (mount, as root)")
        left = os.statvfs(self.disk)
        with open(os.path.join(self.disk, "filler"), "wb") as file:
            blocks = left.f_bavail - left.f_blocks * 0.03
            os.posix_fallocate(file.fileno(), 0, int(blocks * left.f_frsize))
        self.run.expect("DiskAlmostFull", self.ending)
        os.remove(os.path.join(self.disk, "filler"))

    def DiskFillsUp(self):
        if not self.disk:
            return self.run.failures.append("DiskFillsUp needs a small file system (mount, as root)")
        file = open(os.path.join(self.disk, "filler"), "wb")
        left = os.statvfs(self.disk)
        os.posix_fallocate(file.fileno(), 0, int(left.f_bavail * left.f_frsize - left.f_blocks * left.f_frsize * 0.45))
        file.seek(0, os.SEEK_END)

        def grow():
            file.write(bytes(1 << 20))
            file.flush()
        self.run.expect("DiskFillsUp", self.ending, while_=grow)
        file.close()
        os.remove(file.name)

    def BackupMissing(self):
        self.run.expect("BackupMissing", self.store, seconds=400)

    def BackupTooOld(self):
        self.store.sql(
            "INSERT INTO backups (tool, began_at, finished_at) "
            "VALUES ('test', now() - interval '2 days', now() - interval '2 days');")
        self.run.expect("BackupTooOld", self.store, seconds=200)

    def NotPrimary(self):
        """A standby that never comes; then nobody waits for it any more."""
        self.store.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'; SELECT pg_reload_conf();")
        self.run.expect("PostgresNotPrimary", self.store)
        self.store.sql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf();")
        self.run.expect("StandbyNoLongerAwaited", self.store)

    def PostgresDown(self):
        """Its embedded PostgreSQL stands still, as with a disk that does not answer."""
        with open(f"{self.devices.data}/postgres/postmaster.pid") as lines:
            postmaster = int(lines.readline())
        children = [int(pid) for pid in subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(postmaster)], stdout=subprocess.PIPE, text=True).stdout.split()]
        for pid in [postmaster, *children]:
            os.kill(pid, signal.SIGSTOP)
        self.run.expect("PostgresDown", self.devices)
        for pid in [*children, postmaster]:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def PostgresRestarting(self):
        """Twice, with a minute between, in which it is asked for its start."""
        def killed():
            with open(f"{self.ending.data}/postgres/postmaster.pid") as lines:
                os.kill(int(lines.readline()), signal.SIGKILL)
        starts = 'changes(focus_postgres_start_time_seconds{instance="ending"}[10m])'
        killed()
        wait(90, lambda: [value for _, value in self.run.ask(starts)] == [1])
        killed()
        self.run.expect("PostgresRestarting", self.ending, seconds=150)

    def FocusdRestarting(self):
        for _ in range(3):
            self.devices.kill()
            time.sleep(1)
            self.devices.start()
            time.sleep(3)
        self.run.expect("FocusdRestarting", self.devices)

    def LogLinesLost(self):
        """Nobody reads its log, which goes into a small pipe."""
        reading, writing = os.pipe()
        self.devices.kill()
        self.devices.start(errors=writing)
        os.close(writing)
        fcntl.fcntl(reading, 1031, 4_096)  # F_SETPIPE_SZ

        def knock():
            for _ in range(20):
                refused(self.devices, "no token")
        self.run.expect("LogLinesLost", self.devices, while_=knock)
        os.close(reading)

    def FocusdDown(self):
        self.devices.kill()
        self.run.expect("FocusdDown", self.devices)
