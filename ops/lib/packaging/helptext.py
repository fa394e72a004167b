"""What a program says of its commands and options (`--experimental-dump-help`), for all that is made of it."""

import json
import subprocess


def of(program):
    """The command of a program, with its subcommands, as ArgumentParser tells it."""
    text = subprocess.run(
        [program, "--experimental-dump-help"], check=True, capture_output=True, text=True, timeout=60).stdout
    return json.loads(text)["command"]


def commands(command):
    """The subcommands that help shows."""
    return [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]


def subcommand(command, name):
    return next(c for c in commands(command) if c["commandName"] == name)


def arguments(command):
    """What a command takes, without what all commands take."""
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    return [a for a in shown if name(a) not in ("help", "version")]


def name(argument):
    """The long name, or what stands for the value of an argument without a name."""
    names = argument.get("names") or []
    return next((n["name"] for n in names if n["kind"] == "long"), argument["valueName"])
