"""Processor time of processes that are not ours to wait for, from /proc (proc(5))."""

import os

TICK = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """utime, stime, cutime, cstime, parent; None when the process is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return [int(fields[index]) for index in (11, 12, 13, 14)], int(fields[1])


def children(parent):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = _stat(name)
            if stat and stat[1] == parent:
                found.append(int(name))
    return found


def of_process(pid):
    """Seconds."""
    return sum(parts_of_process(pid))


def parts_of_process(pid):
    """Seconds in the program, and in the kernel for it."""
    stat = _stat(pid)
    return [ticks / TICK for ticks in stat[0][:2]] if stat else [0.0, 0.0]


def of_tree(pid):
    """Seconds of a process and all its descendants, also of those that have ended: a postmaster and its backends."""
    while True:
        ended = _of_ended(pid)
        seconds = _of_living_tree(pid)
        # A child that ends between the looks at it and at its parent is seen in neither, or in both.
        if _of_ended(pid) == ended:
            return seconds


def _of_ended(pid):
    """Ticks of the children that the process has waited for."""
    stat = _stat(pid)
    return sum(stat[0][2:]) if stat else 0


def _of_living_tree(pid):
    stat = _stat(pid)
    if not stat:
        return 0.0
    return sum(stat[0]) / TICK + sum(_of_living_tree(child) for child in children(pid))


def busy():
    """Seconds that all processors together were not idle, since the machine started."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = (int(field) for field in file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICK
