"""Random statements with GROUP BY and WHERE, each over a facade and over a plain table that holds every combination of
values that is allowed: PostgreSQL must give the same set of groups for both.

    groups.py write COUNT SEED      statements for psql
    groups.py compare               what psql printed, from stdin: the statements whose groups differ
"""
import random
import sys

# For each pair of tables: keys and conditions. A key with a unit in time; conditions are joined by AND.
REGIONS = ["'n'", "'s'", "'e'"]


def day(r):
    return r.choice([f"2024-02-{r.randint(12, 29)}", f"2024-03-0{r.randint(1, 8)}"])


def moments(r):
    return f"'{day(r)} {r.randint(0, 23):02}:{r.choice(['00', '30'])}'"


def days(r):
    return f"'{day(r)}'"


def condition_on_region(r):
    return r.choice([
        lambda: f"region = {r.choice(REGIONS)}",
        lambda: f"region IN ({', '.join(r.sample(REGIONS, 2))})",
        lambda: f"region <> {r.choice(REGIONS)}",
        lambda: f"NOT (region = {r.choice(REGIONS)} OR flag)",
        lambda: f"(region = {r.choice(REGIONS)} OR age > {r.randint(0, 20)})",
        lambda: "region LIKE 's%'",
    ])()


def condition_on_age(r):
    return r.choice([
        lambda: f"age {r.choice(['<', '<=', '=', '>', '>=', '<>'])} {r.randint(1, 19)}",
        lambda: f"age BETWEEN {r.randint(0, 10)} AND {r.randint(5, 20)}",
        lambda: f"age IN ({r.randint(0, 20)}, {r.randint(0, 20)}, {r.randint(0, 20)})",
        lambda: f"age % 3 = {r.randint(0, 2)}",
        lambda: f"age::float8 / 2 > {r.randint(0, 9)}",
        lambda: f"(flag OR age < {r.randint(1, 20)})",
    ])()


def condition_on_time(r, column):
    return r.choice([
        lambda: f"{column} {r.choice(['<', '<=', '>', '>='])} {moments(r)}",
        lambda: f"{column} BETWEEN {moments(r)} AND {moments(r)}",
        lambda: f"({column} < {moments(r)} OR {column} >= {moments(r)})",
    ])()


def condition_on_day(r):
    return r.choice([
        lambda: f"ts::date {r.choice(['<', '<=', '=', '>', '>='])} {days(r)}",
        lambda: f"ts::date IN ({days(r)}, {days(r)}, {days(r)})",
        lambda: f"ts >= {days(r)}::date",
    ])()


def key_in_time(r, column):
    return r.choice([
        lambda: f"date_trunc('{r.choice(['day', 'week', 'month', 'year', 'hour'])}', {column})",
        lambda: f"extract({r.choice(['year', 'month', 'day', 'dow', 'week', 'quarter', 'hour', 'isodow', 'doy'])} FROM {column})",
        lambda: f"{column}::date",
        lambda: f"(extract(month FROM {column}) * 100 + 1)::int",
    ])()


def key_of_person(r):
    return r.choice(["region", "flag", "age", "floor(age / 5)", "floor(age / 5) * 5", "age / 7", "age > 10",
                     "CASE WHEN age < 10 THEN 'young' WHEN age < 15 THEN 'middle' ELSE 'old' END", "-age", "age % 4", "lower(region)"])


def columns_in(text):
    return [column for column in ("region", "flag", "age", "ts") if column in text]


def over_people(r):
    keys = [key_of_person(r) if r.random() < .5 else key_in_time(r, "ts") for _ in range(r.randint(1, 3))]
    conditions = [condition_on_region, condition_on_age, lambda r: condition_on_time(r, "ts"), condition_on_day, lambda r: "flag", lambda r: "NOT flag"]
    closed = [f"age BETWEEN {r.randint(0, 12)} AND {r.randint(8, 20)}"] if any("age >" in key or "age <" in key for key in keys) else []
    asked = [r.choice(conditions)(r) for _ in range(r.randint(0, 3))]
    # A condition on several columns narrows where all of them are keys: what others make of it is not looked into.
    return "t", keys, closed + [c for c in asked if all(any(column in key for key in keys) for column in columns_in(c)) or len(columns_in(c)) < 2]


def over_numbers(r):
    width = r.choice([12.5, 5, 10, .5, 7])
    keys = [r.choice([f"floor(x / {width}) * {width}", f"floor(x / {width})", f"round((x / {width})::numeric)", f"ceil(x)", f"x::int", "round(x::numeric, -1)",
                      f"floor((x - 1) / {width}) * {width} + 1", f"width_bucket(x, 5, 40, 5) * 10", "trunc(x / 10) * 10", "x::int / 10"])]
    if r.random() < .5:
        keys.append(r.choice(["k", "k / 3", "k % 2"]))
    conditions = [lambda: f"x {r.choice(['<', '<=', '>', '>='])} {r.randint(1, 199) / 4}", lambda: f"k < {r.randint(1, 9)}",
                  lambda: f"x BETWEEN {r.randint(0, 80) / 4} AND {r.randint(80, 200) / 4}", lambda: "k IN (1, 3, 5)"]
    return "n", keys, [r.choice(conditions)() for _ in range(r.randint(0, 2))]


def over_zones(r):
    keys = [key_in_time(r, "tz") for _ in range(r.randint(1, 3))]
    moved = [condition_on_time(r, "tz").replace("2024-02", "2024-03").replace("2024-03-0", "2024-04-0") for _ in range(r.randint(0, 2))]
    return "z", keys, moved


def write(count, seed):
    r = random.Random(seed)
    for i in range(count):
        table, keys, conditions = r.choice([over_people, over_people, over_numbers, over_zones])(r)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        columns = ", ".join(f"{key} AS k{n}" for n, key in enumerate(keys))
        groups = ", ".join(str(n + 1) for n in range(len(keys)))
        shown = ", ".join(f"k{n}" for n in range(len(keys)))
        print(f"\\echo @ {i} {columns}{where}")
        for name in (f"private.{table}", f"every_{table}"):
            print(f"\\echo = {name}")
            print(f"SELECT {shown} FROM (SELECT {columns}, count(*) FROM {name}{where} GROUP BY {groups}) AS s;")


def compare():
    differ, refused, same, groups = [], [], 0, 0
    statement, parts = None, []

    def end():
        nonlocal same, groups
        if statement is None:
            return
        private, every = parts
        if any("ERROR" in line for line in private):
            refused.append((statement, next(line for line in private if "ERROR" in line)))
        elif sorted(private) != sorted(every):
            differ.append((statement, sorted(set(private) - set(every))[:3], sorted(set(every) - set(private))[:3], len(private), len(every)))
        else:
            same += 1
            groups += len(every)

    for line in sys.stdin.read().splitlines():
        if line.startswith("@ "):
            end()
            statement, parts = line[2:], []
        elif line.startswith("= "):
            parts.append([])
        elif parts and not line.startswith(("NOTICE", "DETAIL", "HINT", "LINE", "WARNING")):
            parts[-1].append(line)
    end()
    print(f"{same} same {len(differ)} differ {len(refused)} refused {groups} groups")
    for one in differ[:10]:
        print("differs:", *one)
    for one in refused[:10]:
        print("refused:", *one)


if sys.argv[1] == "write":
    write(int(sys.argv[2]), int(sys.argv[3]))
else:
    compare()
