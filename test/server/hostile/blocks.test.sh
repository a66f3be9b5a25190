#!/usr/bin/env bash
# Blocks: nothing reads a block that was not charged, however WHERE is written, whatever the session's time zone is,
# and no row finds a way into another block.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
psql -q -c 'CREATE EXTENSION dpmix' -c "ALTER DATABASE postgres SET session_preload_libraries = 'dpmix'"

# Each table has rows in ten blocks, and rows that are in none: before the first, later than now, NULL, infinite.
declare_table() {  # name, type, value of i, more values, width, blocks_from
  sql "CREATE TABLE $1 (id serial PRIMARY KEY, at $2, flag boolean);
       INSERT INTO $1 (at, flag) SELECT $3, i % 3 = 0 FROM generate_series(0, 99) i;
       INSERT INTO $1 (at, flag) SELECT v::$2, true FROM unnest('$4'::text[]) v;
       SELECT dpmix.protect('$1', 1e6, .01, adjacency => 'replace', blocks => 'at', width => '$5', blocks_from => '$6')" >/dev/null
}
declare_table days date "date '2020-01-01' + i / 10" '{2019-12-31,1990-05-05,2999-01-01,infinity,-infinity,NULL}' '1 day' 2020-01-01
declare_table weeks date "date '2020-01-01' + i" '{2019-12-31,2999-01-01,NULL}' '7 days' 2020-01-01
declare_table stamps timestamp "timestamp '2020-01-01' + i * interval '2 hours 24 minutes'" '{2019-12-31 23:59:59.999999,2999-01-01,infinity,-infinity,NULL}' '1 day' 2020-01-01
declare_table zoned timestamptz "timestamptz '2020-01-01 00:00Z' + i * interval '2 hours 24 minutes'" '{2019-12-31 23:59:59.999999Z,2999-01-01 00:00Z,infinity,-infinity,NULL}' '1 day' 2020-01-01
declare_table numbers bigint "i" '{-1,-9223372036854775808,9223372036854775807,NULL}' 10 0
declare_table small smallint "i" '{-1,-32768,32767,NULL}' 10 0

# Random conditions: of each the answer is what WHERE, without the blocks, says of rows up to now, and what it says of
# the blocks that were charged. The first would fail where S is too small, the second where more is read than was
# charged.
conditions=$(cat <<'SQL'
CREATE FUNCTION value_near(t regclass, i integer) RETURNS text LANGUAGE sql AS $f$
    SELECT CASE t::text
        WHEN 'days' THEN (date '2019-12-30' + i % 14)::text
        WHEN 'weeks' THEN (date '2019-12-28' + i % 110)::text
        WHEN 'stamps' THEN (timestamp '2019-12-31 20:00' + (i % 260) * interval '1 hour')::text
        WHEN 'zoned' THEN (timestamp '2019-12-31 20:00' + (i % 260) * interval '1 hour')::text || (ARRAY['Z', '+02', ''])[1 + i % 3]
        ELSE (i % 120 - 10)::text END $f$;
CREATE FUNCTION literal(t regclass) RETURNS text LANGUAGE plpgsql AS $f$
DECLARE
    v text := value_near(t, (random() * 1e6)::integer);
    type text := CASE t::text WHEN 'days' THEN 'date' WHEN 'weeks' THEN 'date' WHEN 'stamps' THEN 'timestamp' WHEN 'zoned' THEN 'timestamptz' ELSE 'bigint' END;
BEGIN
    RETURN CASE (random() * 8)::integer
        WHEN 0 THEN format('%L', v)
        WHEN 1 THEN CASE WHEN type IN ('date', 'timestamp') THEN format('timestamptz %L', v || 'Z') ELSE format('%L::%s', v, type) END
        WHEN 2 THEN CASE WHEN type = 'bigint' THEN v || '.5' ELSE format('timestamp %L', rtrim(split_part(v, '+', 1), 'Z')) END
        WHEN 3 THEN CASE WHEN type = 'bigint' THEN format('%s::float8', v) ELSE format('date %L', left(v, 10)) END
        WHEN 4 THEN CASE WHEN random() < .2 THEN format('NULL::%s', type) ELSE format('%L::%s', v, type) END
        WHEN 5 THEN CASE WHEN type = 'bigint' THEN format('%s::integer', v) ELSE format('%L::%s', (ARRAY['infinity', '-infinity'])[1 + (random() < .5)::integer], type) END
        ELSE format('%L::%s', v, type) END;
END $f$;
CREATE FUNCTION subject(t regclass) RETURNS text LANGUAGE sql VOLATILE AS $f$
    SELECT CASE WHEN random() < .6 THEN 'at'
        WHEN t::text = 'stamps' THEN (ARRAY['date_trunc(''day'', at)', 'at::date', 'date_trunc(''month'', at)'])[1 + (random() * 2)::integer]
        WHEN t::text IN ('days', 'weeks') THEN (ARRAY['at::timestamp', 'date_trunc(''month'', at::timestamp)', 'at::timestamptz'])[1 + (random() * 2)::integer]
        WHEN t::text = 'zoned' THEN 'at'
        ELSE (ARRAY['at::numeric', 'at::bigint', 'at'])[1 + (random() * 2)::integer] END $f$;
CREATE FUNCTION condition(t regclass, depth integer) RETURNS text LANGUAGE plpgsql AS $f$
BEGIN
    IF depth > 0 AND random() < .6 THEN
        RETURN CASE WHEN random() < .7 THEN format('(%s AND %s)', condition(t, depth - 1), condition(t, depth - 1))
                    WHEN random() < .7 THEN format('(%s OR %s)', condition(t, depth - 1), condition(t, depth - 1))
                    WHEN random() < .5 THEN format('NOT %s', condition(t, depth - 1))
                    ELSE format('CASE WHEN flag THEN %s ELSE %s END', condition(t, depth - 1), condition(t, depth - 1)) END;
    END IF;
    RETURN CASE (random() * 7)::integer
        WHEN 0 THEN format('%s BETWEEN %s AND %s', subject(t), literal(t), literal(t))
        WHEN 1 THEN format('%s IN (%s, %s)', subject(t), literal(t), literal(t))
        WHEN 2 THEN format('%s %s %s', literal(t), (ARRAY['<', '<=', '=', '>=', '>', '<>'])[1 + (random() * 5)::integer], subject(t))
        WHEN 3 THEN (ARRAY['flag', 'at IS NOT NULL', 'at IS NULL', 'false', 'true'])[1 + (random() * 4)::integer]
        ELSE format('%s %s %s', subject(t), (ARRAY['<', '<=', '=', '>=', '>', '<>'])[1 + (random() * 5)::integer], literal(t)) END;
END $f$;
CREATE TABLE tried (relation regclass, condition text, outcome text, narrowed boolean);
CREATE PROCEDURE try(t regclass, start text, width text) LANGUAGE plpgsql AS $f$
DECLARE
    c text := condition(t, 2);
    zone text := (ARRAY['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Kiritimati'])[1 + (random() * 3)::integer];
    answer bigint; expected bigint; paid bigint; total bigint; ranges int8multirange; place text;
BEGIN
    PERFORM set_config('TimeZone', zone, true);
    place := CASE WHEN t::text IN ('days', 'weeks') THEN format('floor((at - date %L) / %s)', start, split_part(width, ' ', 1))
                  WHEN t::text = 'stamps' THEN format('floor(extract(epoch FROM at - timestamp %L) / 86400)', start)
                  WHEN t::text = 'zoned' THEN format('floor(extract(epoch FROM at - timestamptz %L) / 86400)', start || ' 00:00Z')
                  ELSE format('floor(at / %s.0)', width) END;
    BEGIN
        EXECUTE format('SELECT n FROM dpmix.query(%L, 1000, mechanism => ''laplace'', all_blocks => true) AS t(n bigint)',
                       format('SELECT dp_count(*) AS n FROM %s WHERE %s', t, c)) INTO answer;
    EXCEPTION WHEN SQLSTATE 'PV002' THEN
        INSERT INTO tried VALUES (t, c, 'refused');
        RETURN;
    END;
    SELECT blocks INTO ranges FROM dpmix.charge ORDER BY id DESC LIMIT 1;
    EXECUTE format('SELECT count(*) FILTER (WHERE at <= %L), count(*) FILTER (WHERE %L::int8multirange @> (%s)::bigint), count(*) FROM %s WHERE at >= %L AND in_a_block(at::text) AND (%s)',
                   CASE WHEN t::text IN ('numbers', 'small') THEN '32767' ELSE '2100-01-01' END, ranges, place, t,
                   CASE WHEN t::text IN ('numbers', 'small') THEN '0' WHEN t::text = 'zoned' THEN start || ' 00:00Z' ELSE start END, c)
        INTO expected, paid, total;
    INSERT INTO tried VALUES (t, format('%s [%s] %s', c, zone, ranges),
        CASE WHEN answer IS DISTINCT FROM paid THEN format('%s of charged blocks are %s', answer, paid)
             WHEN t::text <> 'numbers' AND answer IS DISTINCT FROM expected THEN format('%s up to now are %s', answer, expected) ELSE 'same' END,
        upper(ranges) - lower(ranges) < 100);
END $f$;
CREATE FUNCTION in_a_block(v text) RETURNS boolean LANGUAGE sql AS $f$ SELECT v NOT IN ('infinity', '-infinity', '9223372036854775807') $f$;
SQL
)
session <<<"$conditions" >"$CLUSTER/made" 2>&1
check "the functions of the trial are made" "" "$(cat "$CLUSTER/made")"
rounds=${DPMIX_SOAK:+2000}
session >"$CLUSTER/out" 2>&1 <<SQL
SET client_min_messages = error;
DO \$\$
DECLARE t record;
BEGIN
    FOR i IN 1..${rounds:-60} LOOP
        FOR t IN SELECT * FROM (VALUES ('days', '2020-01-01', '1 day'), ('weeks', '2020-01-01', '7 days'), ('stamps', '2020-01-01', '1 day'), ('zoned', '2020-01-01', '1 day'), ('numbers', '0', '10'), ('small', '0', '10')) v(relation, start, width) LOOP
            CALL try(t.relation::regclass, t.start, t.width);
        END LOOP;
    END LOOP;
END \$\$;
SQL
check "random conditions ran" "" "$(cat "$CLUSTER/out")"
check "each answer is of the blocks that were charged, and of all rows that WHERE means" "" "$(sql "SELECT relation, condition, outcome FROM tried WHERE outcome NOT IN ('same', 'refused') LIMIT 5")"
check "most were answered, and many narrowed" t "$(sql "SELECT count(*) FILTER (WHERE outcome = 'same') > count(*) * .4 AND count(*) FILTER (WHERE narrowed) > count(*) * .2 FROM tried")"

# What does not narrow is refused unless all blocks are asked for.
for condition in "at = '2020-01-03' OR flag" "CASE WHEN flag THEN at = '2020-01-03' ELSE false END" "flag" "NOT at <> '2020-01-03' AND flag" "at <> '2020-01-03'"; do
  check_match "PV003: $condition" "PV003|PV002" "$(sql "SELECT * FROM dpmix.query(\$q\$SELECT dp_count(*) FROM days WHERE $condition\$q\$, 1) AS t(n bigint)")"
done
check_match "PV003: a condition of FILTER" PV003 "$(sql "SELECT * FROM dpmix.query(\$q\$SELECT dp_count(*) FILTER (WHERE at = '2020-01-03') FROM days\$q\$, 1) AS t(n bigint)")"

# Parameters are what the call gave.
charged() { sql "SELECT blocks FROM dpmix.charge ORDER BY id DESC LIMIT 1"; }
sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM days WHERE at = \$1', 1, params => '{2020-01-04}') AS t(n bigint)" >/dev/null
check "a parameter of dpmix.query" "{[3,4)}" "$(charged)"
for zone in UTC Pacific/Kiritimati America/St_Johns; do
  session >/dev/null <<<"SET TimeZone = '$zone'; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM days WHERE at::timestamptz = \$\$2020-01-03\$\$', 1) AS t(n bigint);"
  check "the session's midnight, in $zone" "{[2,3)}" "$(charged)"
done
sql "SELECT dpmix.expose('days')" >/dev/null
session >/dev/null 2>&1 <<'SQL'
SET dpmix.epsilon = 1;
PREPARE asked(date) AS SELECT count(*) FROM private.days WHERE at = $1;
EXECUTE asked('2020-01-02'); EXECUTE asked('2020-01-03'); EXECUTE asked('2020-01-04'); EXECUTE asked('2020-01-05'); EXECUTE asked('2020-01-06'); EXECUTE asked('2020-01-07'); EXECUTE asked('2020-01-08');
SQL
check "a prepared plain query, run with seven days" "{[1,2)} {[2,3)} {[3,4)} {[4,5)} {[5,6)} {[6,7)} {[7,8)}" \
  "$(sql "SELECT string_agg(blocks::text, ' ' ORDER BY id) FROM (SELECT id, blocks FROM dpmix.charge ORDER BY id DESC LIMIT 7) c")"
check_match "plain SQL without a day" "PV003" "$(session <<<"SET dpmix.epsilon = 1; SELECT count(*) FROM private.days;")"
check_match "dpmix.all_blocks" '^[0-9]+$' "$(session <<<"SET dpmix.epsilon = 1; SET dpmix.all_blocks = on; SELECT count(*) FROM private.days;")"

# Rows stay where they are.
stays() { check_match "$1" "PV002.*leave its block" "$(sql "$2")"; }
stays "UPDATE to another block" "UPDATE days SET at = at + 1"
stays "UPDATE to no block" "UPDATE days SET at = NULL WHERE id = 1"
stays "UPDATE to infinity" "UPDATE days SET at = 'infinity' WHERE id = 1"
stays "UPDATE to before the first block" "UPDATE days SET at = '2019-12-31' WHERE id = 1"
stays "ON CONFLICT DO UPDATE" "INSERT INTO days (id, at) VALUES (1, '2020-01-09') ON CONFLICT (id) DO UPDATE SET at = excluded.at"
stays "MERGE" "MERGE INTO days d USING (VALUES (1)) v(id) ON d.id = v.id WHEN MATCHED THEN UPDATE SET at = at + 1"
stays "as a replica" "SET session_replication_role = replica; UPDATE days SET at = at + 1 WHERE id = 1"
check "an UPDATE within the block" "" "$(sql "UPDATE stamps SET at = at + interval '1 minute' WHERE id = 5")"
check "an UPDATE of a row that was in none" "" "$(sql "UPDATE days SET at = '2020-01-03' WHERE at IS NULL")"
sql "CREATE FUNCTION shove() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.at := NEW.at + 1; RETURN NEW; END'"
for name in aaa '~zzz' '~~'; do
  sql "CREATE TRIGGER \"$name\" BEFORE UPDATE ON days FOR EACH ROW EXECUTE FUNCTION shove()"
  stays "a trigger \"$name\" that moves rows" "UPDATE days SET flag = true WHERE id = 1"
  sql "DROP TRIGGER \"$name\" ON days"
done
sql "CREATE TABLE parts (id integer, at date) PARTITION BY RANGE (at);
     CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
     INSERT INTO parts SELECT i, date '2020-01-01' + i FROM generate_series(0, 9) i;
     SELECT dpmix.protect('parts', 10, 1e-6, blocks => 'at', blocks_from => '2020-01-01');
     CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM ('2020-02-01') TO ('2020-03-01');
     CREATE TABLE parts_3 (id integer, at date); ALTER TABLE parts ATTACH PARTITION parts_3 FOR VALUES FROM ('2020-03-01') TO ('2020-04-01');
     INSERT INTO parts VALUES (100, '2020-02-05'), (101, '2020-03-05')" >/dev/null
stays "a move between partitions" "UPDATE parts SET at = '2020-02-07' WHERE id = 1"
stays "a move within a partition" "UPDATE parts SET at = at + 1 WHERE id = 1"
stays "a partition by its own name" "UPDATE parts_1 SET at = at + 1 WHERE id = 1"
stays "a partition that was made later" "UPDATE parts_2 SET at = at + 1"
stays "a partition that was attached later" "UPDATE parts_3 SET at = at + 1"
stays "a later partition, as a replica" "SET session_replication_role = replica; UPDATE parts_3 SET at = at + 1"
# A stamp at INSERT, and a column that rows are partitioned by beside their day: the move is an INSERT that no UPDATE
# trigger sees.
sql "CREATE TABLE regions (id integer, region text, at date) PARTITION BY LIST (region);
     CREATE TABLE regions_a PARTITION OF regions FOR VALUES IN ('a'); CREATE TABLE regions_b PARTITION OF regions FOR VALUES IN ('b');
     CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.at := current_date; RETURN NEW; END';
     INSERT INTO regions SELECT i, 'a', '2020-01-05' FROM generate_series(1, 9) i;
     CREATE TRIGGER stamp BEFORE INSERT ON regions FOR EACH ROW EXECUTE FUNCTION stamp();
     SELECT dpmix.protect('regions', 10, 1e-6, blocks => 'at', blocks_from => '2020-01-01')" >/dev/null
check_match "a move between partitions that stamps rows anew" "PV002.*leave its partition" "$(sql "UPDATE regions SET region = 'b' WHERE id = 1")"
check_match "a trigger that moves rows behind the guard's back" "PV002.*leave its partition" "$(sql "CREATE FUNCTION shift_region() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.region := ''b''; RETURN NEW; END';
  CREATE TRIGGER \"~zz\" BEFORE UPDATE ON regions FOR EACH ROW EXECUTE FUNCTION shift_region();"; sql "UPDATE regions SET id = 100 WHERE id = 1")"
sql 'DROP TRIGGER "~zz" ON regions' >/dev/null
check "an UPDATE within a partition, and DELETE after a savepoint" "" "$(session <<'SQL'
UPDATE regions SET id = 20 WHERE id = 2;
BEGIN; SAVEPOINT s; UPDATE regions SET id = 21 WHERE id = 3; ROLLBACK TO s; DELETE FROM regions WHERE id = 3; COMMIT;
DELETE FROM regions WHERE id = 20;
SQL
)"
check "what is left" "a 7" "$(sql "SELECT region || ' ' || count(*) FROM regions GROUP BY region")"
without_guard() {  # name, table, what its owner did
  sql "$3" >/dev/null
  check_match "$1" PV004 "$(sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM $2 WHERE at = ''2020-01-03''', 1) AS t(n bigint)")"
}
without_guard "the guard dropped" parts "DROP TRIGGER \"~dpmix block guard AFTER UPDATE\" ON parts"
without_guard "the guard disabled" days "ALTER TABLE days DISABLE TRIGGER \"~dpmix block guard BEFORE UPDATE\""
without_guard "the guard not on replicas" days "ALTER TABLE days ENABLE TRIGGER \"~dpmix block guard BEFORE UPDATE\""
without_guard "a partition's guard disabled" regions "ALTER TABLE regions_a DISABLE TRIGGER \"~dpmix block guard AFTER UPDATE\""
without_guard "a guard with other terms" days "DROP TRIGGER \"~dpmix block guard BEFORE UPDATE\" ON days;
  CREATE TRIGGER \"~dpmix block guard BEFORE UPDATE\" BEFORE UPDATE ON days FOR EACH ROW EXECUTE FUNCTION dpmix_internal.block_guard('at', 0, 1000);
  ALTER TABLE days ENABLE ALWAYS TRIGGER \"~dpmix block guard BEFORE UPDATE\""

# A unit's rows of one block decide which of its others are sampled: the shifts of replace (docs/proofs/blocks.md).
sql "CREATE TABLE stays (person integer, at date, cost float8);
     INSERT INTO stays SELECT i % 10, date '2020-01-01' + i % 7, i FROM generate_series(0, 99) i;
     SELECT dpmix.protect('stays', 100, 1e-6, privacy_unit => 'person', max_rows_per_unit => 2, blocks => 'at', blocks_from => '2020-01-01');
     SELECT dpmix.set_bounds('stays', 'cost', -10, 10)" >/dev/null
check "a sum of two rows a unit moves by four bounds" t "$(sql "SET client_min_messages = warning; SELECT abs(sensitivity - 40) < .01 FROM dpmix.preview('SELECT dp_sum(cost) FROM stays WHERE at < \$\$2020-01-05\$\$', 1, mechanism => 'laplace')")"
sql "CREATE TABLE others (person integer, at date);
     SELECT dpmix.protect('others', 100, 1e-6, privacy_unit => 'person', max_rows_per_unit => 2, blocks => 'at', blocks_from => '2020-01-01')" >/dev/null
check_match "a LEFT JOIN with blocks on the right" PV002 "$(sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM stays s LEFT JOIN others o ON s.person = o.person WHERE s.at = \$\$2020-01-03\$\$', 1, all_blocks => true) AS t(n bigint)")"
sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM stays s JOIN others o ON s.person = o.person WHERE s.at = \$\$2020-01-03\$\$ AND o.at >= \$\$2020-01-02\$\$ AND o.at < \$\$2020-01-04\$\$', 1) AS t(n bigint)" >/dev/null
check "a join: each table pays for its own blocks" "public.others|{[1,3)} public.stays|{[2,3)}" \
  "$(sql "SELECT string_agg(relation || '|' || blocks::text, ' ' ORDER BY relation) FROM (SELECT relation, blocks FROM dpmix.charge ORDER BY id DESC LIMIT 2) c")"
check_match "a join that narrows one table only" PV003 "$(sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM stays s JOIN others o ON s.person = o.person WHERE s.at = \$\$2020-01-03\$\$', 1) AS t(n bigint)")"
# The tables of the declaration itself.
check_match "a generated column" PV005 "$(sql "CREATE TABLE made (a date, at date GENERATED ALWAYS AS (a + 1) STORED); SELECT dpmix.protect('made', 1, 1e-6, blocks => 'at')")"
check_match "the label" PV005 "$(sql "CREATE TABLE labelled (at integer); SELECT dpmix.protect('labelled', 1, 1e-6, adjacency => 'label', label => 'at', blocks => 'at')")"
