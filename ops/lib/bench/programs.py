"""The programs that are measured: where they are, and what they were built from."""

import hashlib
import os

import report

NAMES = ("focusd", "focusctl", "focus-bench")


class Missing(Exception):
    """There are no programs; says what to do."""


class Programs:
    def __init__(self, binaries):
        self.binaries = os.path.abspath(binaries)

    def facts(self):
        return {"binaries": self.binaries, "commit": report.commit(self.binaries) or "?", "focusd": self.digest()}

    def digest(self):
        """The beginning of focusd's SHA-256: equal ones are the same program."""
        with open(f"{self.binaries}/focusd", "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def find(directory):
    """The release build of a checkout, or a directory of programs."""
    if not os.path.isdir(directory):
        raise Missing(f"there is no directory {directory}")
    for place in (directory, os.path.join(directory, ".build", "release")):
        if all(os.access(os.path.join(place, name), os.X_OK) for name in NAMES):
            return Programs(place)
    if os.path.exists(os.path.join(directory, "Package.swift")):
        builds = " && ".join(f"swift build -c release --product {name}" for name in NAMES)
        raise Missing(f"{directory} has no release build; make one: (cd {directory} && {builds})")
    raise Missing(f"{directory} is no checkout and holds no {', '.join(NAMES)}")
