"""What two programs came to, as text."""

import pairing
from report import DISTURBED_CORES

SIDES = ("ours", "against")


def brief(pair):
    """A pair in a line: the first figure of both sides."""
    name, ours = next(iter(pair["ours"]["figures"].items()))
    return f"{name} {spelled(ours)} against {spelled(pair['against']['figures'][name])}"


def outcome(name, summary):
    """What a lane came to, a line each."""
    lines = [
        f"{name}, {figure}: {ratio(found)}: {spelled(found['ours'])} against {spelled(found['against'])}"
        for figure, found in summary["figures"].items()]
    if summary["disturbed"]:
        lines.append(
            f"{name}: in {summary['disturbed']} of {len(summary['pairs'])} pairs others took more than "
            f"{DISTURBED_CORES} cores: believe none of it before a run in peace says the same")
    return lines


def markdown(figures):
    summaries = figures["lanes"].items()
    return "\n".join([
        "# Two programs in turn", "",
        "| | Commit | SHA-256 of focusd | Where |", "| --- | --- | --- | --- |",
        *(f"| {side} | {program['commit']} | {program['focusd']} | {program['binaries']} |"
          for side, program in figures["programs"].items()), "",
        "| Lane | Figure | Ours | Against | Ours / against | Told from chance |",
        "| --- | --- | --- | --- | --- | --- |",
        *(row(name, figure, found) for name, summary in summaries for figure, found in summary["figures"].items()), "",
        how(figures), "",
        "| Lane | Generator's share of the processors: ours | against | Cores taken by others: ours | against "
        f"| Pairs with more than {DISTURBED_CORES} |",
        "| --- | --- | --- | --- | --- | --- |", *(shares(name, summary) for name, summary in summaries), "",
        where(figures), ""])


def row(name, figure, found):
    differs = "yes" if found["differs"] else "no"
    return (
        f"| {name} | {figure} | {spelled(found['ours'])} | {spelled(found['against'])} | **{ratio(found)}** "
        f"| {differs} |")


def how(figures):
    some = next(iter(next(iter(figures["lanes"].values()))["figures"].values()))
    interval = "the least and the greatest, as so few pairs have no interval"
    if some["covered"] >= pairing.CONFIDENCE:
        interval = (
            f"the interval in which the median lies with a probability of {some['covered']:.1%}, by order statistics, "
            "whatever the distribution")
    return (
        f"Pairs of rounds: {figures['rounds']}; of every two each side begins one, drawn which. The ratio is the "
        f"median of the pairs' ratios; in brackets {interval}. A difference is told from chance when 1 lies outside of "
        f"an interval of at least {pairing.CONFIDENCE:.0%}. Each round of a lane that measures focusd has a server and "
        "a cluster of its own, made by the program that is measured, on the same disk; both rounds of a pair get the "
        "same users and events. Processor time of PostgreSQL is that of all its processes, also of those that ended "
        "meanwhile.")


def shares(name, summary):
    generator = [f"{summary['generator_share'][side]:.1%}" if "generator_share" in summary else "–" for side in SIDES]
    others = [f"{summary['others_cores'][side]:.2f}" for side in SIDES]
    disturbed = f"{summary['disturbed']} of {len(summary['pairs'])}"
    return f"| {' | '.join([name, *generator, *others, disturbed])} |"


def where(figures):
    facts = figures["machine"]
    settings = ", ".join(f"{name} {value}" for name, value in facts["settings"].items())
    return (
        f"{facts['processor']}, {facts['cores']} cores; {facts['system']}; {facts['file_system']}, 8 KiB written and "
        f"flushed in {facts['flush_us']} µs; PostgreSQL {facts['postgresql']}; {figures['date']}; load average before "
        f"{facts['load_before'][0]}. {settings}.")


def ratio(found):
    return f"{found['ratio']:.3f} ({found['low']:.3f}–{found['high']:.3f})"


def spelled(value):
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.2f}"
