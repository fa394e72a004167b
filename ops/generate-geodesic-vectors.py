#!/usr/bin/env python3
"""Writes Tests/FocusCoreTests/Geodesy/GeodesicVectors.swift: pairs of places and their distance by GeographicLib.

Needs the PyPI package `geographiclib` (Karney's own Python port; the vectors kept here are of version 2.1):

    python3 -m venv /tmp/vectors && /tmp/vectors/bin/pip install geographiclib
    /tmp/vectors/bin/python ops/generate-geodesic-vectors.py

The random numbers are seeded: it writes the same file again.
"""

import math
import pathlib
import random

from geographiclib.geodesic import Geodesic

EARTH = Geodesic.WGS84
RANDOM = random.Random(20130107)
TARGET = pathlib.Path(__file__).parent.parent / "Tests/FocusCoreTests/Geodesy/GeodesicVectors.swift"


def anywhere():
    """Uniform on the sphere, with digits as devices send them."""
    return round(math.degrees(math.asin(RANDOM.uniform(-1, 1))), 9), round(RANDOM.uniform(-180, 180), 9)


def beside(latitude, longitude, metres):
    """A place some metres away in any direction."""
    there = EARTH.Direct(latitude, longitude, RANDOM.uniform(-180, 180), metres)
    return there["lat2"], max(-180.0, min(180.0, there["lon2"]))


def around(places, lengths, count):
    """Lines of every length from places of one kind."""
    for metres in lengths:
        for _ in range(count):
            here = places()
            yield here + beside(*here, metres)


def lines():
    """(lat1, lon1, lat2, lon2) of every kind there is."""
    every = [10.0**k for k in range(-3, 5)]
    # Either side of where the closed formula for short lines ends, and beyond.
    every += [300.0, 19_000.0, 19_999.0, 20_001.0, 21_000.0, 1e5, 1e6, 5e6, 1e7, 1.5e7, 1.9e7]
    yield from around(anywhere, every, 6)
    near_pole = lambda: (RANDOM.choice([-1, 1]) * (90 - 10 ** RANDOM.uniform(-8, -1)), RANDOM.uniform(-180, 180))
    yield from around(near_pole, [0.001, 1.0, 100.0, 10_000.0, 1e6], 4)
    date_line = lambda: (RANDOM.uniform(-80, 80), RANDOM.choice([-1, 1]) * (180 - 10 ** RANDOM.uniform(-9, -3)))
    yield from around(date_line, [0.001, 1.0, 100.0, 10_000.0, 1e6], 4)
    equator = lambda: (RANDOM.uniform(-1e-6, 1e-6), RANDOM.uniform(-180, 180))
    yield from around(equator, [0.001, 1.0, 1_000.0, 1e7], 3)
    # Nearly opposite: where Vincenty's iteration does not end.
    for offset in [0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.5, 0.6, 1.0]:
        for _ in range(8):
            latitude, longitude = anywhere()
            opposite = longitude - 180 if longitude > 0 else longitude + 180
            there = opposite + RANDOM.uniform(-1, 1) * offset
            yield latitude, longitude, -latitude + RANDOM.uniform(-1, 1) * offset, max(-180.0, min(180.0, there))
    yield from [
        (0, 0, 0, 180), (0, 0, 0, 179), (0, 0, 0, 179.5), (0, 0, 0.5, 179.5), (0, 0, 0, 179.3967),
        (30, 0, -30, 180), (30, 0, -30, 179.999999), (30, 0, -29.9, 179.8), (89.9, 10, -89.9, -170),
        (90, 0, -90, 0), (90, 0, 90, 123), (-90, 5, -90, 5), (90, 0, 89.999999, 77), (0, -180, 0, 180),
        (45, 180, 45, -180), (45, 179.999999, 45, -179.999999), (0, 0, 0, 0), (46, 14, 46, 14), (0, 0, 1, 0),
        (0, 0, 0, 1), (0, 10, 0, -10), (-33, 151, 51, 0), (1e-300, 0, 0, 1e-300), (0, 0, 0, 1e-8),
    ]


def main():
    rows = []
    for lat1, lon1, lat2, lon2 in lines():
        lat2 = max(-90.0, min(90.0, lat2))
        metres = EARTH.Inverse(lat1, lon1, lat2, lon2)["s12"]
        rows.append(" ".join(repr(float(value)) for value in (lat1, lon1, lat2, lon2, metres)))
    TARGET.write_text(
        "/// Written by ops/generate-geodesic-vectors.py: latitude and longitude of two places in degrees, and the "
        "metres\n/// between them by GeographicLib. Text, because the compiler takes minutes over as many literals.\n"
        'let geodesicVectors = """\n    ' + "\n    ".join(rows) + '\n    """\n'
    )
    print(f"{len(rows)} vectors in {TARGET}")


if __name__ == "__main__":
    main()
