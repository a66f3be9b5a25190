"""Random statements with GROUP BY and WHERE, each over a facade and over a plain table that holds every combination of
values that is allowed: PostgreSQL must give the same set of groups for both.

    groups.py write COUNT SEED      statements for psql
    groups.py compare               what psql printed, from stdin: the statements whose groups differ
"""
import random
import re
import sys

# For each pair of tables (@ stands for what their names begin with): keys and conditions.
COLUMNS = {"tn": ["region", "flag", "age", "ts"], "to": ["region", "flag", "age", "ts"], "nn": ["x", "k"], "zn": ["tz"]}
REGIONS = ["'n'", "'s'", "'e'"]
PATTERNS = ["YYYY-MM-DD", "Mon", "IYYY-IW", "FMDay", "HH24", 'YYYY "Q"Q', "Dy HH12 AM"]


def day(r):
    return r.choice([f"2024-02-{r.randint(12, 29)}", f"2024-03-0{r.randint(1, 8)}"])


def moments(r):  # full hours: the tables have times right before and after them, in the same hours
    return f"'{day(r)} {r.randint(0, 23):02}:00'"


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
        lambda: f"{column} {r.choice(['<', '<=', '>='])} {moments(r)}",
        lambda: f"{column} > {moments(r).replace(':30', ':00')}",  # what comes next is half an hour later there
        lambda: f"{column} BETWEEN {moments(r)} AND {moments(r)}",
        lambda: f"({column} < {moments(r)} OR {column} >= {moments(r)})",
    ])()


def condition_on_field(r, column):
    return r.choice([
        lambda: f"extract(dow FROM {column}) IN (0, {r.randint(1, 6)})",
        lambda: f"extract(hour FROM {column}) BETWEEN {r.randint(0, 9)} AND {r.randint(9, 23)}",
        lambda: f"extract(day FROM {column}) {r.choice(['<', '>='])} {r.randint(10, 25)}",
        lambda: f"to_char({column}, 'Dy') <> '{r.choice(['Mon', 'Sun'])}'",
        lambda: f"date_trunc('week', {column}) <> date_trunc('day', {column})",
        lambda: f"NOT (extract(isodow FROM {column}) > 5 OR extract(hour FROM {column}) < 8)",
    ])()


def condition_on_day(r):
    return r.choice([
        lambda: condition_on_field(r, "ts"),
        lambda: condition_on_field(r, "ts"),
        lambda: f"ts::date {r.choice(['<', '<=', '=', '>', '>='])} {days(r)}",
        lambda: f"ts::date IN ({days(r)}, {days(r)}, {days(r)})",
        lambda: f"ts >= {days(r)}::date",
        lambda: f"date_trunc('day', ts) {r.choice(['<', '=', '>='])} {days(r)}",
        lambda: f"date_trunc('month', ts) {r.choice(['=', '>='])} '2024-0{r.randint(2, 3)}-01'",
        lambda: f"extract({r.choice(['year FROM ts) = 2024', 'decade FROM ts) = 202', 'isoyear FROM ts) < 2025'])}",
    ])()


def key_in_time(r, column):
    return r.choice([
        lambda: f"date_trunc('{r.choice(['day', 'week', 'month', 'year', 'hour'])}', {column})",
        lambda: f"extract({r.choice(['year', 'month', 'day', 'dow', 'week', 'quarter', 'hour', 'isodow', 'doy'])} FROM {column})",
        lambda: f"{column}::date",
        lambda: f"(extract(month FROM {column}) * 100 + 1)::int",
        lambda: f"to_char({column}, '{r.choice(PATTERNS)}')",
        lambda: f"extract(month FROM {column}) * 100 + extract(day FROM {column})",
        lambda: f"extract(dow FROM {column})::int * 24 + extract(hour FROM {column})::int",
        lambda: f"to_char(date_trunc('week', {column} + interval '1 day'), 'MM/DD')",
    ])()


def key_of_person(r):
    return r.choice(["region", "flag", "age", "floor(age / 5)", "floor(age / 5) * 5", "age / 7", "age > 10",
                     "CASE WHEN age < 10 THEN 'young' WHEN age < 15 THEN 'middle' ELSE 'old' END", "-age", "age % 4", "lower(region)"])


def condition_on_key(r, key):
    """What is grouped by, compared as it stands."""
    if key in ("region", "lower(region)"):
        return f"{key} {r.choice(['=', '<>', '<'])} {r.choice(REGIONS)}"
    if key.startswith("CASE"):
        return f"{key} {r.choice(['=', '<>'])} {r.choice(['young', 'middle', 'old'])!r}"
    if key == "flag" or ">" in key:
        return r.choice([f"({key})", f"NOT ({key})"])
    return f"{key} {r.choice(['<', '<=', '=', '>', '>=', '<>'])} {r.choice([-10, 0, 1, 2, 3, 5, 10, 20, 25, 50])}"


def conditions_on_keys(r, keys):
    """Of some of these keys; of two joined by OR, too."""
    if not keys or r.random() < .6:
        return []
    if len(keys) > 1 and r.random() < .5:
        return [f"({' OR '.join(condition_on_key(r, key) for key in r.sample(keys, 2))})"]
    return [condition_on_key(r, r.choice(keys))]


def columns_in(text):
    return [column for column in ("region", "flag", "age", "ts") if column in text]


def over_people(r):
    keys = [key_of_person(r) if r.random() < .5 else key_in_time(r, "ts") for _ in range(r.randint(1, 3))]
    conditions = [condition_on_region, condition_on_age, lambda r: condition_on_time(r, "ts"), condition_on_day, lambda r: "flag", lambda r: "NOT flag"]
    closed = [f"age BETWEEN {r.randint(0, 12)} AND {r.randint(8, 20)}"] if any("age >" in key or "age <" in key for key in keys) else []
    asked = [r.choice(conditions)(r) for _ in range(r.randint(0, 3))] + conditions_on_keys(r, [k for k in keys if "ts" not in k])
    if not any("ts" in key for key in keys):  # nobody looks for a time that meets several of these
        asked = [c for c in asked if "extract" not in c and "to_char" not in c and "date_trunc" not in c]
    # A condition on several columns narrows where all of them are keys: what others make of it is not looked into. Nor
    # whether conditions on a column that is no key contradict each other for its declared values alone.
    kept, others = closed, set()
    for condition in asked:
        columns = columns_in(condition)
        free = [column for column in columns if not any(column in key for key in keys) and column in ("region", "age")]
        if free and (len(columns) > 1 or others.intersection(free)):
            continue
        if len(columns) < 2 or all(any(column in key for key in keys) for column in columns):
            kept.append(condition)
            others.update(free)
    return "@t", keys, kept


def over_numbers(r):
    width = r.choice([12.5, 5, 10, .5, 7])
    keys = [r.choice([f"floor(x / {width}) * {width}", f"floor(x / {width})", f"round((x / {width})::numeric)", f"ceil(x)", f"x::int", "round(x::numeric, -1)",
                      f"floor((x - 1) / {width}) * {width} + 1", f"width_bucket(x, 5, 40, 5) * 10", "trunc(x / 10) * 10", "x::int / 10"])]
    if r.random() < .5:
        keys.append(r.choice(["k", "k / 3", "k % 2"]))
    conditions = [lambda: f"x {r.choice(['<', '<=', '>', '>='])} {r.randint(1, 199) / 4}", lambda: f"k < {r.randint(1, 9)}",
                  lambda: f"x BETWEEN {r.randint(0, 80) / 4} AND {r.randint(80, 200) / 4}", lambda: "k IN (1, 3, 5)"]
    about = conditions_on_keys(r, [k for k in keys if "width_bucket" not in k])
    return "@n", keys, about + [r.choice(conditions)() for _ in range(r.randint(0, 2))]


def over_amounts(r):
    """A numeric with two digits behind the point."""
    width, scale = r.choice([12.5, 5, 10, .5, 7, 2.25]), r.choice([0, 1, 2, 2, 3])
    number = lambda: f"{r.uniform(1, 49):.{scale}f}"
    keys = [r.choice([f"floor(m / {width}) * {width}", f"floor(m / {width})", "ceil(m)", "m::int", "round(m, -1)", "round(m)", "trunc(m / 10) * 10",
                      f"floor((m - 1) / {width}) * {width} + 1", "width_bucket(m, 5, 40, 7)", "width_bucket(m, 40, 5, 7)",
                      "width_bucket(m, ARRAY[5, 12.5, 20.25]) * 10"])]
    edge = lambda: r.choice([number, lambda: str(r.randint(1, int(49 / width)) * width)])()
    conditions = [lambda: f"m {r.choice(['<', '<=', '>', '>='])} {edge()}", lambda: f"m BETWEEN {edge()} AND {edge()}", lambda: f"m IN ({edge()}, {edge()})"]
    about = conditions_on_keys(r, [k for k in keys if "width_bucket" not in k])
    return "@a", keys, about + [r.choice(conditions)() for _ in range(r.randint(0, 2))]


def over_shops(r):
    """A protected table joined to a public one."""
    of_shop = [lambda: f"s.country {r.choice(['=', '<>'])} '{r.choice(['DE', 'FR', 'IT', 'XX'])}'", lambda: f"s.size {r.choice(['<', '>='])} {r.randint(1, 20)}",
               lambda: "s.country IN ('DE', 'FR')", lambda: f"s.opened < '202{r.randint(0, 1)}-0{r.randint(1, 9)}-01'", lambda: "upper(s.city) LIKE '%3'"]
    inner = r.random() < .6
    on = "".join(f" AND {r.choice(of_shop)()}" for _ in range(r.randint(0, 1)))
    keys = ["v.age", "coalesce(s.city, 'none')", "coalesce(s.country, 'none')", "coalesce(s.size, 0) > 10"]
    if inner:
        keys = ["v.age", "v.age / 5", "v.shop", "s.city", "s.country", "s.size", "s.opened", "upper(s.city)", "s.country || s.city", "floor(s.size / 5.0)",
                "date_trunc('year', s.opened)", "extract(month FROM s.opened)", "s.size % 3", "s.size > 5"]
    keys = r.sample(keys, r.randint(1, 3))
    conditions = of_shop + [lambda: f"v.age < {r.randint(1, 20)}"] + ([lambda: f"v.shop < {r.randint(1, 20)}"] if inner else [])
    asked = [r.choice(conditions)() for _ in range(r.randint(0, 2))]
    return f"@v AS v {'JOIN' if inner else 'LEFT JOIN'} shop AS s ON s.id = v.shop{on}", keys, asked


def condition_on_zone(r):
    return r.choice([
        lambda: condition_on_field(r, "tz"),
        lambda: condition_on_time(r, "tz").replace("2024-02", "2024-03").replace("2024-03-0", "2024-04-0"),
        lambda: f"tz::date {r.choice(['<', '<=', '=', '>='])} '2024-03-{r.randint(22, 31)}'",
        lambda: f"date_trunc('{r.choice(['day', 'week'])}', tz) {r.choice(['<', '>='])} '2024-03-{r.randint(28, 31)}'",
        lambda: f"extract(year FROM tz AT TIME ZONE 'Pacific/Apia') = 2024",
        lambda: "(tz AT TIME ZONE 'America/New_York')::date IN ('2024-03-30', '2024-03-31', '2024-04-01')",
    ])()


def over_zones(r):
    keys = [key_in_time(r, "tz") for _ in range(r.randint(1, 3))]
    return "@z", keys, [condition_on_zone(r) for _ in range(r.randint(0, 2))]


def write(count, seed):
    r = random.Random(seed)
    for i in range(count):
        table, keys, conditions = r.choice([over_people, over_people, over_numbers, over_amounts, over_zones, over_shops])(r)
        if table in ("@t", "@n", "@z") and r.random() < .6:
            table += "n"  # its columns may be NULL
            if table == "@tn" and r.random() < .5 and sum("region" in key for key in keys) < 2:
                table = "@to"  # other regions are a group: what LIKE and OR make of them is not known
                conditions = [c for c in conditions if "region" not in c or re.fullmatch(r"region (=|<>|IN) [^|]*", c)]
            if r.random() < .5:
                conditions.append(f"{r.choice(COLUMNS[table[1:]])} IS {r.choice(['NULL', 'NOT NULL'])}")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        columns = ", ".join(f"{key} AS k{n}" for n, key in enumerate(keys))
        groups = ", ".join(str(n + 1) for n in range(len(keys)))
        shown = ", ".join(f"k{n}" for n in range(len(keys)))
        said = f"{columns} FROM {table}{where}".replace("'", "")
        print(f"\\echo @ {i} {said}")
        for prefix in ("private.", "every_"):
            source = table.replace("@", prefix)
            print(f"\\echo = {prefix}")
            print(f"SELECT {shown} FROM (SELECT {columns}, count(*) FROM {source}{where} GROUP BY {groups}) AS s;")


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
            parts[-1].append(re.sub(r"(\.\d*?)0+(?=\||$)", r"\1", line).replace(".|", "|").rstrip("."))  # 2.50 is 2.5
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
