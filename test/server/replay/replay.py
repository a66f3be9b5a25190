"""The replay audit, from outside: asks, hides a unit, asks again with the same noisy results, and compares.

replay.py FOLDER KINDS RECORDS UNITS SEED [BREAK]

FOLDER: the server's data folder, in whose dpmix_replay/ the audit's library (replay.cpp) looks for what to do. PGHOST and
PGUSER say where it is. KINDS: names of kinds.py, comma-separated, or all. RECORDS: releases recorded of each statement,
each over other random tables; UNITS: units that are hidden for each, besides the control that hides nobody. BREAK: a
mistake that must be found: two_units hides two of them, others are made by the library (replay.cpp); first ends
it at the first difference.

What is compared, and why nothing else can show a row: docs/proofs/replay.md. Prints each difference and, last,
"N replays, M differences".
"""
import itertools
import math
import os
import random
import re
import subprocess
import sys

import kinds

BUDGET = re.compile(r"[0-9.e+-]+% of the budget|[0-9]+ more fit")  # how much of it other releases took before
STAIRCASE = 4  # of dpmix::Family
ROUNDING = 1 + 1e-9  # of sums of doubles here


class Session:
    """A psql that says where an answer ends."""

    def __init__(self):
        self.psql = subprocess.Popen(["psql", "-XqAt", "-v", "VERBOSITY=verbose"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True)

    def ask(self, statement):
        return self.ask_all([statement])[0]

    def ask_all(self, statements):
        """Their answers, in one go."""
        self.psql.stdin.write("".join(statement + ";\n\\echo <end>\n" for statement in statements))
        self.psql.stdin.flush()
        return [self.hear() for _ in statements]

    def hear(self):
        lines = []
        for line in self.psql.stdout:
            if line == "<end>\n":
                return "".join(lines)
            if not line.startswith("LOCATION:"):
                lines.append(line)
        raise SystemExit("not ok - the session ended: " + "".join(lines))

    def do(self, statement):
        """What must not fail."""
        said = self.ask(statement)
        if "ERROR:" in said:
            raise SystemExit(f"not ok - {statement}: {said}")

    def rows(self, statement):
        return [line.split("|") for line in self.ask(statement).splitlines()]


class Meeting:
    def __init__(self, line):
        law, exact, result = line.split(" |")
        self.place, self.law, *numbers = law.split()
        self.numbers = [float.fromhex(n) for n in numbers]
        self.exact = [int(n) for n in exact.split()]
        self.result = [int(n) for n in result.split()]

    def same(self, other):
        return (self.place, self.law, self.numbers, self.result, len(self.exact)) == \
               (other.place, other.law, other.numbers, other.result, len(other.exact))


class Release:
    """What the library wrote down of a release: what was done in which order, and the meetings with noise, as lines:
    few of the thousands that there may be differ between two runs."""

    def __init__(self):
        self.done, self.meetings, self.found, self.statistics, self.search, self.norm, self.ended = [], [], {}, {}, None, 0, False

    def read(self, lines):
        for line in lines:
            line = line.rstrip("\n")
            word, _, rest = line.partition(" ")
            if word == "meet":
                if rest.startswith("found:"):
                    self.found.setdefault(rest.partition(" ")[0], []).append(Meeting(rest))
                else:
                    self.done.append("meeting")
                    self.meetings.append(rest)
                continue
            self.done.append(line)
            if word == "statistic":
                number, family, *numbers = rest.split()
                names = "scale each l1 l2 groups epsilon delta fine_bits range steps pieces".split()
                self.statistics[number] = dict(zip(names, map(float.fromhex, numbers)), family=family)
            elif word == "norm":
                self.norm = float.fromhex(rest)
            elif word == "search":
                kind, *numbers = rest.split()
                self.search = dict(zip("groups epsilon delta deviation shown_from weight_bits keys".split(), map(float.fromhex, numbers)), kind=kind)
            elif word == "end":
                self.ended = True
                return


def releases_of(path):
    """A file of the library's: a statement may make several releases."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        lines = iter(file.readlines())
    releases = []
    while True:
        release = Release()
        release.read(lines)
        if not release.done and not release.meetings and not release.found:
            return releases
        releases.append(release)


def normal_cdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def mu_of(epsilon, delta):
    """The mu of Gaussian differential privacy that (epsilon, delta) is."""
    low, high = 0.0, 1e4

    def delta_of(mu):
        tail = normal_cdf(-epsilon / mu - mu / 2)
        return normal_cdf(mu / 2 - epsilon / mu) - (math.exp(min(epsilon, 700)) * tail if tail > 0 else 0)
    for _ in range(200):
        middle = (low + high) / 2
        if delta_of(middle) > delta:
            high = middle
        else:
            low = middle
    return high


def mu_of_range(length):
    """The mu of a draw whose log ratios lie in an interval of this length (bounded_range.md): the worst has the
    total variation tanh(length / 4)."""
    if length == 0:
        return 0
    low, high = 0.0, 80.0
    for _ in range(200):
        middle = (low + high) / 2
        if 2 * normal_cdf(middle / 2) - 1 > math.tanh(length / 4):
            high = middle
        else:
            low = middle
    return high


def cost(meeting, moved):
    """What a meeting shows of a difference: (mu^2, epsilon of pure noise, cells, or pieces of one, that changed)."""
    changed = sum(1 for d in moved if d)
    if meeting.law == "gaussian":
        return (moved[0] / meeting.numbers[0]) ** 2, 0, changed
    if meeting.law == "shared":  # the rows' normal number is a sum of those of the values and of a rest
        rest, *parts = meeting.numbers
        own, squares = moved[-1], 0
        for d, deviation, coefficient in zip(moved, parts[0::2], parts[1::2]):
            squares += (d / deviation) ** 2
            own -= coefficient * d / deviation
        return squares + (own / rest) ** 2, 0, changed
    if meeting.law == "laplace":
        return 0, abs(moved[0]) * meeting.numbers[0], changed
    if meeting.law == "box":  # the ratio of its density is e^rate for each step of its radius
        rate, *steps = meeting.numbers
        return 0, rate * max(abs(d) / s for d, s in zip(moved, steps)), changed
    if meeting.law == "exponential":
        return 0, meeting.numbers[0] * (max(moved) - min(moved)), changed
    if meeting.law == "mixture":
        return 0, 0, changed if max(map(abs, moved)) <= meeting.numbers[0] else math.inf
    if meeting.law == "other" and meeting.numbers[0] == STAIRCASE:  # it counts in pieces of a cell's change
        return 0, 0, math.ceil(abs(moved[0]) / meeting.numbers[2])
    if meeting.law == "other":
        return 0, 0, changed if max(map(abs, moved)) <= meeting.numbers[1] else math.inf
    return 0, 0, changed


class Audit:
    def __init__(self, folder, seed, mistake):
        self.folder = os.path.join(folder, "dpmix_replay")
        self.session = Session()
        self.random = random.Random(seed)
        self.mistake = mistake
        self.replays = self.differences = self.skipped = 0
        self.largest = {}  # of each kind, the largest share of a bound that was reached

    def run(self, statement, seed, hidden, out, frozen=""):
        """A release: what came of it, and what was charged."""
        with open(os.path.join(self.folder, "run"), "w") as file:
            file.write(f"{seed} dpmix_replay/{out} {frozen and 'dpmix_replay/' + frozen}\n")
            for relation, address in hidden:
                file.write(f"hide {relation} {address}\n")
            if self.mistake:
                file.write(f"break {self.mistake}\n")
        path = os.path.join(self.folder, out)
        if os.path.exists(path):
            os.remove(path)
        answer, charges, last = self.session.ask_all([
            statement, f"SELECT mechanism, epsilon, delta, parameters - 'counter_id' FROM dpmix.charge WHERE id > {self.charged} ORDER BY id",
            "SELECT coalesce(max(id), 0) FROM dpmix.charge"])
        self.charged = int(last)
        return BUDGET.sub("", answer), charges, releases_of(path)

    def rest(self):
        os.remove(os.path.join(self.folder, "run"))

    def complain(self, name, statement, what):
        self.differences += 1
        print(f"difference - {name}: {what}\n    {statement}", flush=True)
        if self.mistake == "first":
            raise SystemExit(1)

    def compare_refusals(self, name, statement, one, two):
        """What is refused is refused in the same words, whoever's rows there are."""
        self.replays += 1
        if one[:2] != two[:2]:
            self.complain(name, statement, f"refused otherwise: {one[0]}---\n{two[0]}")

    def compare(self, name, statement, adjacency, one, two, moves):
        """Two runs. moves: whether a unit differs."""
        (answer, charges, first), (answer2, charges2, second) = one, two
        for before, after in zip(first, second):
            for key, met in before.found.items():
                if key not in after.found and any(shown(m, before.search) for m in met):
                    self.skipped += 1  # it has the probability that delta pays for
                    return
        self.replays += 1

        def complain(what):
            self.complain(name, statement, what)
        if len(first) != len(second) or not all(release.ended for release in second):
            return complain("the second run ended early: " + answer2)
        for before, after in zip(first, second):
            if before.done != after.done:
                both = list(itertools.zip_longest(before.done, after.done))
                at = next(i for i, (a, b) in enumerate(both) if a != b)
                return complain(f"another step {at}: {both[at]}")
        if charges != charges2:
            return complain("other charges: " + charges2)
        if answer != answer2:
            return complain("another answer:\n" + answer + "---\n" + answer2)
        paid = [line.split("|") for line in charges.splitlines()]
        per_release = [[each] for each in paid] if len(paid) == len(first) else [paid] * len(first)
        all_moved = []
        for before, after, pays in zip(first, second, per_release):
            differ = [(Meeting(a), Meeting(b)) for a, b in zip(before.meetings, after.meetings) if a != b]
            if not all(a.same(b) for a, b in differ):
                return complain("another meeting")
            moved = [(a, [x - y for x, y in zip(a.exact, b.exact)]) for a, b in differ]
            all_moved += moved
            if moves:
                self.judge(complain, name, before, after, moved, pays, adjacency == "replace")
            elif any(any(d) for _, d in moved) or before.found.keys() != after.found.keys():
                return complain("nobody differs, and something moved")
        if moves and len(first) > 1 and name.split()[0] in kinds.PAID_ONCE:
            self.judge_all(complain, name + " in all steps", all_moved, paid, False)

    def reach(self, complain, name, what, is_, most):
        if is_ > most * ROUNDING:
            complain(f"{what} moved by {is_:.12g}, declared is {most:.12g}")
        elif most > 0:
            self.largest[name] = max(self.largest.get(name, 0), is_ / most)

    def judge(self, complain, name, first, second, moved, paid, replaces):
        totals = {}
        for meeting, by in moved:
            place = totals.setdefault(meeting.place, dict(squares=0, epsilon=0, cells=0, l1=0, l2=0, most=0))
            squares, epsilon, cells = cost(meeting, by)
            place["squares"] += squares
            place["epsilon"] += epsilon
            place["cells"] += cells
            if meeting.law == "exponential":  # of many scores
                continue
            place["l1"] += sum(map(abs, by))
            place["l2"] += sum(d * d for d in by)
            place["most"] = max(place["most"], max(map(abs, by)))
        for number, declared in first.statistics.items():
            if number not in totals:
                continue
            is_, unit, family = totals[number], 2.0 ** declared["fine_bits"], declared["family"]
            what = f"statistic {number} ({family})"
            if declared["range"] > 0:
                self.reach(complain, name, what + " as a draw", is_["epsilon"], declared["epsilon"])
            elif family == "gaussian":
                self.reach(complain, name, what, math.sqrt(is_["squares"]), declared["l2"] / declared["scale"])
                self.reach(complain, name, what + " in one cell", is_["most"], declared["each"] * unit)
            elif family == "laplace":
                self.reach(complain, name, what, is_["l1"], declared["l1"] * unit)
                self.reach(complain, name, what + " in epsilon", is_["epsilon"], declared["epsilon"])
            elif family == "staircase":
                self.reach(complain, name, what + " in pieces", is_["cells"], declared["pieces"])
                self.reach(complain, name, what, is_["l1"], declared["l1"] * unit)
            else:
                self.reach(complain, name, what, is_["most"], declared["each"] * unit)
                self.reach(complain, name, what + " in cells", is_["cells"], declared["groups"])
        for place, is_ in totals.items():
            if place.startswith("row:"):  # of DP-CDA: a record that is replaced goes and comes
                self.reach(complain, name, "a synthetic row", math.sqrt(is_["l2"]), first.norm * (2 if replaces else 1))
        # What rows that are drawn from few records cost is no sum of what they show.
        moved = [(meeting, by) for meeting, by in moved if not meeting.place.startswith("row:")]
        self.judge_found(complain, name, first, second, replaces)
        self.judge_all(complain, name, moved, paid, bool(first.statistics))

    def judge_all(self, complain, name, moved, paid, is_query):
        """Everything together, against what was charged."""
        costs = [cost(meeting, by) for meeting, by in moved]
        squares, epsilon = sum(c[0] for c in costs), sum(c[1] for c in costs)
        if squares > 0 and epsilon > 0 and not is_query:  # draws between Gaussian noise: as Gaussian as they are
            squares += sum(mu_of_range(c[1]) ** 2 for c in costs)
            epsilon = 0
        if paid and squares > 0 and epsilon == 0:
            self.reach(complain, name, "all together", math.sqrt(squares), min(mu_of(float(e), float(d)) for _, e, d, *_ in paid))
        elif paid and epsilon > 0 and squares == 0:
            self.reach(complain, name, "all together", epsilon, min(float(e) for _, e, *_ in paid))

    def judge_found(self, complain, name, first, second, replaces):
        """The groups that were looked at: how many units each has, or what they weigh."""
        if not first.found and not second.found:
            return
        search, changed, squares = first.search, 0, 0
        one = 2 ** search["weight_bits"]
        for key in first.found.keys() | second.found.keys():
            a, b = (sum(m.exact[0] for m in r.found.get(key, [])[:1]) for r in (first, second))
            changed += a != b
            squares += (a - b) ** 2
            self.reach(complain, name, "units of a found group", abs(a - b), one)
        if one == 1:
            self.reach(complain, name, "found groups", changed, search["groups"])
        else:
            units = 2 if replaces else 1  # one goes, another comes
            self.reach(complain, name, "found groups", changed, search["keys"] * units)
            self.reach(complain, name, "weights of found groups", math.sqrt(squares), one * math.sqrt(units))


def shown(meeting, search):
    return meeting.result[0] >= (1 if meeting.law == "coin" else search["shown_from"] * 2 ** search["weight_bits"])


def audit_kind(audit, kind, records, units):
    make_world, statements = kinds.KINDS[kind]
    for _ in range(records):
        world = make_world(audit.session, audit.random)
        audit.charged = int(audit.session.ask("SELECT coalesce(max(id), 0) FROM dpmix.charge"))
        for number, make in enumerate(statements):
            statement = make(audit.random, world.names)
            name = f"{kind} {number}"
            seed = audit.random.getrandbits(60)
            base, others = world.neighbours(audit.random, units)
            one = audit.run(statement, seed, base, "one")
            if "ERROR:" in one[0] and one[1] == "" and kind in kinds.MAY_BE_REFUSED:
                audit.compare_refusals(name, statement, one, audit.run(statement, seed, others[0], "two", "one"))
                continue
            if not one[2] or not all(release.ended for release in one[2]) or "ERROR:" in one[0]:
                audit.complain(name, statement, "no release: " + one[0])
                continue
            if audit.mistake == "two_units":
                others = [a + b for a, b in zip(others, others[1:])]
            for hidden in [base] + others:
                two = audit.run(statement, seed, hidden, "two", "one")
                audit.compare(name, statement, world.adjacency, one, two, hidden is not base)
        audit.rest()


def main():
    folder, asked, records, units, seed = sys.argv[1:6]
    audit = Audit(folder, int(seed), sys.argv[6] if len(sys.argv) > 6 else "")
    for kind in (kinds.KINDS if asked == "all" else asked.split(",")):
        before = audit.replays, audit.differences
        audit_kind(audit, kind, int(records), int(units))
        reached = max((share for name, share in audit.largest.items() if name.split()[0] == kind), default=0)
        print(f"{kind}: {audit.replays - before[0]} replays, {audit.differences - before[1]} differences, at most {reached:.3f} of a bound", flush=True)
    if audit.skipped:
        print(f"{audit.skipped} times one person's group was shown: not compared")
    print(f"{audit.replays} replays, {audit.differences} differences")


if __name__ == "__main__":
    main()
