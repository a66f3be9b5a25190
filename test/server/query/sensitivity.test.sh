#!/usr/bin/env bash
# Sensitivity search: one unit of a random table is added or replaced, and random queries are asked before and after, at
# an epsilon that leaves next to no noise. No statistic may move farther than preview says that its noise is made for,
# no more groups may move than a unit reaches, and what they move together is bounded by the unit's rows. Units that
# have more rows than they may are searched too: whatever sample is taken of them, or weighed, where answers were
# rounded.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off"
export PGOPTIONS="-c client_min_messages=warning"  # each table says that its rows are units
seed=${DPMIX_SEED:-1} tables=16
if [ -n "${DPMIX_SOAK:-}" ]; then seed=${DPMIX_SEED:-$RANDOM} tables=160; fi
psql -Xq -v ON_ERROR_STOP=1 -c 'CREATE EXTENSION dpmix' -f test/server/query/property.sql -f - <<'SQL'
CREATE TABLE moved (tab text, query text, statistic text, by float8, allowed float8, slack float8, what text);

-- One unit's rows, the worst that there are among them: who = -1, ids from 10000 on.
CREATE FUNCTION fill_unit(tab text, rows int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('DELETE FROM %I WHERE who = -1 OR id >= 10000', tab);
    EXECUTE format($q$INSERT INTO %I SELECT 10000 + i, -1, pick('32767', '-32768', '1', '2')::smallint, pick('2147483647', '-2147483648', NULL, '3')::int,
        pick('9223372036854775807', '-9223372036854775808', NULL)::bigint, pick('Infinity', '-Infinity', 'NaN', '7')::real, pick('Infinity', '-Infinity', 'NaN', '7')::float8,
        pick('1e400', '-1e400', 'NaN', '7')::numeric, '2020-06-06', '2020-06-06', pick('x', 'y', 'else', NULL), pick('va', 'vb', 'vc'), chance(.5),
        pick('low', 'high')::feeling FROM generate_series(1, %s) AS i$q$, tab, rows);
END $$;

CREATE TYPE shape AS (query text, columns text, keys text, answers text[]);
CREATE FUNCTION random_shape(tab text) RETURNS shape LANGUAGE plpgsql AS $$
DECLARE
    keys text[] := ARRAY(SELECT col FROM key_column ORDER BY random() LIMIT whole(0, 2));
    types text[] := ARRAY(SELECT type FROM key_column k, unnest(keys) WITH ORDINALITY AS u(col, n) WHERE u.col = k.col ORDER BY n);
    items text[] := '{}';
    columns text[] := '{}';
    answers text[] := '{}';
    a answer_case;
BEGIN
    FOR i IN 1..cardinality(keys) LOOP
        items := items || format('%I AS k%s', keys[i], i);
        columns := columns || format('k%s %s', i, types[i]);
    END LOOP;
    FOR i IN 1..whole(1, 3) LOOP
        LOOP
            a := answer(tab, 1);
            EXIT WHEN a.query ~ '^dp_(count|sum|histogram|avg\([a-h]\))';
        END LOOP;
        IF a.query LIKE 'dp_avg%' THEN  -- its centred sum is what was noised
            items := items || format('%s AS a%s, %s AS n%2$s', a.query, i, replace(a.query, 'dp_avg', 'dp_count'));
            columns := columns || format('a%s float8, n%1$s bigint', i);
            answers := answers || (SELECT format('(a%s - %s) * greatest(n%1$s, 1)', i, (lower + upper) / 2) FROM bound b WHERE b.tab = random_shape.tab AND b.col = substring(a.query FROM '\((.)\)'));
        ELSE
            items := items || format('%s AS a%s', a.query, i);
            columns := columns || format('a%s %s', i, a.type);
            answers := answers || CASE a.type WHEN 'bigint[]' THEN ARRAY[format('a%s[1]', i), format('coalesce(a%s[2], 0)', i)] ELSE ARRAY[format('a%s', i)] END;
        END IF;
    END LOOP;
    RETURN ROW(format('SELECT %s FROM %I WHERE %s%s', array_to_string(items, ', '), tab, CASE WHEN chance(.5) THEN 'true' ELSE condition(1) END,
                      CASE WHEN keys <> '{}' THEN ' GROUP BY ' || array_to_string(keys, ', ') ELSE '' END),
               array_to_string(columns, ', '), array_to_string(keys, ', '), answers)::shape;
END $$;

CREATE FUNCTION statistics_of(s shape, epsilon float8, mechanism text, groups int) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
    result float8[];
BEGIN
    EXECUTE format('SELECT array_agg(ARRAY[%s]::float8[]) FROM dpmix.query(%L, %s, mechanism => %L, max_groups => %L) AS t(%s)',
                   array_to_string(s.answers, ', '), s.query, epsilon, mechanism, groups, s.columns) INTO result;
    RETURN result;
END $$;

-- Asks before and after the unit changed.
CREATE PROCEDURE search(tab text, queries int) LANGUAGE plpgsql AS $$
<<search>>
DECLARE
    terms record;
    shapes shape[] := ARRAY(SELECT random_shape(tab) FROM generate_series(1, queries));
    most int := (SELECT rows FROM unit_rows u WHERE u.tab = search.tab);
    unit boolean;
    twice int;
    limited int;     -- max_groups
    mechanism text := 'laplace';  -- rows are weighed
    rounds int := 0;
BEGIN
    SELECT privacy_unit IS NOT NULL AS unit, adjacency INTO terms FROM dpmix.protected_table WHERE table_name = tab;
    twice := CASE terms.adjacency WHEN 'replace' THEN 2 ELSE 1 END;
    unit := terms.unit;
    IF unit AND chance(.5) THEN
        mechanism := 'staircase';  -- rows are drawn
    ELSIF unit THEN
        rounds := 1;
    END IF;
    -- Groups of other units would be sampled anew each time: then the unit is alone.
    IF unit AND chance(.5) THEN
        limited := whole(1, most);
        EXECUTE format('DELETE FROM %I', tab);
    END IF;
    PERFORM fill_unit(tab, CASE WHEN terms.adjacency = 'add_remove' THEN 0 WHEN unit THEN whole(1, 3 * most) ELSE 1 END);
    COMMIT;
    CREATE TEMP TABLE asked AS SELECT u.*, statistics_of(ROW(query, columns, keys, answers)::shape, 1e5, mechanism, CASE WHEN keys <> '' THEN limited END) AS was FROM unnest(shapes) WITH ORDINALITY AS u(query, columns, keys, answers, n);
    PERFORM fill_unit(tab, CASE WHEN unit THEN whole(1, 3 * most) ELSE 1 END);
    COMMIT;
    INSERT INTO moved
    SELECT search.tab, q.query, q.answers[column_number], f.by, f.allowed, f.slack, f.what
    FROM (SELECT asked.*, statistics_of(ROW(query, columns, keys, answers)::shape, 1e5, mechanism, CASE WHEN keys <> '' THEN limited END) AS is FROM asked) AS q,
         LATERAL generate_subscripts(answers, 1) AS column_number,
         LATERAL (SELECT max(sensitivity) AS sensitivity, max(60 * noise_stddev) AS slack FROM dpmix.preview(q.query, 1e5, mechanism => 'laplace', details => true, max_groups => CASE WHEN q.keys <> '' THEN limited END)
                  WHERE substring(answers[column_number] FROM 'a\d+') = ANY (string_to_array(output_column, ', ')) AND (statistic LIKE '%sum%' OR answers[column_number] NOT LIKE '(%')) AS p,
         LATERAL (SELECT max(abs(q.is[g][column_number] - q.was[g][column_number])) AS one, sum(abs(q.is[g][column_number] - q.was[g][column_number])) AS together,
                         count(*) FILTER (WHERE abs(q.is[g][column_number] - q.was[g][column_number]) > slack) AS groups FROM generate_subscripts(q.is, 1) AS g) AS d,
         -- Where conditions leave no group, none moves.
         LATERAL (SELECT CASE WHEN q.is IS NULL AND q.was IS NULL THEN 0 END AS nothing) AS e,
         LATERAL (VALUES (coalesce(one, nothing), sensitivity, slack + rounds, 'one'), (groups * (1 - rounds), (twice * coalesce(limited, most))::float8, 0, 'groups'),
             -- m rows in all, where a group takes ceil(m / max_groups): what a unit moves together
             (coalesce(together, nothing), twice * CASE WHEN q.keys = '' OR limited IS NULL THEN 1 ELSE most / ceil(most::numeric / limited) END * sensitivity, 100 * slack + rounds * coalesce(array_length(q.is, 1), 0), 'together')) AS f(by, allowed, slack, what);
    DROP TABLE asked;
END $$;
SQL
for feature in ${FEATURES-filter moments units released expressions quantiles}; do sql "INSERT INTO feature VALUES ('$feature')"; done
for ((table = seed; table < seed + tables; table++)); do
  echo "SELECT setseed($table / 1e6) \\g /dev/null"
  echo "SELECT make_table('random_$table') \\g /dev/null"
  echo "CALL search('random_$table', 45);"
done | session >"$CLUSTER/searched"
check "the search went through $tables tables (seed $seed)" "" "$(head -c 1000 "$CLUSTER/searched")"
check "45 queries of each" "$((45 * tables))" "$(sql "SELECT count(*) FROM (SELECT DISTINCT tab, query FROM moved) q" | awk -v most=$((45 * tables)) '{ print ($1 > most * .95) ? most : $1 }')"
check "nothing moves farther than its noise is made for" "" "$(sql "SELECT * FROM moved WHERE coalesce(by > allowed * (1 + 1e-9) + slack, true) LIMIT ${SHOW:-5}")"
# The search reaches the bounds: a smaller sensitivity would have been found out.
check "some move as far: counts, sums, averages" "t|t|t" "$(sql "SELECT bool_or(slack IN (0, 1) AND by >= allowed), bool_or(slack > 0 AND statistic NOT LIKE '(%' AND by > .999 * allowed),
  bool_or(statistic LIKE '(%' AND by > .999 * allowed) FROM moved WHERE what = 'one' AND by > 0")"
