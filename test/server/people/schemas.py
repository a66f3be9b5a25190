"""Random schemas of one population: their tables and columns, and the SQL that makes them (statements.py)."""

TEXTS = ["a", "b", "c"]
UNITS = 14


class Column:
    """mark: what it tells of its row's unit (None: nothing); of a key of two columns only with the other."""

    def __init__(self, name, kind="number", mark=None, bounded=False, grouped=False, nullable=True):
        self.name, self.kind, self.mark, self.bounded, self.grouped, self.nullable = (
            name,
            kind,
            mark,
            bounded,
            grouped,
            nullable,
        )

    def of_join(self, missing):
        return Column(self.name, self.kind, self.mark, self.bounded, self.grouped, self.nullable or missing)

    def of(self, alias, nullable=False):
        return Column(
            f"{alias}.{self.name}", self.kind, self.mark, self.bounded, self.grouped, self.nullable or nullable
        )


def plain_columns():
    return [Column("x", bounded=True, grouped=True), Column("y", bounded=True), Column("c", "text", grouped=True)]


TABLES = {
    "p": [Column("u", mark="u", nullable=False)],
    "q": [Column("u", mark="u", nullable=False), Column("id", mark="q", nullable=False)],
    "w": [
        Column("u", mark="u", nullable=False),
        Column("i", mark="wi", nullable=False),
        Column("j", mark="wj", nullable=False),
    ],
    "l": [Column("n", mark="l", nullable=False), Column("id", mark="q", nullable=False)],
    "m": [Column("i", mark="wi", nullable=False), Column("j", mark="wj", nullable=False)],
    "k": [Column("n", mark="l", nullable=False)],
    "b": [Column("z")],
    "d": [Column("z")],
}
PRIVATE, PUBLIC = "pqwlmk", "bd"
for columns in TABLES.values():
    columns += plain_columns()


def parted(name, table, columns, key):
    """CREATE TABLE; in every fourth schema in two parts, by the key that links name."""
    made = f"CREATE TABLE {table} ({columns})"
    if sum(map(ord, name)) % 4 != 0:
        return made + ";"
    parts = " ".join(
        f"CREATE TABLE {table}_{n} PARTITION OF {table} FOR VALUES WITH (MODULUS 2, REMAINDER {n});" for n in (0, 1)
    )
    return f"{made} PARTITION BY HASH ({key}); {parts}"


def schema(name, random):
    """Tables of it: each unit has at most two rows in one, where four may be; some rows are nobody's; rows "
    "lie in any order."""
    few = "CASE WHEN random() < .85 THEN floor(random() * 5)::int END"
    text = "CASE WHEN random() < .9 THEN (ARRAY['a','b','c'])[1 + floor(random() * 3)::int] END"
    rest = f"{few}, {few}, {text}"
    is_plain = "x int, y int, c text"
    adjacency = random.choice(["add_remove"] * 7 + ["replace"])
    print(f"CREATE SCHEMA {name}; SET search_path = {name}, public;")
    print(f"CREATE TABLE p (u int PRIMARY KEY, {is_plain});")
    print(parted(name, "q", f"u int, id int PRIMARY KEY, {is_plain}", "id"))
    # As in UNION with whole numbers.
    print(parted(name, "w", "u int, i int, j int, x int, y numeric, c text, UNIQUE (j, i)", "i"))
    print(parted(name, "l", f"n int PRIMARY KEY, id int, {is_plain}", "n"))
    print(f"CREATE TABLE m (i int, j int, {is_plain}); CREATE TABLE k (n int, x int, y float8, c text);")
    print(f"CREATE TABLE b (z int UNIQUE, {is_plain}); CREATE TABLE d (z int, {is_plain});")
    print(
        f"INSERT INTO p SELECT u, {rest} FROM generate_series(1, {UNITS}) u WHERE random() < .8 ORDER BY random();"
    )
    # A key is sometimes as small as a value, or as a unit.
    some = f"FROM generate_series(0, {UNITS + 1}) u, generate_series(1, 2) WHERE random() < .8"
    unit = f"CASE WHEN u BETWEEN 1 AND {UNITS} THEN u END"
    print(
        f"INSERT INTO q SELECT {unit}, row_number() OVER (ORDER BY random()) - 1, {rest} {some} ORDER BY random();"
    )
    print(
        f"INSERT INTO w SELECT {unit}, r / 5, r % 5, {rest} FROM (SELECT u, row_number() OVER (ORDER BY "
        f"random()) AS r {some}) t "
        "ORDER BY random();"
    )
    # Two rows of each unit at most, and some that are nobody's.
    print(
        f"INSERT INTO l SELECT row_number() OVER (ORDER BY random()) - 1, id, {rest} FROM (SELECT id, "
        f"row_number() OVER (PARTITION BY u "
        "ORDER BY random()) AS r FROM q, generate_series(1, 2)) t WHERE r <= 2 ORDER BY random();"
    )
    print(f"INSERT INTO l SELECT 1000 + i, CASE WHEN i > 2 THEN 900 + i END, {rest} FROM generate_series(1, 5) i;")
    print(
        f"INSERT INTO m SELECT i, j, {rest} FROM (SELECT i, j, row_number() OVER (PARTITION BY u ORDER BY "
        f"random()) AS r "
        "FROM w, generate_series(1, 2)) t WHERE r <= 2 ORDER BY random();"
    )
    print(
        f"INSERT INTO m SELECT CASE WHEN i > 2 THEN 90 + i END, CASE WHEN i < 4 THEN 90 + i END, {rest} "
        f"FROM generate_series(1, 4) i;"
    )
    print(
        f"INSERT INTO k SELECT n, {rest} FROM (SELECT n, row_number() OVER (PARTITION BY u ORDER BY random()) AS r "
        "FROM l LEFT JOIN q USING (id), generate_series(1, 2)) t WHERE r <= 2 ORDER BY random();"
    )
    print(
        f"INSERT INTO b SELECT z, {rest} FROM generate_series(0, 3) z; INSERT INTO d SELECT z / 2, {rest} "
        f"FROM generate_series(0, 6) z;"
    )
    # What plain SQL is asked over: nobody's rows are no part of layers.
    print(
        f"CREATE SCHEMA {name}_own; CREATE VIEW {name}_own.q AS SELECT * FROM q WHERE u IS NOT NULL; "
        f"CREATE VIEW {name}_own.w AS SELECT * FROM w WHERE u IS NOT NULL; "
        f"CREATE VIEW {name}_own.l AS SELECT * FROM l WHERE id IN (SELECT id FROM {name}_own.q); "
        f"CREATE VIEW {name}_own.m AS SELECT * FROM m WHERE (i, j) IN (SELECT i, j FROM {name}_own.w); "
        f"CREATE VIEW {name}_own.k AS SELECT * FROM k WHERE n IN (SELECT n FROM {name}_own.l);"
    )
    print(f"SELECT dpmix.create_population('{name}', 1e7, .1, accountant => 'basic') \\g /dev/null")
    own = ", ".join(
        f"dpmix.protect('{t}', population => '{name}', privacy_unit => 'u', max_rows_per_unit => {n}, "
        f"adjacency => '{adjacency}')"
        for t, n in (("p", 1), ("q", 4), ("w", 4))
    )
    print(f"SELECT {own} \\g /dev/null")
    for table, target, link, key in (("l", "q", "id", "id"), ("m", "w", "i,j", "i,j"), ("k", "l", "n", "n")):
        print(
            f"SELECT dpmix.protect('{table}', population => '{name}', unit_through => '{target}', link => "
            f"'{{{link}}}', "
            f"target_key => '{{{key}}}', max_rows_per_unit => 4, adjacency => '{adjacency}') \\g /dev/null"
        )
    print("SELECT dpmix.declare_public('b'), dpmix.declare_public('d') \\g /dev/null")
    for table in PRIVATE:
        print(
            f"SELECT dpmix.set_bounds('{table}', 'x', 0, 4), dpmix.set_bounds('{table}', 'y', 0, 4), "
            f"dpmix.set_categories('{table}', 'x', "
            f"'{{0,1,2,3,4}}'), dpmix.set_categories('{table}', 'c', '{{a,b,c}}') \\g /dev/null"
        )
