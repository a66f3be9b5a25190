"""What the audit's library wrote down of releases, and what a difference between two of them shows."""
import math
import os

STAIRCASE = 4  # of dpmix::Family


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


def shown(meeting, search):
    return meeting.result[0] >= (1 if meeting.law == "coin" else search["shown_from"] * 2 ** search["weight_bits"])
