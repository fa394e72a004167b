"""Lane fairness: acknowledgements of quiet devices beside one that asks for the dearest work there is (rule Q1)."""

import json
import subprocess
import sys

import lanes
from crowd import figure
from server import Server

KINDS = (
    "categories", "latePoints", "finishZigzag", "repeats", "badges", "titles", "held", "previews", "donations",
    "refusals", "resync", "speeds")
DEVICES = 20
# Events of all quiet devices together in a second, one a frame.
RATE = 200
GOAL = 1.5
# An attack that may append for a day in a minute is the harder one.
QUOTAS = ("--events-per-day", "100000000", "--bytes-per-day", "1024GiB")


def fairness(bench):
    found = []
    for kind in bench.options.attacks or KINDS:
        # A server of its own: what one attack leaves behind is none of the next one's business.
        server = Server(bench.server.binaries, bench.options.dir, options=QUOTAS)
        try:
            alone = lanes.Bench(server, bench.options)
            # Code is loaded, statements are planned.
            quiet(alone, 1)
            rounds = [one_round(alone, kind) for _ in range(bench.options.rounds)]
        finally:
            server.stop()
        found.append(judged(kind, rounds))
        print(f"  {kind}: {found[-1]['ratios']}", file=sys.stderr, flush=True)
    return found


def one_round(bench, kind):
    """Reports of the quiet devices beside the attack, and beside a process that works as its client does; and the attacker's."""
    server, seconds = bench.server, bench.options.seconds
    attack = subprocess.Popen(
        [
            f"{server.binaries}/focus-bench", "attack", "--server", server.address, "--plaintext",
            "--key", f"{server.data}/token.key", "--kind", kind, "--seconds", str(seconds + 3)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if attack.stdout.readline().strip() != "ready":
        raise SystemExit(f"the attack {kind} could not be prepared")
    bench.settle()
    attack.stdin.write("\n")
    attack.stdin.flush()
    beside_attack = quiet(bench, seconds)
    told, _ = attack.communicate()
    if attack.returncode:
        raise SystemExit(f"the attack {kind} failed with {attack.returncode}")
    told = json.loads(told)
    bench.settle()
    burner = subprocess.Popen([sys.executable, "-c", BURNER, *map(str, rhythm(told))])
    try:
        beside_work = quiet(bench, seconds)
    finally:
        burner.kill()
        burner.wait()
    return beside_attack, beside_work, told


def rhythm(told):
    """How long the attacker's client works for each message, and how often, in seconds. Work in long pieces delays others
    on the same processors more than as much work in short ones, whoever does it."""
    sent = max(1, told["sent"])
    return told["cpu_seconds"] / sent, told["seconds"] / sent


# Works for so long, once in each period.
BURNER = """
import sys, time
piece, period = map(float, sys.argv[1:])
while True:
    began, worked = time.perf_counter(), time.process_time()
    while time.process_time() - worked < piece: pass
    time.sleep(max(0, period - (time.perf_counter() - began)))
"""


def quiet(bench, seconds):
    return bench.generate("--devices", DEVICES, "--batch", 1, "--rate", RATE, "--seconds", seconds)


def judged(kind, rounds):
    attacks = [told for _, _, told in rounds]
    note = (
        f"{DEVICES} devices, {RATE} events/s; the attacker had {min(told['answers'] for told in attacks):,} answers "
        f"and used {sum(told['cpu_seconds'] / told['seconds'] for told in attacks) / len(attacks):.0%} of a processor, "
        f"{max(rhythm(told)[0] for told in attacks) * 1_000:.1f} ms at a time or less, as does the process that it is "
        "compared with")
    return figure(
        f"acknowledgements beside {kind}, p99", "ms", [ours["ack_p99_us"] / 1_000 for ours, _, _ in rounds],
        [theirs["ack_p99_us"] / 1_000 for _, theirs, _ in rounds], GOAL, True, note)


LANES = {"fairness": {"figures": fairness}}
