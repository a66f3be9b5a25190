-- Rules between columns: declared, in policies, followed through DDL, kept by every synthetic row. No noise value is
-- printed.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET TimeZone = 'UTC';
CREATE SCHEMA rules;
SET search_path = rules;
CREATE TABLE rules.stay (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, admitted date, seen date, discharged date, ward text, bed integer, room smallint NOT NULL, tests integer NOT NULL,
    acts integer NOT NULL, price numeric(9,2), tax numeric(9,2), paid numeric(9,2), called timestamp, ended timestamp, low float8, high float8, note text);
INSERT INTO rules.stay (admitted, seen, discharged, ward, bed, room, tests, acts, price, tax, paid, called, ended, low, high)
SELECT a, a + i % 3, CASE WHEN i % 10 > 0 THEN a + (i * 7) % 40 END, CASE WHEN i % 5 > 0 THEN 'w' || i % 2 END, CASE WHEN i % 5 > 0 THEN i % 9 END,
       i % 6, (i / 3) % 4, i % 6 + (i / 3) % 4, p, round(p / 5, 2), p + round(p / 5, 2), c, c + ((i * 13) % 7000) * interval '1.5 second', x, x + (i % 7) / 10::float8
FROM (SELECT i, date '2025-01-01' + (i * 31) % 700 AS a, ((i * 37) % 9000)::numeric / 100 AS p, timestamp '2025-01-01' + i * interval '11 minutes' AS c,
             (i % 1000) / 1000::float8 AS x FROM generate_series(1, 6000) i) r;
-- Some break what is declared; nobody is told.
INSERT INTO rules.stay (admitted, seen, discharged, ward, bed, room, tests, acts, price, tax, paid, called, ended, low, high)
SELECT date '2026-06-01', '2020-01-01', '2025-01-01', 'w0', NULL, 3, 3, 900, 5, 5, -1, '2025-03-01', '2024-01-01', 'infinity', 'NaN' FROM generate_series(1, 200);
SELECT dpmix.protect('rules.stay', 1000, 1e-3);
SELECT column_name, lower, upper, source FROM dpmix.declare('rules.stay', '{
    "admitted": ["2025-01-01", "2027-01-01"],
    "seen": {"bounds": ["2025-01-01", "2027-06-01"], "at_least": "admitted"},
    "discharged": {"bounds": ["2025-01-01", "2028-01-01"], "at_least": "seen"},
    "ward": {"categories": ["w0", "w1"], "present_with": "bed"}, "bed": [0, 10], "room": [0, 10], "tests": [0, 10],
    "acts": {"bounds": [0, 20], "sum_of": ["room", "tests"]},
    "price": [0, 100], "tax": [0, 20], "paid": {"bounds": [0, 120], "sum_of": ["price", "tax"], "present_with": "bed"},
    "called": ["2025-01-01", "2026-01-01"], "ended": {"bounds": ["2025-01-01", "2026-02-01"], "at_least": "called"},
    "low": [0, 1], "high": {"bounds": [-1, 2], "at_least": "low"}}') WHERE source IS NOT NULL;
SELECT column_name, rules FROM dpmix.columns WHERE relation = 'rules.stay'::regclass AND rules IS NOT NULL;
SELECT entry LIKE '%keeps discharged >= seen%' AS described FROM (SELECT string_agg(d::text, ' ') AS entry FROM dpmix.describe('rules.stay') d) d;

-- What breaks a rule, of synthetic rows as of the table's own.
CREATE FUNCTION rules.broken(made regclass) RETURNS TABLE (orders bigint, sums bigint, presence bigint, bounds bigint, rows bigint) LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY EXECUTE format($sql$
    SELECT count(*) FILTER (WHERE seen < admitted OR discharged < seen OR ended < called OR high < low),
           count(*) FILTER (WHERE acts <> room + tests OR paid <> price + tax OR (paid IS NULL) <> (price IS NULL OR tax IS NULL)),
           count(*) FILTER (WHERE (ward IS NULL) <> (bed IS NULL) OR (paid IS NULL) <> (bed IS NULL)),
           count(*) FILTER (WHERE (admitted BETWEEN '2025-01-01' AND '2027-01-01' AND seen BETWEEN '2025-01-01' AND '2027-06-01' AND discharged BETWEEN '2025-01-01' AND '2028-01-01'
                                   AND price BETWEEN 0 AND 100 AND tax BETWEEN 0 AND 20 AND room BETWEEN 0 AND 10 AND low BETWEEN 0 AND 1 AND high BETWEEN -1 AND 2) IS FALSE),
           count(*) FROM %s$sql$, made);
END $$;
SELECT orders > 0 AS orders, sums > 0 AS sums, presence > 0 AS presence FROM rules.broken('rules.stay');
SET client_min_messages = notice;
SELECT mechanism FROM dpmix.preview($$SELECT * FROM dpmix.synthesize(NULL::rules.stay, 100, 50, 1e-6)$$);
SELECT mechanism FROM dpmix.preview($$SELECT * FROM dpmix.synthesize(NULL::rules.stay, 100, 50, 1e-6, columns => '{admitted,seen}', method => 'copula')$$);
SET client_min_messages = warning;
CREATE TABLE rules.made AS SELECT * FROM dpmix.synthesize(NULL::rules.stay, 20000, 50, 1e-6);
CREATE TABLE rules.noisy AS SELECT * FROM dpmix.synthesize(NULL::rules.stay, 20000, .05, 1e-6, label => 'ward');
SELECT * FROM rules.broken('rules.made');
SELECT orders, sums, bounds, rows FROM rules.broken('rules.noisy');
-- Differences and sums are as in the table.
SELECT abs(m.days - r.days) < 1 AS days, abs(m.days_apart - r.days_apart) < 1 AS days_apart, abs(m.acts - r.acts) < .1 AS acts, abs(m.paid - r.paid) < 2 AS paid,
       abs(m.there - r.there) < .02 AS still_there, abs(m.no_bed - .226) < .02 AS no_bed, abs(m.above - r.above) < .02 AS above, abs(m.above_apart - r.above_apart) < .02 AS above_apart
FROM (SELECT avg(discharged - seen) AS days, stddev(discharged - seen) AS days_apart, avg(acts) AS acts, avg(paid) AS paid, avg((discharged IS NULL)::int) AS there,
             avg((bed IS NULL)::int) AS no_bed, avg(high - low) AS above, stddev(high - low) AS above_apart FROM rules.made) m,
     (SELECT avg(greatest(discharged - greatest(seen, admitted), 0)) FILTER (WHERE discharged IS NOT NULL) AS days,
             stddev(greatest(discharged - greatest(seen, admitted), 0)) FILTER (WHERE discharged IS NOT NULL) AS days_apart, avg(least(room + tests, 20)) AS acts,
             avg(price + tax) FILTER (WHERE bed IS NOT NULL) AS paid, avg((discharged IS NULL)::int) AS there, avg(high - low) FILTER (WHERE high < 3) AS above,
             stddev(high - low) FILTER (WHERE high < 3) AS above_apart FROM rules.stay) r;
-- A stored model keeps them too, in whole rows and by density; its columns stand for what is measured of them.
SELECT columns, quality <> '' AS told FROM dpmix.release_tree('stay', 'rules.stay', '{admitted,discharged,seen,room,acts,tests}', 50, 1e-6);
CREATE TABLE rules.sampled AS SELECT * FROM dpmix.sample('stay', NULL::rules.stay, 20000);
SELECT count(*) FILTER (WHERE seen < admitted OR discharged < seen OR acts <> room + tests) AS broken, count(*) AS rows, count(acts) AS acts FROM rules.sampled;
SELECT dpmix.tree_probability('stay', s) > 0 AS likely FROM rules.sampled s LIMIT 1;
SELECT bool_and(a <> 'acts' AND b <> 'acts') AS no_sum FROM (SELECT e::text, split_part(trim(e::text, '()'), ',', 1) AS a, split_part(trim(e::text, '()'), ',', 2) AS b FROM dpmix.tree_edges('stay') e) e;
SELECT dpmix.draw('stay') LIKE '<svg%' AS drawn;
SELECT parameters -> 'rules' AS rules, parameters ->> 'columns' AS measured, jsonb_array_length(parameters -> 'features') AS features FROM dpmix.ledger WHERE release = 'stay';
SELECT bool_and(e.meaning LIKE '%: matches the record') AS matches FROM dpmix.ledger l, LATERAL dpmix.explain_charge(l.id) e WHERE e.item = 'cost' AND l.release = 'stay';
-- Columns whose rules lead to others that are not asked for are columns like others.
SELECT parameters -> 'rules' AS rules, parameters ->> 'columns' AS measured FROM dpmix.ledger l,
    (SELECT count(*) AS rows FROM dpmix.synthesize(NULL::rules.stay, 10, 50, 1e-6, columns => '{acts,room,discharged,paid}')) s WHERE l.id = (SELECT max(id) FROM dpmix.ledger);
-- What an exact comparison shows: of synthetic rows alone.
SELECT measure, column_name, other_column, category, real_value, synthetic_value FROM dpmix.compare('rules.stay', 'rules.made') WHERE measure = 'rule_broken' ORDER BY category;
UPDATE rules.made SET discharged = date '2025-01-01', paid = 0, bed = NULL WHERE admitted > '2025-01-01';
SELECT category, synthetic_value > .9 AS most FROM dpmix.compare('rules.stay', 'rules.made') WHERE measure = 'rule_broken' AND synthetic_value > 0 ORDER BY category;

-- As a policy, and back.
CREATE TABLE rules.kept AS SELECT dpmix.policy('rules') AS policy;
SELECT policy #> '{tables,stay,declare}' AS declared FROM rules.kept;
SELECT count(*) AS changes FROM rules.kept, dpmix.apply(policy);
SELECT count(*) AS columns FROM dpmix.declare('rules.stay', '{"seen": ["2025-01-01", "2027-06-01"], "ward": {"categories": ["w0", "w1"]}, "paid": {"sum_of": ["price", "tax"]}}');
SELECT column_name, rules FROM dpmix.columns WHERE relation = 'rules.stay'::regclass AND column_name IN ('seen', 'ward', 'paid') ORDER BY 1;
SELECT action, what, from_value, to_value, needs FROM rules.kept, dpmix.apply(policy) ORDER BY what;
SELECT dpmix.policy('rules') = policy AS same FROM rules.kept;
-- Renamed and dropped columns.
ALTER TABLE rules.stay RENAME admitted TO "Came in";
ALTER TABLE rules.stay RENAME room TO floor;
ALTER TABLE rules.stay RENAME bed TO place;
SELECT column_name, rules FROM dpmix.columns WHERE relation = 'rules.stay'::regclass AND rules IS NOT NULL;
ALTER TABLE rules.stay DROP floor, DROP "Came in", DROP place;
SELECT column_name, rules FROM dpmix.columns WHERE relation = 'rules.stay'::regclass AND rules IS NOT NULL;

-- Refusals: nothing is declared, nothing charged.
CREATE TABLE rules.bad (a integer, b integer, f float8, g real, h real, n numeric, m numeric, d date, t timestamp, c text, p numeric(5,2), q numeric(5,1), r numeric(5,2));
SELECT dpmix.protect('rules.bad', 1, 1e-6);
SELECT count(*) AS columns FROM dpmix.declare('rules.bad', '{"a": [0, 10], "b": [0, 5], "f": [0, 1], "g": [0, 1], "h": [0, 1], "n": [0, 1], "m": [0, 1], "d": ["2025-01-01", "2026-01-01"],
    "t": ["2025-01-01", "2026-01-01"], "c": ["x"], "p": [0, 1], "q": [0, 1], "r": [0.001, 1]}');
CREATE FUNCTION rules.refusal(domains jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text; detail text;
BEGIN
    PERFORM FROM dpmix.declare('rules.bad', domains);
    RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN concat_ws(' ', SQLSTATE, message, detail);
END $$;
SELECT d, rules.refusal(d) FROM unnest(ARRAY[
    '{"a": {"at_least": "a"}}', '{"a": {"at_least": "none"}}', '{"b": {"at_least": "a"}}', '{"a": {"at_least": "f"}}', '{"g": {"at_least": "h"}}', '{"n": {"at_least": "m"}}',
    '{"t": {"at_least": "d"}}', '{"c": {"at_least": "a"}}', '{"p": {"at_least": "q"}}', '{"p": {"at_least": "r"}}', '{"a": {"at_least": 1}}', '{"a": {"sum_of": ["b"]}}', '{"a": {"sum_of": ["b", "b"]}}',
    '{"a": {"sum_of": "b"}}', '{"b": {"sum_of": ["a", "b"]}}', '{"a": {"sum_of": ["b", "f"]}}', '{"a": {"at_least": "b", "sum_of": ["b", "a"]}}', '{"a": {"bounds": [0, 5], "at_least": "b"}, "b": {"at_least": "a"}}',
    '{"a": {"present_with": "none"}}', '{"a": {"present_with": "a"}}', '{"a": {"present_with": 5}}', '{"a": {"bounds": [0, 20], "at_most": "b"}}']::jsonb[]) d;
SELECT count(*) AS with_rules FROM dpmix.columns WHERE relation = 'rules.bad'::regclass AND rules IS NOT NULL;
-- Bounds that are changed later, and rows that write numbers otherwise.
SELECT count(*) AS columns FROM dpmix.declare('rules.bad', '{"a": {"bounds": [0, 10], "at_least": "b"}, "p": {"bounds": [0, 2], "at_least": "r"}, "r": [0, 1]}');
SELECT dpmix.set_bounds('rules.bad', 'b', 0, 11);
SELECT * FROM dpmix.synthesize(NULL::rules.bad, 10, 1, 1e-7, columns => '{a,b}');
SELECT dpmix.set_bounds('rules.bad', 'b', 0, 10);
CREATE TABLE rules.mixed (a integer, b float8);
CREATE TABLE rules.floats (a float8, b float8);
SELECT name FROM dpmix.release_tree('bad', 'rules.bad', '{a,b}', .1, 1e-7);
SELECT * FROM dpmix.sample('bad', NULL::rules.mixed, 10);
SELECT count(*) FILTER (WHERE a < b) AS broken FROM dpmix.sample('bad', NULL::rules.floats, 1000);
SELECT dpmix_internal.measured_row('{1,2}', '{2,1,0,0,5,-1,-1,0,0,1,0,0,9,0,-1,0,0}') AS measured, dpmix_internal.measured_row('{NaN,-Infinity}', '{2,1,0,0,5,-1,-1,0,0,1,0,0,9,0,-1,0,0}') AS total,
       dpmix_internal.measured_row('{1,NULL}', '{2,1,0,0,5,-1,-1,0,0,1,0,0,9,0,-1,0,0}') AS missing;
SELECT dpmix_internal.measured_row('{1}', '{2,1,0,0,5,-1,-1,0,0,1,0,0,9,0,-1,0,0}');
SELECT dpmix_internal.measured_row('{1,2}', '{2,1,0}');
DROP SCHEMA rules CASCADE;
