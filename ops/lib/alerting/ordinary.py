"""Ordinary load, and no fault: no alert may fire."""

import shutil
import sys
import time

from honest import Crowd

from .times import RULES

DEVICES, RATE = 50, 100


def ordinary(run, minutes):
    """Serves fifty devices for so long under the rules as they are. Ends the program with 1 when an alert fired or a
    session was lost."""
    try:
        server = run.focusd("ordinary")
        with open(RULES) as file:
            run.watch(file.read())
        begin, minute = time.time(), 0
        crowd = Crowd(server.address, server.tokens, 1, DEVICES, RATE)

        def tell():
            nonlocal minute
            if time.time() - begin >= 60 * (minute + 1):
                minute += 1
                print(f"{minute} of {minutes} minutes; alerts: {alerts(run, 5) or 'none'}", flush=True)
        took = sorted(crowd.run(60 * minutes, tell))
        found = alerts(run, minutes + 5)
        scrapes = run.scrapes()
        lost = sum(honest.lost is not None for honest in crowd.all)
        crowd.close()
    finally:
        run.close()
    print(f"{len(took)} events acknowledged in {minutes} minutes, p50 {milliseconds(took, 0.5)}, "
          f"p99 {milliseconds(took, 0.99)}, greatest {milliseconds(took, 1)}; {lost} sessions lost")
    print(f"alerts, and at how many seconds: {found or 'none'}")
    if not scrapes:
        print("Prometheus does not scrape any more, so that no alert fired says nothing")
    if not scrapes or lost or any(name.endswith("firing") for name in found):
        sys.exit(f"FAILED  logs: {run.place}")
    print("no alert fired")
    shutil.rmtree(run.place, ignore_errors=True)


def alerts(run, minutes):
    """The alerts of the last minutes, each with how many evaluations it fired or waited to."""
    return {f"{labels['alertname']} {labels['alertstate']}": int(count) for labels, count in run.ask(
        f"sum by (alertname, alertstate) (count_over_time(ALERTS[{minutes}m]))")}


def milliseconds(sorted_seconds, share):
    if not sorted_seconds:
        return "unknown"
    return f"{1_000 * sorted_seconds[min(len(sorted_seconds) - 1, int(share * len(sorted_seconds)))]:.1f} ms"
