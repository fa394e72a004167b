#!/usr/bin/env python3
"""Prints the settings file of the package, made of what `focusd serve` says of its options.

  settings.py FOCUSD

Each setting stands there with its help; those that are not as usual in the package are set, all others are commented
out, with what is usual or with an example.
"""

import json
import os
import sys
import textwrap

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import helptext  # noqa: E402

# What a server needs that was just installed: it serves loopback until it has a certificate.
SET = {"data-dir": "/var/lib/focusd", "plaintext": True, "admin": "127.0.0.1:9464"}

# For settings that have no usual value which could be written down.
EXAMPLES = {
    "database": "postgres://focusd@db.example.com/focus",
    "direct-database": "postgres://focusd@db.example.com/focus",
    "tls-cert": "/etc/focus-sync/chain.pem",
    "tls-key": "/etc/focus-sync/key.pem",
    "token-key": "/var/lib/focusd/token.key",
    "token-issuer": "https://id.example.com",
    "token-audience": "focus",
    "receipt-key": "/var/lib/focusd/receipt.key",
    "admin-host": ["focus.example.com"],
    "connections": 20000,
    "trusted-proxy": ["10.0.0.0/8"],
}

HEAD = """\
// Settings of focusd (focusd.conf(5)): a JSON object, in which “//” begins a comment.
//
// Each stands here with what is usual, or with an example. To check them, and to take them up:
//   focusd config --config /etc/focus-sync/focusd.conf
//   systemctl restart focusd
//
// Devices on other machines need a certificate: give “listen”, “tls-cert” and “tls-key”, which the group focusd can
// read, and take “plaintext” away.
"""


def value(argument):
    """What stands behind the name, as JSON."""
    name = helptext.name(argument)
    if name in SET:
        return json.dumps(SET[name])
    if argument["kind"] == "flag":
        return "false"
    usual = argument.get("defaultValue")
    if usual is None:
        if name not in EXAMPLES:
            sys.exit(f"settings.py: --{name} has no usual value; give it an example")
        return json.dumps(EXAMPLES[name])
    try:
        return json.dumps(json.loads(usual))
    except ValueError:
        return json.dumps(usual)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    serve = helptext.subcommand(helptext.of(sys.argv[1]), "serve")
    settings = [a for a in helptext.arguments(serve) if helptext.name(a) != "config"]
    unknown = (set(SET) | set(EXAMPLES)) - {helptext.name(a) for a in settings}
    if unknown:
        sys.exit(f"settings.py: focusd has no settings {', '.join(sorted(unknown))}")
    pieces = []
    for argument in settings:
        name = helptext.name(argument)
        lines = textwrap.wrap(argument["abstract"], 110, break_on_hyphens=False, break_long_words=False)
        mark = "" if name in SET else "// "
        lines = [f"  // {line}" for line in lines] + [f'  {mark}"{name}": {value(argument)},']
        pieces.append("\n".join(lines))
    print(HEAD + "{\n" + "\n\n".join(pieces) + "\n}")


main()
