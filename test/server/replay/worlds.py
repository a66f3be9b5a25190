"""The tables of the replay audit: worlds with random rows, and who is hidden of them.

A unit's rows are found by their addresses, so what is hidden does not depend on what dpmix thinks of units.
"""

import contextlib
import io
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../people"))
import schemas  # noqa: E402


class World:
    def __init__(self, adjacency, units, **names):
        self.adjacency, self.units, self.names = adjacency, units, names

    def rows_apart(self, hidden, instead):
        """What may go from both of two neighbours, so that they are neighbours still: lists of rows."""
        differ = [] if self.adjacency == "add_remove" else hidden + instead
        return [[row] for rows in self.units.values() for row in rows if row not in differ and row not in hidden]

    def neighbours(self, r, count):
        """What is hidden at first, and what is hidden instead."""
        chosen = r.sample(sorted(self.units), min(count, len(self.units)))
        # Who is replaced is in one table alone, each of the others is in the other alone.
        base = self.units[chosen.pop()] if self.adjacency == "replace" else []
        return base, [self.units[unit] for unit in chosen]


class Blocks(World):
    """Neighbours differ in one block: who is replaced is by another of the same."""

    def neighbours(self, r, count):
        if self.adjacency != "replace":
            return super().neighbours(r, count)
        of_block = {}
        for unit in sorted(self.units):
            of_block.setdefault(unit.split(":")[0], []).append(unit)
        base, *others = r.choice([units for units in of_block.values() if len(units) > 1])
        return self.units[base], [self.units[unit] for unit in others[:count]]


class Cells(World):
    """Neighbours differ in what a unit has in one block, or in none: under replace these are others of the same unit."""

    def neighbours(self, r, count):
        if self.adjacency != "replace":
            return super().neighbours(r, 3 * count)  # releases read few of the blocks
        rows = r.choice([rows for _, rows in sorted(self.units.items()) if len(rows) > 1])
        base, *others = [r.sample(rows, r.randrange(len(rows) + 1)) for _ in range(count + 1)]
        return base, others


class Twins(World):
    """Each row stands beside a twin that differs in its label: one of the two is hidden."""

    def rows_apart(self, hidden, instead):
        differ = set(hidden) ^ set(instead)
        return [twins for twins in self.units.values() if not differ.intersection(twins)]

    def neighbours(self, r, count):
        hidden = {row: r.choice(twins) for row, twins in self.units.items()}
        others = []
        for row in r.sample(sorted(self.units), count):
            one, other = self.units[row]
            others.append([kept for twin, kept in hidden.items() if twin != row] + [other if hidden[row] == one else one])
        return list(hidden.values()), others


def literal(value):
    return "NULL" if value is None else "'" + str(value) + "'"


def extreme(r, low, high):
    """Values in and out of bounds, and at their ends."""
    return r.choice([low, high, low, high, (low + high) / 2, 10 * high + 1, -10 * abs(low) - 1, None, None, round(r.uniform(low, high), 3)])


def begin_world(session, r, accountants=("basic", "gdp", "renyi")):
    """Terms of protection, at random. They stay with a table's name, so each has a schema."""
    adjacency, accountant = r.choice(["add_remove", "replace"]), r.choice(accountants)
    session.do(f"CREATE SCHEMA IF NOT EXISTS {adjacency}_{accountant}")
    session.do(f"SET search_path = {adjacency}_{accountant}")
    return adjacency, f"adjacency => '{adjacency}', accountant => '{accountant}'"


def people(session, r, terms, rows=30):
    """One row a person."""
    session.do("DROP TABLE IF EXISTS people")
    session.do("CREATE TABLE people (id int NOT NULL UNIQUE, x float8, y int, c text, w boolean, town text)")
    lines = []
    for i in range(rows):
        y = extreme(r, -5, 20)
        lines.append(f"({i}, {literal(extreme(r, 0, 100))}, {literal(y if y is None else int(y))}, {literal(r.choice(['a', 'b', 'c', 'else', None]))}, "
                     f"{literal(r.choice(['t', 'f', None]))}, {literal(r.choice(['ulm', 'bonn', 'wien', 'graz', None]))})")
    session.do("INSERT INTO people VALUES " + ", ".join(lines))
    session.do("ANALYZE people")
    session.do(f"SELECT dpmix.protect('people', 1e7, .1, privacy_unit => 'id', {terms})")
    session.do("SELECT dpmix.set_bounds('people', 'x', 0, 100), dpmix.set_bounds('people', 'y', -5, 20)")
    session.do("SELECT dpmix.set_categories('people', 'c', '{a,b,c}'), dpmix.set_categories('people', 'w', '{false,true}')")


def units_of(session, tables):
    """The addresses of each unit's rows: tables, each with its expression for whose a row is."""
    units = {}
    for table, unit in tables.items():
        for relation, address, who in session.rows(f"SELECT tableoid::int8, ctid, {unit} FROM {table}"):
            if who != "":
                units.setdefault(who, []).append((relation, address))
    return units


def one_row(session, r):
    adjacency, terms = begin_world(session, r)
    people(session, r, terms)
    return World(adjacency, units_of(session, {"people": "id"}))


def visits(session, r, terms, rows=40):
    """Several rows a person, more than count; a public table beside them."""
    most = r.choice([1, 2, 4])
    table = f"visits{most}"  # what a protection says of rows stays with the name
    session.do(f"DROP VIEW IF EXISTS visits; DROP TABLE IF EXISTS {table}, places")
    session.do("CREATE TABLE places (place int PRIMARY KEY, zone text, weight int)")
    session.do("INSERT INTO places VALUES (0, 'n', 1), (1, 'n', 2), (2, 's', 3), (3, NULL, 4)")
    session.do(f"CREATE TABLE {table} (person int NOT NULL, place int, x float8, y int, c text, w boolean, day date)")
    lines = []
    for person in range(rows // 4):
        kind = r.choice("abc")  # most of its rows are alike: then they add up
        for _ in range(r.choice([1, 1, 2, 4, 9])):
            y = extreme(r, -5, 20)
            lines.append(f"({person}, {r.randrange(5)}, {literal(extreme(r, 0, 100))}, {literal(y if y is None else int(y))}, "
                         f"{literal(kind if r.random() < .6 else r.choice(['a', 'b', 'c', 'else', None]))}, {literal(r.choice(['t', 'f']))}, '2024-01-01'::date + {r.randrange(60)})")
    r.shuffle(lines)
    session.do(f"INSERT INTO {table} VALUES " + ", ".join(lines))
    session.do(f"ANALYZE {table}, places")
    session.do(f"SELECT dpmix.protect('{table}', 1e7, .1, privacy_unit => 'person', max_rows_per_unit => {most}, "
               f"{terms})")
    session.do(f"SELECT dpmix.set_bounds('{table}', 'x', 0, 100), dpmix.set_bounds('{table}', 'y', -5, 20)")
    session.do(f"SELECT dpmix.set_categories('{table}', 'c', '{{a,b,c}}'), dpmix.set_categories('{table}', 'w', '{{false,true}}'), dpmix.set_categories('{table}', 'place', '{{0,1,2,3}}')")
    session.do("SELECT dpmix.declare_public('places')")
    return table


def several_rows(session, r):
    adjacency, terms = begin_world(session, r)
    table = visits(session, r, terms)
    return World(adjacency, units_of(session, {table: "person"}), visits=table)


def population(session, r):
    """Six tables of one population, with links, of test/server/people."""
    name = f"s{r.randrange(10**9)}"
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        schemas.schema(name, r)
    session.ask(text.getvalue().rstrip().rstrip(";").replace("\\g /dev/null", ";"))
    session.do(f"SET search_path = {name}, public")
    [adjacency], = session.rows(f"SELECT adjacency FROM dpmix.populations WHERE name = '{name}'")
    units = {}
    owners = dict(p="u", q="u", w="u", l="(SELECT u FROM q WHERE q.id = l.id)", m="(SELECT u FROM w WHERE (w.i, w.j) = (m.i, m.j))",
                  k="(SELECT u FROM l JOIN q USING (id) WHERE l.n = k.n)")
    return World(adjacency, units_of(session, owners))


def with_synthetic(session, world, table):
    session.do("DROP TABLE IF EXISTS synthetic")
    session.do("CREATE TABLE synthetic (x float8, y int, c text, w boolean)")
    session.do("INSERT INTO synthetic SELECT i % 100, i % 20 - 3, (ARRAY['a', 'b', 'c'])[1 + i % 3], i % 2 = 0 FROM generate_series(1, 60) i")
    world.names = dict(table=table)
    return world


def models(session, r):
    world = one_row(session, r)
    return with_synthetic(session, world, "people")


def models_of_units(session, r):
    world = several_rows(session, r)
    return with_synthetic(session, world, world.names["visits"])


def blocks(session, r):
    """A table whose days have budgets of their own; its rows are units."""
    adjacency, terms = begin_world(session, r, ("gdp", "renyi"))
    session.do("DROP TABLE IF EXISTS days")
    session.do("CREATE TABLE days (id int, day date NOT NULL, x float8, c text)")
    session.do("INSERT INTO days VALUES " + ", ".join(
        f"({i}, date '2024-01-01' + {r.randrange(24)}, {literal(extreme(r, 0, 100))}, {literal(r.choice(['a', 'b', None]))})" for i in range(40)))
    session.do("ANALYZE days")
    session.do(f"SELECT dpmix.protect('days', 1e7, .1, blocks => 'day', width => '2 days', blocks_from => '2024-01-01', {terms})")
    session.do("SELECT dpmix.set_bounds('days', 'x', 0, 100), dpmix.set_categories('days', 'c', '{a,b}')")
    return Blocks(adjacency, units_of(session, {"days": "(day - date '2024-01-01') / 2 || ':' || id"}))


def labels(session, r):
    adjacency, terms = "label", f"adjacency => 'label', label => 'c', accountant => '{r.choice(['basic', 'gdp', 'renyi'])}'"
    name = f"labels{r.randrange(10**9)}"
    session.do(f"CREATE SCHEMA {name}")
    session.do(f"SET search_path = {name}")
    session.do("CREATE TABLE answers (id int, x float8, y int, c text, w boolean)")
    lines = []
    for i in range(30):
        x, y, w = extreme(r, 0, 100), extreme(r, -5, 20), r.choice(["t", "f"])
        for c in r.sample(["a", "b", "else", None], 2):
            lines.append(f"({i}, {literal(x)}, {literal(y if y is None else int(y))}, {literal(c)}, '{w}')")
    session.do("INSERT INTO answers VALUES " + ", ".join(lines))
    session.do("ANALYZE answers")
    session.do(f"SELECT dpmix.protect('answers', 1e7, .1, {terms})")
    session.do("SELECT dpmix.set_bounds('answers', 'x', 0, 100), dpmix.set_bounds('answers', 'y', -5, 20)")
    session.do("SELECT dpmix.set_categories('answers', 'c', '{a,b}'), dpmix.set_categories('answers', 'w', '{false,true}')")
    return with_synthetic(session, Twins(adjacency, units_of(session, {"answers": "id"})), "answers")


def plain(session, r):
    world = one_row(session, r)
    session.do("CREATE SCHEMA IF NOT EXISTS doors")
    session.do("DROP VIEW IF EXISTS doors.people")
    session.do("SELECT dpmix.expose('people', 'doors.people', default_epsilon => 2, default_delta => 1e-6)")
    return world


def cells(session, r):
    """A population whose years have budgets of their own: a table with times, one without, one that is linked."""
    adjacency, accountant = r.choice(["add_remove", "replace"]), r.choice(["basic", "gdp", "renyi"])
    name = "cells" + session.ask("SELECT txid_current()").strip()  # populations stay, also where a seed comes again
    session.do(f"CREATE SCHEMA {name}")
    session.do(f"SET search_path = {name}")
    session.do("CREATE TABLE persons (person int PRIMARY KEY, x float8, c text)")
    session.do("CREATE TABLE visits (visit int PRIMARY KEY, person int NOT NULL, day date, x float8, c text)")
    session.do("CREATE TABLE items (visit int, price int)")

    def insert(table, lines):
        r.shuffle(lines)
        session.do(f"INSERT INTO {table} VALUES " + ", ".join(lines))

    def day():
        return r.choice([None, "2019-05-05", "2199-01-01"] + [f"{year}-0{1 + r.randrange(9)}-1{r.randrange(9)}" for year in (2021, 2022, 2022, 2023)] * 4)
    insert("persons", [f"({i}, {literal(extreme(r, 0, 100))}, {literal(r.choice(['a', 'b', None]))})" for i in range(12) if r.random() < .9])
    seen = [(visit, person) for visit, person in enumerate(i for i in range(12) for _ in range(r.choice([1, 3, 6, 8])))]
    insert("visits", [f"({visit}, {person}, {literal(day())}, {literal(extreme(r, 0, 100))}, {literal(r.choice(['a', 'b', None]))})"
                      for visit, person in seen])
    insert("items", [f"({literal(visit)}, {literal(r.choice([0, 10, 99, None]))})"
                     for visit in [v for v, _ in seen] * 2 + [999, None] if r.random() < .7])
    session.do("ANALYZE persons, visits, items")
    session.do(f"SELECT dpmix.create_population('{name}', 1e7, .1, accountant => '{accountant}', weak_budget => true, "
               "width => '1 year', blocks_from => '2021-01-01')")
    terms = f"population => '{name}', adjacency => '{adjacency}'"
    session.do(f"SELECT dpmix.protect('persons', privacy_unit => 'person', {terms})")
    session.do(f"SELECT dpmix.protect('visits', privacy_unit => 'person', max_rows_per_unit => {r.choice([1, 2, 4])}, blocks => 'day', {terms})")
    session.do(f"SELECT dpmix.protect('items', unit_through => 'visits', link => '{{visit}}', max_rows_per_unit => {r.choice([2, 4])}, {terms})")
    session.do("SELECT dpmix.set_bounds('persons', 'x', 0, 100), dpmix.set_bounds('visits', 'x', 0, 100), dpmix.set_bounds('items', 'price', 0, 10)")
    session.do("SELECT dpmix.set_categories('persons', 'c', '{a,b}'), dpmix.set_categories('visits', 'c', '{a,b}')")
    year = "extract(year FROM day)::text || ':' || person"
    return Cells(adjacency, units_of(session, {
        "persons": "'always:' || person", "visits": year, "items": f"(SELECT {year} FROM visits v WHERE v.visit = items.visit)"}))


def in_parallel(make_world):
    """The same tables, on more pages, read by parallel workers."""
    def make(session, r):
        for setting in ["max_parallel_workers_per_gather = 2", "min_parallel_table_scan_size = 0", "parallel_setup_cost = 0", "parallel_tuple_cost = 0"]:
            session.do("SET " + setting)
        return make_world(session, r)
    return make
