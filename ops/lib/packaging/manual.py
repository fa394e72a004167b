#!/usr/bin/env python3
"""Prints a manual page in man(7), made of what a program says of its commands and options.

  manual.py PROGRAM SECTION VERSION [--settings]

With `--settings` it is the page of focusd's settings file. SOURCE_DATE_EPOCH is its date.
"""

import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import helptext  # noqa: E402

SETTINGS = """\
The settings of focusd stand in a JSON object, in which “//” begins a comment. The package runs focusd with those in
/etc/focus-sync/focusd.conf. A flag is true or false; what may be given several times is a list.

An option counts before the environment, the environment before the file, the file before what is usual. In the
environment the setting tls-cert is FOCUSD_TLS_CERT. A name that is no setting is an error. To check a file, and show each
setting with where it is from:

  focusd config --config /etc/focus-sync/focusd.conf
"""

ALSO = {
    "focusd": [("focusd.conf", 5), ("focusctl", 1), ("focus-conformance", 1)],
    "focusd.conf": [("focusd", 8)],
    "focusctl": [("focusd", 8)],
    "focus-conformance": [("focusd", 8)],
}

FILES = {
    "focusd": [
        ("/etc/focus-sync/focusd.conf", "the settings with which the package runs it"),
        ("/var/lib/focusd", "the data directory of the package: PostgreSQL, its socket, and the keys"),
    ],
}


def escaped(text):
    """The text as a line of roff: none of it is an instruction."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraphs(text):
    """Lines that are indented stay as they are; all others are filled."""
    lines, out, is_example = text.splitlines(), [], False
    for line in lines:
        indented = line.startswith("  ")
        if indented != is_example and line.strip():
            out += [".PP", ".EX"] if indented else [".EE", ".PP"]
            is_example = indented
        if not line.strip():
            out += [""] if is_example else [".PP"]
        else:
            out.append(escaped(line if is_example else line.strip()))
    return out + ([".EE"] if is_example else [])


def synopsis(argument):
    """The names of an option and what it takes, or the argument."""
    value = "\\fI" + escaped(argument["valueName"]) + "\\fR"
    if argument["kind"] == "positional":
        return value
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    names = ", ".join("\\fB" + escaped(dashes[n["kind"]] + n["name"]) + "\\fR" for n in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def option(argument, head=None):
    out = [".TP", head or synopsis(argument), escaped(argument.get("abstract", ""))]
    values = argument.get("allValues") or []
    if values:
        out.append(escaped(f"One of: {', '.join(values)}."))
    if argument.get("defaultValue") is not None and argument["kind"] != "flag":
        out.append(escaped(f"Default: {argument['defaultValue']}."))
    return out


def usage(path, command):
    words = [f"\\fB{escaped(path)}\\fR"]
    if helptext.commands(command):
        words.append("\\fIcommand\\fR")
    arguments = helptext.arguments(command)
    if any(a["kind"] != "positional" for a in arguments):
        words.append("[\\fIoptions\\fR]")
    for a in arguments:
        if a["kind"] == "positional":
            word = synopsis(a) + ("..." if a.get("isRepeating") else "")
            words.append(f"[{word}]" if a.get("isOptional") else word)
    return " ".join(words)


def described(path, command, level):
    """A command and all its subcommands, each under a heading."""
    out = []
    if level > 0:
        out += [f".SS {escaped(path)}", escaped(command.get("abstract", "")), ".PP", usage(path, command)]
    for argument in helptext.arguments(command):
        out += option(argument)
    if command.get("discussion"):
        out += [".PP"] + paragraphs(command["discussion"])
    for sub in helptext.commands(command):
        out += described(f"{path} {sub['commandName']}", sub, level + 1)
    return out


def page(name, section, version, abstract, body):
    day = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    # Its first letter is small, as names of pages go, and no full stop ends it.
    summary = abstract[:1].lower() + abstract[1:].rstrip(".")
    # Names of options are not to be hyphenated.
    out = [f'.TH {escaped(name).upper()} {section} {day} "focus\\-sync {version}" "focus\\-sync"', ".nh"]
    out += [".SH NAME", f"{escaped(name)} \\- {escaped(summary)}", *body]
    if name in FILES:
        out += [".SH FILES"]
        for path, what in FILES[name]:
            out += [".TP", f"\\fI{escaped(path)}\\fR", escaped(what)]
    if name in ALSO:
        also = [f"\\fB{escaped(other)}\\fR({number})" for other, number in ALSO[name]]
        out += [".SH SEE ALSO", ",\n".join(also)]
    # A paragraph begins once, and not after a heading.
    print(re.sub(r"(\.S[HS] .*\n|\.PP\n)(?:\.PP\n)+", r"\1", "\n".join(out)))


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    program, section, version = sys.argv[1:4]
    command = helptext.of(program)
    if "--settings" in sys.argv:
        body = [".SH DESCRIPTION", *paragraphs(SETTINGS), ".SH SETTINGS"]
        for argument in helptext.arguments(helptext.subcommand(command, "serve")):
            if helptext.name(argument) != "config":
                body += option(argument, "\\fB" + escaped(helptext.name(argument)) + "\\fR")
        return page("focusd.conf", section, version, "settings of focusd", body)
    name = command["commandName"]
    heading = ".SH COMMANDS" if helptext.commands(command) else ".SH DESCRIPTION"
    body = [".SH SYNOPSIS", usage(name, command), heading, *described(name, command, 0)]
    page(name, section, version, command["abstract"], body)


main()
