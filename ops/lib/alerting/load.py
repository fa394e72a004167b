"""Devices that a server without faults serves."""

import threading

import device


class Load(threading.Thread):
    """A few devices that append five times a second, on one server."""

    def __init__(self, server):
        super().__init__(daemon=True)
        users, names = (device.identifiers(1, kind, 3) for kind in ("user", "device"))
        self.devices = [server.device(user, name) for user, name in zip(users, names)]
        for one in self.devices:
            one.append(device.registered())
        self.is_over = threading.Event()
        self.turns = 0
        self.start()

    def run(self):
        while not self.is_over.wait(0.2):
            self.turns += 1
            self.devices[self.turns % 3].append([device.posted(f"n{self.turns % 50}")])
            for one in self.devices:
                one.frames()
