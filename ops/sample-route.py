#!/usr/bin/env python3
"""Writes ops/sample-route.gpx: the run that `ops/run` imports. Nobody ran it: it is made here, from a fixed seed.

A loop of some 3.5 km around a lake, about one point a second. The errors are those of a receiver on a wrist: they drift
(each is mostly the one before), so neighbouring points are off in the same direction; altitude is worse than position.
There is a pause of a minute at a bench, and half a minute without reception under trees.
"""

import datetime
import math
import pathlib
import random

RANDOM = random.Random(20240509)
START = datetime.datetime(2024, 5, 9, 16, 30, 0, tzinfo=datetime.timezone.utc)
LATITUDE, LONGITUDE = 46.3640, 14.0920
METRES_NORTH = 111_149.0
METRES_EAST = 111_320.0 * math.cos(math.radians(LATITUDE))
LOOP = 3_500.0
PAUSE = range(520, 580)
NO_RECEPTION = range(800, 831)
# Metres of noise in position and altitude, and how much of an error stays from one second to the next.
NOISE, ALTITUDE_NOISE, STAYS = 2.2, 2.5, 0.996


def place(metres):
    """North, east and height of the path after so many metres, in metres from the start."""
    turn = 2 * math.pi * metres / LOOP
    radius = LOOP / (2 * math.pi) * (1 + 0.08 * math.sin(3 * turn) + 0.02 * math.sin(7 * turn + 1))
    height = 475 + 14 * (1 - math.cos(turn)) + 5 * math.sin(4 * turn)
    return radius * math.sin(turn), radius * (1 - math.cos(turn)), height


class Drift:
    """An error that changes slowly: a first-order Gauss-Markov process."""

    def __init__(self, metres):
        self.metres, self.value = metres, RANDOM.gauss(0, metres)

    def next(self):
        self.value = STAYS * self.value + math.sqrt(1 - STAYS**2) * RANDOM.gauss(0, self.metres)
        return self.value


def points():
    north_error, east_error, height_error = Drift(NOISE), Drift(NOISE), Drift(ALTITUDE_NOISE)
    metres, clock = 0.0, 0.0
    for second in range(1_260):
        errors = north_error.next(), east_error.next(), height_error.next()
        if second not in PAUSE:
            metres += 2.9 + 0.35 * math.sin(second / 47) + RANDOM.gauss(0, 0.08)
        clock += 1 + RANDOM.gauss(0, 0.004)
        if second in NO_RECEPTION:
            continue
        north, east, height = place(metres)
        yield (
            LATITUDE + (north + errors[0]) / METRES_NORTH,
            LONGITUDE + (east + errors[1]) / METRES_EAST,
            height + errors[2],
            START + datetime.timedelta(milliseconds=round(clock * 1_000)),
        )


def main():
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.1" creator="focus-sync ops/sample-route.py" xmlns="http://www.topografix.com/GPX/1/1">',
        "<trk><name>Around the lake</name><type>running</type><trkseg>",
    ]
    count = 0
    for latitude, longitude, height, moment in points():
        time = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        lines.append(
            f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>{height:.1f}</ele><time>{time}</time></trkpt>'
        )
        count += 1
    lines += ["</trkseg></trk>", "</gpx>", ""]
    target = pathlib.Path(__file__).with_name("sample-route.gpx")
    target.write_text("\n".join(lines))
    print(f"{count} points in {target}")


if __name__ == "__main__":
    main()
