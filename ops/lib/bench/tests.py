"""Of ops/bench what can be tested without measuring. `swift test` runs it; alone: python3 ops/lib/bench/tests.py."""

import os
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import against
import attack
import device
import honest
import pairing
import processor
import programs
import report


class IntervalTests(unittest.TestCase):
    def test_ends_are_the_values_that_the_binomial_distribution_says(self):
        # Count of values: the place of the ends among them, and 1 - 2 P(X < place), X binomial with p = 1/2.
        for count, place, covered in ((6, 1, 0.96875), (10, 2, 1 - 22 / 1_024), (12, 3, 1 - 158 / 4_096)):
            values = list(range(1, count + 1))
            random.Random(count).shuffle(values)
            self.assertEqual(pairing.interval(values), (place, count + 1 - place, covered))

    def test_too_few_values_have_their_least_and_greatest_and_say_how_sure_that_is(self):
        self.assertEqual(pairing.interval([3, 1, 2, 5, 4]), (1, 5, 0.9375))
        self.assertEqual(pairing.interval([7]), (7, 7, 0))

    def test_it_holds_the_median_as_often_as_it_says_whatever_the_distribution(self):
        chance = random.Random(22)
        for draw in (chance.random, lambda: chance.lognormvariate(0, 2), lambda: chance.paretovariate(0.5)):
            median = sorted(draw() for _ in range(100_001))[50_000]
            held = 0
            for _ in range(4_000):
                low, high, covered = pairing.interval([draw() for _ in range(10)])
                held += low <= median <= high
            self.assertAlmostEqual(held / 4_000, covered, delta=0.01)


class ComparisonTests(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_pairs_ratios(self):
        # The machine is up to three times as slow in some pairs, which changes the medians of the sides alone.
        found = pairing.compare([(1.1 * pace, pace) for pace in (1, 3, 1, 2, 3, 1, 2, 2, 3, 1)])
        for value in (found["ratio"], found["low"], found["high"]):
            self.assertAlmostEqual(value, 1.1)
        self.assertTrue(found["differs"])

    def test_what_lies_around_one_does_not_differ(self):
        ratios = (0.98, 1.01, 0.99, 1.02, 1.0, 0.97, 1.03, 1.01, 0.99, 1.0)
        self.assertFalse(pairing.compare([(ratio, 1) for ratio in ratios])["differs"])

    def test_five_pairs_tell_nothing_from_chance(self):
        self.assertFalse(pairing.compare([(2, 1)] * 5)["differs"])
        self.assertTrue(pairing.compare([(2, 1)] * 6)["differs"])

    def test_each_side_begins_one_of_every_two_pairs_and_the_draw_says_which(self):
        both, seen = {("a", "b"), ("b", "a")}, set()
        orders = pairing.orders("a", "b", 41)
        self.assertEqual(len(orders), 41)
        for first in range(0, 40, 2):
            self.assertEqual(set(orders[first:first + 2]), both)
            seen.add(orders[first])
        self.assertEqual(seen, both)
        self.assertEqual(orders, pairing.orders("a", "b", 41))


BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
BURN_AND_STAY = BURN + "print('done', flush=True)\ninput()\n"
# A child that ends, then one that stays; a line says that both have done their work.
PARENT = f"""import subprocess, sys
subprocess.run([sys.executable, "-c", {BURN!r}])
child = subprocess.Popen(
    [sys.executable, "-c", {BURN_AND_STAY!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print("done", flush=True)
input()
child.communicate(b"\\n")
"""


class ProcessorTests(unittest.TestCase):
    def test_a_tree_counts_children_that_live_and_children_that_have_ended(self):
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(parent.stdout.readline(), "done\n")
            self.assertGreaterEqual(processor.of_tree(parent.pid), 0.55)
            self.assertLess(processor.of_process(parent.pid), 0.3)
        finally:
            parent.communicate("\n")
        self.assertEqual(processor.of_tree(parent.pid), 0)


class ProgramsTests(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = self.directory.name

    def make(self, *parts):
        os.makedirs(os.path.join(self.root, *parts), exist_ok=True)
        for name in programs.NAMES:
            path = os.path.join(self.root, *parts, name)
            with open(path, "w") as file:
                file.write(name)
            os.chmod(path, 0o755)

    def test_they_are_in_the_directory_itself_or_in_its_release_build(self):
        self.make(".build", "release")
        self.assertEqual(programs.find(self.root).binaries, f"{self.root}/.build/release")
        self.make()
        self.assertEqual(programs.find(self.root).binaries, self.root)

    def test_a_checkout_without_a_build_is_told_the_command(self):
        open(f"{self.root}/Package.swift", "w").close()
        with self.assertRaisesRegex(programs.Missing, "no release build; .*swift build -c release --product focus-bench"):
            programs.find(self.root)

    def test_any_other_directory_is_refused(self):
        for directory in (self.root, f"{self.root}/nowhere"):
            with self.assertRaises(programs.Missing):
                programs.find(directory)

    def test_equal_programs_have_equal_digests(self):
        self.make("a")
        self.make("b")
        first, second = (programs.find(f"{self.root}/{name}") for name in "ab")
        self.assertEqual(first.digest(), second.digest())
        with open(f"{self.root}/b/focusd", "a") as file:
            file.write("changed")
        self.assertNotEqual(first.digest(), second.digest())


class SummaryTests(unittest.TestCase):
    def test_figures_are_paired_round_by_round_and_shares_are_medians(self):
        found = self.summary((1, 2), (2, 1), (3, 3))
        self.assertEqual(found["figures"]["events/s"]["ratios"], [2 / 3, 3 / 2, 1])
        self.assertEqual(found["figures"]["events/s"]["ratio"], 1)
        self.assertEqual(found["generator_share"], {"ours": 0.2, "against": 0.2})

    def test_pairs_are_counted_in_which_others_took_the_processors(self):
        # Others take a tenth of the value.
        self.assertEqual(self.summary((1, 1), (1, 1.1), (1.1, 1), (0, 0.5))["disturbed"], 2)

    def summary(self, *pairs):
        def result(value):
            return {"figures": {"events/s": value + 1}, "generator_share": value / 10, "others_cores": value / 10}

        return against.summarize([
            {"order": against.SIDES, "ours": result(ours), "against": result(theirs)} for ours, theirs in pairs])


class ReportTests(unittest.TestCase):
    """What the record says of its rounds."""

    def lane(self, *others):
        rounds = [(self.side(share, 2.0), self.side(0, 1.0)) for share in others]
        return report.summarize({"goal": 0.5}, rounds)

    def side(self, others, focusd):
        cpu = {"focusd": focusd, "postgres": 1.0, "client": 0.5, "others": 2 * others}
        return {"rows": 100, "rate": 50, "seconds": 2, "cpu": cpu}

    def test_cores_are_what_all_that_took_part_kept_busy(self):
        lane = self.lane(0.3, 0)
        for side, cores in (("ours", 1.75), ("against", 1.25)):
            self.assertEqual(report.cores([both[side] for both in lane["rounds"]]), cores)
        self.assertAlmostEqual(lane["processor_ratio"]["median"], 2.5 / 3.5)

    def test_lanes_are_named_in_which_others_took_the_processors(self):
        self.assertEqual(report.disturbed([("append", self.lane(0, 0.1)), ("route", self.lane(0.05))]), "")
        said = report.disturbed([("append", self.lane(0, 0.11, 0.2)), ("route", self.lane(0.05))])
        self.assertEqual(said, " Other processes took more than 0.1 cores in a round of append 0.20.")

    def test_small_values_keep_digits_that_say_something(self):
        for values, text in (([0.0041, 0.0052, 0.0037], "0.0041 (0.0037–0.0052)"), ([0.82], "0.82"), ([12_345], "12,345")):
            self.assertEqual(report.spelled(values), text)


class AttackTests(unittest.TestCase):
    """What ops/attack would say of a server that does not stand it."""

    def honest(self, acknowledged=3):
        found = honest.Honest.__new__(honest.Honest)
        found.events, found.acknowledged = [b"a", b"b", b"c", b"d"], acknowledged
        found.due, found.refused = [1.0, 2.0], []
        return found

    def test_a_log_that_has_each_event_once_is_right_with_or_without_what_was_not_acknowledged(self):
        rows = [(1, b"a"), (2, b"b"), (3, b"c"), (4, b"d")]
        self.assertEqual(honest.differences(self.honest(), rows), [])
        self.assertEqual(honest.differences(self.honest(), rows[:3]), [])

    def test_lost_doubled_and_foreign_events_are_seen(self):
        for rows, said in (
                ([(1, b"a"), (2, b"b")], "1 acknowledged events are lost"),
                ([(1, b"a"), (2, b"b"), (2, b"b"), (3, b"c")], "1 events are doubled"),
                ([(1, b"a"), (3, b"c"), (4, b"d")], "sequences are not"),
                ([(1, b"a"), (2, b"x"), (3, b"c")], "others than it appended")):
            self.assertIn(said, " ".join(honest.differences(self.honest(), rows)))

    def test_an_acknowledgement_answers_all_up_to_its_sequence_and_a_refusal_is_kept(self):
        found = self.honest(acknowledged=1)
        message = device.number(1, 3) + device.data(3, device.number(1, 2))
        self.assertEqual(found.take(device.APPENDED, message, now=5.0), [4.0, 3.0])
        self.assertEqual((found.acknowledged, found.due, len(found.refused)), (3, [], 1))

    def test_attackers_are_nice_to_everybody_in_sessions_of_their_own(self):
        told = subprocess.run(
            [*attack.NICE, "cat", "/proc/self/stat", "/proc/self/autogroup"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True).stdout
        # proc(5): what comes after the name has the session as its fourth field, and the niceness as its 17th.
        fields = told[told.rindex(")") + 1:].split()
        self.assertEqual((fields[3], fields[16]), (told.split()[0], "10"))
        # A kernel without autogroups has no such file.
        self.assertEqual("nice 10" in told, os.access("/proc/self/autogroup", os.W_OK))

    def test_an_attacker_that_fails_whenever_it_begins_is_not_at_work(self):
        ready, done, refused = "ready\n", '{"answers": 3}\n', "The attack's event 1 was refused"
        turns = {
            "done": [(ready + done, "")], "refused": [(ready, refused)] * 2, "not prepared": [("", "closed")],
            "refused once": [(ready, refused), (ready + done, "")]}
        attackers = attack.Attackers.__new__(attack.Attackers)
        attackers.told = {name: {"turns": 0, "worked": 0, "answers": 0, "failures": []} for name in [*turns, "ended"]}
        attackers.ending = False
        for name, told in turns.items():
            for output in told:
                attackers.note(name, mock.Mock(communicate=lambda output=output: output))
        attackers.ending = True
        attackers.note("ended", mock.Mock(communicate=lambda: (ready, "")))
        attackers.told |= {"breaks the protocol": {"connections": 1}, "cannot connect": {"thrown out: OSError": 9}}
        self.assertEqual(attackers.idle(), ["refused", "not prepared", "cannot connect"])

    def test_latencies_and_memory_are_judged_at_their_bounds(self):
        for ours, holds in ((2.0, True), (2.1, False)):
            checks, found = {}, {}
            attack.judge_latencies(checks, found, [[ours / 1_000] * 9], [0.001] * 9)
            self.assertEqual(list(checks.values()), [holds])
        for first, second, grown, expected in (
                (565, 621, 0, [True, True]), (565, 622, 0, [True, False]), (565, 751, 100, [True, True]),
                (565, 752, 100, [True, False]), (565, 622, -100, [True, False]), (1_021, 700, 0, [True, True]),
                (1_022, 700, 0, [False, True])):
            checks, found = {}, {}
            attack.judge_memory(
                checks, found, 100, [first, first, second, second], [200, 200, 200 + grown, 200 + grown], 512)
            self.assertEqual(list(checks.values()), expected)


if __name__ == "__main__":
    unittest.main()
