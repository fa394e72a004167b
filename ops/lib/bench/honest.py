"""Devices that only want to work: they append at their pace, and keep account of what was acknowledged, and when."""

import itertools
import time

import device

# Frames without an answer that a device has on its way; what falls due beyond waits, and the wait counts.
WINDOW = 16


class Honest:
    """One session for good: it says so when it is lost, and does not come back."""

    def __init__(self, address, token, user, identifier):
        self.connection = device.Device(address, token)
        self.user, self.identifier = user, identifier
        # Ids of its events in their order, and how many of them are acknowledged.
        self.events, self.acknowledged = [], 0
        # When each of those on their way fell due.
        self.due = []
        self.refused = []
        self.lost = None
        self.texts = itertools.count()

    def register(self):
        self.append(device.registered())

    def append(self, envelopes, due=None):
        self.events += [dict(device.fields(envelope))[1] for envelope in envelopes]
        self.due += [due] * len(envelopes)
        self.connection.append(envelopes)

    @property
    def may_append(self):
        return not self.lost and len(self.due) < WINDOW

    def next(self):
        """Notifications that come and go, and a Focus that changes now and then."""
        number = next(self.texts)
        if number % 10 == 9:
            return device.focused(number % 20 == 9)
        # A name comes again: the list stays as long as it is.
        return device.posted(f"{self.identifier}-{number % 100}")

    def take(self, kind, message, now):
        """Seconds from due to acknowledged, of what this answers."""
        if kind != device.APPENDED:
            return []
        found = dict(device.fields(message))
        self.refused += [message for name, message in device.fields(message) if name == 3]
        count = found.get(1, 0) - self.acknowledged
        self.acknowledged += count
        answered, self.due = self.due[:count], self.due[count:]
        return [now - due for due in answered if due is not None]


class Crowd:
    """`count` devices, two of each user, `rate` events a second of all together, evenly."""

    def __init__(self, address, tokens, seed, count, rate):
        self.interval = count / rate
        self.devices = device.Devices()
        self.all = []
        users = device.identifiers(seed, "user", (count + 1) // 2)
        for index, identifier in enumerate(device.identifiers(seed, "device", count)):
            user = users[index // 2]
            honest = Honest(address, tokens.sign(user, identifier), user, identifier)
            self.devices.add(honest.connection, honest)
            self.all.append(honest)
        self.devices.wait([honest.connection for honest in self.all], device.WELCOME)
        for honest in self.all[::2]:
            honest.register()
        self.settle(30)

    def run(self, seconds, tick=lambda: None):
        """Latencies, in seconds, of what fell due within the time; `tick` is called about every second."""
        began = time.time()
        # Each has its own place in the interval.
        due = [began + self.interval * (index / len(self.all)) for index in range(len(self.all))]
        latencies, ticked = [], began
        while (now := time.time()) < began + seconds:
            for index, honest in enumerate(self.all):
                while due[index] <= now and honest.may_append:
                    self.attempt(honest, lambda: honest.append([honest.next()], due[index]))
                    due[index] += self.interval
            latencies += self.serve(max(0.0, min(0.05, min(due) - time.time())))
            if now - ticked >= 1:
                ticked = now
                tick()
        latencies += self.settle(30)
        return latencies

    def settle(self, seconds):
        """Until everything is answered, or has not been for so long."""
        deadline, latencies = time.time() + seconds, []
        while any(honest.due and not honest.lost for honest in self.all):
            if time.time() > deadline:
                for honest in self.all:
                    if honest.due and not honest.lost:
                        self.lose(honest, f"no answer within {seconds} s")
                break
            latencies += self.serve(0.2)
        return latencies

    def serve(self, timeout):
        latencies = []
        for key, _ in self.devices.selector.select(timeout):
            connection, honest = key.data
            frames = self.attempt(honest, connection.frames) or []
            now = time.time()
            for kind, message in frames:
                latencies += honest.take(kind, message, now)
        return latencies

    def attempt(self, honest, body):
        try:
            return body()
        except (SystemExit, OSError) as error:
            self.lose(honest, str(error))

    def lose(self, honest, why):
        honest.lost = why
        self.devices.selector.unregister(honest.connection.socket)

    def reach(self, versions, seconds=60):
        """How many devices do not hold their user's version, by text of the user's id, within the time."""
        deadline = time.time() + seconds
        while behind := sum(
                1 for honest in self.all
                if honest.lost or honest.connection.version < versions[str(honest.user)]):
            if time.time() > deadline:
                return behind
            self.serve(0.2)
        return 0

    def close(self):
        for honest in self.all:
            honest.connection.close()
        self.devices.selector.close()


def differences(honest, rows):
    """What is wrong with a device's `rows` of the log, (sequence, id of the event) by sequence: texts, none if right."""
    found = []
    if [sequence for sequence, _ in rows] != list(range(1, len(rows) + 1)):
        found.append("sequences are not 1, 2, 3, …")
    logged = [event for _, event in rows]
    if len(set(logged)) < len(logged):
        found.append(f"{len(logged) - len(set(logged))} events are doubled")
    if len(logged) < honest.acknowledged:
        found.append(f"{honest.acknowledged - len(logged)} acknowledged events are lost")
    if logged != honest.events[:len(logged)]:
        found.append("its events are others than it appended, or in another order")
    return found
