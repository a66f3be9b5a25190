-- The owner's page: what is on it, what never is, and who may have it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
SET timezone = 'UTC';
CREATE ROLE report_owner; CREATE ROLE report_analyst; CREATE ROLE report_stranger;
CREATE ROLE "report <script>alert(1)</script> ""x' onload=";
CREATE SCHEMA report_test AUTHORIZATION report_owner;
GRANT USAGE ON SCHEMA report_test TO PUBLIC;
SET ROLE report_owner;
CREATE TABLE report_test.people (patient text, ward text, age int, "born <b>" date);
-- Markers in every kind of value: none may ever show.
INSERT INTO report_test.people
SELECT 'marker_' || i, 'markerward', 4711, date '1947-11-13' FROM generate_series(1, 500) i;
SELECT dpmix.protect('report_test.people', 8, 1e-6), dpmix.set_bounds('report_test.people', 'age', 0, 120),
       dpmix.set_bounds('report_test.people', 'born <b>', date '1900-01-01', date '2026-01-01'),
       dpmix.set_categories('report_test.people', 'ward', '{north,"<i>south</i>"}'),
       dpmix.grant_access('report_test.people', 'report_analyst', 3),
       dpmix.grant_access('report_test.people', '"report <script>alert(1)</script> ""x'' onload="');
SELECT dpmix.set_budget('report_test.people', 9, 1e-6, '</td><script>second survey & more</script>');
CREATE TABLE report_test.never (x int);

-- Before the first charge it is a page already.
SELECT page LIKE '<!DOCTYPE html>%' AS html, page LIKE '%Nothing so far.%' AS nothing_so_far, page LIKE '%no pace to tell from%' AS no_pace
FROM dpmix.report('report_test.people') page;

SET ROLE report_analyst;
SELECT count(*) FROM dpmix.query($$SELECT ward, dp_count(*), dp_avg(age) FROM report_test.people
                                   WHERE patient <> '</code><script>alert(2)</script>' GROUP BY ward$$, .25, 1e-9, 'gaussian') AS t(w text, n bigint, a float8);
SET ROLE "report <script>alert(1)</script> ""x' onload=";
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM report_test.people', .125) AS t(n bigint);
SET ROLE report_owner;
SELECT name FROM dpmix.release_gmm('report <u>model</u>', 'report_test.people', '{age}', .5, 1e-8, components => 1);
SET client_min_messages = error;
SELECT count(*) FROM dpmix.cda(NULL::report_test.people, '{age}', 10, .5, 1e-8, label => 'ward');

CREATE TEMP TABLE page AS SELECT dpmix.report('report_test.people') AS html;
-- ASCII; no script, no reference, nothing of the rows.
SELECT html !~ '[^\n -~]' AS ascii, html !~* '<(script|link|iframe|img|object|form|a)[ />]' AS no_active_tag, html !~* '<[^>]* on[a-z]+=' AS no_handler,
       html !~* '(href|src)=' AS no_reference, replace(html, 'xmlns="http://www.w3.org/2000/svg"', '') !~* 'https?:' AS no_address, html LIKE '%default-src &#39;none&#39;%' OR html LIKE '%default-src ''none''%' AS policy
FROM page;
SELECT html !~* 'marker' AS no_text, html !~ '4711' AS no_number, html !~ '1947' AS no_date FROM page;
-- What was said by anybody is there, as text.
SELECT html LIKE '%report &#60;script&#62;alert(1)&#60;/script&#62; &#34;x&#39; onload=%' AS role, html LIKE '%&#60;/code&#62;&#60;script&#62;alert(2)&#60;/script&#62;%' AS query,
       html LIKE '%&#60;/td&#62;&#60;script&#62;second survey &#38; more&#60;/script&#62;%' AS reason, html LIKE '%&#60;i&#62;south&#60;/i&#62;%' AS category,
       html LIKE '%report &#60;u&#62;model&#60;/u&#62;%' AS model, html LIKE '%born &#60;b&#62;%1900-01-01%2026-01-01%' AS bounds
FROM page;
-- The sections, and some figures.
SELECT regexp_replace(m[1], '<[^>]*>', '', 'g') FROM page, regexp_matches(html, '<h2>([^<]*)</h2>', 'g') m;
SELECT html LIKE '%<svg%</svg>%' AS picture, html LIKE '%if any one row had been missing%' AS unit,
       html LIKE '%>0.25</td>%' AND html LIKE '%>0.125</td>%' AS charges, html LIKE '%>3<%' AS cap, html LIKE '%no cap%' AS no_cap
FROM page;
-- Well-formed but for its first line.
SELECT xml_is_well_formed_document(substr(html, strpos(html, E'\n') + 1)) FROM page;
-- Made again for the same moment, it is the same; for an earlier one, what came later is missing.
CREATE TEMP TABLE moment AS SELECT clock_timestamp() AS at;
CREATE TEMP TABLE earlier AS SELECT dpmix.report('report_test.people', at => at) AS html FROM moment;
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM report_test.people WHERE age > 77', .0625) AS t(n bigint);
SELECT dpmix.set_budget('report_test.people', 11, 1e-6, 'third survey');
SELECT dpmix.report('report_test.people', at => at) = html AS same, html NOT LIKE '%third survey%' AS not_later FROM earlier, moment;
SELECT html LIKE '%age &#62; 77%' AND html LIKE '%third survey%' AS later FROM dpmix.report('report_test.people') html;
-- A list of few, and the rest by month; of none.
SELECT html LIKE '%age &#62; 77%' AS newest, html NOT LIKE '%alert(2)%' AS rest, html LIKE '%Earlier releases, by month%' AS months
FROM dpmix.report('report_test.people', newest => 2) html;
SELECT html LIKE '%Earlier releases, by month%' AS months, html NOT LIKE '%Nothing so far%' AS some FROM dpmix.report('report_test.people', newest => 0) html;
-- Schedules: stored, failed before its charge, charged in vain, paused. What went wrong in words is for those who made
-- them.
SELECT DISTINCT html LIKE '%Scheduled releases%' AS none_yet FROM earlier;
SELECT count(*) FROM unnest('{<i>stored</i>,failed,spent,paused,late}'::text[]) s,
    dpmix.create_schedule(s, $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM report_test.people', .0625)$$, '1 day', '2040-01-01 02:00',
                          'report_test.into_' || md5(s));
CREATE FUNCTION report_test.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE '<b>unwelcome</b>'; END $$;
SELECT 'CREATE TRIGGER fail AFTER INSERT ON report_test.into_' || md5('spent') || ' EXECUTE FUNCTION report_test.fail()' \gexec
SELECT 'DROP TABLE report_test.into_' || md5('failed') \gexec
SELECT dpmix.set_schedule_active('paused', false);
CALL dpmix.run_schedule('<i>stored</i>', at => '2040-01-01 03:00');
CALL dpmix.run_schedule('<i>stored</i>', at => '2040-01-02 03:00');
\set VERBOSITY sqlstate
CALL dpmix.run_schedule('failed', at => '2040-01-01 03:00');
CALL dpmix.run_schedule('spent', at => '2040-01-01 03:00');
\set VERBOSITY default
CREATE TEMP TABLE scheduled AS SELECT dpmix.report('report_test.people') AS html;
SELECT regexp_replace(regexp_replace(m[1], '</td>', '|', 'g'), '<[^>]*>', ' ', 'g') AS scheduled
FROM scheduled, regexp_match(html, 'Scheduled releases.*?<tbody>(.*?)</tbody>') part, regexp_matches(part[1], '<tr>(.*?)</tr>', 'g') m;
-- No setting of the session gets in but its time zone.
SET intervalstyle = sql_standard; SET extra_float_digits = -15; SET datestyle = german; SET bytea_output = escape;
SELECT dpmix.report('report_test.people', at => at) = html AS same FROM earlier, moment;
SELECT regexp_replace(regexp_replace(html, 'Made [-0-9: ]+', ''), '<figure>.*</figure>|Since .* of average size', '', 'g')
     = regexp_replace(regexp_replace(dpmix.report('report_test.people'), 'Made [-0-9: ]+', ''), '<figure>.*</figure>|Since .* of average size', '', 'g') AS same FROM scheduled;
RESET intervalstyle; RESET extra_float_digits; RESET datestyle; RESET bytea_output;
SELECT html LIKE '%unwelcome%' AS messages, xml_is_well_formed_document(substr(html, strpos(html, E'\n') + 1)) FROM scheduled;
DROP TABLE scheduled;
SELECT dpmix.drop_schedule(s.name) FROM dpmix.schedules s WHERE result_table LIKE 'report_test.%';

-- SELECT granted is SELECT told.
GRANT SELECT (age) ON report_test.people TO report_stranger;
SELECT html LIKE '%by a grant of SELECT: <bdi>report_stranger</bdi>%' FROM dpmix.report('report_test.people') html;
-- An unprotected table has a record.
SELECT dpmix.unprotect('report_test.people');
SELECT html LIKE '%no longer protected%' FROM dpmix.report('report_test.people') html;

-- For the owner and superusers.
SET ROLE report_analyst;
SELECT dpmix.report('report_test.people');
SET ROLE report_stranger;
SELECT dpmix.report('report_test.people');
RESET ROLE;
SELECT length(dpmix.report('report_test.people')) > 1000;
SET ROLE report_owner;
SELECT dpmix.report('report_test.never');
-- Nor is the record of a table that was dropped for who makes one of its name.
CREATE TABLE report_test.dropped (x int);
SELECT dpmix.protect('report_test.dropped', 1, 1e-6);
DROP TABLE report_test.dropped;
GRANT CREATE ON SCHEMA report_test TO report_analyst;
SET ROLE report_analyst;
CREATE TABLE report_test.dropped (x int);
SELECT dpmix.report('report_test.dropped');
SELECT dpmix.budget_svg('report_test.dropped');
SELECT * FROM dpmix.forecast('report_test.dropped');
SET ROLE report_owner;
SELECT dpmix.report(NULL);
SELECT dpmix.report('report_test.people', newest => -1);
SELECT dpmix.report('report_test.people', newest => 10001);
SELECT dpmix.report('report_test.people', at => 'infinity');
SELECT dpmix.report('report_test.people', at => '2001-01-01 00:00+00');
SELECT dpmix.report('report_test.people', at => '4713-02-01 00:00+00 BC');
SELECT dpmix.drop_release('report <u>model</u>');
RESET ROLE;

DROP TABLE page, earlier, moment;
DROP SCHEMA report_test CASCADE;
DROP ROLE report_owner, report_analyst, report_stranger, "report <script>alert(1)</script> ""x' onload=";
