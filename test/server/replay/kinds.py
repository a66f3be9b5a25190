"""What the replay audit asks: statements of each kind of release, each a function of a random generator, over the tables
that the kind's make_world() fills anew (worlds.py)."""

import re

from worlds import (blocks, cells, in_parallel, labels, literal, models, models_of_units, one_row, plain, population, several_rows)
import statements  # worlds.py knows where it is

MECHANISMS = "gaussian laplace multi_gaussian quasi_gaussian staircase truncated_laplace tulap optimal".split()


def query(text, columns, **more):
    """dpmix.query with a random mechanism and epsilon, in what leaves that open."""
    def make(r, names):
        epsilon = r.choice([.01, .5, 3])
        arguments = dict(epsilon=epsilon, delta="1e-6", mechanism=literal(r.choice(MECHANISMS))) | more
        listed = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
        return f"SELECT * FROM dpmix.query($$ {text} $$, {listed}) AS t({columns})"
    return make


def json_query(text, refusable=False, **more):
    """dpmix.query_json, likewise."""
    def make(r, names):
        arguments = dict(epsilon=r.choice([.01, .5, 3]), delta="1e-6", mechanism=literal(r.choice(MECHANISMS))) | more
        listed = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
        return f"SELECT * FROM dpmix.query_json($$ {text.format(**names)} $$, {listed})"
    return make


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
LABELS = [
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c')"),
    stored("gmm('m', '{table}', '{{x,y}}', {epsilon}, 1e-6, label => 'c', covariance => 'shared')"),
    made("SELECT * FROM dpmix.cda(NULL::{table}, '{{x,y}}', 9, {epsilon}, 1e-6, label => 'c')"),
    made("SELECT * FROM dpmix.compare_private('{table}', 'synthetic', {epsilon}, 1e-6, 'c')"),
]
PLAIN = [made(statement) for statement in [
    "SELECT count(*), sum(x) FROM doors.people",
    "SELECT c, avg(x), count(y) FROM doors.people WHERE w GROUP BY c ORDER BY c",
    "SELECT w, percentile_cont(.5) WITHIN GROUP (ORDER BY x) FROM doors.people GROUP BY w",
    "SELECT count(DISTINCT c), stddev(x) FROM doors.people HAVING count(*) > 3",
    "WITH s AS (SELECT c, sum(y) AS s FROM doors.people GROUP BY c) SELECT max(s), min(s) FROM s",
]]
ROWS = [
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
]

IN_2022, TWO_YEARS = "day >= '2022-01-01' AND day < '2023-01-01'", "day >= '2021-01-01' AND day < '2023-01-01'"
CELLS = [json_query(text, **more) for text, more in [
    (f"SELECT dp_count(*), dp_sum(x) FROM visits WHERE {IN_2022}", {}),
    (f"SELECT c, dp_avg(x), dp_count(*) FROM visits WHERE {TWO_YEARS} GROUP BY c", {}),
    ("SELECT c, dp_sum(x), dp_count(x) FROM persons GROUP BY c", {}),
    ("SELECT dp_median(x) FROM visits", dict(all_blocks="true")),
    (f"SELECT p.c, dp_count(*), dp_sum(v.x) FROM visits v JOIN persons p ON p.person = v.person WHERE v.{TWO_YEARS} GROUP BY p.c", {}),
    (f"SELECT dp_count(*), dp_sum(n) FROM (SELECT person, count(*) AS n, max(x) AS m FROM visits WHERE {TWO_YEARS} GROUP BY person) AS s", {}),
    (f"SELECT dp_sum(m - 50) FROM (SELECT person, max(x) AS m FROM visits WHERE {TWO_YEARS} GROUP BY person) AS s", {}),
    (f"SELECT dp_sum(m), dp_count(*) FROM (SELECT person, max(x) AS m FROM visits WHERE {IN_2022} GROUP BY person) AS s WHERE m > 10", {}),
    (f"SELECT dp_count(*), dp_sum(p.x) FROM persons p WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.person AND v.{IN_2022})", {}),
    (f"SELECT dp_count(*), dp_sum(price) FROM items i JOIN visits v USING (visit) WHERE v.{TWO_YEARS}", {}),
    ("SELECT dp_sum(price) FROM items", dict(all_blocks="true")),
]]

MAY_BE_REFUSED = {"layers": "PV", "cells": "PV002"}  # and how
PAID_ONCE = {"blocks"}  # what a unit's block pays is for all releases of a statement
KINDS = {
    "rows": (one_row, ROWS),
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
    "cells": (cells, CELLS),
    "parallel": (in_parallel(models), ROWS[:6] + MODELS[:8]),
    "models": (models, MODELS),
    "labels": (labels, LABELS),
    "models_of_units": (models_of_units, OF_UNITS),
}
