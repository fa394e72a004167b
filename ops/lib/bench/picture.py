"""The picture of a record: for each figure, how much of its goal is reached."""

import html
import statistics

# The goal stands in the middle of the picture, twice of it at the right edge.
WIDTH, LABELS, BARS, ROW, TOP = 1_000, 560, 380, 22, 46
MOST = 2.0
REACHED, MISSED, GRID = "#2f7d4f", "#c2512f", "#d0d0d0"


def drawn(measured, lanes):
    """SVG, of the lanes that were measured, in their order."""
    rows = [row for name in lanes if name in measured for row in shares(name, measured[name], lanes[name])]
    height = TOP + ROW * len(rows) + 12
    goal = LABELS + BARS / MOST
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{goal}" y="18" text-anchor="middle" font-weight="bold">goal</text>',
        f'<text x="{goal}" y="34" text-anchor="middle" fill="#606060">further right is better; 1 is reached</text>']
    for number, (label, share) in enumerate(rows):
        parts += bar(label, share, TOP + ROW * number)
    parts += [f'<line x1="{goal}" y1="{TOP - 6}" x2="{goal}" y2="{height - 8}" stroke="black"/>', "</svg>", ""]
    return "\n".join(parts)


def shares(name, summary, lane):
    """Each figure of a lane with the part of its goal that its median reaches; None: not run."""
    if "figures" not in summary:
        return [(name, summary["ratio"]["median"] / lane["goal"])]
    found = []
    for one in summary["figures"]:
        share = None
        if one["ratios"]:
            median = statistics.median(one["ratios"])
            share = one["goal"] / median if one["at_most"] else median / one["goal"]
        found.append((f"{name}: {one['title']}", share))
    return found


def bar(label, share, top):
    text = html.escape(label if len(label) <= 88 else label[:86] + "…")
    lines = [f'<text x="{LABELS - 8}" y="{top + 14}" text-anchor="end">{text}</text>']
    if share is None:
        return [*lines, f'<text x="{LABELS + 4}" y="{top + 14}" fill="#606060">not run</text>']
    width = BARS * min(share, MOST) / MOST
    colour = REACHED if share >= 1 else MISSED
    return [
        *lines, f'<rect x="{LABELS}" y="{top}" width="{BARS}" height="{ROW - 4}" fill="none" stroke="{GRID}"/>',
        f'<rect x="{LABELS}" y="{top}" width="{width:.1f}" height="{ROW - 4}" fill="{colour}"/>',
        f'<text x="{LABELS + BARS + 6}" y="{top + 14}">{share:.2f}</text>']
