"""What devices do."""

import socket

import device

from .waits import await_frame, refused


class DeviceFaults:
    def DevicesShutOut(self):
        def knock():
            for _ in range(3):
                refused(self.devices, "no token")
        self.run.expect("DevicesShutOut", self.devices, while_=knock)

    def QuotasHit(self):
        phone = self.devices.device(self.user, self.phone)
        phone.append(device.registered())
        await_frame(phone, device.APPENDED)
        batch = []

        def ask():
            at = phone.sequence
            batch.extend(device.posted("n", 10) for _ in range(100 - len(batch)))
            try:
                phone.append(batch)
                await_frame(phone, device.APPENDED)
                batch.clear()
            except SystemExit:
                phone.sequence = at  # The quota is used up: the same events are sent again.
        self.run.expect("QuotasHit", self.devices, while_=ask)
        phone.close()

    def RefusalsJump(self):
        stranger = self.store.device(self.user, device.identifiers(3, "device", 1)[0])

        def post():
            stranger.append([device.envelope("notification.posted", device.data(1, "n") + device.data(4, "B"),
                                             app="com.example.unknown") for _ in range(5)])
            stranger.frames()
        # There must be an hour before, that is a minute and a quarter here.
        self.run.expect("RefusalsJump", self.store, seconds=240, while_=post)
        stranger.close()

    def SlowConsumers(self):
        user, names = device.identifiers(4, "user", 1)[0], device.identifiers(4, "device", 9)
        writer = self.store.device(user, names[8])
        writer.append(device.registered())
        await_frame(writer, device.APPENDED)
        deaf = []
        for name in names[:8]:
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            one.connect(("127.0.0.1", self.store.ports[0]))
            one.sendall(device.hello(self.store.tokens.sign(user, name), 1))
            deaf.append(one)
        for number in range(200):
            writer.append([device.posted(f"n{number}-{part}", 4_000) for part in range(5)])
            writer.frames()
        self.run.expect("SlowConsumers", self.store, seconds=150, while_=writer.frames)
        for one in [*deaf, writer]:
            one.close()

    def ConnectionsNearLimit(self):
        users, names = (device.identifiers(8, kind, 265) for kind in ("user", "device"))
        crowd = [device.Device(self.store.address, self.store.tokens.sign(user, name), 1)
                 for user, name in zip(users, names)]
        # Whoever does not answer its pings is sent away.
        self.run.expect("ConnectionsNearLimit", self.store, while_=lambda: [one.frames() for one in crowd])
        for one in crowd:
            one.close()
