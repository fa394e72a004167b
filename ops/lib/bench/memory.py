"""Lane memory: what a server still holds, some idle minutes after a hundred large users came and went."""

import sys
import time

import device
import fairness
import history
import lanes
from crash import memory
from crowd import figure
from server import Server

USERS = 100
# Notifications of each user, and bytes of a text: together 30 MB.
LISTED, TEXT = 10_000, 2_900
# Events in a frame, and frames without an answer.
BATCH, WINDOW = 100, 4
# Users who are there at a time.
TOGETHER = 4
# focusd's options; MiB above those of a server that has just started. The caches' bound is 1 GiB where none is given.
KINDS = (("", (), 1_331), (" with --cache 128MiB", ("--cache", "128MiB"), 205))


def large_users(bench):
    servers = []
    try:
        for name, options, goal in KINDS:
            server = Server(bench.server.binaries, bench.options.dir, options=(*fairness.QUOTAS, *options))
            alone = lanes.Bench(server, bench.options)
            servers.append((name, goal, alone, Visits(alone)))
        for name, _, alone, visits in servers:
            visits.append()
            # Users who left memory are loaded again for it: gigabytes.
            history.wait_for_projection(alone.server)
            visits.read()
            print(f"  focusd{name}: {visits.told()}", file=sys.stderr, flush=True)
        time.sleep(bench.options.idle)
        return [visits.figure(name, goal, bench.options.idle) for name, goal, _, visits in servers]
    finally:
        for _, _, alone, _ in servers:
            alone.server.stop()


class Visits:
    """A device of each user appends all that is to be listed; then another one gets it as a snapshot."""

    def __init__(self, bench):
        self.bench, self.pid = bench, bench.server.process.pid
        # Code is loaded, statements are planned.
        fairness.quiet(bench, 1)
        time.sleep(2)
        self.start = self.resident()
        self.tokens = device.Tokens(f"{bench.server.data}/token.key")
        bench.seed += 1
        self.users = device.identifiers(bench.seed, "large", USERS)

    def resident(self):
        return memory(self.pid, "VmRSS") / 1_024

    def told(self):
        return (
            f"{self.start:,.0f} MiB at the start, {self.resident():,.0f} when the last user has gone, at most "
            f"{memory(self.pid, 'VmHWM') / 1_024:,.0f}")

    def device(self, user, number):
        identifier = device.identifiers(f"{self.bench.seed}-{number}", str(user), 1)[0]
        return device.Device(self.bench.server.address, self.tokens.sign(user, identifier))

    def append(self):
        for first in range(0, USERS, TOGETHER):
            devices, some = device.Devices(), []
            for user in self.users[first:first + TOGETHER]:
                some.append(self.device(user, 1))
                devices.add(some[-1], some[-1])
            devices.wait(some, device.WELCOME)
            left = {id(one): frames() for one in some}
            unanswered = {id(one): 0 for one in some}
            while left or any(unanswered.values()):
                for one in some:
                    while id(one) in left and unanswered[id(one)] < WINDOW:
                        envelopes = next(left[id(one)], None)
                        if envelopes is None:
                            del left[id(one)]
                            break
                        one.append(envelopes)
                        unanswered[id(one)] += 1
                for one, _, kind, message in devices.turn(1):
                    if kind == device.APPENDED:
                        if any(name == 3 for name, _ in device.fields(message)):
                            raise SystemExit("an event of a large user was refused")
                        unanswered[id(one)] -= 1
            # Every row has come back to the device that made it.
            devices.bring(some, LISTED, 120)
            devices.close()

    def read(self):
        for first in range(0, USERS, TOGETHER):
            devices, some = device.Devices(), []
            for user in self.users[first:first + TOGETHER]:
                some.append(self.device(user, 2))
                devices.add(some[-1], some[-1])
            devices.wait(some, device.SNAPSHOT_END, 120)
            devices.close()

    def figure(self, name, goal, idle):
        end = self.resident()
        note = (
            f"{self.start:,.0f} MiB at the start, {end:,.0f} {idle} s after {USERS} users of 30 MB had come twice, at most "
            f"{memory(self.pid, 'VmHWM') / 1_024:,.0f} in between")
        return figure(f"memory above the start{name}", "MiB", [end - self.start], [], goal, True, note)


def frames():
    """Envelopes of the app, and of its notifications."""
    yield device.registered()
    for first in range(0, LISTED, BATCH):
        yield [device.posted(f"n{number}", size=TEXT) for number in range(first, first + BATCH)]


LANES = {"memory": {"figures": large_users}}
