"""All faults, and the servers that they are done to."""

import os
import subprocess

import device

from .device_faults import DeviceFaults
from .load import Load
from .log_faults import LogFaults
from .machine_faults import MachineFaults

# In an order in which what takes long goes on while others are fired.
ORDER = [
    "CertificateEndsSoon", "CertificateEnds", "DurabilityWeak", "DiskAlmostFull", "DiskFillsUp", "DevicesShutOut",
    "QuotasHit", "ReadModelDiffers", "NotReady", "ProjectionStalled", "SlowCommits", "DueLate", "AppendsFail",
    "SlowConsumers", "RefusalsJump",
    "RebuildAbandoned", "BackupMissing", "BackupTooOld", "NotPrimary", "Quarantine", "StoreFiguresOld",
    "ConnectionsNearLimit", "PostgresDown", "PostgresRestarting", "FocusdRestarting", "LogLinesLost", "FocusdDown",
]


class Faults(DeviceFaults, LogFaults, MachineFaults):
    """One method for each alert that is provoked. A server that a fault changes is not the one of another fault, unless
    the first has healed it."""

    def __init__(self, run):
        self.run = run
        slow = ("--log-level", "warning")
        self.ordinary = run.focusd("ordinary", options=slow)
        # As an operator has one: a backup, and a day to go.
        self.ordinary.sql("INSERT INTO backups (tool, began_at) VALUES ('test', now());")
        unsafe = "fsync = off\nfull_page_writes = off\n"
        # Every descriptor beyond the 128 in reserve is a connection's: 272.
        self.store = run.focusd("store", settings=unsafe, files=400, options=("--verify-interval", "0.02", *slow))
        self.devices = run.focusd(
            "devices", settings=unsafe, options=("--events-per-day", "1000", "--log-level", "info"))
        certificate, key = (os.path.join(run.place, name) for name in ("certificate.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
             "/CN=localhost", "-days", "1", "-out", certificate, "-keyout", key], check=True, stderr=subprocess.DEVNULL)
        self.disk = small_disk(run)
        self.ending = run.focusd(
            "ending", settings=unsafe, security=("--tls-cert", certificate, "--tls-key", key), options=slow,
            data=self.disk)
        run.watch()
        self.load = Load(self.ordinary)
        self.user, self.phone = (device.identifiers(2, kind, 1)[0] for kind in ("user", "device"))


def small_disk(run):
    """A file system of its own, as only root can make one; None for others."""
    place = os.path.join(run.place, "disk")
    os.makedirs(place)
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1g,mode=0755", "tmpfs", place], stderr=subprocess.DEVNULL).returncode:
        return None
    run.mounted = place
    return place
