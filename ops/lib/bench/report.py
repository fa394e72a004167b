"""Figures to text."""

import datetime
import os
import platform
import statistics
import subprocess
import time

# How many cores other processes may take before a round is spoiled.
DISTURBED_CORES = 0.1


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def machine(server):
    sql = server.sql
    settings = ("fsync", "synchronous_commit", "full_page_writes", "wal_compression", "shared_buffers", "max_wal_size")
    return {
        "date": now(),
        "commit": commit("."),
        "processor": next(
            (line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?"),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "file_system": output("stat", "-f", "-c", "%T", server.directory),
        "flush_us": flush_time(server.directory),
        "postgresql": sql.value("SHOW server_version;"),
        "swift": output("swift", "--version").split("\n")[0],
        "settings": {name: sql.value(f"SHOW {name};") for name in settings},
        "load_before": [round(value, 2) for value in os.getloadavg()],
    }


def commit(directory):
    """Of the checkout that the directory is in; empty outside of any. Changes count that programs are built from."""
    git = ("git", "-C", directory)
    root = output(*git, "rev-parse", "--show-toplevel")
    changed = root and output("git", "-C", root, "status", "--porcelain", "--", "Sources", "Schema", "Package.swift")
    return output(*git, "rev-parse", "--short=12", "HEAD") + (" (with changes)" if changed else "")


def require_disk(machine, directory):
    if machine["file_system"] in ("tmpfs", "ramfs"):
        raise SystemExit(f"{directory} is in memory, where no commit is ever flushed; give --dir on a disk")


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except FileNotFoundError:
        return "?"


def flush_time(directory):
    """Median of writing 8 KiB and flushing it, µs: what a commit costs at least."""
    path = f"{directory}/flush"
    times = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(100):
            began = time.perf_counter()
            file.write(b"\0" * 8192)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    os.remove(path)
    return round(statistics.median(times) * 1_000_000)


def summarize(lane, rounds):
    ratios = [ours["rate"] / theirs["rate"] for ours, theirs in rounds]
    summary = {
        "ratio": spread(ratios), "goal": lane["goal"], "reached": statistics.median(ratios) >= lane["goal"],
        "rounds": [{"ours": ours, "against": theirs} for ours, theirs in rounds],
    }
    for index, side in enumerate(("ours", "against")):
        results = [pair[index] for pair in rounds]
        summary[side] = {
            "rate": spread([result["rate"] for result in results]),
            "rows": spread([result["rows"] for result in results]),
            "cpu_us_per_row": {
                name: statistics.median(result["cpu"][name] / result["rows"] * 1e6 for result in results)
                for name in results[0]["cpu"]},
        }
        summary[side]["others_cores"] = spread([
            result["cpu"]["others"] / result["seconds"] for result in results])
    summary["processor_ratio"] = spread([
        used(theirs) / theirs["rows"] / (used(ours) / ours["rows"]) for ours, theirs in rounds])
    for name in ("ack_p50_us", "ack_p99_us"):
        if name in rounds[0][0]:
            summary["ours"][name] = statistics.median(ours[name] for ours, _ in rounds)
    return summary


def outcome(name, lane, summary):
    """What a lane came to, a line each."""
    if "figures" in summary:
        return [
            f"{name} {one['title']}: {compared(one)}" + (f"; ours {spelled(one['ours'])} {one['unit']}" if one["ours"] else "")
            + (f", against {spelled(one['against'])}" if one["against"] else "") for one in summary["figures"]]
    ratio = bracketed(summary["ratio"], 2)
    lines = [
        f"{name} {ratio} × (goal {lane['goal']}): {bracketed(summary['ours']['rate'], 0)} rows/s against "
        f"{bracketed(summary['against']['rate'], 0)}"]
    others = disturbance(summary)
    if others > DISTURBED_CORES:
        lines.append(f"{name}: other processes took up to {others:.2f} cores: measure it again")
    return lines


def disturbance(summary):
    """How many cores other processes took in the worst round."""
    return max(summary[side]["others_cores"]["max"] for side in ("ours", "against"))


def compared(one):
    """The ratio, or of an absolute goal the value itself, and whether it is reached."""
    if not one["ours"]:
        return "not run"
    sign = "≤" if one["at_most"] else "≥"
    unit = " ×" if one["against"] else f" {one['unit']}"
    mark = "" if one["reached"] else ", missed"
    return f"{spelled(one['ratios'])}{unit} (goal {sign} {one['goal']}{mark})"


def spelled(values):
    median = statistics.median(values)
    digits = 0 if median >= 100 else 2 if median >= 0.1 else 4
    return f"{values[0]:,.{digits}f}" if len(values) == 1 else bracketed(spread(values), digits)


def cores(rounds):
    """How many cores all that took part kept busy: the median of the rounds of one side."""
    return statistics.median(used(result) / result["seconds"] for result in rounds)


def used(result):
    """Processor seconds of all that took part."""
    return sum(seconds for name, seconds in result["cpu"].items() if name != "others")


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def markdown(figures, lanes, picture):
    facts = figures["machine"]
    settings = ", ".join(f"{name} {value}" for name, value in facts["settings"].items())
    lines = [
        "# Benchmarks", "",
        "Whatever is compared is taken in the same run, on the same PostgreSQL, with the same durability, in turn (ours, "
        "yardstick, ours, …). Median, and the least and greatest in brackets. Each lane has a server and a cluster of its "
        "own. It is vacuumed, and a checkpoint is made, before each round of append, append-single, contention, fairness and "
        "message-db, and once before the replays, which is nobody's time. Absolute rates, and goals without a yardstick, "
        "mean little on another machine.", "",
        f"![How far each lane is from its goal]({picture})", "",
        "| Lane | Ours | Against | Ratio of rates | Goal | Ratio by processor time |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    ordered = [(name, figures["lanes"][name]) for name in lanes if name in figures["lanes"]]
    rated = [(name, summary) for name, summary in ordered if "ratio" in summary]
    for name, summary in rated:
        lane = lanes[name]
        mark = "" if summary["reached"] else " (missed)"
        lines.append(
            f"| {name} | {lane['ours']} | {lane['against']} | **{bracketed(summary['ratio'], 2)}** "
            f"| ≥ {lane['goal']}{mark} | {bracketed(summary['processor_ratio'], 2)} |")
    lines += [
        "", "| Lane | Side | Rows a round | Rows/s | CPU µs a row: focusd | PostgreSQL | client "
        "| cores | ack p50 / p99 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, summary in rated:
        for side in ("ours", "against"):
            lines.append(row(name, side, summary[side], [both[side] for both in summary["rounds"]]))
    lines += [
        "",
        "“Client” is the generator of load, pgbench or psql, which takes its processor time beside the rest. The ratio by "
        f"processor time is that of rows per processor second of all that took part. “Cores” says how many of {facts['cores']} "
        "all that took part kept busy." + disturbed(rated), "",
        "| Lane | What | Rounds | Ours | Against | Ratio, or value of an absolute goal | |",
        "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, summary in ordered:
        for one in summary.get("figures", []):
            ours, against = (f"{spelled(side)} {one['unit']}" if side else "–" for side in (one["ours"], one["against"]))
            lines.append(
                f"| {name} | {one['title']} | {len(one['ours']) or '–'} | {ours} | {against} | **{compared(one)}** "
                f"| {one['note']} |")
    short = missed(ordered)
    lines += ["", f"Missed: {'; '.join(short)}." if short else "No goal is missed."]
    lines += ["", "| Measured | Lanes |", "| --- | --- |"]
    measured = {}
    for name, summary in ordered:
        measured.setdefault(origin(summary["measured"]), []).append(name)
    lines += [f"| {moment} | {', '.join(names)} |" for moment, names in measured.items()]
    lines += [
        "",
        "## Machine", "",
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gib']} GiB; {facts['system']}; "
        f"{facts['file_system']}, 8 KiB written and flushed in {facts['flush_us']} µs; PostgreSQL {facts['postgresql']}; "
        f"{facts['swift']}; commit {facts['commit']}; {facts['date']}.", "", f"Settings: {settings}.", "",
        "The mix of events: `focus-bench append --help`.", "",
        "## Repeat", "", "```", f"ops/bench {' '.join(name for name, _ in ordered)}", "```", ""]
    for name, found in figures.get("profiles", {}).items():
        if found:
            lines += profile(name, found)
    return "\n".join(lines)


def measured(machine):
    """Of which program, when, and where a figure is."""
    return {key: machine[key] for key in ("date", "commit", "processor", "system", "flush_us")}


def origin(measured):
    return (
        f"{measured['date']}, commit {measured['commit']}, {measured['processor']}, {measured['system']}, flushed in "
        f"{measured['flush_us']} µs")


def disturbed(rated):
    """Says in which lanes other processes took more than they may."""
    others = [(name, disturbance(summary)) for name, summary in rated]
    spoiled = [f"{name} {cores:.2f}" for name, cores in others if cores > DISTURBED_CORES]
    return f" Other processes took more than {DISTURBED_CORES} cores in a round of {', '.join(spoiled)}." if spoiled else ""


def missed(ordered):
    """Which goals are not reached, by lane."""
    short = []
    for name, summary in ordered:
        titles = [one["title"] for one in summary.get("figures", []) if one["ours"] and not one["reached"]]
        if titles:
            short.append(f"{name} ({', '.join(titles)})")
        elif not summary.get("reached", True):
            short.append(name)
    return short


def row(name, side, summary, rounds):
    cpu = summary["cpu_us_per_row"]
    acks = ""
    if "ack_p50_us" in summary:
        acks = f"{summary['ack_p50_us'] / 1000:.1f} / {summary['ack_p99_us'] / 1000:.1f} ms"
    focusd = f"{cpu['focusd']:.1f}" if side == "ours" and not name.startswith("replay") else "–"
    return (
        f"| {name} | {side} | {len(rounds)} × {summary['rows']['median']:,.0f} | {bracketed(summary['rate'], 0)} "
        f"| {focusd} | {cpu['postgres']:.1f} | {cpu['client']:.1f} | {cores(rounds):.2f} | {acks} |")


def bracketed(values, digits):
    return f"{values['median']:,.{digits}f} ({values['min']:,.{digits}f}–{values['max']:,.{digits}f})"


def profile(name, found):
    report, program = found["report"], found["program"]
    backends = ", ".join(f"{role} {seconds} s" for role, seconds in found["backends"].items())
    # focusctl is a child of the bench, whose processor time counts as the client's.
    used = report["cpu"]["focusd" if program == "focusd" else "client"]
    lines = [
        f"## Profile of {name}", "",
        f"A run of its own ({origin(found['measured'])}) with `perf` and `pg_stat_statements` looking on, which take "
        f"processor time too: "
        f"{report['rows']:,} events, {report['rate']:,.0f}/s, {used} processor seconds of {program}, "
        f"{report['cpu']['postgres']} of PostgreSQL (while perf looked: {backends}).", "",
        f"{program}, top ten by self time:", "", *table(found["ours"]["self"][:10]), "",
        f"{program}, by the nearest function of ours, with the reference counting, hashing and copying that it causes:",
        "", *table(found["ours"]["callers"][:20]), "",
        "PostgreSQL's backends, top ten by self time:", "", *table(found["postgres"]["self"][:10]), "",
        "| s in execution | calls | rows | MiB of WAL | statement |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {entry['seconds']} | {entry['calls']} | {entry['rows']} | {entry['wal_mib']} | `{clean(entry['query'])}` |"
        for entry in found["statements"][:10]]
    return lines + [""]


def table(symbols):
    rows = [f"| {share} | {dso} | `{clean(name)}` |" for share, dso, name in symbols]
    return ["| % | in | function |", "| --- | --- | --- |", *rows]


def clean(text):
    text = text.replace("|", "\\|").replace("`", "'")
    return text if len(text) <= 110 else text[:107] + "…"
