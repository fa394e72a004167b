"""A user's phone and watch, whose stores outlive the log that they talk to."""

import json
import os

from .programs import require, run

USER = "11111111-1111-4111-8111-111111111111"
DEVICES = {"phone": "22222222-2222-4222-8222-222222222222", "watch": "33333333-3333-4333-8333-333333333333"}
SET_UP = [
    {"type": "app.registered", "app": "com.example.chat", "payload": {"name": "Chat", "build": 1}},
    {"type": "authorization.changed", "app": "com.example.chat",
     "payload": {"kind": "NOTIFICATIONS", "status": "AUTHORIZED"}},
]


def posted(name):
    return {"type": "notification.posted", "app": "com.example.chat",
            "payload": {"notificationId": name, "title": name, "body": "b"}}


class Devices:
    def __init__(self, binaries, place):
        self.binaries, self.place = binaries, place

    def run(self, log, name, command, *arguments, input=""):
        token = run([f"{self.binaries}/focusctl", "token", "--user", USER, "--device", DEVICES[name], "--system",
                     "--key", os.path.join(log.data, "token.key")]).strip()
        return run(
            [f"{self.binaries}/focusctl", command, "--plaintext", "--server", log.address, "--token", token,
             "--state", os.path.join(self.place, name), *arguments], input)

    def append(self, log, events):
        """The ids of the events, once each is acknowledged."""
        lines = self.run(
            log, "phone", "append", "--strict", input="".join(json.dumps(one) + "\n" for one in events))
        return [json.loads(line)["eventId"] for line in lines.splitlines()]

    def synchronize(self, log, name):
        """The version and the rows that the device has; fails unless the server's digests are theirs."""
        text = self.run(log, name, "sync", "--json", "--all")
        rows = [json.loads(line) for line in text.splitlines()]
        verified = [row["version"] for row in rows if row["change"] == "verified"]
        require(verified, f"the digests of the {name} were not compared")
        return verified[-1], sorted(json.dumps(row, sort_keys=True) for row in rows if row["change"] != "verified")

    def logged(self, log):
        """The events of the log, those of the server left out."""
        events = [json.loads(line) for line in log.focusctl("replay").splitlines()]
        return [event for event in events if event["deviceId"] in DEVICES.values()]
