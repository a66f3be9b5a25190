"""What the replay audit asks: random tables, and statements of each kind of release over them.

A kind has tables, which make_world() fills anew, and statements, each a function of a random generator. A unit's rows are
found by their addresses, so what is hidden does not depend on what dpmix thinks of units.
"""

MECHANISMS = "gaussian laplace multi_gaussian quasi_gaussian staircase truncated_laplace tulap optimal".split()


class World:
    def __init__(self, adjacency, units):
        self.adjacency, self.units = adjacency, units


def literal(value):
    return "NULL" if value is None else "'" + str(value) + "'"


def extreme(r, low, high):
    """Values in and out of bounds, and at their ends."""
    return r.choice([low, high, low, high, (low + high) / 2, 10 * high + 1, -10 * abs(low) - 1, None, round(r.uniform(low, high), 3)])


def begin_world(session, adjacency):
    """A protection belongs to a name and keeps its adjacency, so each adjacency has a schema."""
    session.do(f"CREATE SCHEMA IF NOT EXISTS {adjacency}")
    session.do(f"SET search_path = {adjacency}")


def people(session, r, adjacency, rows=30):
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
    session.do(f"SELECT dpmix.protect('people', 1e7, .1, privacy_unit => 'id', adjacency => '{adjacency}', accountant => 'basic')")
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


def make_world(session, kind, r):
    return KINDS[kind][0](session, r)


def statements(kind):
    return KINDS[kind][1]


def query(text, columns, **more):
    """dpmix.query with a random mechanism and epsilon, in what leaves that open."""
    def make(r):
        epsilon = r.choice([.01, .5, 3])
        arguments = dict(epsilon=epsilon, delta="1e-6", mechanism=literal(r.choice(MECHANISMS))) | more
        listed = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
        return f"SELECT * FROM dpmix.query($$ {text} $$, {listed}) AS t({columns})"
    return make


def one_row(session, r):
    adjacency = r.choice(["add_remove", "replace"])
    begin_world(session, adjacency)
    people(session, r, adjacency)
    return World(adjacency, units_of(session, {"people": "id"}))


KINDS = {
    "rows": (one_row, [
        query("SELECT dp_count(*), dp_count(x) FROM people", "n bigint, m bigint"),
        query("SELECT dp_count(*), dp_count(x), dp_sum(x) FROM people", "n bigint, m bigint, s float8"),
        query("SELECT c, dp_sum(x), dp_count(*) FROM people GROUP BY c", "c text, s float8, n bigint"),
        query("SELECT c, w, dp_avg(x), dp_sum(y) FROM people WHERE y < 15 GROUP BY c, w", "c text, w boolean, a float8, s float8"),
        query("SELECT dp_var(x), dp_avg(y) FROM people WHERE c = 'a' OR w", "v float8, a float8"),
        query("SELECT w, dp_corr(x, y) FROM people GROUP BY w", "w boolean, r float8"),
        query("SELECT c, dp_median(x), dp_quantile(y, .9) FROM people GROUP BY c", "c text, m float8, q float8"),
        query("SELECT dp_median(x) FROM people", "m float8", mechanism=None, delta=0),
        query("SELECT c, dp_histogram(x, '{0,20,50,100}') FROM people GROUP BY c", "c text, h bigint[]"),
        query("SELECT dp_count_distinct(y), dp_count_distinct(c) FROM people", "n bigint, m bigint"),
        query("SELECT dp_sum(CASE WHEN w THEN x ELSE y END), dp_sum(abs(y) + x / 2) FROM people", "s float8, t float8"),
        query("SELECT town, dp_count(*), dp_sum(x) FROM people GROUP BY town", "town text, n bigint, s float8", epsilon=3,
              mechanism="'gaussian'", keys="'discover'"),
        query("SELECT town, dp_sum(x) FROM people GROUP BY town", "town text, s float8", epsilon=5, keys="'discover'", mechanism="'laplace'"),
        query("SELECT c, w, dp_count(*), dp_sum(x) FROM people GROUP BY CUBE (c, w)", "c text, w boolean, n bigint, s float8",
              mechanism="'gaussian'"),
        query("SELECT c, dp_count(*) FROM people GROUP BY GROUPING SETS ((c), ())", "c text, n bigint", mechanism="'gaussian'"),
    ]),
}
