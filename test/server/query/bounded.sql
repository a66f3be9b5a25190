-- Intervals of bounded totals, over random tables in which people have very different numbers of rows. One query asks
-- all of them: who is in one of them is in no other. Of bounded.test.sh, and of bench/query/bounded.sh. :tables: how
-- many.

-- Rows of a person as a Pareto law has them, in some of four groups; values that go with the number of rows.
CREATE TABLE heavy AS
SELECT t * 1000 + p AS person, t AS tab, floor(4 * random() ^ (1 + p % 3))::int AS g,
       round(least(100, 100 * random() ^ (1 + p % 4)))::int AS x
FROM generate_series(0, :tables - 1) t, generate_series(1, 30) p,
     generate_series(1, least(300, floor(1.5 / (random() + p * 0) ^ (.6 + t % 5 * .15)))::int);
SELECT dpmix.protect('heavy', 1e6, .1, accountant => 'gdp', privacy_unit => 'person', max_rows_per_unit => 5);
SELECT dpmix.set_categories('heavy', 'tab', (SELECT array_agg(t::text ORDER BY t) FROM generate_series(0, :tables - 1) t)),
       dpmix.set_categories('heavy', 'g', '{0,1,2,3}'), dpmix.set_bounds('heavy', 'x', 0, 100);

-- What the answers are of, without noise: of each row the weight of its person, of one FILTER and of the other.
CREATE VIEW bounded AS
WITH n AS (SELECT person, g, count(*) AS n, count(*) FILTER (WHERE x > 30) AS f FROM heavy GROUP BY 1, 2),
     w AS (SELECT person, least(1, 5 / sqrt(sum(n * n))) AS w, least(1, 5 / nullif(sqrt(sum(f * f)), 0)) AS wf FROM n GROUP BY 1)
SELECT tab, g, sum(w) AS n, sum(w * x) AS s, sum(w * x) / sum(w) AS a, coalesce(sum(wf) FILTER (WHERE x > 30), 0) AS f,
       count(*) AS plain_n, sum(x) AS plain_s, count(*) FILTER (WHERE x > 30) AS plain_f
FROM heavy JOIN w USING (person) GROUP BY 1, 2;

CREATE TABLE answered AS
SELECT * FROM dpmix.query('SELECT tab, g, dp_count(*), dp_low(dp_count(*)), dp_high(dp_count(*)), dp_sum(x), dp_low(dp_sum(x)), dp_high(dp_sum(x)),
        dp_avg(x), dp_low(dp_avg(x)), dp_high(dp_avg(x)),
        dp_count(*) FILTER (WHERE x > 30), dp_low(dp_count(*) FILTER (WHERE x > 30)), dp_high(dp_count(*) FILTER (WHERE x > 30))
    FROM heavy GROUP BY tab, g', :epsilon, 1e-6, 'gaussian')
  AS t(tab int, g int, n bigint, n_low float8, n_high float8, s float8, s_low float8, s_high float8,
       a float8, a_low float8, a_high float8, f bigint, f_low float8, f_high float8);

-- Of each aggregate: the share of intervals that hold the bounded total, and of low ends that are below the plain one.
CREATE VIEW covered AS
SELECT v.answer, count(*) AS intervals, avg((v.bounded BETWEEN v.low AND v.high)::int) AS bounded,
       avg((v.plain >= v.low)::int) AS plain_from_low, avg((v.plain BETWEEN v.low AND v.high)::int) AS plain
FROM answered a JOIN bounded b USING (tab, g),
     LATERAL (VALUES ('count', b.n, b.plain_n, n_low, n_high), ('sum', b.s, b.plain_s, s_low, s_high), ('avg', b.a, NULL, a_low, a_high),
                     ('count of a filter', b.f, b.plain_f, f_low, f_high)) v(answer, bounded, plain, low, high)
GROUP BY 1;

-- What is lost of all rows: 30 kinds of tests of a ward, of which most people have few and some have hundreds (at most
-- 40 count in full); and events, a few a person in four groups (at most 6). Weighed, and drawn for noise that goes by
-- cells.
CREATE TABLE labs AS
SELECT p AS person, floor(30 * random() ^ 2)::int AS g FROM generate_series(1, 3000) p,
       generate_series(1, 1 + floor(exp(2.6 + .99 * sqrt(-2 * ln(1 - random() - p * 0)) * cos(2 * pi() * random())))::int);
CREATE TABLE events AS
SELECT p AS person, floor(4 * random())::int AS g FROM generate_series(1, 3000) p,
       generate_series(1, 1 + floor(-1.9 * ln(1 - random() - p * 0))::int);
SELECT dpmix.protect('labs', 1e7, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 40),
       dpmix.protect('events', 1e7, .1, accountant => 'basic', privacy_unit => 'person', max_rows_per_unit => 6);
SELECT dpmix.set_categories('labs', 'g', (SELECT array_agg(g::text) FROM generate_series(0, 29) g)),
       dpmix.set_categories('events', 'g', '{0,1,2,3}');
CREATE TABLE lost AS
SELECT t, m.mechanism, 1 - (SELECT sum(n) FROM dpmix.query(format('SELECT g, dp_count(*) FROM %I GROUP BY g', t), 1e5, m.delta, m.mechanism) q(g int, n bigint))
                           / r.rows AS share
FROM (SELECT 'labs' AS t, count(*) AS rows FROM labs UNION ALL SELECT 'events', count(*) FROM events) r,
     (VALUES ('gaussian', 1e-6), ('staircase', 0)) m(mechanism, delta);
