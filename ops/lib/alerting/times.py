"""What is shorter than in earnest, and which alerts nothing here provokes."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
RULES = os.path.join(ROOT, "ops", "prometheus", "rules.yml")
# Thresholds in seconds, as they are and as they are here.
TIMES = {
    "ProjectionStalled": ("> 300", "> 8"),
    "ProjectionLags": ("> 600", "> 4"),
    "StoreFiguresOld": ("> 600", "> 75"),
    "DueLate": ("> 60", "> 2"),
    # PostgreSQL is asked for its start once a minute, here too: two restarts do not fit into an hour's minute.
    "PostgresRestarting": ("[60s]", "[240s]"),
    # A tmpfs of 1 GB, and half a minute of growth.
    "DiskFillsUp": ("3 * 86400", "60"),
    # So many devices would take many processes; the share stays.
    "SlowConsumers": ("> 20", "> 2"),
}
UNPROVOKED = {
    "ClockApart": "two programs of one machine have one clock",
    "HandshakesWait": "a hundred handshakes that wait need more devices than this machine can play",
    "LanesFull": "64 MiB of appends, or 5,000 requests, need more devices than this machine can play",
    "CacheTooSmall": "needs tens of thousands of users",
    "SnapshotsInsteadOfDeltas": "needs fifty devices that were away for longer than the horizon",
    "InternalErrors": "means a fault of the program that is not known",
    "ProjectionLags": "PostgreSQL would have to be slower than the appends for long, and stay alive",
}
# Alerts that an overloaded machine fires in every server.
SPEED = {"AcknowledgementsSlow", "CommitsSlow"}
SCRAPE = 1


def shorter(rules):
    """The rules with the times of this run."""
    def scaled(text, by, least):
        number, unit = int(text[:-1]), {"s": 1, "m": 60, "h": 3_600, "d": 86_400}[text[-1]]
        return f"{max(least, number * unit // by)}s"
    rules = re.sub(r"(?m)^(\s+for: )(\w+)$", lambda m: m[1] + scaled(m[2], 120, 1), rules)
    rules = re.sub(r"\[(\w+)\]", lambda m: f"[{scaled(m[1], 60, 10)}]", rules)
    rules = re.sub(r"offset (\w+)", lambda m: f"offset {scaled(m[1], 60, 10)}", rules)
    for alert, (long, short) in TIMES.items():
        at = rules.index(f"- alert: {alert}\n")
        end = rules.index("        for:", at)
        assert long in rules[at:end], f"{alert} has another threshold now"
        rules = rules[:at] + rules[at:end].replace(long, short) + rules[end:]
    return rules
