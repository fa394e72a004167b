"""Lane route: the fold of a recorded route against one pass of GeographicLib (C++) over the same points."""

import json
import os
import subprocess

from lanes import run

POINTS = 10_000
REPEAT = 200


def fold(bench):
    yardstick = compile_yardstick(bench.server.directory)
    places = f"{bench.server.directory}/places"
    rounds = []
    # Once for the file, and for the processor to wake up.
    ours_once(bench, places), theirs_once(yardstick, places)
    for _ in range(bench.options.rounds):
        ours = bench.measured(lambda: ours_once(bench, places))
        theirs = bench.measured(lambda: theirs_once(yardstick, places))
        error = abs(ours["distance_m"] / theirs["distance_m"] - 1)
        if error > 1e-6:
            raise SystemExit(f"{ours['distance_m']} m against {theirs['distance_m']} m: rule R5 allows 1e-6")
        rounds.append((ours, theirs))
    return rounds


def compile_yardstick(directory):
    program = f"{directory}/geographiclib"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "geographiclib.cpp")
    command = ["g++", "-O2", "-o", program, source, "-lGeographicLib"]
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise SystemExit("g++ is not on the PATH (Debian: apt install g++ libgeographiclib-dev)")
    if done.returncode:
        raise SystemExit(f"{done.stderr}\nThe lane route needs GeographicLib (Debian: apt install g++ libgeographiclib-dev)")
    return program


def ours_once(bench, places):
    return timed(run([
        f"{bench.server.binaries}/focus-bench", "route", "--points", str(POINTS), "--repeat", str(REPEAT), "--out",
        places, "--json"]))


def theirs_once(yardstick, places):
    return timed(run([yardstick, places, str(REPEAT)]))


def timed(output):
    report = json.loads(output)
    report["rows"], report["rate"] = report["points"], report["points"] / report["seconds"]
    # The client's processor time is what the fold took, not what came before it: both sides are one thread.
    return report


LANES = {
    "route": {
        "ours": "10,000 points in events of 1,000 through the whole fold: distance, splits, elevation, the row after each "
        "event (`focus-bench route`, one thread)",
        "against": "one pass of GeographicLib (C++, `Geodesic::Inverse`, Debian's libgeographiclib) over the same points: "
        "distance alone",
        "goal": 5, "rounds": fold,
    },
}
