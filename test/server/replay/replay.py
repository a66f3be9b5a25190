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
from record import Meeting, cost, mu_of, mu_of_range, releases_of, shown
from shrink import shrunk

BUDGET = re.compile(r"[0-9.e+-]+% of the budget|[0-9]+ more fit")  # how much of it other releases took before
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


class Audit:
    def __init__(self, folder, seed, mistake):
        self.folder = os.path.join(folder, "dpmix_replay")
        self.session = Session()
        self.random = random.Random(seed)
        self.mistake = mistake
        self.replays = self.differences = self.skipped = self.parallel = 0
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

    def table(self, relation):
        return self.session.ask(f"SELECT {relation}::regclass").strip()

    def rest(self):
        os.remove(os.path.join(self.folder, "run"))

    def complain(self, name, statement, said, small=None):
        """small: makes the case small, which is done for the first one."""
        for what in said:
            self.differences += 1
            print(f"difference - {name}: {what}\n    {statement}", flush=True)
        if said and small is not None and self.differences == len(said):
            print(small(), flush=True)
        if said and self.mistake == "first":
            raise SystemExit(1)

    def small_case(self, name, world, statement, seed, base, hidden):
        """The same difference with fewer rows and a shorter statement."""
        counts = self.replays, self.skipped, dict(self.largest)

        def differs(shorter, gone):
            one, said = self.run(shorter, seed, base + gone, "small"), []
            if one[2] and "ERROR:" not in one[0]:
                self.compare(said.append, name, world.adjacency, one, self.run(shorter, seed, hidden + gone, "smaller", "small"), hidden is not base)
            return bool(said)
        statement, gone = shrunk(differs, statement, world.rows_apart(base, hidden))
        self.replays, self.skipped, self.largest = counts
        lines, rows = [], 0
        for relation in sorted({relation for part in world.units.values() for relation, _ in part}):
            for address, row in (line.split("|", 1) for line in self.session.ask(f"SELECT ctid, t FROM {self.table(relation)} t").splitlines()):
                here = [(relation, address) not in table + gone for table in (base, hidden)]
                rows += 1
                lines += [f"        {('', 'in the second ', 'in the first ', '')[2 * here[0] + here[1]]}{self.table(relation)} {row}"] if any(here) else []
        return f"  with {len(lines)} of {rows} rows it is:\n    {statement}\n" + "\n".join(lines)

    def compare_refusals(self, name, statement, one, two):
        """What is refused is refused in the same words, whoever's rows there are."""
        self.replays += 1
        if one[:2] != two[:2]:
            self.complain(name, statement, [f"refused otherwise: {one[0]}---\n{two[0]}"])

    def compare(self, complain, name, adjacency, one, two, moves):
        """Two runs. moves: whether a unit differs."""
        (answer, charges, first), (answer2, charges2, second) = one, two
        for before, after in zip(first, second):
            for key, met in before.found.items():
                if key not in after.found and any(shown(m, before.search) for m in met):
                    self.skipped += 1  # it has the probability that delta pays for
                    return
        self.replays += 1
        if len(first) != len(second) or not all(release.ended for release in second):
            return complain("the second run ended early: " + answer2)
        for before, after in zip(first, second):
            self.parallel += any(line.endswith(" parallel") for line in before.done)
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


def audit_kind(audit, kind, records, units):
    make_world, statements = kinds.KINDS[kind]
    for _ in range(records):
        audit.session.do("RESET ALL")
        world = make_world(audit.session, audit.random)
        audit.charged = int(audit.session.ask("SELECT coalesce(max(id), 0) FROM dpmix.charge"))
        for number, make in enumerate(statements):
            statement = make(audit.random, world.names)
            name = f"{kind} {number}"
            seed = audit.random.getrandbits(60)
            base, others = world.neighbours(audit.random, units)
            one = audit.run(statement, seed, base, "one")
            if one[1] == "" and f"ERROR:  {kinds.MAY_BE_REFUSED.get(kind, 'never')}" in one[0]:
                audit.compare_refusals(name, statement, one, audit.run(statement, seed, others[0], "two", "one"))
                continue
            if not one[2] or not all(release.ended for release in one[2]) or "ERROR:" in one[0]:
                audit.complain(name, statement, ["no release: " + one[0]])
                continue
            if audit.mistake == "two_units":
                others = [a + b for a, b in zip(others, others[1:])]
            for hidden in [base] + others:
                two, said = audit.run(statement, seed, hidden, "two", "one"), []
                audit.compare(said.append, name, world.adjacency, one, two, hidden is not base)
                audit.complain(name, statement, said, lambda: audit.small_case(name, world, statement, seed, base, hidden))
        audit.rest()
    if kind == "parallel" and audit.parallel == 0:
        audit.complain(kind, "", ["no plan has parallel workers"])


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
