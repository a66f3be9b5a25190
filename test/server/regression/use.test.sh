#!/usr/bin/env bash
# Stored regressions in use: the catalog is read once per query, what other sessions drop or revoke is noticed by the
# next statement, regressions survive a dump, names may be anything, and neither rows nor models pile up.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
run() { psql -XqAt "${@:2}" -c "$1" 2>&1; }
setup="CREATE SCHEMA own; CREATE TYPE own.mood AS ENUM ('sad', 'it''s \\ok');
  CREATE TABLE people AS SELECT (i % 90)::smallint AS age, date '1990-01-01' + i % 3000 AS born, i % 100 / 10.0::float8 AS gain, i % 3 = 0 AS member, (ARRAY['sad', 'it''s \\ok'])[1 + i % 2]::own.mood AS mood, (i % 2)::text AS kind FROM generate_series(1, 10000) AS i;
  SELECT dpmix.protect('people', 1e6, 1e-2), dpmix.set_bounds('people', 'age', 0, 120), dpmix.set_bounds('people', 'born', date '1980-01-01', date '2010-01-01'),
         dpmix.set_bounds('people', 'gain', 0, 10), dpmix.set_categories('people', 'kind', '{0,1}'), dpmix.set_categories('people', 'mood', ARRAY['sad', 'it''s \\ok'])"
release() { echo "SELECT coefficients FROM dpmix.release_regression('$1', 'public.people', 'gain', '{age,age^2,ln(gain+1),member,mood,born,\"born > date ''1995-06-01''\"}', 1000, 1e-6)"; }
run "CREATE EXTENSION dpmix"
count_plans
run "$setup" >/dev/null
check "released" 8 "$(run "$(release model)")"
run "CREATE ROLE ana; GRANT SELECT ON people TO ana; CREATE TABLE points AS SELECT * FROM people; GRANT SELECT ON points TO ana; GRANT USAGE ON SCHEMA own TO ana; SELECT dpmix.grant_access('people', 'ana')" >/dev/null

check "predict reads the model once for 10000 rows" "0 10000 2 " "$(psql -XqAt -c "SELECT plans_over('dpmix.release')" -c "SELECT count(dpmix.predict('model', p)) FROM points AS p" \
  -c "SELECT plans_over('dpmix.release')" | tr '\n' ' ')"

# One session as ana, told what to do line by line; what others commit in between. She may call nothing of
# dpmix_internal, and what she has in her search_path is not what the terms mean.
run "REVOKE USAGE ON SCHEMA dpmix_internal FROM PUBLIC; CREATE SCHEMA trap; GRANT USAGE ON SCHEMA trap TO ana;
     CREATE FUNCTION trap.int2larger(smallint, smallint) RETURNS smallint LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END';
     CREATE FUNCTION trap.float8(smallint) RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RAISE ''trapped''; END'" >/dev/null
open_session ana "-c search_path=trap,public,pg_catalog"
for level in "READ COMMITTED" "REPEATABLE READ"; do
  tell "BEGIN ISOLATION LEVEL $level; PREPARE c AS SELECT dpmix.predict('model', p) IS NOT NULL FROM points AS p LIMIT 1;"
  check "$level: allowed, without a right to what is in it" t "$(ask "EXECUTE c;")"
  run "SELECT dpmix.revoke_access('people', 'ana')" >/dev/null
  check "$level: a revoked right is noticed by the next statement" "ERROR:  PV006" "$(ask "EXECUTE c;")"
  tell "ROLLBACK; DEALLOCATE c;"
  run "SELECT dpmix.grant_access('people', 'ana')" >/dev/null
done
check "listed" 8 "$(ask "SELECT count(*) FROM dpmix.regression('model');")"
run "SELECT dpmix.drop_release('model')" >/dev/null
check "a dropped one is noticed by the next statement" "ERROR:  PV006" "$(ask "SELECT dpmix.predict('model', p) FROM points AS p LIMIT 1;")"
close_session

# Encodings, and names that must be quoted.
for encoding in UTF8 LATIN1 SQL_ASCII; do
  run "CREATE DATABASE in_$encoding ENCODING $encoding TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
  export PGDATABASE=in_$(echo "$encoding" | tr '[:upper:]' '[:lower:]') PGCLIENTENCODING=$encoding
  run "CREATE EXTENSION dpmix" >/dev/null
  run "$setup" >/dev/null
  e=$'\xe9'
  [ "$encoding" != UTF8 ] || e=é
  run "ALTER TABLE people RENAME member TO \"<$e>\"; ALTER TABLE people ADD word text; UPDATE people SET word = CASE WHEN age % 2 = 0 THEN 'o<$e>' || chr(1) ELSE '$e' END;
    SELECT dpmix.set_categories('people', 'word', ARRAY['o<$e>' || chr(1), '$e'])" >/dev/null
  check "$encoding: released" 5 "$(run "SELECT coefficients FROM dpmix.release_regression('m<$e>', 'public.people', 'gain', ARRAY['\"<$e>\"', 'age', 'word', 'word = ''$e'' AND \"<$e>\"'], 1000, 1e-6)")"
  check "$encoding: categories come back" "word = '$e'" "$(run "SELECT term FROM dpmix.regression('m<$e>') WHERE term LIKE 'word = %' AND term NOT LIKE '%AND%'")"
  check "$encoding: drawn" "t t" "$(run "SELECT svg ~ '^[\n -~]*\$' || ' ' || (svg LIKE '%</svg>%') FROM dpmix.draw('m<$e>') AS svg" | sed 's/true/t/g')"
  check "$encoding: predicted" 10000 "$(run "SELECT count(dpmix.predict('m<$e>', p)) FROM people AS p")"
done
export PGDATABASE=postgres PGCLIENTENCODING=UTF8

# What reads a class's text as the row's type runs as the extension's owner: a domain within that type would run its
# maker's CHECK there.
run "GRANT USAGE ON SCHEMA dpmix_internal TO PUBLIC; CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory;
     CREATE FUNCTION seen_by(text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE ''run by %'', current_user; END';
     CREATE DOMAIN judged AS text CHECK (seen_by(VALUE)); CREATE TYPE pair AS (a judged);
     CREATE TABLE bait AS SELECT i % 10 AS x, (ARRAY['(x)', '{x}'])[1 + i % 2] AS kind FROM generate_series(1, 1000) AS i;
     SELECT dpmix.protect('bait', 1e6, 1e-2), dpmix.set_bounds('bait', 'x', 0, 9), dpmix.set_categories('bait', 'kind', '{(x),\"{x}\"}')" >/dev/null
PGOPTIONS="-c role=mallory" run "SELECT dpmix.release_regression('bait', 'bait', 'x', '{x = 3}', 1000, 1e-6, label => 'kind')" >/dev/null
for type in pair 'judged[]'; do
  check_match "a class is not read as $type" 'of another kind than the model' "$(run "SET ROLE mallory; SELECT dpmix.predict('bait', r) FROM (SELECT 1 AS x, NULL::$type AS kind) AS r")"
done

# 99 terms; every name of 63 bytes.
run "DO \$\$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT i % 3 AS k, ' || (SELECT string_agg(format('random() AS %s', 'x' || lpad(j::text, 62, '_')), ', ') FROM generate_series(1, 100) j)
       || ' FROM generate_series(1, 2000) i';
     PERFORM dpmix.protect('wide', 1e7, 0.1), dpmix.set_categories('wide', 'k', '{0,1,2}');
     PERFORM dpmix.set_bounds('wide', ('x' || lpad(j::text, 62, '_'))::name, 0, 1) FROM generate_series(1, 100) j; END \$\$" >/dev/null
check "99 terms" "100" "$(run "SELECT coefficients FROM dpmix.release_regression('wide', 'wide', 'x' || lpad('100', 62, '_'), ARRAY(SELECT 'x' || lpad(j::text, 62, '_') FROM generate_series(1, 99) j), 1e5, 1e-6, label => 'k')")"
check "of three classes" "300|2000" "$(run "SELECT count(*), (SELECT count(dpmix.predict('wide', w)) FROM wide AS w) FROM dpmix.regression('wide')")"
check "recorded, though too long to name" "99" "$(run "SELECT parameters->>'terms' FROM dpmix.ledger WHERE release = 'wide'")"

run "$(release kept)" >/dev/null
run "SELECT FROM dpmix.release_regression('odds', 'people', 'member', '{age,gain,mood}', 1000, 1e-6, 'logistic', label => 'kind')" >/dev/null
recorded="SELECT name, kind, method, features, feature_types, adjacency, count_stddev > 0, quality, rows_estimated FROM dpmix.releases WHERE name IN ('kept', 'odds') ORDER BY name"
used="SELECT string_agg(r::text, ' ') FROM dpmix.regression('kept') AS r; SELECT sum(dpmix.predict('kept', p)), count(*) FROM points AS p; SELECT string_agg(r::text, ' ') FROM dpmix.regression('odds') AS r; SELECT md5(dpmix.draw('kept')), md5(dpmix.draw('odds')); SELECT sum(dpmix.predict('odds', p)), sum(dpmix.predict('odds', p, true)) FROM points AS p"
before=$(run "SET extra_float_digits = 1; $recorded; $used")
run "CREATE DATABASE restored"
pg_dump -d postgres | psql -Xq -d restored >"$CLUSTER/restore.log" 2>&1
check "a regression survives a dump" "$before" "$(run "$recorded; $used" -d restored)"
check_match "which is not nothing" "kept.regression.linear.*smallint.*intercept.*.10000" "$(tr '\n' ' ' <<<"$before")"

# One session: models do not pile up.
memory="SELECT substring(pg_read_file('/proc/self/status') FROM 'RssAnon:\s+(\d+)')::int AS"
call="DO \$\$ BEGIN FOR i IN 1..50 LOOP PERFORM sum(dpmix.predict('kept', p)) FROM (SELECT * FROM points LIMIT 400) AS p; PERFORM dpmix.regression('kept'); END LOOP; END \$\$;"
grown=$({ echo "SET client_min_messages = error; $call $call"; echo "$memory early \\gset"; echo "$call $call $call"; echo "$memory late \\gset"; echo "SELECT 'grown', :late - :early;"; } | psql -XqAt 2>&1 | grep '^grown' || true)
check "memory" yes "$([ -n "$grown" ] && [ "${grown#grown|}" -lt 2000 ] && echo yes || echo "$grown")"
