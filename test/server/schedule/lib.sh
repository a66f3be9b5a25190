# Sourced by tests of schedules, after lib/charges.sh: a protected table whose owner,
# olga, is no superuser, and schedules of hers; with pg_cron where it is installed.

schedule_tables() {
  sql "CREATE ROLE olga LOGIN; CREATE SCHEMA olga AUTHORIZATION olga" >/dev/null
  PGUSER=olga session >/dev/null <<'SQL'
CREATE TABLE visits (age int, ward text NOT NULL);
INSERT INTO visits SELECT i % 90, (ARRAY['a', 'b'])[1 + i % 2] FROM generate_series(1, 500) i;
SELECT dpmix.protect('visits', 1e6, 0.1, accountant => 'basic');
SELECT dpmix.set_bounds('visits', 'age', 0, 100), dpmix.set_categories('visits', 'ward', '{a,b}');
-- What slows runs down, and what breaks them.
CREATE TABLE nap (seconds float8 NOT NULL, fails boolean NOT NULL, awake name);
INSERT INTO nap VALUES (0, false);
CREATE FUNCTION sleep_or_fail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE began timestamptz := clock_timestamp();
BEGIN
    WHILE EXISTS (SELECT FROM olga.nap n WHERE clock_timestamp() < began + n.seconds * interval '1 second' AND n.awake IS DISTINCT FROM TG_TABLE_NAME) LOOP
        PERFORM pg_sleep(least(n.seconds, 0.05)) FROM olga.nap n;
    END LOOP;
    IF (SELECT n.fails FROM olga.nap n) THEN RAISE 'unwelcome'; END IF;
    RETURN NULL;
END $$;
SQL
}

# name days [into]: from 2040-01-01 02:00 on
nightly() {
  PGUSER=olga sql "SELECT first_due FROM dpmix.create_schedule('$1', 'SELECT dpmix.query(''SELECT ward, dp_count(*) AS n FROM visits GROUP BY ward'', 0.5)',
    '$2 days', '2040-01-01 02:00', '${3:-$1}')" >/dev/null
  PGUSER=olga sql "CREATE TRIGGER sleepy AFTER INSERT ON ${3:-$1} FOR EACH STATEMENT EXECUTE FUNCTION sleep_or_fail()" >/dev/null
}
weekly() {  # name: synthetic rows
  PGUSER=olga sql "SELECT first_due FROM dpmix.create_schedule('$1', 'SELECT * FROM dpmix.cda(NULL::visits, ''{age}'', 20, 1, 1e-6, ''ward'')',
    '1 week', '2040-01-01 02:00', '$1')" >/dev/null
}
# seconds [fails]: of all runs, those under way, too; or a table whose runs go on
nap() { PGUSER=olga sql "UPDATE nap SET seconds = $1, fails = ${2:-false}, awake = NULL" >/dev/null; }
wake() { PGUSER=olga sql "UPDATE nap SET awake = '$1'" >/dev/null; }

# name night [retry]: as olga, with the clock at 03:00 of that night of 2040
run() { PGUSER=${CALLER:-olga} sql "CALL dpmix.run_schedule('$1', at => timestamptz '2040-01-01 03:00' + $2 * interval '1 day', retry => ${3:-false})" || true; }
# state, attempt, number of charges of the last attempt at a period
became() { sql "SELECT r.state || ' ' || r.attempt || ' ' || cardinality(r.charge_ids) FROM dpmix.schedule_runs r WHERE name = '$1' AND period = $2 ORDER BY attempt DESC LIMIT 1"; }
stored() { sql "SELECT count(*) FROM olga.$1 WHERE due = timestamptz '2040-01-01 02:00' + $2 * interval '1 day'"; }
charges_of() {  # name period: of all attempts, as the ledger has them
  sql "SELECT count(*) FROM dpmix.charge g JOIN dpmix.schedule_runs r ON g.parameters -> 'schedule_run' = to_jsonb(r.id) WHERE r.name = '$1' AND r.period = $2"
}
is_charged() { [ "$(charges_of "$1" "$2")" != 0 ]; }

# name: what is left to say of all its periods. Empty: each was charged at most once, those that were stored
# or spent exactly once, and the rows of those that were stored, and no others, are there.
faults_of() {
  sql "SELECT r.period || ': ' || r.state || ', ' || r.charges || ' charges, ' || r.rows || ' rows' FROM (
         SELECT l.period, (array_agg(l.state ORDER BY l.attempt DESC))[1] AS state,
                (SELECT count(*) FROM dpmix.charge g WHERE g.parameters -> 'schedule_run' IN (SELECT to_jsonb(a.id) FROM dpmix.schedule_runs a
                                                    WHERE a.name = '$1' AND a.period = l.period)) AS charges,
                (SELECT count(*) FROM olga.$1 t WHERE t.due = min(l.due)) AS rows
         FROM dpmix.schedule_runs l WHERE l.name = '$1' GROUP BY l.period) r
       WHERE (r.charges, r.rows > 0, r.state) NOT IN ((1, true, 'stored'), (1, false, 'spent'), (0, false, 'failed'), (0, false, 'skipped'))
       ORDER BY r.period"
}

cron_installed() { [ -e "$("${PG_CONFIG:-pg_config}" --pkglibdir)/pg_cron.so" ]; }

cron_cluster() {  # a cluster whose database postgres has pg_cron, which olga may use
  ledger_cluster "shared_preload_libraries = 'pg_cron'" "cron.database_name = 'postgres'" "dpmix.ledger_idle_timeout = 1s" "client_min_messages = warning"
  echo "cron.host = '$CLUSTER/socket'" >>"$CLUSTER/data/postgresql.conf"
  cluster_restart
  schedule_tables
  sql "CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO olga" >/dev/null
  # The simulated clock: a night a minute, from the first whole minute on.
  PGUSER=olga session >/dev/null <<'SQL'
CREATE TABLE dawn AS SELECT date_trunc('minute', now()) + interval '1 minute' AS began;
CREATE FUNCTION night() RETURNS timestamptz LANGUAGE sql AS
$$ SELECT timestamptz '2040-01-01 03:00+00' + floor(extract(epoch FROM date_trunc('minute', clock_timestamp()) - began) / 60) * interval '1 day' FROM olga.dawn $$;
SQL
}
cron_job() {  # name: tried every minute
  PGUSER=olga sql "SELECT cron.schedule('$1', '* * * * *', \$\$CALL dpmix.run_schedule('$1', at => olga.night())\$\$)" >/dev/null
}
