"""Waiting, and connections that are not let in."""

import socket
import time

import device


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait(seconds, condition):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.2)
    return False


def await_frame(one, kind, seconds=30):
    if not wait(seconds, lambda: any(found == kind for found, _ in one.frames())):
        raise SystemExit(f"a device got no frame {kind}")


def refused(server, token):
    """A connection that is not let in."""
    with socket.create_connection(("127.0.0.1", server.ports[0])) as one:
        one.sendall(device.hello(token, 1))
        one.settimeout(5)
        one.recv(4096)
