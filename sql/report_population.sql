-- The page about all tables of a population, and pages of pictures.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE ROLE clinic_owner; CREATE ROLE clinic_ana; CREATE ROLE clinic_officer; CREATE ROLE clinic_other;
CREATE SCHEMA clinic_test AUTHORIZATION clinic_owner;
GRANT USAGE ON SCHEMA clinic_test TO PUBLIC;
SET search_path = clinic_test;
SET ROLE clinic_owner;
CREATE TABLE patient (pid int PRIMARY KEY, born date);
CREATE TABLE visit (id bigint PRIMARY KEY, patient int NOT NULL, cost numeric);
CREATE TABLE line (visit bigint, price numeric);
INSERT INTO patient SELECT i, '1947-11-13' FROM generate_series(1, 300) i;
INSERT INTO visit SELECT i, 1 + i % 300, 4711 FROM generate_series(1, 900) i;
INSERT INTO line SELECT 1 + i % 900, 4711 FROM generate_series(1, 1800) i;
SELECT dpmix.create_population('clinic <b>', 4, 1e-5);
SELECT dpmix.report(population => 'clinic <b>');
SELECT dpmix.protect('patient', population => 'clinic <b>', privacy_unit => 'pid'),
       dpmix.protect('visit', population => 'clinic <b>', privacy_unit => 'patient', max_rows_per_unit => 20);
SELECT dpmix.protect('line', population => 'clinic <b>', unit_through => 'visit', link => '{visit}', max_rows_per_unit => 50);
SELECT dpmix.set_bounds('visit', 'cost', 0, 5000), dpmix.set_bounds('patient', 'born', date '1900-01-01', date '2030-01-01'), dpmix.set_bounds('line', 'price', 0, 5000);
SELECT dpmix.grant_access('patient', 'clinic_ana', 1, min_epsilon => 0.01), dpmix.grant_access('visit', 'clinic_ana', share => 0.25), dpmix.grant_access('line', 'clinic_ana');
SET ROLE clinic_ana;
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM patient', .0625) AS t(n bigint);
SELECT count(*) FROM dpmix.query('SELECT dp_avg(cost) FROM visit JOIN patient ON patient = pid', .125) AS t(n float8);
SET ROLE clinic_owner;
SELECT name FROM dpmix.release_tree('costs', 'visit', '{cost}', .25, 1e-8);
SELECT name FROM dpmix.create_schedule('clinic nightly', $$ SELECT dpmix.query('SELECT dp_count(*) AS n FROM clinic_test.line', 0.03125) $$, '1 day', '2040-01-01 02:00', result_table => 'clinic_test.counts');
GRANT SELECT ON visit TO clinic_other;
CREATE INDEX ON patient (born) WHERE born > '1940-01-01';
CREATE TEMP TABLE page AS SELECT dpmix.report(population => 'clinic <b>') AS html;
SELECT regexp_replace(m[1], '<[^>]*>', '', 'g') FROM page, regexp_matches(html, '<h2>([^<]*)</h2>', 'g') m;
SELECT html LIKE '%<h1>Population <bdi>clinic &#60;b&#62;</bdi></h1>%' AS title, html LIKE '%releases about the tables of population <bdi>clinic &#60;b&#62;</bdi>%' AS promise,
       html LIKE '%named as the list above says, in all of these tables had been missing%' AS unit, html LIKE '%at most so many rows as the list above says%' AS weighed FROM page;
SELECT regexp_replace(replace(replace(m[1], '</td>', '|'), '</tr>', E'\n'), '<[^>]*>', '', 'g') AS tables FROM page, regexp_match(html, 'The tables</h2>.*?<tbody>(.*?)</tbody>') m;
SELECT regexp_replace(replace(replace(replace(m[1], '</td>', '|'), '</tr>', E'\n'), '<br/>', ' '), '<[^>]*>|[0-9-]{10} [0-9:]{5}', '', 'g') AS grants FROM page, regexp_match(html, 'Who may ask, and what they used</h2>.*?<tbody>(.*?)</tbody>') m;
-- Of all tables: what was asked, models, schedules, columns, readers, what PostgreSQL shows.
SELECT html LIKE '%dp_count(*) FROM patient%' AS of_one, html LIKE '%dp_avg(cost)%' AS of_two, html LIKE '%>costs<br/>%of visit%' AS model, html LIKE '%>clinic nightly<br/>%' AS schedule,
       html LIKE '%>patient.born</td>%1900-01-01%' AND html LIKE '%>visit.cost</td>%' AND html LIKE '%>line.price</td>%' AS columns,
       html LIKE '%by a grant of SELECT: <bdi>clinic_other (clinic_test.visit)</bdi>%' AS readers, html LIKE '%PostgreSQL itself shows something%' AS shown FROM page;
SELECT html !~ '4711' AND html !~ '1947' AS nothing_of_rows, xml_is_well_formed_document(substr(html, strpos(html, E'\n') + 1)) AS well_formed, html !~ '[^\n -~]' AS ascii FROM page;
-- One number: how much is used is the share that the views show; epsilon is no share.
SELECT strpos(html, format('Budget used<b>%s&#8239;%%</b>', trim_scale(round((100 * share_spent)::numeric, CASE WHEN share_spent < .1 THEN 1 ELSE 0 END)))) > 0 AS share,
       regexp_replace(html, '.*<h2>What is left</h2>(.*?)</section>.*', '\1') !~ 'Sum of|proved of all' AS alone FROM page, dpmix.populations;

-- Whose it is: the population's owner, or who audits all of its tables.
SET ROLE clinic_ana;
SELECT dpmix.report(population => 'clinic <b>');
SET ROLE clinic_owner;
SELECT dpmix.grant_audit('patient', 'clinic_officer'), dpmix.grant_audit('visit', 'clinic_officer');
SET ROLE clinic_officer;
SELECT dpmix.report(population => 'clinic <b>');
SET ROLE clinic_owner;
SELECT dpmix.grant_audit('line', 'clinic_officer');
SET ROLE clinic_officer;
SELECT dpmix.report(population => 'clinic <b>') LIKE '%The tables%' AS page;
SELECT dpmix.report(population => 'no such');
SELECT dpmix.report('clinic_test.visit', population => 'clinic <b>');
SELECT dpmix.report();
SET ROLE clinic_owner;
SELECT dpmix.unprotect('line');
SELECT html LIKE '%clinic_test.line</bdi> <span class="soft">(no longer)</span>%' AS ended, html NOT LIKE '%is no longer protected: nothing%' AS others FROM dpmix.report(population => 'clinic <b>') html;
SELECT dpmix.report(population => 'clinic <b>', at => clock_timestamp()) LIKE '%>As of %' AS past;

-- Pages of pictures: each as it is, and nothing of it markup.
SELECT html LIKE '<!DOCTYPE html>%' AS html, (SELECT count(*) FROM regexp_matches(html, '<img alt="([^"]*)" src="data:image/svg\+xml;base64,', 'g')) AS images,
       html LIKE '%<bdi>Costs &#60;script&#62;</bdi>%' AS title, html !~* '<script|<svg| on[a-z]+=' AS inert, html LIKE '%alt="Privacy budget of clinic_test.visit" src=%' AS alt,
       convert_from(decode(substring(html FROM 'base64,([^"]*)"'), 'base64'), 'UTF8') = svg AS whole
FROM (SELECT dpmix.budget_svg('visit') AS svg) s, dpmix.dashboard('Costs <script>', ARRAY[svg, (SELECT dpmix.interval_svg(l, 1, 0, 2, 'wages') FROM unnest('{a,"<b>"}'::text[]) l), E'  <svg onload="alert(1)"><script>x</script></svg>']) html;
SELECT dpmix.dashboard('t', '{}');
SELECT dpmix.dashboard('t', ARRAY['<svg/>', NULL]);
SELECT dpmix.dashboard('t', ARRAY['<svg/>', 'a text with <svg/> in it']);
SELECT dpmix.dashboard('t', ARRAY['<p>no drawing</p>']);
SELECT dpmix.dashboard(NULL, ARRAY['<svg/>']);
SELECT dpmix.drop_schedule('clinic nightly'), dpmix.drop_release('costs');
RESET ROLE;
RESET search_path;
DROP SCHEMA clinic_test CASCADE;
DROP OWNED BY clinic_owner, clinic_ana, clinic_officer, clinic_other;
DROP ROLE clinic_owner, clinic_ana, clinic_officer, clinic_other;
