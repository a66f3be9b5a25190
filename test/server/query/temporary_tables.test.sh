#!/usr/bin/env bash
# Temporary tables of the caller's own in a private query, by dpmix.query and by facade: their rows go along, as those
# of a public table, and are a part of the question. At this epsilon noise is far below one row.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "dpmix.scan_memory = 8MB"
sql "CREATE EXTENSION dpmix; CREATE ROLE own LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE eve LOGIN; CREATE ROLE peeks LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO own;
     GRANT CREATE ON DATABASE postgres TO own; ALTER ROLE ana SET session_preload_libraries = 'dpmix'" | grep ERROR || true
PGUSER=own sql "SET client_min_messages = error;
  CREATE TABLE people (id int PRIMARY KEY, city int, wage float8); INSERT INTO people SELECT i, i % 5, i FROM generate_series(1, 100) i;
  CREATE TABLE visit (person int NOT NULL, clinic text); INSERT INTO visit SELECT i % 100 + 1, (ARRAY['a', 'b', 'c', NULL])[1 + i % 4] FROM generate_series(1, 300) i;
  CREATE TABLE city (id int PRIMARY KEY, name text); INSERT INTO city SELECT i, 'c' || i FROM generate_series(0, 4) i; GRANT SELECT ON city TO PUBLIC;
  SELECT dpmix.declare_public('city'), dpmix.create_population('persons', 1e7, 1e-3, 'basic');
  SELECT dpmix.protect('people', population => 'persons', privacy_unit => 'id'), dpmix.protect('visit', population => 'persons', privacy_unit => 'person', max_rows_per_unit => 3);
  SELECT dpmix.declare('people', '{\"city\": {\"categories\": [0, 1, 2, 3, 4]}, \"wage\": [0, 100]}'), dpmix.set_memory('people', keep => '0'), dpmix.set_memory('visit', keep => '0');
  SELECT dpmix.grant_access(t, r) FROM unnest('{people,visit}'::regclass[]) t, unnest('{ana,eve,peeks}'::regrole[]) r; GRANT SELECT (city) ON people TO peeks;
  SELECT dpmix.expose('people', default_epsilon => 1e3), dpmix.expose('visit', default_epsilon => 1e3)" | grep ERROR || true
mine="SET client_min_messages = error;
  CREATE TEMP TABLE mine (gone int, id int PRIMARY KEY, area text NOT NULL, weight float8, long text); ALTER TABLE mine DROP gone;
  INSERT INTO mine SELECT i, (ARRAY['east', 'west'])[1 + i % 2], i / 2., repeat('x', 20000) FROM generate_series(0, 3) i; CREATE TEMP TABLE many (id int, n int); INSERT INTO many SELECT i % 5, i FROM generate_series(1, 9) i;
  CREATE TEMP TABLE clinics (clinic text PRIMARY KEY, kind int NOT NULL); INSERT INTO clinics VALUES ('a', 1), ('b', 1), ('c', 2);"
as() { PGUSER=$1 session 2>&1 <<<"$mine $2" | tail -n "${3:-1}"; }  # role statements [lines]
query() { echo "SELECT * FROM dpmix.query('$1', 1e3) AS t(${2:-n bigint});"; }

joined='SELECT dp_count(*) FROM people p JOIN mine m ON p.city = m.id'
check "joined by a key" 80 "$(as ana "$(query "$joined")")"
check "by any name that is the session's" 80 "$(as ana "$(query 'SELECT dp_count(*) FROM people p JOIN pg_temp.mine m ON p.city = m.id')")"
check "a left join keeps everybody" 100 "$(as ana "$(query 'SELECT dp_count(*) FROM people p LEFT JOIN mine m ON p.city = m.id')")"
check "its columns are groups" "east|40 west|40" "$(as ana "$(query 'SELECT area, dp_count(*) FROM people p JOIN mine m ON p.city = m.id GROUP BY area ORDER BY area' 'a text, n bigint')" 2 | xargs)"
check "they decide by conditions" 20 "$(as ana "$(query 'SELECT dp_count(*) FROM people p JOIN mine m ON p.city = m.id WHERE m.weight > 1')")"
check "their bounds are those of its rows" 60 "$(as ana "$(query 'SELECT dp_sum(m.weight) FROM people p JOIN mine m ON p.city = m.id' 'n float8' | sed 's/SELECT \*/SELECT round(n)/')")"
check "long values come along" 80 "$(as ana "$(query "SELECT dp_count(*) FROM people p JOIN mine m ON p.city = m.id WHERE length(m.long) = 20000")")"
check "beside a public table" 80 "$(as ana "$(query 'SELECT dp_count(*) FROM people p JOIN city c ON p.city = c.id JOIN mine m ON c.id = m.id')")"
check "beside two protected ones" 240 "$(as ana "$(query 'SELECT dp_count(*) FROM people p JOIN visit v ON v.person = p.id JOIN mine m ON p.city = m.id' | sed 's/SELECT \*/SELECT round(n, -1)/')")"
check "of units with several rows" 225 "$(as ana "$(query 'SELECT dp_count(*) FROM visit v JOIN clinics c ON v.clinic = c.clinic')")"
check "within a question about people" 75 "$(as ana "$(query 'SELECT dp_count(*) FROM (SELECT v.person, count(*) AS n FROM visit v JOIN clinics c ON c.clinic = v.clinic GROUP BY v.person) s')" | sed 's/^7[45]$/75/')"
check "as JSON" 80 "$(as ana "SELECT j ->> 'n' FROM dpmix.query_json('${joined/dp_count(\*)/dp_count(*) AS n}', 1e3) AS j;")"
check_match "without a key it could multiply rows" 'PV002.*could multiply' "$(as ana "$(query 'SELECT dp_count(*) FROM people p JOIN many m ON p.city = m.id')" 4 | tr '\n' ' ')"
check "empty" 0 "$(as ana "TRUNCATE mine; $(query "$joined")" | sed 's/^-\?0$/0/')"
check_match "a preview knows it" '^[0-9.e+]+$' "$(as ana "SELECT epsilon FROM dpmix.preview('$joined', 1e3) LIMIT 1;")"

plain='SELECT count(*) FROM private.people p JOIN mine m ON p.city = m.id'
check "plain SQL" 80 "$(as ana "$plain;")"
check "and its groups" "east|40 west|40" "$(as ana "SELECT m.area, count(*) FROM private.people p JOIN mine m ON p.city = m.id GROUP BY m.area ORDER BY 1;" 2 | xargs)"
check "a prepared statement has what it holds at each execution" "80 20" "$(as ana "PREPARE q AS $plain; EXECUTE q; DELETE FROM mine WHERE id > 0; EXECUTE q;" 2 | xargs)"
check_match "a preview in the transaction that wrote them" '^[0-9.e+]+$' "$(as ana "BEGIN; INSERT INTO mine VALUES (4, 'north', 0, ''); SELECT epsilon FROM dpmix.preview('$joined', 1e3) LIMIT 1; ROLLBACK;")"
check "rows of this transaction count" 100 "$(as ana "BEGIN; INSERT INTO mine VALUES (4, 'north', 0, ''); $plain; ROLLBACK;")"

# Memory: the rows are a part of the question.
PGUSER=own sql "SELECT dpmix.set_memory('people', keep => '1 day', scope => 'table')" | grep ERROR || true
charges() { sql "SELECT count(*) FROM dpmix.charge"; }
before=$(charges)
check "asked again, it is remembered" 80 "$(as ana "$(query "$joined") $(query "$joined")")"
check "for one charge" 1 $(($(charges) - before))
check "in a later session, too, of the same rows" 80 "$(as ana "$(query "$joined")")"
check "for none" 1 $(($(charges) - before))
check_match "without its key it is another question" 'PV002.*could multiply' "$(as ana "ALTER TABLE mine DROP CONSTRAINT mine_pkey; $(query "$joined")" 4 | tr '\n' ' ')"
before=$(charges)
check "of other rows nothing is remembered" "80 60 60 80" "$(as ana "$(query "$joined") UPDATE mine SET id = 9 WHERE id = 0; $(query "$joined") $(query "$joined") UPDATE mine SET id = 0 WHERE id = 9; $(query "$joined")" 4 | xargs)"
check "for a charge of the other rows, and of the same ones in another order" 2 $(($(charges) - before))
before=$(charges)
check "a preview says so" "hit miss" "$(as ana "$(query "$joined") SELECT memory FROM dpmix.preview('$joined', 1e3) LIMIT 1; UPDATE mine SET weight = 7; SELECT memory FROM dpmix.preview('$joined', 1e3) LIMIT 1;" 2 | xargs)"
check "nothing of one role's rows is another's" 1 "$(as eve "$(query "$joined")" | grep -c '^80$')"
check_match "who has asked for itself" '^[12]$' $(($(charges) - before))
PGUSER=own sql "SELECT dpmix.set_memory('people', keep => '0')" | grep ERROR || true

# What is refused, and costs nothing.
before=$(charges)
refused() { check_match "refused: $1" "$2" "$(as "$3" "$4" 6 | xargs)"; }
refused "the owner's own, which may hold anybody's rows" 'PV002: temporary table mine may hold rows of public.people' own "$(query "$joined")"
refused "of who may read a column" 'PV002: temporary table mine may hold rows' peeks "$(query "$joined")"
refused "of a superuser" 'PV002: temporary table mine may hold rows' postgres "$(query "$joined")"
refused "that such a role filled" 'PV002: temporary table mine may hold rows' postgres "GRANT SELECT ON mine TO ana; SET ROLE ana; $(query "$joined")"
refused "in a question about people too" 'PV002: temporary table clinics may hold rows' own "$(query 'SELECT dp_count(*) FROM (SELECT v.person FROM visit v JOIN clinics c ON c.clinic = v.clinic GROUP BY v.person) s')"
refused "made by this transaction" 'PV002: this transaction has made or altered temporary table later.*Commit first' ana "BEGIN; CREATE TEMP TABLE later AS SELECT * FROM mine; $(query "${joined/mine/later}")"
refused "altered by it" 'PV002: this transaction has made or altered temporary table mine' ana "BEGIN; ALTER TABLE mine ADD more int; $(query "$joined")"
refused "whose key it has dropped" 'PV002: this transaction has made or altered temporary table mine' ana "BEGIN; ALTER TABLE mine DROP CONSTRAINT mine_pkey; INSERT INTO mine SELECT * FROM mine; $(query "$joined")"
refused "with row-level security" 'PV002: temporary table mine is not read here.*row-level security' ana "ALTER TABLE mine ENABLE ROW LEVEL SECURITY; $(query "$joined")"
refused "with children" 'PV002: temporary table mine is not read here.*parents or children' ana "CREATE TEMP TABLE child () INHERITS (mine); $(query "$joined")"
refused "partitioned" 'PV002: temporary table parts is not read here.*not an ordinary table' ana "CREATE TEMP TABLE parts (id int) PARTITION BY LIST (id); $(query "${joined/mine/parts}")"
refused "another role's" 'PV002: temporary table mine is not read here.*You may not read' ana "SET ROLE NONE; SET SESSION AUTHORIZATION DEFAULT; RESET ROLE; REVOKE SELECT ON mine FROM ana; $(query "$joined")"
refused "alone" 'PV006: table pg_temp_[0-9]+.mine is not protected|PV002' ana "$(query 'SELECT dp_count(*) FROM mine')"
refused "too large" 'PV005: the temporary tables do not fit.*scan_memory' ana "INSERT INTO mine SELECT i, 'x', 1, repeat(md5(i::text), 100) FROM generate_series(10, 4000) i; $(query "$joined")"
refused "two that are too large together" 'PV005: the temporary tables do not fit' ana "INSERT INTO mine SELECT i, 'x', 1, repeat(md5(i::text), 100) FROM generate_series(10, 1800) i;
  CREATE TEMP TABLE other AS SELECT * FROM mine; $(query 'SELECT dp_count(*) FROM people p JOIN mine m ON p.city = m.id LEFT JOIN other o ON o.id = p.id')"
refused "of a model" 'PV002: temporary table mine is not read here.*plain SQL join' ana "SELECT FROM dpmix.release_tree('t', NULL, '{wage}', 1, 1e-9, source => 'SELECT p.id, p.wage FROM people p JOIN mine m ON p.city = m.id');"
refused "a syntax error, with its place" 'ERROR: 42601: syntax error' ana "$(query 'SELECT dp_count(*) FROM people p JOIN mine m ON')"
check "none of them was charged" 0 $(($(charges) - before))

# Many sessions, each with rows of its own under one name: none has another's.
for i in $(seq 8); do
  { echo "SET client_min_messages = error; CREATE TEMP TABLE part AS SELECT i AS id FROM generate_series(0, $((i % 5))) i; ALTER TABLE part ADD PRIMARY KEY (id);"
    for _ in $(seq 10); do query 'SELECT dp_count(*) FROM people p JOIN part m ON p.city = m.id'; done; } | PGUSER=ana session >"$CLUSTER/part$i" 2>&1 &
done
wait
wrong=""
for i in $(seq 8); do wrong+=$(head -n 3 "$CLUSTER/part$i" | grep -vx "$((20 * (i % 5 + 1)))" || true); done
check "each session's rows are its own" "" "$wrong"
check "all were answered" 80 "$(cat "$CLUSTER"/part[1-8] | wc -l)"
check "no process of the server crashed" "" "$(grep -E 'terminated by signal|PANIC|TRAP:|XX000' "$CLUSTER/log" | head -n 3 || true)"
