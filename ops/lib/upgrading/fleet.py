"""Devices that append all the time to two servers of one log, and measure how long nothing is acknowledged.

Run by ops/lib/upgrade, in the environment of Schema/clients/python, with a JSON file: addresses of the servers, the
file with the secret of tokens, how many users, seconds between a device's events, and a file for acknowledged events.
A command a line on standard input, each answered by a line of JSON:

    start        devices connect; phones first, so that their apps are registered
    mark         what was acknowledged and how long nothing was since the last mark
    rest         nothing more is appended; answers when everything is acknowledged
    agree N      every device connects to server N anew, and tells at which version the digests were the same
    go           appends again
    spread       half of the devices connect to each server
    end          ends
"""

import json
import os
import sys
import threading
import time

import device
from upgrading.life import Chat, Newcomer, Phone, Watch
from upgrading.member import Member, Visitor, Visitors

LONG = 0.25  # Seconds: a longer time without acknowledgements is told with what the device had to wait for.


class Fleet:
    def __init__(self, settings):
        self.addresses, self.interval = settings["addresses"], settings["interval"]
        self.is_over, self.is_appending, self.begin_of_appends = False, False, 0.0
        self.lock = threading.Lock()
        self.output = open(settings["acknowledged"], "w")
        self.failures, self.differing, self.snapshots = [], [], 0
        self.begin_period()
        tokens = device.Tokens(settings["key"])
        place = os.path.join(os.path.dirname(settings["acknowledged"]), "devices")
        users = device.identifiers(7, "user", settings["users"])
        self.members = []
        self.visitors = Visitors(self, lambda number: Visitor(
            self, f"newcomer {number}", tokens.sign(*device.identifiers(8, f"newcomer {number}", 2)), "phone",
            os.path.join(place, f"newcomer-{number}"), number % 2, Newcomer()))
        for index, user in enumerate(users):
            kinds = [("phone", "system", Phone), ("watch", "system", Watch)]
            if index % 3 == 0:
                kinds.append(("phone", "app:com.example.chat", Chat))
            for number, (kind, scope, life) in enumerate(kinds):
                # An app runs on its user's phone.
                one = device.identifiers(7, f"{user}:{kind}", 1)[0]
                name = f"{'app' if scope != 'system' else kind} of user {index}"
                self.members.append(Member(
                    self, name, tokens.sign(user, one, scope), kind, os.path.join(place, f"{index}-{number}"),
                    (index + number) % 2, life()))

    def begin_period(self):
        self.count, self.refused, self.gaps, self.silence = 0, 0, [], 0.0
        self.begin = self.last = time.monotonic()

    def fail(self, text):
        with self.lock:
            if len(self.failures) < 100:
                self.failures.append(text)

    def differs(self, member, collections, example):
        with self.lock:
            self.differing.append({
                "device": member.name, "server": member.server, "collections": collections, "example": example})

    def acknowledged(self, member, now, events):
        with self.lock:
            for event in events:
                self.output.write(json.dumps([member.name, *event]) + "\n")
            self.count += len(events)
            self.refused += sum(bool(code) for *_, code in events)
            self.silence, self.last = max(self.silence, now - self.last), now
            self.gap(member, now)

    def gap(self, member, now):
        """The time since the device's last acknowledgement, or since it was to append again."""
        seconds = now - max(member.last_answer, self.begin_of_appends)
        if self.is_appending and seconds > LONG:
            self.gaps.append({
                "device": member.name, "seconds": round(seconds, 3), "asked": round(member.waited, 3),
                "heard": member.codes[:5]})

    def start(self):
        self.go()
        phones = [one for one in self.members if one.name.startswith("phone")]
        for group in (phones, [one for one in self.members if one not in phones]):
            for one in group:
                one.start()
            self.wait("to append", lambda: all(one.last_answer for one in group))
        self.visitors.start()
        with self.lock:
            self.begin_of_appends = time.monotonic()
            self.begin_period()
        return {"devices": len(self.members)}

    def go(self):
        with self.lock:
            self.begin_of_appends, self.is_appending = time.monotonic(), True
            self.begin_period()
        return {}

    def mark(self):
        with self.lock:
            now = time.monotonic()
            for one in self.members:
                if self.is_appending and now - max(one.last_answer, self.begin_of_appends) > LONG:
                    self.gap(one, now)
            told = {
                "acknowledged": self.count, "refused": self.refused, "seconds": round(now - self.begin, 1),
                "silence": round(max(self.silence, now - self.last if self.is_appending else 0), 3),
                "gaps": sorted(self.gaps, key=lambda gap: gap["asked"] - gap["seconds"]), "failures": self.failures,
                "differing": self.differing, "snapshots": self.snapshots}
            self.failures, self.differing, self.snapshots = [], [], 0
            self.begin_period()
            return told

    def rest(self):
        told = self.mark()
        self.is_appending = False
        self.wait(
            "to be answered", lambda: self.visitors.is_idle and not any(one.store.queue for one in self.members))
        self.output.flush()
        return told

    def agree(self, server):
        for one in self.members:
            one.connect_to(server)
        self.wait("for a checkpoint that agrees", lambda: all(one.checkpoints for one in self.members))
        return {one.name: one.version for one in self.members}

    def spread(self):
        for index, one in enumerate(self.members):
            if one.server != index % 2:
                one.connect_to(index % 2)
        self.wait("to change servers", lambda: all(one.wanted is None for one in self.members))
        return self.mark()

    def wait(self, what, is_done, seconds=60):
        deadline = time.monotonic() + seconds
        while not is_done():
            if time.monotonic() > deadline:
                self.fail(f"devices wait {what} for more than {seconds} s")
                return
            time.sleep(0.02)

    def end(self):
        self.is_over = True
        for one in self.members:
            one.join(10)
        self.output.close()
        return {"failures": self.failures}


def main():
    with open(sys.argv[1]) as file:
        fleet = Fleet(json.load(file))
    for line in sys.stdin:
        command, *arguments = line.split()
        print(json.dumps(getattr(fleet, command)(*map(int, arguments))), flush=True)
        if command == "end":
            return


main()
