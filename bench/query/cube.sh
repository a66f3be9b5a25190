#!/usr/bin/env bash
# A CUBE of four keys on the table of wages beside a call for each of its 16 groupings, at the same charge in all:
# bench/query/cube.sh [repeats] [epsilon], by default 60 and 0.5. Build with make first. The errors are root mean
# squares over the groups of a grouping, then over the groupings; the ratio is to be at most .56.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
repeats=${1:-60} epsilon=${2:-0.5}
cluster_start "fsync = on" "dpmix.memory_keep = 0"
export PGOPTIONS="-c client_min_messages=warning"
"$BIN/psql" -X -q -A -t -v ON_ERROR_STOP=1 -v cps="$PWD/test/data/cps1988.csv" -v repeats="$repeats" -v epsilon="$epsilon" <<'SQL'
CREATE EXTENSION dpmix;
CREATE TABLE cps (id int, wage float8, education int, experience int, ethnicity text, smsa text, region text, parttime text);
\set load '\\copy cps FROM ' :'cps' ' CSV HEADER'
:load
SELECT dpmix.protect('cps', epsilon => 1e6, delta => 1e-2, accountant => 'gdp') \gset ignored_
SELECT dpmix.set_categories('cps', c, (SELECT array_agg(DISTINCT v) FROM (SELECT CASE c WHEN 'region' THEN region WHEN 'ethnicity' THEN ethnicity
         WHEN 'parttime' THEN parttime ELSE smsa END AS v FROM cps) x))
FROM unnest('{region,ethnicity,parttime,smsa}'::text[]) c \g /dev/null
CREATE TABLE exact AS SELECT GROUPING(region, ethnicity, parttime, smsa) AS bits, region, ethnicity, parttime, smsa, count(*) AS n
FROM cps GROUP BY CUBE (region, ethnicity, parttime, smsa);
CREATE TABLE answer (way text, repeat int, bits int, region text, ethnicity text, parttime text, smsa text, n bigint);

-- What 16 calls may cost each.
CREATE FUNCTION cost_of(query text, epsilon float8) RETURNS float8 LANGUAGE sql AS
  $$ SELECT charge_cost FROM dpmix.preview(query, epsilon, 1e-6, 'gaussian') LIMIT 1 $$;
CREATE FUNCTION epsilon_of_a_call(epsilon float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  low float8 := 0;
  high float8 := epsilon;
  wanted float8 := cost_of('SELECT region, dp_count(*) FROM cps GROUP BY CUBE (region, ethnicity, parttime, smsa)', epsilon) / 16;
BEGIN
  FOR i IN 1..40 LOOP
    IF cost_of('SELECT dp_count(*) FROM cps', (low + high) / 2) <= wanted THEN low := (low + high) / 2; ELSE high := (low + high) / 2; END IF;
  END LOOP;
  RETURN low;
END $$;
SELECT epsilon_of_a_call(:epsilon) AS each \gset

CREATE PROCEDURE measure(repeats int, epsilon float8, each_epsilon float8) LANGUAGE plpgsql AS $$
DECLARE
  keys text[] := '{region,ethnicity,parttime,smsa}';
  listed text;
BEGIN
  FOR r IN 1..repeats LOOP
    INSERT INTO answer SELECT 'cube', r, * FROM dpmix.query(
      'SELECT GROUPING(region, ethnicity, parttime, smsa), region, ethnicity, parttime, smsa, dp_count(*)
       FROM cps GROUP BY CUBE (region, ethnicity, parttime, smsa)', epsilon, 1e-6)
      AS t(bits int, region text, ethnicity text, parttime text, smsa text, n bigint);
    FOR bits IN 0..15 LOOP
      SELECT string_agg(CASE WHEN bits & (8 >> (i - 1)) = 0 THEN keys[i] ELSE 'NULL::text' END, ', ' ORDER BY i) INTO listed FROM generate_series(1, 4) i;
      EXECUTE format('INSERT INTO answer SELECT ''separate'', %s, %s, * FROM dpmix.query(%L, %s, 1e-6, ''gaussian'')
                      AS t(region text, ethnicity text, parttime text, smsa text, n bigint)', r, bits,
        format('SELECT %s, dp_count(*) FROM cps %s', listed, 'GROUP BY ' || (SELECT coalesce(string_agg(k, ', '), '()')
                 FROM unnest(keys) WITH ORDINALITY u(k, i) WHERE bits & (8 >> (i::int - 1)) = 0)), each_epsilon);
    END LOOP;
    COMMIT;
  END LOOP;
END $$;
CALL measure(:repeats, :epsilon, :each);

CREATE TABLE error AS
SELECT way, sqrt(avg(square)) AS rms FROM (
  SELECT way, a.bits, avg((a.n - coalesce(e.n, 0)) ^ 2) AS square FROM answer a LEFT JOIN exact e
    ON a.bits = e.bits AND (a.region, a.ethnicity, a.parttime, a.smsa) IS NOT DISTINCT FROM (e.region, e.ethnicity, e.parttime, e.smsa) GROUP BY 1, 2) s GROUP BY 1;
SELECT format('epsilon %s at once, %s for each of 16 calls; mu^2 %s and 16 x %s', :epsilon, round(:each::numeric, 4),
              round(cost_of('SELECT region, dp_count(*) FROM cps GROUP BY CUBE (region, ethnicity, parttime, smsa)', :epsilon)::numeric, 6),
              round(cost_of('SELECT dp_count(*) FROM cps', :each)::numeric, 8));
SELECT format('rms error, CUBE / separate calls: %s / %s = %s', round(c.rms::numeric, 2), round(s.rms::numeric, 2), round((c.rms / s.rms)::numeric, 3))
FROM error c, error s WHERE c.way = 'cube' AND s.way = 'separate';
SELECT format('of the declared deviations: %s', round((SELECT sqrt(avg(noise_stddev ^ 2)) FROM
  dpmix.preview('SELECT region, dp_count(*) FROM cps GROUP BY CUBE (region, ethnicity, parttime, smsa)', :epsilon, 1e-6))::numeric
  / (SELECT noise_stddev FROM dpmix.preview('SELECT dp_count(*) FROM cps', :each, 1e-6, 'gaussian'))::numeric, 3));
SQL
