"""Compares what was observed in worlds A and B, and in A once more.

worlds.py screen FOLDER TRIPLES KIND      what differs before this kind, which is the first; and suspects: metrics in which B is
                                          the odd one out of each triple
worlds.py confirm FOLDER TRIPLE SUSPECTS   those suspects of one kind that failed once at most, with this triple, which is another

FOLDER/TRIPLE/{A,B,C}/KIND has lines "place name|json"; C is A again, and worlds run in a random order. Where the world
makes no difference, each of the three is the odd one out with the same probability, at most a third. In 28 triples but one
that happens by chance with a probability of 57 / 3^28: below 1e-9 for 400 suspects together.
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
    """What was there before the call, and what was seen in and after it."""
    before, after = {}, {}
    with open(os.path.join(folder, str(triple), world, kind)) as lines:
        for line in lines:
            place, bar, text = line.rstrip("\n").partition("|")
            if bar and text:
                when, _, name = place.partition(" ")
                flatten(name, json.loads(text), before if when == "before" else after)
    return before, after


def observed(folder, triple, world, kind):
    """Metrics of one call: what it left, less what was there before."""
    before, after = read(folder, triple, world, kind)
    metrics = {}
    for name in before.keys() | after.keys():
        if name.startswith("own-"):  # in the caller's session, against what another saw before
            old, new = before.get(name[4:]), after.get(name)
        else:
            old, new = before.get(name), after.get(name)
        if name.removeprefix("own-").startswith(COUNTED) and number(old or 0) is not None and number(new or 0) is not None:
            metrics[name] = number(new or 0) - number(old or 0)
        else:
            metrics[name] = "as before" if old == new else new
    return metrics


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
    a, b, c = (observed(folder, triple, world, kind) for world in "ABC")
    names = {name for name in a.keys() | b.keys() | c.keys() if not OWN.search(name)}
    return {name: sign(a.get(name), c.get(name), b.get(name)) for name in names}


def unequal(folder, triples, kind):
    """What tells worlds apart before anything was called: then they are not worlds that agree in what is public."""
    differ = None
    for triple in triples:
        a, b, c = (read(folder, triple, world, kind)[0] for world in "ABC")
        names = {name for name in a.keys() | b.keys() if a.get(name) == c.get(name) != b.get(name)}
        differ = names if differ is None else differ & names
    return differ


def screen(folder, triples, first):
    for name in sorted(unequal(folder, triples, first)):
        print(f"unequal\t{first}\t{name}")
    for kind in sorted(os.listdir(os.path.join(folder, str(triples[0]), "A"))):
        found = None
        count = 0
        for triple in triples:
            signs = signs_of(folder, triple, kind)
            count = max(count, len(signs))
            found = signs if found is None else {name: found[name] & signs.get(name, set()) for name in found}
        print(f"metrics\t{kind}\t{count}")
        for name in sorted(found):
            if found[name]:
                # Beyond both, or odd: one rule, as its chance is a third either way.
                print(f"suspect\t{kind}\t{name}\t{'+' if '+' in found[name] else '-' if '-' in found[name] else '='}\t0")


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
