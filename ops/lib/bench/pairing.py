"""Two programs in turn: the order of their rounds, and what the ratios of the pairs say."""

import math
import random
import statistics

CONFIDENCE = 0.95


def orders(one, other, count, seed=1):
    """In which order each pair is taken. Of every two pairs each side begins one, so that what changes steadily on the
    machine meets both alike; which it begins is drawn, so that what comes and goes cannot keep step with it."""
    chance, both = random.Random(seed), [(one, other), (other, one)]
    return [order for _ in range(0, count, 2) for order in chance.sample(both, 2)][:count]


def interval(values, confidence=CONFIDENCE):
    """Of independent values: (low, high, covered). The median of what they are drawn from lies within with the
    probability `covered`, whatever the distribution (Conover, "Practical Nonparametric Statistics", quantiles): the
    narrowest two of the ordered values that are as sure as asked for; the least and the greatest where none are."""
    ordered = sorted(values)
    places = range(len(ordered) // 2, 0, -1)
    place = next((place for place in places if coverage(len(ordered), place) >= confidence), 1)
    return ordered[place - 1], ordered[-place], coverage(len(ordered), place)


def coverage(count, place):
    """How probable it is that the median lies between the values at `place`, counted from 1, from either end: that at
    least so many of `count` are below it and as many above."""
    outside = sum(math.comb(count, below) for below in range(place))
    return max(0.0, 1 - 2 * outside / 2**count)


def compare(pairs):
    """Of pairs (ours, theirs) of values: their medians, and the ratio ours / theirs with its interval."""
    ratios = [ours / theirs for ours, theirs in pairs]
    low, high, covered = interval(ratios)
    return {
        "ours": statistics.median(ours for ours, _ in pairs),
        "against": statistics.median(theirs for _, theirs in pairs),
        "ratios": ratios, "ratio": statistics.median(ratios), "low": low, "high": high, "covered": covered,
        # Too few pairs tell nothing from chance.
        "differs": covered >= CONFIDENCE and not low <= 1 <= high}
