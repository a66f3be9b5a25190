#!/usr/bin/env bash
# The record is opaque. Two databases differ only in what other roles did: thousands of charges, grants, models,
# schedules, counters, questions in memory. For a stranger and for a role with one grant, everything of schema dpmix
# that reads the record must show the same plans, rows, buffers, counters and errors in both.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "dpmix.memory_keep = '1d'" "autovacuum = off"
for role in olga ana bob eve; do sql "CREATE ROLE $role LOGIN" >/dev/null; done

same_in_both() {  # database
  sql "CREATE EXTENSION dpmix; GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE SCHEMA private; GRANT CREATE, USAGE ON SCHEMA private TO olga" "$1"
  PGUSER=olga session "$1" <<'SQL' >/dev/null
CREATE TABLE people (id int PRIMARY KEY, sex text, wage float8);
INSERT INTO people SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 100 FROM generate_series(1, 500) i;
CREATE TABLE visits (unit int NOT NULL, day date NOT NULL, age float8);
INSERT INTO visits SELECT i, '2026-01-01'::date + i % 30, i % 100 FROM generate_series(1, 500) i;
SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic');
SELECT dpmix.set_bounds('people', 'wage', 0, 100), dpmix.set_categories('people', 'sex', '{F,M}');
SELECT dpmix.protect('visits', 1e6, .1, privacy_unit => 'unit', max_rows_per_unit => 9, blocks => 'day');
SELECT dpmix.set_bounds('visits', 'age', 0, 100);
CREATE TABLE staff AS SELECT * FROM people;
SELECT dpmix.protect('staff', 1e6, .1); SELECT dpmix.set_bounds('staff', 'wage', 0, 100);
SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL), dpmix.grant_access('staff', 'bob'), dpmix.grant_access('visits', 'bob', NULL, 0, NULL);
SELECT dpmix.expose('people');
SQL
  PGUSER=ana sql "SELECT n IS NULL FROM dpmix.query('SELECT dp_count(*) FROM people', 1) AS t(n bigint)" "$1" >/dev/null
}

others_did() {  # database
  PGUSER=bob session "$1" <<'SQL' >/dev/null
SELECT n IS NULL FROM dpmix.query('SELECT dp_count(*) FROM visits WHERE age < 17', 1, 1e-9, all_blocks => true) AS t(n bigint);
SELECT components FROM dpmix.release_gmm('bobs', 'staff', '{wage}', 1, 1e-9);
SELECT components FROM dpmix.release_gmm('bobs too', 'staff', '{wage}', 1, 1e-9);
SELECT epsilon FROM dpmix.create_schedule('bobs', $$SELECT dpmix.query('SELECT dp_count(*) AS n FROM visits', 1, 1e-9, all_blocks => true)$$, '1 day', result_table => 'nights');
SELECT steps FROM dpmix.create_counter('bobs', 'SELECT dp_count(*) AS n FROM visits WHERE age < 18', '1 day', '99 days', 1, 1e-9);
SQL
  sql "SELECT dpmix.create_population('theirs', 9, 1e-6);
       INSERT INTO dpmix.charge (table_id, relation, role, granted_to, at, kind, mechanism, epsilon, delta, cost, cost_delta, parameters, role_number, granted_number)
       SELECT 2, 'public.visits', 'bob', 'bob', now(), 'query', 'gaussian', 1e-9, 0, 0, 0,
              CASE WHEN i % 9 = 0 THEN '{\"table_ids\": [2]}'::jsonb ELSE '{}' END, b.number, b.number
       FROM generate_series(1, 9000) i, (SELECT max(number) AS number FROM dpmix_internal.bound_role WHERE rolname = 'bob') b;
       INSERT INTO dpmix.role_number (role_oid, role_name, cluster) SELECT 100000 + i, 'r' || i, dpmix_internal.cluster() FROM generate_series(1, 3000) i;
       INSERT INTO dpmix.access (table_id, role, min_epsilon) SELECT 2, id, 0 FROM dpmix.role_number WHERE role_name LIKE 'r%' AND role_oid > 100000;
       INSERT INTO dpmix.auditor (table_id, role) SELECT 2, id FROM dpmix.role_number WHERE role_name LIKE 'r%' AND role_oid > 100000;
       INSERT INTO dpmix.memory_item SELECT substr(i.key, 2) || n::text::bytea, holder, table_ids, grants, chain_at, made_at, statistic, mechanism, noise_stddev,
              groups, law, charges, content FROM dpmix.memory_item i, generate_series(1, 2000) n WHERE table_ids = '{2}'" "$1" >/dev/null
}

sql "CREATE DATABASE less" >/dev/null
sql "CREATE DATABASE more" >/dev/null
for database in less more; do same_in_both $database; done
others_did more
for database in less more; do sql "VACUUM ANALYZE" $database; done
check "the others left charges, models, schedules, counters, grants and answers" "9004|2|1|1|3003|t" \
  "$(sql "SELECT (SELECT count(*) FROM dpmix.charge), (SELECT count(*) FROM dpmix.release), (SELECT count(*) FROM dpmix.schedule),
          (SELECT count(*) FROM dpmix.counter), (SELECT count(*) FROM dpmix.access), (SELECT count(*) > 2000 FROM dpmix.memory_item)" more)"

# Everything there is: views, functions that need no argument, and what takes a name or a number.
statements() {
  sql "SELECT 'SELECT * FROM ' || c.oid::regclass FROM pg_class c
       WHERE relnamespace = 'dpmix'::regnamespace AND relkind = 'v' ORDER BY 1" less
  sql "SELECT format('SELECT * FROM %s()', p.oid::regproc) FROM pg_proc p
       WHERE pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND prokind = 'f'
         AND pronargs = pronargdefaults AND prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
         AND has_function_privilege('public', p.oid, 'EXECUTE') ORDER BY 1" less
  cat <<'SQL'
SELECT * FROM dpmix.ledger WHERE id = 2 AND role > 'b'
SELECT * FROM dpmix.memory WHERE charge > 1
SELECT * FROM dpmix.releases WHERE name = 'bobs'
SELECT * FROM dpmix.counters WHERE query > 'S'
SELECT * FROM dpmix.charges('visits')
SELECT * FROM dpmix.charges('people', since => '2020-01-01')
SELECT * FROM dpmix.charges(id => 2)
SELECT * FROM dpmix.explain_charge(2)
SELECT * FROM dpmix.receipt(2)
SELECT * FROM dpmix.verify_receipts('people')
SELECT * FROM dpmix.verify_receipts('visits')
SELECT * FROM dpmix.describe('people')
SELECT * FROM dpmix.describe('visits')
SELECT * FROM dpmix.blocks('visits')
SELECT * FROM dpmix.forecast('visits')
SELECT dpmix.budget_svg('visits')
SELECT dpmix.report('visits')
SELECT * FROM dpmix_internal.fullest_block('visits')
SELECT * FROM dpmix_internal.schedule_outlook(1)
SELECT * FROM dpmix.gmm('bobs')
SELECT * FROM dpmix.tree('bobs')
SELECT * FROM dpmix.regression('bobs')
SELECT dpmix.drop_release('bobs')
SELECT * FROM dpmix.counter('bobs')
SELECT dpmix.run_counter('bobs')
SELECT dpmix.drop_counter('bobs')
SELECT dpmix.drop_schedule('bobs')
SELECT dpmix.set_schedule_active('bobs', false)
SELECT FROM visits
SQL
}
mapfile -t all < <(statements)

# The third time, so that nothing is loaded any more. Which relations the plan and the counters name is part of it.
# pg_class and its indexes: the listing itself reads them.
shown() {  # database role: what a session sees of each statement
  for statement in "${all[@]}"; do
    echo "SELECT \$q\$$statement\$q\$;"
    for _ in 1 2; do
      echo "EXPLAIN (ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF) $statement;"
    done | sed 's/^/\\o \/dev\/null\n/; s/$/\n\\o/'
    echo "BEGIN;"
    echo "EXPLAIN (ANALYZE, BUFFERS, WAL, VERBOSE, TIMING OFF, SUMMARY OFF) $statement;"
    echo "COMMIT; BEGIN; SET LOCAL client_min_messages = log; SET LOCAL debug_print_plan = on;"
    echo "\\o /dev/null"; echo "$statement;"; echo "\\o"
    echo "SET LOCAL debug_print_plan = off;"
    echo "SELECT c.oid::regclass, pg_stat_get_xact_numscans(c.oid), pg_stat_get_xact_tuples_returned(c.oid), pg_stat_get_xact_tuples_fetched(c.oid),
                 pg_stat_get_xact_blocks_fetched(c.oid)
          FROM pg_class c WHERE relkind IN ('r', 'i', 't') AND (relnamespace = 'dpmix'::regnamespace
                 OR oid IN (SELECT x FROM pg_class d, unnest(ARRAY[d.reltoastrelid]) x WHERE d.relnamespace = 'dpmix'::regnamespace))
            AND pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)
                + pg_stat_get_xact_blocks_fetched(c.oid) > 0 ORDER BY 1;"
    echo "SELECT DISTINCT relation::regclass::text, mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text LIKE 'dpmix%' ORDER BY 1, 2;"
    echo "ROLLBACK;"
  done | PGUSER=$2 session "$1" |
    grep -vE '^LOCATION|^DETAIL:  +\{|^ +[^ A-Z-]' |
    sed -E 's/20[0-9]{2}-[0-9-]+ [0-9:.+]+|[0-9a-f]{8}-[0-9a-f-]{27}//g; s/oid=[0-9]+//g'
}
for role in eve ana; do
  for database in less more; do shown $database $role >"$CLUSTER/$role.$database"; done
  different=$(diff "$CLUSTER/$role.less" "$CLUSTER/$role.more" || true)
  check "$role sees the same whatever others did (${#all[@]} statements)" "" "$(head -n 20 <<<"$different")"
  check "$role is shown as many plans as there are answers" t \
    "$([ "$(grep -c '^Function Scan\|Function Scan on' "$CLUSTER/$role.more")" -ge 15 ] && echo t)"
  check "no scan of a table of dpmix is in any of them" "" "$(grep -E '(Scan|using|on) .*dpmix\.(charge|access|release|memory_item|counter|schedule)\b' "$CLUSTER/$role.more" | head -n 3)"
done

check "nor do the first statements of a session count one" f "$(PGUSER=eve session more <<<"BEGIN; SELECT count(*) > 0 FROM dpmix.budget; SELECT c.oid::regclass, pg_stat_get_xact_numscans(c.oid)
  FROM pg_class c WHERE relnamespace = 'dpmix'::regnamespace AND pg_stat_get_xact_numscans(c.oid) + pg_stat_get_xact_blocks_fetched(c.oid) > 0;")"

# What all sessions add up to, and files.
totals() {
  sql "SELECT pg_stat_force_next_flush(); SELECT pg_stat_clear_snapshot()" more >/dev/null
  sql "SELECT sum(pg_stat_get_numscans(c.oid)), sum(pg_stat_get_tuples_returned(c.oid)), sum(pg_stat_get_tuples_fetched(c.oid)), sum(pg_stat_get_blocks_fetched(c.oid)),
       (SELECT temp_files FROM pg_stat_database WHERE datname = 'more')
       FROM pg_class c WHERE relkind IN ('r', 'i', 't') AND relnamespace = 'dpmix'::regnamespace" more
}
sleep 1.2
before=$(totals)
for statement in "${all[@]}"; do echo "$statement;"; done | PGUSER=eve session more >/dev/null
sleep 1.2
check "statistics of the server count no look at the record" "$before" "$(totals)"

# The kind: whatever others may read must not be made of relations that they may not. (A rule also depends on the
# row type of what its functions return: so the range table is looked at.)
borders="SELECT o.name FROM (
    SELECT v.oid::regclass::text AS name, r.ev_action::text AS tree FROM pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
    WHERE v.relkind = 'v' AND v.relnamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace)
      AND has_table_privilege('public', v.oid, 'SELECT')
    UNION ALL
    SELECT p.oid::regprocedure::text, p.prosqlbody::text FROM pg_proc p
    WHERE p.pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND has_function_privilege('public', p.oid, 'EXECUTE')) o
  WHERE EXISTS (SELECT FROM regexp_matches(o.tree, ':relid ([0-9]+) ', 'g') m JOIN pg_class t ON t.oid = m[1]::oid
                WHERE t.relnamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace)
                  AND t.relname <> split_part(o.name, '.', 2) AND NOT has_table_privilege('public', t.oid, 'SELECT'))
  UNION ALL
  SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND l.lanname IN ('sql', 'plpgsql')
    AND has_function_privilege('public', p.oid, 'EXECUTE') AND p.prosecdef"
check "no view or function that others may use is made of what they may not read" "" "$(sql "$borders" less)"
check "the query finds those that are planted" "dpmix.behind,dpmix.leak,dpmix.defined()" "$(sql "BEGIN;
  CREATE VIEW dpmix.leak AS SELECT id FROM dpmix.charge; CREATE VIEW dpmix.behind AS SELECT id FROM dpmix_internal.seen_charge;
  GRANT SELECT ON dpmix.leak, dpmix.behind TO PUBLIC;
  CREATE FUNCTION dpmix.defined() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM dpmix.charge';
  SELECT string_agg(x.name, ',' ORDER BY x.name LIKE '%()', x.name) FROM ($borders) x; ROLLBACK" less)"

# Others' rows through the functions: a view finds what its keys find.
check "keys leave out what the view would" "t" "$(sql "SELECT count(*) = 0 FROM (
  (SELECT l.id FROM dpmix.ledger l WHERE relation_now = 'visits'::regclass EXCEPT SELECT id FROM dpmix.charges('visits')) UNION ALL
  (SELECT id FROM dpmix.charges('visits') EXCEPT SELECT l.id FROM dpmix.ledger l WHERE relation_now = 'visits'::regclass) UNION ALL
  (SELECT l.id FROM dpmix.ledger l WHERE l.id = 7 EXCEPT SELECT id FROM dpmix.charges(id => 7))) x" more)"
check "what they show belongs to who asks" "1|0|9003" "$(for role in ana eve bob; do PGUSER=$role sql "SELECT count(*) FROM dpmix.charges()" more; done | paste -sd'|')"
