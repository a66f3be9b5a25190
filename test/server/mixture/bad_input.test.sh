#!/usr/bin/env bash
# Releases of mixtures from every bad table: a valid model, or a PV error before the charge; never
# an error that depends on rows. Each table is released twice, the second time after one row came,
# went or changed: what a table and its neighbour come to must be the same.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
methods=${METHODS:-staged one_shot label_only em kmeans dimensions}
cluster_start
run() { "$BIN/psql" -XqAt -v ON_ERROR_STOP=1 "$@" 2>&1; }

run <<'SQL' >/dev/null
CREATE EXTENSION dpmix;
-- What a release comes to: valid, a PV error that cost nothing, or what is wrong.
CREATE FUNCTION outcome(release text, of text, features text, arguments text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
    sampled bigint;
    wrong text;
BEGIN
    BEGIN
        EXECUTE format('SELECT dpmix.release_gmm(%L, %L, %L, 1, 1e-6, %s)', release, of, features, arguments);
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
        IF EXISTS (SELECT FROM dpmix.ledger l WHERE l.release = outcome.release) THEN
            RETURN format('after the charge: %s %s', state, message);
        END IF;
        RETURN CASE WHEN state ~ '^PV' THEN state ELSE format('%s %s', state, message) END;
    END;
    IF NOT EXISTS (SELECT FROM dpmix.ledger l WHERE l.release = outcome.release) THEN
        RETURN 'not charged';
    END IF;
    SELECT string_agg(g::text, ' ') INTO wrong FROM dpmix.gmm(release) g
     WHERE NOT weight > 0 OR mean IS NULL OR covariance IS NULL OR (mean, covariance)::text ~* 'nan|inf|null';
    IF wrong IS NOT NULL OR abs((SELECT sum(weight) FROM dpmix.gmm(release)) - 1) > 1e-9 THEN
        RETURN format('invalid model: %s', wrong);
    END IF;
    -- Sampling needs positive definite covariances, and says so where they are not.
    EXECUTE format('SELECT count(s) FROM dpmix.sample(%L, NULL::%s, 40) s', release, of) INTO sampled;
    RETURN CASE sampled WHEN 40 THEN 'valid' ELSE 'not sampled' END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    RETURN format('unusable: %s %s', state, message);
END $$;
CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN metres AS numeric(12, 3) CHECK (VALUE IS NULL OR VALUE > -1e6);
CREATE DOMAIN kinds AS varchar(8);
SQL

arguments() {  # method, label, adjacency is that of its table
  case $1 in
    em | kmeans) echo "components => 3, method => '$1'" ;;
    dimensions) echo "label => '$2', dimensions => 1" ;;
    *) echo "label => '$2', method => '$1'" ;;
  esac
}
protection() {  # method, label
  if [ "$1" = label_only ]; then echo "adjacency => 'label', label => '$2'"; else echo "adjacency => 'add_remove'"; fi
}

named() { sed "s/\bt_/$1_/g; s/\bt\b/$1/g"; }  # the table t, and its parts t_...

cases=0
# description, expected outcome, features, label, definition of table t, neighbour, domains. In the
# last three, "t" as a word is the table.
bad() {
  local method name
  cases=$((cases + 1))
  for method in $methods; do
    name=${method}_$cases
    printf '%s\n' "\\echo '== $method'" "\\o /dev/null"
    named "$name" <<<"SET client_min_messages = error; $5; SELECT dpmix.protect('t', 10000, 1e-2, $(protection "$method" "$4")); $7; RESET client_min_messages;"
    echo "\\o"
    echo "SELECT 'first: ' || outcome('$name one', '$name', '$3', \$\$$(arguments "$method" "$4")\$\$);"
    named "$name" <<<"$6;"  # one session for all methods: a new one takes longer than most releases
    echo "SELECT 'second: ' || outcome('$name two', '$name', '$3', \$\$$(arguments "$method" "$4")\$\$);"
  done >"$CLUSTER/case.sql"
  run -f "$CLUSTER/case.sql" >"$CLUSTER/case.out" || true
  for method in $methods; do
    if [ "$(sed -n "/^== $method\$/,/^== /{/^== /d;p}" "$CLUSTER/case.out")" = "first: $2"$'\n'"second: $2" ]; then
      echo "ok - $1, $method: $2"
    else
      echo "not ok - $1, $method, expected twice '$2': $(cat "$CLUSTER/case.out")"
    fi
  done
}
ab="SELECT dpmix.set_bounds('t', 'a', 0, 10), dpmix.set_bounds('t', 'b', 0, 10)"
xy="dpmix.set_categories('t', 'kind', '{x,y,z}')"
plain="CREATE TABLE t AS SELECT i % 11 AS a, (i * 7 % 13)::float8 AS b, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS kind FROM generate_series(1, 60) i"

bad "a plain table" valid '{a,b}' kind "$plain" "INSERT INTO t VALUES (5, 5, 'x')" "$ab, $xy"
bad "no rows" valid '{a,b}' kind "CREATE TABLE t (a int, b float8, kind text)" "INSERT INTO t VALUES (5, 5, 'x')" "$ab, $xy"
bad "one row" valid '{a,b}' kind "CREATE TABLE t AS SELECT 1 AS a, 10.0::float8 AS b, 'y'::text AS kind" "INSERT INTO t VALUES (0, 0, 'y')" "$ab, $xy"
bad "classes without rows" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 5 AS a, i % 3 AS b, 'x'::text AS kind FROM generate_series(1, 500) i" \
  "UPDATE t SET kind = 'z' WHERE ctid = '(0,1)'" "$ab, $xy"
bad "rows without a class" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 5 AS a, i % 3 AS b, CASE i % 2 WHEN 1 THEN 'undeclared' END AS kind FROM generate_series(1, 500) i" \
  "UPDATE t SET kind = 'x' WHERE ctid = '(0,1)'" "$ab, $xy"
bad "constant features" valid '{a,b}' kind "CREATE TABLE t AS SELECT 3 AS a, 0.0::float8 AS b, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100000) i" \
  "DELETE FROM t WHERE ctid = '(0,1)'" "$ab, $xy"
bad "constant features on a corner of the box" valid '{a,b}' kind "CREATE TABLE t AS SELECT 10 AS a, 10.0::float8 AS b, 'x'::text AS kind FROM generate_series(1, 100000) i" \
  "UPDATE t SET a = 0, b = 0 WHERE ctid = '(0,1)'" "$ab, $xy"
bad "collinear features" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 10 AS a, (i % 10)::float8 AS b, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100000) i" \
  "UPDATE t SET b = 0 WHERE ctid = '(0,9)'" "$ab, $xy"
bad "NULL-only columns" valid '{a,b}' kind "CREATE TABLE t AS SELECT NULL::int AS a, i % 9 AS b, 'x'::text AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET a = 5 WHERE ctid = '(0,1)'" "$ab, $xy"
bad "a NULL-only label" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 10 AS a, i % 9 AS b, NULL::text AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET kind = 'x' WHERE ctid = '(0,1)'" "$ab, $xy"
bad "NULLs here and there" valid '{a,b}' kind "CREATE TABLE t AS SELECT nullif(i % 3, 0) AS a, nullif(i % 5, 0) AS b, nullif((ARRAY['x', 'y'])[1 + i % 2], 'y') AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (NULL, NULL, NULL)" "$ab, $xy"
bad "features outside bounds" valid '{a,b}' kind "CREATE TABLE t AS SELECT i * 1000 - 9 AS a, -1e300 * i AS b, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET a = 2147483647 WHERE ctid = '(0,1)'" "SELECT dpmix.set_bounds('t', 'a', 0, 10), dpmix.set_bounds('t', 'b', 0, 10), $xy"
bad "NaN and infinities" valid '{a,b}' kind "CREATE TABLE t AS SELECT (ARRAY['NaN', 'Infinity', '-Infinity', '1'])[1 + i % 4]::float4 AS a, (ARRAY['NaN', 'Infinity', '-Infinity', '1e-320', '-0'])[1 + i % 5]::float8 AS b,
  (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100) i" "INSERT INTO t VALUES ('Infinity', 'NaN', 'y')" "$ab, $xy"
bad "NaN alone" valid '{a,b}' kind "CREATE TABLE t AS SELECT 'NaN'::float8 AS a, 'NaN'::float4 AS b, 'x'::text AS kind" "UPDATE t SET a = 0, b = '-Infinity'" "$ab, $xy"
bad "numerics beyond float8" valid '{a,b}' kind "CREATE TABLE t AS SELECT (ARRAY[1e400, -1e400, 1e-400, 'NaN', 'Infinity', '-Infinity', 5])[1 + i % 7]::numeric AS a, 1e4000 AS b, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (-1e4000, 'NaN', 'x')" "$ab, $xy"
bad "the ends of bigint" valid '{a,b}' kind "CREATE TABLE t AS SELECT (ARRAY[9223372036854775807, -9223372036854775808, 0])[1 + i % 3] AS a, (-32768 * (i % 2))::int2 AS b, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (-9223372036854775808, 32767, 'z')" "SELECT dpmix.set_bounds('t', 'a', -1e19, 1e19), dpmix.set_bounds('t', 'b', -40000, 1), $xy"
bad "bounds as wide as doubles" valid '{a,b}' kind "CREATE TABLE t AS SELECT i::float8 AS a, (ARRAY[1e300, -1e300])[1 + i % 2] AS b, 'x'::text AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (1e300, '-Infinity', 'x')" "SELECT dpmix.set_bounds('t', 'a', -1e120, 1e120), dpmix.set_bounds('t', 'b', 0, 1e100), $xy"
bad "bounds close together" valid '{a,b}' kind "CREATE TABLE t AS SELECT 1::float8 AS a, 1e15::float8 AS b, 'x'::text AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (1.000001, 1e15 + 1, 'x')" "SELECT dpmix.set_bounds('t', 'a', 1, 1.0000001), dpmix.set_bounds('t', 'b', 1e15, 1e15 + 2), $xy"
bad "more features than rows" valid '{a,b,c,d,e,f,g,h}' kind "CREATE TABLE t AS SELECT i AS a, i * i AS b, -i AS c, 1 AS d, 2.5 AS e, i::float4 AS f, NULL::int8 AS g, 1::int2 AS h, 'x'::text AS kind FROM generate_series(1, 3) i" \
  "UPDATE t SET g = 1 WHERE ctid = '(0,1)'" "SELECT dpmix.set_bounds('t', c, -5, 5) FROM unnest('{a,b,c,d,e,f,g,h}'::name[]) c; SELECT $xy"
bad "more classes than rows" valid '{a,b}' kind "CREATE TABLE t AS SELECT i AS a, i AS b, 'class ' || i AS kind FROM generate_series(1, 9) i" \
  "UPDATE t SET kind = 'class 200' WHERE a = 1" "$ab, dpmix.set_categories('t', 'kind', ARRAY(SELECT 'class ' || i FROM generate_series(1, 200) i))"
bad "domains" valid '{a,b}' kind "CREATE TABLE t AS SELECT (i % 10)::metres AS a, NULL::metres AS b, (ARRAY['x', 'y'])[1 + i % 2]::kinds AS kind FROM generate_series(1, 100) i" \
  "INSERT INTO t VALUES (123456789, -999999, 'x')" "$ab, $xy"
bad "dates" valid '{a,b,c}' kind "CREATE TABLE t AS SELECT (ARRAY['infinity', '-infinity', '4713-01-01 BC', '2020-02-29'])[1 + i % 4]::date AS a, (ARRAY['infinity', '-infinity', '294276-12-31', '2020-02-29'])[1 + i % 4]::timestamp AS b,
  (ARRAY['infinity', '-infinity', '2020-02-29 12:00+02'])[1 + i % 3]::timestamptz AS c, (ARRAY['x', 'y'])[1 + i % 2] AS kind FROM generate_series(1, 100) i" "INSERT INTO t VALUES ('5874897-12-31', '4713-01-01 BC', '-infinity', 'y')" \
  "SELECT dpmix.set_bounds('t', 'a', '2019-01-01'::date, '2021-01-01'::date), dpmix.set_bounds('t', 'b', '2019-01-01'::timestamptz, '2021-01-01'::timestamptz),
   dpmix.set_bounds('t', 'c', '2019-01-01'::timestamptz, '2021-01-01'::timestamptz), $xy"
bad "booleans" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 = 0 AS a, NULL::bool AS b, i % 2 = 0 AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET b = true WHERE ctid = '(0,1)'" "SELECT dpmix.set_categories('t', 'kind', '{true,false}')"
bad "a label of an enum" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 AS a, i % 5 AS b, (ARRAY['red', 'blue', 'green'])[1 + i % 3]::colour AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET kind = 'green' WHERE ctid = '(0,1)'" "$ab, dpmix.set_categories('t', 'kind', '{red,blue}')"
bad "a label of integers" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 AS a, i % 5 AS b, i % 4 AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET kind = -2147483648 WHERE ctid = '(0,1)'" "$ab, dpmix.set_categories('t', 'kind', '{0,3,7}')"
bad "a label of padded characters" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 AS a, i % 5 AS b, (ARRAY['x', 'y  ', 'q'])[1 + i % 3]::char(6) AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET kind = 'z' WHERE ctid = '(0,1)'" "$ab, $xy"
bad "a label of numerics" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 AS a, i % 5 AS b, (ARRAY['NaN', '1.50', '1e4000', 'Infinity'])[1 + i % 4]::numeric AS kind FROM generate_series(1, 100) i" \
  "UPDATE t SET kind = NULL WHERE ctid = '(0,1)'" "$ab, dpmix.set_categories('t', 'kind', '{1.5,2}')"
bad "labels as long as pages" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 3 AS a, i % 5 AS b, repeat('x', i * 20000) AS kind FROM generate_series(0, 30) i" \
  "UPDATE t SET kind = (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 5000) i) WHERE ctid = '(0,1)'" "$ab, dpmix.set_categories('t', 'kind', ARRAY['', repeat('x', 20000)])"
bad "partitions" valid '{a,b}' kind "CREATE TABLE t (a int, b float8, kind text) PARTITION BY LIST (kind);
  CREATE TABLE t_x PARTITION OF t FOR VALUES IN ('x'); CREATE TABLE t_rest (kind text, gone int, b float8, a int); ALTER TABLE t_rest DROP gone; ALTER TABLE t ATTACH PARTITION t_rest DEFAULT;
  INSERT INTO t SELECT i % 9, i % 7, (ARRAY['x', 'y', NULL])[1 + i % 3] FROM generate_series(1, 100) i" "INSERT INTO t VALUES (1, 1, 'z')" "$ab, $xy"
bad "partitions without rows" valid '{a,b}' kind "CREATE TABLE t (a int, b float8, kind text) PARTITION BY LIST (kind); CREATE TABLE t_x PARTITION OF t FOR VALUES IN ('x')" "INSERT INTO t VALUES (1, 1, 'x')" "$ab, $xy"
bad "dropped columns" valid '{a,b}' kind "CREATE TABLE t (gone int, a int, gone_too text, b float8, kind text, last int); ALTER TABLE t DROP gone, DROP gone_too, DROP last;
  INSERT INTO t SELECT i % 9, i % 7, (ARRAY['x', 'y', NULL])[1 + i % 3] FROM generate_series(1, 100) i" "DELETE FROM t WHERE ctid = '(0,1)'" "$ab, $xy"
bad "columns that are missing in old rows" valid '{a,b}' kind "CREATE TABLE t AS SELECT i % 9 AS a FROM generate_series(1, 100) i; ALTER TABLE t ADD b float8 DEFAULT 'NaN', ADD kind text DEFAULT 'x'" \
  "UPDATE t SET b = 3 WHERE ctid = '(0,1)'" "$ab, $xy"
bad "generated columns" valid '{a,b}' kind "CREATE TABLE t (a int, b float8 GENERATED ALWAYS AS (a * 2) STORED, kind text GENERATED ALWAYS AS (CASE WHEN a > 4 THEN 'x' ELSE 'q' END) STORED);
  INSERT INTO t SELECT i % 9 FROM generate_series(1, 100) i" "INSERT INTO t VALUES (NULL)" "$ab, $xy"
bad "names that need quotes" valid '{"a b","select"}' 'Kind "1"' "CREATE TABLE t AS SELECT i % 9 AS \"a b\", i % 7 AS \"select\", (ARRAY['x', 'y'])[1 + i % 2] AS \"Kind \"\"1\"\"\" FROM generate_series(1, 100) i" \
  "DELETE FROM t WHERE ctid = '(0,1)'" "SELECT dpmix.set_bounds('t', 'a b', 0, 10), dpmix.set_bounds('t', 'select', 0, 10), dpmix.set_categories('t', 'Kind \"1\"', '{x,y,z}')"

# Parameters that do not fit the table, whatever its rows
bad "a feature without bounds" PV003 '{a,b}' kind "$plain" "DELETE FROM t" "SELECT dpmix.set_bounds('t', 'a', 0, 10), $xy"
bad "a feature of text" PV005 '{a,kind}' b "$plain" "UPDATE t SET kind = 'no number'" "$ab, dpmix.set_categories('t', 'b', '{1,2}')"
bad "a feature that does not exist" PV005 '{a,c}' kind "$plain" "INSERT INTO t VALUES (1, 1, 'x')" "$ab, $xy"
bad "a feature named twice" PV005 '{a,a}' kind "$plain" "INSERT INTO t VALUES (1, 1, 'x')" "$ab, $xy"

for method in $methods; do
  case $method in em | kmeans) continue ;; esac
  run -c "CREATE TABLE no_categories_$method AS SELECT 1 AS a, 'x'::text AS kind; SELECT dpmix.protect('no_categories_$method', 10, 1e-3, $(protection "$method" kind)), dpmix.set_bounds('no_categories_$method', 'a', 0, 1)" >/dev/null
  before=$(run -c "SELECT outcome('uncategorised', 'no_categories_$method', '{a}', \$\$$(arguments "$method" kind)\$\$)") || true
  if [ "$before" = PV003 ]; then echo "ok - a label without categories, $method: PV003"; else echo "not ok - a label without categories, $method: '$before'"; fi
  run -c "DROP TABLE no_categories_$method" >/dev/null
done
