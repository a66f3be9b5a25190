#!/usr/bin/env bash
# Arguments nobody would pass in good faith. What is refused costs nothing; what is charged is charged
# for what was asked; the record stays what it says; the server stays up.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"
started=$(sql "SELECT pg_postmaster_start_time()")

# Privacy parameters. NAME:EPSILON:DELTA:CHARGES:PATTERN
while IFS='#' read -r epsilon delta charges pattern; do
  costs "epsilon $epsilon, delta $delta" "$charges" "$pattern" <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', $epsilon, $delta) AS t(n bigint);"
done <<'CASES'
NULL#0#0#PV005
1#NULL#0#PV005
'NaN'#0#0#PV005
'Infinity'#0#0#PV005
'-Infinity'#0#0#PV005
-1#0#0#PV005
0#0#0#PV005
-0.0#0#0#PV005
9.99e-7#0#0#PV005
4.9e-324#0#0#PV005
1e308#0#0#PV005
10000001#0#0#PV005
1#'NaN'#0#PV005
1#-1e-9#0#PV005
1#0.50001#0#PV005
1#1#0#PV005
1#4.9e-324#1#^-?[0-9]+ $
1e-6#0#1#^-?[0-9]+ $
0.0000011#0#1#^-?[0-9]+ $
1#-0.0#1#^-?[0-9]+ $
1#1e-300#1#^-?[0-9]+ $
1e7#0#0#PV001
1#.2#0#PV001
CASES
check "the least epsilon is on record as it was asked" "0.000001" "$(sql "SELECT min(epsilon) FROM dpmix.charge")"
PGUSER=olga sql "CREATE TABLE even (x int); SELECT dpmix.protect('even', 1, .4999, accountant => 'basic'); SELECT dpmix.grant_access('even', 'ana', NULL, 0)" >/dev/null
costs "delta .5 is more than any budget has" 0 PV001 <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM even', 1, .5) AS t(n bigint);"
costs "ten times .1 is 1, and not a hair more" 10 'PV001' <<SQL
$(for _ in $(seq 10); do echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM even', .1) AS t(n bigint);"; done)
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM even', .000001) AS t(n bigint);
SQL
for parameter in "epsilon => -1" "delta => 0" "columns => '{}'" "columns => NULL" "columns => '{NULL}'" "columns => '{wage,wage}'" "columns => '{sex}'" "columns => '{{wage},{id}}'" "columns => '{xmin}'" "label => NULL, components => 0" "label => NULL, components => 101" "label => NULL, method => 'staged'" "label => 'wage'" "name => ''" "name => NULL" "name => repeat('x', 201)" "relation => 0" "relation => 'pg_class'" "components => 7" "method => 'magic'" "method => repeat('ä', 100000)" "method => 'label_only'" "method => 'em'" "dimensions => 0" "dimensions => -2147483648" "covariance => ''"; do
  costs "release_gmm with $parameter is refused, free of charge" 0 'PV00[356]|42501' <<SQL
SELECT dpmix.release_gmm($(for a in "name => 'm'" "relation => 'people'" "columns => '{wage}'" "epsilon => 1" "delta => 1e-6" "label => 'sex'"; do
  [ "${a%% *}" = "${parameter%% *}" ] || echo -n "$a, "; done)$parameter);
SQL
done
for parameter in "rows => 0" "rows => -1" "rows => NULL" "rows => 9223372036854775807" "columns => '{}'" "columns => '{nope}'" "mix => 0" "mix => 2147483647" "demix => 'x'" "demix => 'x' || repeat('ä', 100000)" "epsilon => 'NaN'" "delta => 1" "columns => '{sex}'" "clip => 0" "clip => -1e308" "clip => 'NaN'" "class_rows => 'x' || repeat('ä', 100000)"; do
  costs "cda with $parameter is refused, free of charge" 0 'PV00[35]' <<SQL
SELECT * FROM dpmix.cda(NULL::people, $(for a in "columns => '{wage}'" "label => 'sex'" "rows => 2" "epsilon => 1" "delta => 1e-6"; do
  [ "${a%% *}" = "${parameter%% *}" ] || echo -n "$a, "; done)$parameter);
SQL
done

sql "CREATE TABLE likeness (sex text, wage int); INSERT INTO likeness VALUES ('F', 1), ('M', 2); GRANT SELECT ON likeness TO ana"
for parameter in "synthetic => 0" "synthetic => 'pg_class'" "synthetic => 'people_pkey'" "columns => '{}', label => NULL" "columns => '{nope}'" "columns => '{sex}'" "label => 'wage'" "label => 'xmin'" "epsilon => 'NaN'" "epsilon => 1e300" "delta => 0" "delta => -1" "bins => 1" "bins => -2147483648"; do
  costs "compare_private with $parameter is refused, free of charge" 0 'PV00[35]|42501|42809' <<SQL
SELECT * FROM dpmix.compare_private($(for a in "relation => 'people'" "synthetic => 'likeness'" "columns => '{wage}'" "label => 'sex'" "epsilon => 1" "delta => 1e-6"; do
  [[ $parameter == *"${a%% *} "* ]] || echo -n "$a, "; done)$parameter);
SQL
done

# Functions of any type, called by themselves with values of every kind of storage.
for value in 1485 1485::bigint 1.5::float8 true now\(\) "'x'::text" "'x'::name" "'c'::\"char\"" "'00000000-0000-0000-0000-000000000000'::uuid" "'{}'::jsonb" "point(1, 2)" "ROW(1)"; do
  check_match "whole($value)" PV002 "$(PGUSER=ana sql "SELECT dpmix_internal.whole($value)")"
  check_match "class_number of $value" '^0$|PV005' "$(PGUSER=ana sql "SELECT dpmix_internal.class_number(ARRAY[$value], $value)")"
  check_match "row_vector($value)" '^\{1.5\}$|PV005' "$(PGUSER=ana sql "SELECT dpmix_internal.row_vector($value)")"
  check_match "array_agg of $value" 'PV005' "$(PGUSER=ana sql "SELECT dpmix_internal.array_agg($value, 'cell_counts'::text)")"
  check_match "array_agg by $value" 'PV005' "$(PGUSER=ana sql "SELECT dpmix_internal.array_agg(1::float8, $value)")"
done

# Texts of queries.
costs "an empty query" 0 PV002 <<<"SELECT * FROM dpmix.query('', 1) AS t(n bigint);"
costs "two statements in one text" 0 PV002 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people; DROP TABLE people', 1) AS t(n bigint);"
costs "a statement that writes" 0 PV002 <<<"SELECT * FROM dpmix.query('DELETE FROM people', 1) AS t(n bigint);"
costs "a comment that hides the rest" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people -- WHERE', .1) AS t(n bigint);"
costs "dpmix.query in dpmix.query" 0 'PV002|PV006' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM dpmix.query(''SELECT dp_count(*) FROM people'', 1) AS t(n bigint)', 1) AS t(n bigint);"
costs "a megabyte of text" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE sex <> ''' || repeat('x', 1000000) || '''', .1) AS t(n bigint);"
costs "a list of 20000 values" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id IN (' || (SELECT string_agg(i::text, ',') FROM generate_series(1, 20000) i) || ')', .1) AS t(n bigint);"
nested() { echo "SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE ' || repeat('NOT (', $1) || 'id = 1' || repeat(')', $1), .1) AS t(n bigint);"; }
costs "conditions nested 100000 deep end in an error, not in a crash" 0 '42601|54001' <<<"$(nested 100000)"
costs "conditions nested 4000 deep are answered" 1 '-?[0-9]+ $' <<<"$(nested 4000)"
costs "a sum of 100000 terms on the constant's side ends too" 0 '54001' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = ' || repeat('1+', 100000) || '1', .1) AS t(n bigint);"
costs "a sum of 2000 terms is answered" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = ' || repeat('1+', 2000) || '1', .1) AS t(n bigint);"
costs "ten thousand ORs" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1' || repeat(' OR id = 2', 10000), .1) AS t(n bigint);"
costs "parameters nobody uses" 0 PV005 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', 1, params => '{a,b}') AS t(n bigint);"
costs "parameter number a billion" 0 '42P02|54000|XX000|PV005' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = \$1000000000', 1) AS t(n bigint);"
costs "a value that is no value of its type fails before the charge" 0 22P02 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = \$1', 1, params => '{x}') AS t(n bigint);"
costs "a division by zero among constants fails before the charge" 0 22012 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1 / 0', 1) AS t(n bigint);"
costs "a division by zero that depends on rows is answered" 1 '' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE 1 / (id - 1) = 1', 1) AS t(n bigint);"
costs "a cast that fails on some rows is refused" 0 PV002 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id::text::int = 1', 1) AS t(n bigint);"
costs "more columns than stated" 0 PV005 <<<"SELECT * FROM dpmix.query('SELECT dp_count(*), dp_sum(wage) FROM people', 1) AS t(n bigint);"
costs "no columns stated" 0 '42601' <<<"SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', 1);"

# What goes into the record stays inside its field.
before=$(last_charge)
costs "quotes, braces, newlines and percent signs in the text" 1 '-?[0-9]+ $' <<'SQL'
SELECT n FROM dpmix.query(E'SELECT dp_count(*) FROM people WHERE sex <> $$","epsilon": 0, "x": {"\\u0000%s%n\n\t\r\b'' \\ $$ AND wage > 0', .1) AS t(n bigint);
SQL
check "are the text and nothing else" "groups query statistics statistics_left|1|0.1" \
  "$(sql "SELECT (SELECT string_agg(k, ' ' ORDER BY k) FROM jsonb_object_keys(parameters) k), parameters->>'groups', epsilon FROM dpmix.charge WHERE id > $before")"
check "to the letter" t "$(sql "SELECT parameters->>'query' = E'SELECT dp_count(*) FROM people WHERE sex <> \$\$\",\"epsilon\": 0, \"x\": {\"\\\\u0000%s%n\\n\\t\\r\\b'' \\\\ \$\$ AND wage > 0' FROM dpmix.charge WHERE id > $before")"
long='ünïcödé\"'
before=$(last_charge)
costs "a long text of characters that are escaped" 1 '-?[0-9]+ $' <<<"SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE sex <> ''' || repeat('$long', 5000) || '''', .1) AS t(n bigint);"
check "is cut between characters, and the rest of the record is whole" "t|0" "$(sql "SELECT starts_with(parameters->>'query', 'SELECT dp_count(*) FROM people WHERE sex <> ''$long$long'), parameters->>'statistics_left' FROM dpmix.charge WHERE id > $before")"
sql "CREATE ROLE \"x'; DROP TABLE people; --\" LOGIN; CREATE ROLE \"ro\"\"le\
\" LOGIN" >/dev/null
name=$(printf 'ta"ble%%s\n'"'"'; --')
quoted="\"${name//\"/\"\"}\""
sql "CREATE TABLE $quoted (\"co'l\"\"%s\" int, \"l\\a\" text NOT NULL); SELECT dpmix.protect('$(sed "s/'/''/g" <<<"$quoted")', 100, 1e-3);
  SELECT dpmix.set_bounds(oid, 'co''l\"%s', 0, 9), dpmix.set_categories(oid, 'l\\a', array['a''b', E'c\\\\d', '%s\"']), dpmix.grant_access(oid, quote_ident('x''; DROP TABLE people; --')::regrole) FROM (SELECT oid FROM pg_class WHERE relname LIKE 'ta\"ble%') t" >/dev/null
before=$(last_charge)
costs_as="x'; DROP TABLE people; --"
costs "tables, columns, categories and roles with quotes and newlines in their names" 3 '3 3 3 $' "$costs_as" <<SQL
SET client_min_messages = error;
SELECT count(*) FROM dpmix.query('SELECT "l\\a", dp_count(*), dp_avg("co''l""%s") FROM ${quoted//\'/\'\'} GROUP BY "l\\a"', .1) AS t(a text, n bigint, x float8);
SELECT components FROM dpmix.release_gmm(E'm''"\\\\ \\n%s', '${quoted//\'/\'\'}', array['co''l"%s'], .1, 1e-6, label => 'l\\a');
SELECT count(*) FROM dpmix.cda(NULL::$quoted, array['co''l"%s'], 3, .1, 1e-6, label => 'l\\a');
SQL
check "are recorded as they are" "x'; DROP TABLE people; --" "$(sql "SELECT DISTINCT role FROM dpmix.charge WHERE id > $before")"
check "names of releases too" "t" "$(sql "SELECT bool_or(release = E'm''\"\\\\ \\n%s') FROM dpmix.charge WHERE id > $before")"

before=$(last_charge)
sql "CREATE TABLE \"li'k\"\"e%s\\\" AS SELECT 1 AS \"co'l\"\"%s\", 'a''b'::text AS \"l\a\"; GRANT SELECT ON \"li'k\"\"e%s\\\" TO PUBLIC" >/dev/null
costs "a comparison with a table of such a name" 1 '^t $' "$costs_as" <<SQL
SELECT count(*) > 0 FROM dpmix.compare_private('${quoted//\'/\'\'}', '"li''k""e%s\"', .1, 1e-6, 'l\a');
SQL
check "is recorded as it is" "li'k\"e%s\\" "$(sql "SELECT parameters->>'synthetic' FROM dpmix.charge WHERE id > $before")"

# Every function with NULL everywhere, with the extremes of each type, and with numbers for any type: errors, never a
# crash, no charge.
PGUSER=postgres
for values in "NULL" "extremes" "numbers"; do
  psql -XAtq <<SQL >"$CLUSTER/calls"
SELECT format('SELECT %s %s(%s)%s;', CASE WHEN p.prorettype = 'record'::regtype AND proallargtypes IS NULL THEN '* FROM' ELSE '' END, p.oid::regproc,
  (SELECT coalesce(string_agg(CASE WHEN '$values' = 'numbers' AND t.typname IN ('anyelement', 'any') THEN '1485' WHEN '$values' = 'numbers' AND t.typname = 'anyarray' THEN '''{1485}'''
                                   WHEN '$values' = 'NULL' OR t.typname NOT IN ('text', 'float8', 'int4', 'int8', 'numeric', 'name', 'date', 'timestamptz', '_text', '_name', '_float8', 'exact_state')
                                   THEN 'NULL' WHEN t.typname = 'exact_state' THEN '''sum(1,2,3,4,5,6)''' WHEN t.typname IN ('_text', '_name') THEN '''{x,NULL}'''
                                   WHEN t.typname = '_float8' THEN '''{NaN,Infinity,NULL,1e308}''' WHEN t.typname IN ('text', 'name') THEN '''gaussian''' WHEN t.typname IN ('date', 'timestamptz') THEN '''infinity'''
                                   WHEN t.typname = 'int4' THEN '-2147483648' WHEN t.typname = 'int8' THEN '9223372036854775807' ELSE '''NaN''' END || '::' ||
                              CASE WHEN '$values' = 'numbers' AND t.typname = 'anyelement' THEN 'int' WHEN '$values' = 'numbers' AND t.typname = 'anyarray' THEN 'int[]'
                                   WHEN t.typname = 'anyelement' THEN 'public.people' WHEN t.typname = 'any' THEN 'int' ELSE format_type(t.oid, NULL) END, ', ' ORDER BY o), '')
   FROM unnest(p.proargtypes) WITH ORDINALITY u(type, o) JOIN pg_type t ON t.oid = u.type), CASE WHEN p.prorettype = 'record'::regtype AND proallargtypes IS NULL THEN ' AS t(n bigint)' ELSE '' END)
FROM pg_proc p WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND prokind = 'f' AND NOT 'internal'::regtype = ANY (p.proargtypes) ORDER BY 1;
SQL
  costs "every function ($(wc -l <"$CLUSTER/calls") calls) with $values: no crash, no charge" 0 'alive $' mallory <<<"SET statement_timeout = '20s';
$(cat "$CLUSTER/calls")
SELECT 'alive';"
done
check "the server never restarted" "$started" "$(sql "SELECT pg_postmaster_start_time()")"
check "no backend crashed" 0 "$(grep -c 'terminated by signal' "$CLUSTER/log")"
