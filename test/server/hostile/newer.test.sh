#!/usr/bin/env bash
# What PostgreSQL 16, 17 and 18 brought that an attack could use. Each part runs where it is known.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/people.sh
hostile_cluster "client_min_messages = warning"
version=$(sql "SHOW server_version_num")
answer() { echo "SELECT n FROM dpmix.query(\$q\$$1\$q\$, 1e3) AS t(n bigint);"; }  # noise below .02
refused() { costs "$1 is refused" 0 'PV002' <<<"SELECT n FROM dpmix.query(\$q\$$2\$q\$, 1e-5) AS t(n text);"; }

if [ "$version" -ge 160000 ]; then
  # Each grant of a membership says whether it inherits, and whether it may be set.
  sql "CREATE ROLE team; CREATE ROLE dave LOGIN; CREATE ROLE dora LOGIN" >/dev/null
  PGUSER=olga sql "SELECT dpmix.grant_access('people', 'team', NULL, 0, NULL)" >/dev/null
  sql "GRANT team TO dave WITH INHERIT FALSE; GRANT team TO dora WITH SET FALSE" >/dev/null
  costs "a member WITH INHERIT FALSE has no access" 0 PV006 dave <<<"SELECT n FROM $counted;"
  before=$(last_charge)
  costs "unless it sets the role" 1 '-?[0-9]+ $' dave <<<"SET ROLE team; SELECT n FROM $counted;"
  check "which pays" "team by team" "$(payers "$before")"
  costs "a member WITH SET FALSE has access, as itself" 1 '42501.*-?[0-9]+ $' dora <<<"SET ROLE team; SELECT n FROM $counted;"
  sql "GRANT team TO dora WITH INHERIT FALSE" >/dev/null
  costs "and none once its grant inherits no more" 0 PV006 dora <<<"SELECT n FROM $counted;"
  sql "GRANT olga TO dora WITH INHERIT FALSE, SET FALSE, ADMIN TRUE" >/dev/null
  check_match "ADMIN OPTION on the owner is none of its rights" 42501 "$(PGUSER=dora sql "SELECT dpmix.set_bounds('public.people', 'wage', 0, 1)")"
  refused "JSON_OBJECT" "SELECT JSON_OBJECT('a': dp_count(*))::text FROM people"
  refused "IS JSON" "SELECT dp_count(*)::text FROM people WHERE sex IS JSON"
  refused "JSON_ARRAY in an aggregate" "SELECT dp_count(JSON_ARRAY(wage))::text FROM people"
  refused "any_value" "SELECT any_value(sex) FROM people"
  refused "SYSTEM_USER" "SELECT dp_count(*)::text FROM people WHERE sex = SYSTEM_USER"
  refused "random_normal" "SELECT dp_sum(wage + random_normal())::text FROM people"
fi

if [ "$version" -ge 170000 ]; then
  refused "JSON_VALUE" "SELECT dp_count(*)::text FROM people WHERE JSON_VALUE(sex, '\$') = 'F'"
  refused "JSON_EXISTS" "SELECT dp_count(*)::text FROM people WHERE JSON_EXISTS(sex, '\$.a')"
  refused "JSON_QUERY of a released value" "SELECT JSON_QUERY('{}', '\$' PASSING dp_count(*) AS n)::text FROM people"
  refused "JSON_TABLE" "SELECT dp_count(*)::text FROM people, JSON_TABLE(sex, '\$[*]' COLUMNS (a int PATH '\$')) AS j"
  refused "AT LOCAL of a column that is no time stamp" "SELECT dp_count(*)::text FROM people WHERE (now() AT LOCAL)::text = sex"
  # MAINTAIN lets VACUUM, ANALYZE, CLUSTER, REINDEX and LOCK: no rows, and no access.
  sql "GRANT MAINTAIN ON people TO mallory" >/dev/null
  costs "MAINTAIN gives no access" 0 PV006 mallory <<<"SELECT n FROM $counted;"
  check "nor the statistics that ANALYZE gathers" "0" "$(PGUSER=mallory sql "ANALYZE people; SELECT count(*) FROM pg_stats WHERE tablename = 'people'" | tail -1)"
  check_match "nobody has it on the ledger" 42501 "$(PGUSER=mallory sql "BEGIN; LOCK TABLE dpmix.charge IN ACCESS SHARE MODE")"
  echo "SELECT 1 FROM pg_locks WHERE relation = 'people'::regclass AND mode = 'AccessExclusiveLock' AND granted" >"$CLUSTER/locked.sql"
  costs "who has it locks the table, and answers wait or fail without a charge" 0 '55P03' ana <<SQL
\! psql -Xq -U mallory -c 'BEGIN; LOCK people; SELECT pg_sleep(120)' >/dev/null 2>&1 &
\! timeout 60 sh -c 'until psql -XAtq -U postgres -f $CLUSTER/locked.sql | grep -q 1; do sleep .1; done'
SET lock_timeout = '200ms'; SELECT n FROM $counted;
\! psql -Xq -U postgres -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mallory'" >/dev/null
SQL
  costs "transaction_timeout before the answer: nothing is charged" 0 '25P04|57P05|closed|lost|terminat' ana <<<"SET transaction_timeout = '1ms'; BEGIN; SELECT pg_sleep(1); SELECT n FROM $counted;"
fi

if [ "$version" -ge 180000 ]; then
  # A virtual generated column is an expression of the owner's, computed as it is read.
  PGUSER=olga sql "CREATE TABLE made (id int NOT NULL, wage float8, sex text, twice float8 GENERATED ALWAYS AS (1 / (wage - 50)) VIRTUAL);
    INSERT INTO made SELECT i, 100 + i, 'F' FROM generate_series(1, 100) i;
    SELECT dpmix.protect('made', 1e6, .1); SELECT dpmix.set_bounds('made', 'wage', 0, 1000); SELECT dpmix.set_bounds('made', 'twice', 0, 1);
    SELECT dpmix.set_categories('made', 'sex', '{F,M}'); SELECT dpmix.grant_access('made', 'ana')" >/dev/null
  for text in "dp_sum(twice)::text FROM made" "dp_count(*)::text FROM made WHERE twice > 0" "dp_count(twice)::text FROM made" "dp_count(*) FILTER (WHERE twice IS NULL)::text FROM made" \
    "dp_count(*)::text FROM made GROUP BY twice" "dp_median(twice)::text FROM made" "dp_sum(wage + twice)::text FROM made" "dp_count(made)::text FROM made"; do
    refused "a virtual column: $text" "SELECT $text"
  done
  costs "in a model" 0 PV005 <<<"SELECT count(*) FROM dpmix.release_gmm('m', 'made', '{twice}', .01, 1e-6, label => 'sex');"
  costs "in a synthetic table" 0 PV005 <<<"SELECT count(*) FROM dpmix.cda(NULL::made, '{twice}', 2, .01, 1e-6, label => 'sex');"
  costs "beside the columns that are asked for it does no harm" 1 '^(99|100|101) $' <<<"$(answer "SELECT dp_count(*) FROM made WHERE wage > 0")"
  check_match "as a privacy unit" PV005 "$(PGUSER=olga sql "CREATE TABLE virtual_unit (id int, u int GENERATED ALWAYS AS (id / 2) VIRTUAL); SELECT dpmix.protect('virtual_unit', 1, 0, privacy_unit => 'u')")"

  # WITHOUT OVERLAPS: unique over ranges, not over the columns before them.
  sql "CREATE EXTENSION IF NOT EXISTS btree_gist" >/dev/null 2>&1 || true
  if [ "$(sql "SELECT count(*) FROM pg_extension WHERE extname = 'btree_gist'")" = 1 ]; then
    PGUSER=olga sql "CREATE TABLE tenures (person int NOT NULL, at daterange, PRIMARY KEY (person, at WITHOUT OVERLAPS));
      INSERT INTO tenures SELECT 1, daterange(date '2000-01-01' + i, date '2000-01-02' + i) FROM generate_series(1, 500) i;
      SELECT dpmix.protect('tenures', 1e6, .1, privacy_unit => 'person'); SELECT dpmix.grant_access('tenures', 'ana');
      CREATE TABLE places (sex text, at daterange, zone text, PRIMARY KEY (sex, at WITHOUT OVERLAPS));
      SELECT dpmix.declare_public('places'); GRANT SELECT ON places TO ana" >/dev/null
    costs "a key WITHOUT OVERLAPS does not make a unit's rows one" 1 '^1 $' <<<"$(answer "SELECT dp_count(*) FROM tenures")"
    costs "nor a public table's" 0 PV002 <<<"$(answer "SELECT dp_count(*) FROM people JOIN places USING (sex)")"
  fi

  costs "casefold over rows" 0 PV002 <<<"$(answer "SELECT dp_count(*) FROM people WHERE casefold(sex) = 'f'")"
  refused "uuidv7" "SELECT dp_count(*)::text FROM people WHERE uuidv7()::text = sex"
  # AFTER triggers run as the role that was active when the event was queued, since 18.
  sql "CREATE TABLE queue (x int); GRANT INSERT ON queue TO PUBLIC" >/dev/null
  sql "CREATE FUNCTION ask() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM n FROM $counted; RETURN NULL; END \$\$;
       CREATE CONSTRAINT TRIGGER late AFTER INSERT ON queue DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ask();
       GRANT bob TO ana" >/dev/null
  before=$(last_charge)
  costs "a deferred trigger pays as the role that queued it" 1 '' ana <<<"BEGIN; SET ROLE bob; INSERT INTO queue VALUES (1); RESET ROLE; COMMIT;"
  check "bob's, not ana's" "bob by bob" "$(payers "$before")"
fi
