"""Programs, run to their end or in the background, as us or as the user whom PostgreSQL runs as."""

import os
import pwd
import subprocess


class Failed(Exception):
    """Something is not as it must be; says what."""


def owner():
    """The user whom PostgreSQL runs as: it refuses root."""
    return pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def as_owner(command):
    if os.geteuid() != 0:
        return command
    who = owner()
    return ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--init-groups", "--", *command]


def run(command, input="", environment=None, code=0):
    """What it prints. It fails when the program ends with another code."""
    done = subprocess.run(
        command, input=input, capture_output=True, text=True, timeout=600, cwd="/",
        env={**os.environ, **(environment or {})})
    if done.returncode != code:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def require(condition, what):
    if not condition:
        raise Failed(what)
