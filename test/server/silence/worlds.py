"""Compares what was observed in worlds A and B, and in A once more.

worlds.py screen FOLDER TRIPLES KIND      what differs before this kind, which is the first; and suspects: metrics in which B is
                                          the odd one out of each triple
worlds.py confirm FOLDER TRIPLE SUSPECTS   those suspects of one kind that failed once at most, with this triple, which is another

FOLDER/TRIPLE/{A,B,C}/KIND has lines "place name|json"; C is A again, and worlds run in a random order. Where the world
makes no difference, each of the three is the odd one out with the same probability, at most a third. In 30 triples but one
that happens by chance with a probability of 61 / 3^30: below 1e-9 for 3000 suspects together.
"""
import json
import os
import re
import sys
from collections import Counter

NOT_KEPT = re.compile(r"(^|_)(pids?|virtualxid|virtualtransaction|oid|client_port|query_id)$|^application_name$|time|_start$|_age$|^age$|stats_reset|^state_change$")
LSN = re.compile(r"^[0-9A-F]+/[0-9A-F]+$")
WHOLE = re.compile(r"^-?[0-9]+$")
TIME = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]")


# Where the observer's own polling shows: how often it came round.
OWN = re.compile(r"(\(oid\)\.|\[)(pg_tablespace|tower)\b|pg_stat_database\[None")
COUNTED = ("view", "table", "function", "object", "process")


def number(value):
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str) and LSN.match(value):
        high, low = value.split("/")
        return int(high, 16) * 2**32 + int(low, 16)
    if isinstance(value, str) and WHOLE.match(value):
        return int(value)
    return None


def flatten(path, value, into):
    """Rows are told apart by what is no number in them; of equal ones there is their count."""
    if isinstance(value, list):
        rows = Counter()
        for row in value:
            fields = row if isinstance(row, dict) else {"value": row}
            fields = {k: v for k, v in fields.items() if not NOT_KEPT.search(k) and not (isinstance(v, str) and TIME.match(v))}
            key = ",".join(str(v) for v in fields.values() if number(v) is None and not isinstance(v, (dict, list)))
            rows[key] += 1
            name = f"{path}[{key}]" + (f"#{rows[key]}" if rows[key] > 1 else "")
            for field, content in fields.items():
                if isinstance(content, (dict, list)) or number(content) is not None:
                    flatten(f"{name}.{field}", content, into)
            into[f"{path}[{key}] rows"] = rows[key]
    elif isinstance(value, dict):
        for field, content in value.items():
            if not NOT_KEPT.search(field):
                flatten(f"{path}.{field}", content, into)
    else:
        into[path] = value if number(value) is None else number(value)


def read(folder, triple, world, kind):
    """Of each thing that was looked at, what it said before the call, and then."""
    before, after = {}, {}
    said = {}
    with open(os.path.join(folder, str(triple), world, kind)) as lines:
        for line in lines:
            if line.startswith("said:"):  # a message: how often, and what numbers are in it
                shape, numbers = re.sub("[0-9]+", "#", line[5:].strip()), re.findall("[0-9]+", line)
                heard = said.setdefault(shape, {"times": 0, "sum": 0})
                heard["times"] += 1
                heard["sum"] += sum(int(n) for n in numbers)
                continue
            place, bar, text = line.rstrip("\n").partition("|")
            if bar and text:
                when, _, name = place.partition(" ")
                (before if when == "before" else after)[name] = text
    after["said"] = json.dumps(said)
    # In the caller's session, against what another one saw before.
    return {name: (before.get(name.removeprefix("own-")), after.get(name)) for name in before.keys() | after.keys()}


def metrics(name, texts):
    """What the call left, less what was there before."""
    before, after, values = {}, {}, {}
    for text, into in zip(texts, (before, after)):
        if text is not None:
            flatten(name, json.loads(text), into)
    for metric in before.keys() | after.keys():
        old, new = before.get(metric), after.get(metric)
        if OWN.search(metric):
            continue
        if name.removeprefix("own-").startswith(COUNTED) and number(old or 0) is not None and number(new or 0) is not None:
            values[metric] = number(new or 0) - number(old or 0)
        else:
            values[metric] = "as before" if old == new else new
    return values


def sign(a, c, b):
    """'=' where A and C agree and B does not, '+' or '-' where B is beyond both, None otherwise."""
    signs = set()
    if a == c != b:
        signs.add("=")
    values = [0 if v is None else v for v in (a, c, b)]
    if all(number(v) is not None for v in values):
        if values[2] > max(values[:2]):
            signs.add("+")
        if values[2] < min(values[:2]):
            signs.add("-")
    return signs


def signs_of(folder, triple, kind):
    """Of metrics in which worlds differ at all."""
    worlds = [read(folder, triple, world, kind) for world in "ACB"]
    signs = {}
    for name in worlds[0].keys() | worlds[1].keys() | worlds[2].keys():
        texts = [world.get(name, (None, None)) for world in worlds]
        if texts[0] == texts[1] == texts[2]:
            continue
        a, c, b = (metrics(name, text) for text in texts)
        for metric in a.keys() | b.keys() | c.keys():
            signs[metric] = sign(a.get(metric), c.get(metric), b.get(metric))
    return signs


def unequal(folder, triples, kind):
    """What tells worlds apart before anything was called: then they are not worlds that agree in what is public."""
    differ = None
    for triple in triples:
        names = set()
        worlds = [read(folder, triple, world, kind) for world in "ACB"]
        for name in worlds[0]:
            texts = [world.get(name, (None, None))[0] for world in worlds]
            if texts[0] != texts[2]:
                a, c, b = (metrics(name, (None, text)) for text in texts)
                names |= {metric for metric in a.keys() | b.keys() if a.get(metric) == c.get(metric) != b.get(metric)}
        differ = names if differ is None else differ & names
    return differ


def screen(folder, triples, first):
    for name in sorted(unequal(folder, triples, first)):
        print(f"unequal\t{first}\t{name}")
    for kind in sorted(os.listdir(os.path.join(folder, str(triples[0]), "A"))):
        print(f"metrics\t{kind}\t{sum(len(metrics(*thing)) for thing in read(folder, triples[0], 'A', kind).items())}")
        all_signs = [signs_of(folder, triple, kind) for triple in triples]
        for name in sorted(all_signs[0]):
            found = set.intersection(*(signs.get(name, set()) for signs in all_signs))
            if found:
                # Beyond both in this direction, or odd: its chance is a third either way.
                print(f"suspect\t{kind}\t{name}\t{min(found)}\t0")


def confirm(folder, triple, path):
    """The suspects of one kind, each with how often it failed so far, after one more triple."""
    with open(path) as lines:
        suspects = [line.rstrip("\n").split("\t") for line in lines]
    signs = signs_of(folder, triple, suspects[0][1])
    for _, kind, name, direction, misses in suspects:
        misses = int(misses) + (not signs.get(name, set()) & {"=", direction})
        if misses <= 1:
            print(f"suspect\t{kind}\t{name}\t{direction}\t{misses}")


if __name__ == "__main__":
    if sys.argv[1] == "screen":
        screen(sys.argv[2], [int(t) for t in sys.argv[3].split(",")], sys.argv[4])
    else:
        confirm(sys.argv[2], int(sys.argv[3]), sys.argv[4])
