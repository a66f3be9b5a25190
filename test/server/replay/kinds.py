"""What the replay audit asks: random tables, and statements of each kind of release over them.

A kind has tables, which make_world() fills anew, and statements, each a function of a random generator. A unit's rows are
found by their addresses, so what is hidden does not depend on what dpmix thinks of units.
"""

import contextlib
import io
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../people"))
import schemas  # noqa: E402
import statements  # noqa: E402

MECHANISMS = "gaussian laplace multi_gaussian quasi_gaussian staircase truncated_laplace tulap optimal".split()


class World:
    def __init__(self, adjacency, units, **names):
        self.adjacency, self.units, self.names = adjacency, units, names

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


class Twins(World):
    """Each row stands beside a twin that differs in its label: one of the two is hidden."""

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


def query(text, columns, **more):
    """dpmix.query with a random mechanism and epsilon, in what leaves that open."""
    def make(r, names):
        epsilon = r.choice([.01, .5, 3])
        arguments = dict(epsilon=epsilon, delta="1e-6", mechanism=literal(r.choice(MECHANISMS))) | more
        listed = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
        return f"SELECT * FROM dpmix.query($$ {text} $$, {listed}) AS t({columns})"
    return make


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


def json_query(text, refusable=False, **more):
    """dpmix.query_json, likewise."""
    def make(r, names):
        arguments = dict(epsilon=r.choice([.01, .5, 3]), delta="1e-6", mechanism=literal(r.choice(MECHANISMS))) | more
        listed = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
        return f"SELECT * FROM dpmix.query_json($$ {text.format(**names)} $$, {listed})"
    return make


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


def layered(count=40):
    def make(r, names):
        text, _ = statements.Statements(r).statement()
        text = re.sub(r"\{(\w+)\}", r"dp_\1", text)
        return json_query(text.replace("{", "{{").replace("}", "}}"))(r, names)
    return [make] * count


def stored(call):
    """A stored release and all that is kept of it, undone: the charge stands."""
    def make(r, names):
        epsilon = r.choice([.5, 3, 20])
        made = call.format(epsilon=epsilon, **names)
        return (f"BEGIN; SELECT dpmix.release_{made}; SELECT to_jsonb(s) - '{{id,at,charge_id,table_id}}'::text[] FROM dpmix.release s WHERE name = 'm'; "
                "ROLLBACK")
    return make


def made(statement):
    return lambda r, names: statement.format(epsilon=r.choice([.5, 3, 20]), **names)


MODELS = [
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c')"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, components => 2)"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6)"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c', method => 'staged')"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c', covariance => 'diagonal', objective => 'forward_kl')"),
    stored("tree('m', '{table}', '{{x,y,w}}', {epsilon}, 1e-6, label => 'c')"),
    stored("tree('m', '{table}', '{{x,y,c,w}}', {epsilon}, 1e-6, bins => 'equal')"),
    stored("regression('m', '{table}', 'x', '{{y,c}}', {epsilon}, 1e-6)"),
    stored("regression('m', '{table}', 'x', '{{y,y^2}}', {epsilon}, 1e-6, label => 'c')"),
    stored("regression('m', '{table}', 'x > 50', '{{y,c}}', {epsilon}, 1e-6, 'logistic')"),
    stored("regression('m', '{table}', 'x > 50', '{{y,c}}', {epsilon}, 1e-6, 'logistic', method => 'coordinate', passes => 2)"),
    stored("regression('m', '{table}', 'x > 50', '{{y,c}}', {epsilon}, 1e-6, 'logistic', method => 'coordinate', mechanism => 'gaussian')"),
    stored("cube('m', '{table}', '{{c,w}}', '{{count,sum(x)}}', {epsilon}, 1e-6)"),
    stored("survival('m', '{table}', 'x', 'c', {epsilon}, 1e-6, bins => 6, censored => 'b')"),
    made("SELECT * FROM dpmix.synthesize(NULL::{table}, 20, {epsilon}, 1e-6, columns => '{{x,y}}', label => 'c', method => 'copula')"),
    made("SELECT * FROM dpmix.synthesize(NULL::{table}, 20, {epsilon}, 1e-6, columns => '{{x,y,c,w}}')"),
    made("SELECT * FROM dpmix.compare_private('{table}', 'synthetic', {epsilon}, 1e-6, 'c')"),
    made("SELECT * FROM dpmix.suggest_bounds('{table}', 'x', {epsilon}, 1e-6)"),
    made("SELECT * FROM dpmix.cda(NULL::{table}, '{{x,y}}', 9, {epsilon}, 1e-6, label => 'c')"),
    made("SELECT * FROM dpmix.cda(NULL::{table}, '{{x,c}}', 9, {epsilon}, 1e-6, mix => 5, demix => 'tied')"),
]


PEOPLE = "$$ SELECT person, max(x) AS m, min(y) AS k, bool_or(w) AS v FROM {table} WHERE c <> 'a' GROUP BY person $$"
OF_UNITS = [
    stored("tree('m', '{table}', '{{x,y,w}}', {epsilon}, 1e-6, label => 'c')"),
    stored("tree('m', '{table}', '{{x,y,c,w}}', {epsilon}, 1e-6, bins => 'equal')"),
    stored("regression('m', '{table}', 'x', '{{y,c}}', {epsilon}, 1e-6)"),
    stored("regression('m', '{table}', 'x > 50', '{{y,c}}', {epsilon}, 1e-6, 'logistic')"),
    stored("regression('m', '{table}', 'x > 50', '{{y,c}}', {epsilon}, 1e-6, 'logistic', method => 'coordinate', passes => 2)"),
    stored(f"cube('m', keys => '{{{{v}}}}', measures => '{{{{count,sum(m)}}}}', epsilon => {{epsilon}}, delta => 1e-6, source => {PEOPLE})"),
    stored(f"tree('m', columns => '{{{{m,k,v}}}}', epsilon => {{epsilon}}, delta => 1e-6, bins => 'equal', source => {PEOPLE})"),
    stored(f"gmm('m', columns => '{{{{m,k}}}}', epsilon => {{epsilon}}, delta => 1e-6, components => 2, source => {PEOPLE})"),
    stored(f"regression('m', target => 'm', terms => '{{{{k,v}}}}', epsilon => {{epsilon}}, delta => 1e-6, source => {PEOPLE})"),
    made("SELECT * FROM dpmix.synthesize(NULL::{table}, 20, {epsilon}, 1e-6, columns => '{{x,y,c,w}}')"),
    made("SELECT * FROM dpmix.suggest_unit_bounds('{table}', {epsilon}, 1e-6)"),
    made("SELECT * FROM dpmix.suggest_bounds('{table}', 'x', {epsilon}, 1e-6)"),
    made("SELECT * FROM dpmix.suggest_categories('{table}', 'c', {epsilon}, 1e-6)"),
]


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


def counted(query, period, until):
    """A counter that makes its steps: all that is stored of them, and its totals."""
    def make(r, names):
        epsilon = r.choice([.5, 5])
        steps = "; ".join(f"SELECT dpmix.run_counter('steps', '{day}')" for day in until)
        return (f"SELECT name, steps, epsilon, delta FROM dpmix.create_counter('steps', '{query}', '{period}', '60 days', {epsilon}, 1e-6); {steps}; "
                "SELECT * FROM dpmix.counter('steps'); SELECT dpmix.drop_counter('steps')")
    return make


BLOCKS = [
    json_query("SELECT dp_count(*), dp_sum(x) FROM days WHERE day >= '2024-01-05' AND day < '2024-01-09'"),
    json_query("SELECT c, dp_count(x), dp_avg(x) FROM days WHERE day BETWEEN '2024-01-03' AND '2024-01-16' GROUP BY c"),
    json_query("SELECT dp_median(x) FROM days", all_blocks="true"),
    json_query("SELECT day, dp_count(*), dp_sum(x) FROM days WHERE day >= '2024-01-05' AND day < '2024-01-21' GROUP BY day", epsilon=3,
               mechanism="'gaussian'", keys="'discover'"),
    counted("SELECT c, dp_count(*) AS n, dp_sum(x) AS s FROM days GROUP BY c", "2 days", ["2024-01-03", "2024-01-07", "2024-01-09", "2024-01-21"]),
    counted("SELECT dp_sum(x) AS s FROM days", "4 days", ["2024-01-05", "2024-01-09", "2024-01-13", "2024-01-17", "2024-01-25"]),
]

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


LABELS = [
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c')"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c', covariance => 'shared')"),
    made("SELECT * FROM dpmix.cda(NULL::{table}, '{{x,y}}', 9, {epsilon}, 1e-6, label => 'c')"),
    made("SELECT * FROM dpmix.compare_private('{table}', 'synthetic', {epsilon}, 1e-6, 'c')"),
]


def plain(session, r):
    world = one_row(session, r)
    session.do("CREATE SCHEMA IF NOT EXISTS doors")
    session.do("DROP VIEW IF EXISTS doors.people")
    session.do("SELECT dpmix.expose('people', 'doors.people', default_epsilon => 2, default_delta => 1e-6)")
    return world


PLAIN = [made(statement) for statement in [
    "SELECT count(*), sum(x) FROM doors.people",
    "SELECT c, avg(x), count(y) FROM doors.people WHERE w GROUP BY c ORDER BY c",
    "SELECT w, percentile_cont(.5) WITHIN GROUP (ORDER BY x) FROM doors.people GROUP BY w",
    "SELECT count(DISTINCT c), stddev(x) FROM doors.people HAVING count(*) > 3",
    "WITH s AS (SELECT c, sum(y) AS s FROM doors.people GROUP BY c) SELECT max(s), min(s) FROM s",
]]

MAY_BE_REFUSED = {"layers"}
PAID_ONCE = {"blocks"}  # what a unit's block pays is for all releases of a statement
KINDS = {
    "rows": (one_row, [
        query("SELECT dp_count(*), dp_count(x) FROM people", "n bigint, m bigint"),
        query("SELECT dp_count(*), dp_count(x), dp_sum(x) FROM people", "n bigint, m bigint, s float8", mechanism="'gaussian'"),
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
    "units": (several_rows, [
        json_query("SELECT dp_count(*), dp_sum(x) FROM {visits}"),
        json_query("SELECT c, dp_count(*), dp_sum(y) FROM {visits} GROUP BY c"),
        json_query("SELECT c, dp_sum(x), dp_count(y) FROM {visits} GROUP BY c", max_groups=1),
        json_query("SELECT place, c, dp_count(*) FROM {visits} GROUP BY place, c", max_groups=2, max_rows=3),
        json_query("SELECT dp_avg(x), dp_var(y) FROM {visits} WHERE c <> 'b'", max_rows=2),
        json_query("SELECT dp_count_distinct(person) AS n, dp_count_distinct(c) AS m FROM {visits}"),
        json_query("SELECT c, dp_count_distinct(person) FROM {visits} GROUP BY c", max_groups=2),
        json_query("SELECT dp_median(x) FROM {visits}"),
        json_query("SELECT place, dp_quantile(x, .25) FROM {visits} GROUP BY place", max_groups=1, mechanism=None, delta=0),
        json_query("SELECT zone, dp_count(*), dp_sum(weight) FROM {visits} JOIN places USING (place) GROUP BY zone"),
        json_query("SELECT dp_count(*) FILTER (WHERE c = 'a'), dp_sum(x) FILTER (WHERE y > 0) FROM {visits}"),
        json_query("SELECT y, dp_count(*), dp_sum(x) FROM {visits} GROUP BY y", epsilon=3, mechanism="'gaussian'", keys="'discover'", max_groups=2),
        json_query("SELECT c, place, dp_count(*), dp_sum(x) FROM {visits} GROUP BY CUBE (c, place)", mechanism="'gaussian'"),
        json_query("SELECT dp_count(*), dp_sum(n) FROM (SELECT person, count(*) AS n FROM {visits} WHERE x > 10 GROUP BY person) AS s"),
        json_query("SELECT dp_avg(m), dp_count(*) FROM (SELECT person, max(x) AS m, min(y) AS k FROM {visits} GROUP BY person) AS s WHERE k < 9"),
        json_query("SELECT dp_sum(least(greatest(gap, 0), 30)) FROM (SELECT person, y - lag(y) OVER (PARTITION BY person ORDER BY day, x, y, c, place) AS gap "
                   "FROM {visits}) AS s WHERE gap > 1"),
    ]),
    "layers": (population, layered()),
    "plain": (plain, PLAIN),
    "blocks": (blocks, BLOCKS),
    "models": (models, MODELS),
    "labels": (labels, LABELS),
    "models_of_units": (models_of_units, OF_UNITS),
}
