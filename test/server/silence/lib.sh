# Sourced by the attacks of this room. olga owns a protected table; ana has access to it, and no other right. Each
# attack reads a secret that is drawn anew at each run: bits, or letters of a small alphabet. Its conclusions are
# compared with the truth. Answers of dpmix are thrown away: what an attack finds, it finds beside them.
#
# DPMIX_TREE=folder runs an attack against another built tree, by hand: the attacks worked on version 0.7.0.
#
# Attacks of the same kind that other rooms have: a clone of the database with a budget of its own
# (ledger/life_terms), what PostgreSQL itself shows of constraints and partial indexes (sql/owner_exposures), charges
# without end (ledger/grant_limits), schedules without end (sql/schedule), frames that pile up (sql/stats_cells).
. test/server/lib/charges.sh

# Every call asks with this much epsilon: too little for a guess, and more than any floor that an owner would set.
epsilon=.01

silent_cluster() {  # settings...: quiet, with shared buffers that are soon full
  pushd "${DPMIX_TREE:-.}" >/dev/null
  cluster_start "autovacuum = off" "bgwriter_lru_maxpages = 0" "checkpoint_timeout = 1d" "max_wal_size = 4GB" "fsync = off" \
    "shared_buffers = 2MB" "max_parallel_workers_per_gather = 0" "$@"
  popd >/dev/null
  psql -q <<'SQL'
CREATE EXTENSION dpmix;
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
SET ROLE ana;
CREATE TABLE filler (wide text);  -- read to empty the shared buffers of everything else: values of four pages, one by one
ALTER TABLE filler ALTER wide SET STORAGE EXTERNAL;
INSERT INTO filler SELECT repeat(md5(i::text), 1000) FROM generate_series(1, 300) AS i;
SQL
}
# What puts ana's own pages into all shared buffers.
evict="DO 'BEGIN PERFORM sum(length(wide || ''x'')) FROM filler; END'"

# people_with DEFINITIONS EXPRESSIONS COUNT [STATEMENTS]: olga's table people, with an id, a secret bit `ill`, and more
# columns, as expressions of i. Everybody has one row.
people_with() {
  PGUSER=olga session <<SQL
SET client_min_messages = warning;
CREATE TABLE people (id int PRIMARY KEY, ill boolean, $1);
${4:-}
INSERT INTO people SELECT i, random() < .5, $2 FROM generate_series(1, $3) AS i;
SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic') \g /dev/null
SELECT dpmix.grant_access('people', 'ana') \g /dev/null
SQL
  settle
}
settle() { psql -X -q -c "VACUUM (FREEZE, ANALYZE)" -c CHECKPOINT; }  # so that reading writes nothing
who_is_ill() { sql "SELECT ill::int FROM people ORDER BY id"; }

call() {  # query [arguments]: a call that says whether it was answered, and nothing of the answer
  echo "SELECT 'answered ' || (count(n) > 0) FROM dpmix.query(\$q\$ $1 \$q\$, $epsilon${2:+, $2}) AS t(n bigint);"
}
# What a session of ana's prints, but for the words of calls, which go to the file "$said".
ana() {
  PGUSER=ana session >"$CLUSTER/printed" || true
  grep -E '^answered|ERROR|FATAL' "$CLUSTER/printed" >>"$said" || true
  grep -vE '^answered|ERROR|^LOCATION|^DETAIL|^HINT|^CONTEXT' "$CLUSTER/printed" || true
}
# Of the first node of a plan that says something of buffers: how many had to be read.
read_of_plan() { awk '/Buffers:/ && !seen { seen = 1; print sub(/.*read=/, "") ? $1 + 0 : 0 } END { if (!seen) print 0 }'; }
explain="EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off, SUMMARY off)"

# watched EXPRESSION: what a second session of ana's sees while the first one, from stdin, makes its calls: for each
# label ("\$(label 7)" sets one) the least and the most that the expression was. It says what it has seen, and the
# first one goes on when it has seen the label: on a busy machine it may be late.
label() { echo "SET application_name = 'call $1';"; goes_on "NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'seen call $1')"; }
goes_on() {  # condition while which it does not, for a minute at most
  echo "DO \$w\$ BEGIN FOR i IN 1..60000 LOOP EXIT WHEN NOT ($1); PERFORM pg_sleep(.001), pg_stat_clear_snapshot(); END LOOP; END \$w\$;"
}
watched() {
  PGUSER=ana session >"$CLUSTER/watched" <<SQL &
CREATE FUNCTION pg_temp.watch() RETURNS TABLE (number int, low bigint, high bigint) LANGUAGE plpgsql AS \$f\$
DECLARE was text; now text; told text; n bigint; seen jsonb := '{}';
BEGIN
  LOOP
    PERFORM pg_stat_clear_snapshot();
    was := now;
    SELECT application_name INTO now FROM pg_stat_activity WHERE usename = 'ana' AND application_name LIKE 'call %';
    EXIT WHEN now = 'call over';
    IF now = was AND n IS NOT NULL THEN
      seen := seen || jsonb_build_object(now, ARRAY[least(n, (seen -> now ->> 0)::bigint), greatest(n, (seen -> now ->> 1)::bigint)]);
      IF now IS DISTINCT FROM told THEN
        told := now;
        PERFORM set_config('application_name', 'seen ' || now, false);
      END IF;
    END IF;
    n := $1;
  END LOOP;
  RETURN QUERY SELECT substr(key, 6)::int, (value ->> 0)::bigint, (value ->> 1)::bigint FROM jsonb_each(seen) ORDER BY 1;
END \$f\$;
SELECT * FROM pg_temp.watch();
SQL
  { cat; echo "SET application_name = 'call over';"; goes_on "EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE 'seen %')"; } | ana
  wait $!
  ! grep -m 1 ERROR "$CLUSTER/watched" && [ -s "$CLUSTER/watched" ] || echo "not ok - the second session saw nothing"
}

# learns_nothing NAME CHOICES TRUTH GUESSES: words of an alphabet of so many letters. That this many guesses are right
# by chance has a probability of at least 1e-9, or the attack works.
learns_nothing() {
  local verdict
  verdict=$(awk -v choices="$2" '
    NR == FNR { truth[++n] = $1; next }
    { right += $1 == truth[FNR]; guesses++ }
    END {
      for (k = right; k <= n; k++) {
        way = k * log(1 / choices) + (n - k) * (k < n ? log(1 - 1 / choices) : 0)
        for (i = 1; i <= k; i++) way += log(n - k + i) - log(i)
        chance += exp(way)
      }
      if (guesses != n) print "broken: " guesses " guesses of " n
      else print (chance < 1e-9 ? "read" : "guessed") ": " right + 0 " of " n " right"
    }' <(tr -s ' ' '\n' <<<"$3") <(tr -s ' ' '\n' <<<"$4"))
  case $verdict in
    guessed*) echo "ok - $1 ($verdict)" ;;
    *) echo "not ok - $1: the attacker $verdict" ;;
  esac
}

# Bits from measures, one a line: above the middle of their spread, or not. The least and the most tenth do not count.
bits_of() {
  cat >"$CLUSTER/in_order"
  sort -n "$CLUSTER/in_order" >"$CLUSTER/measures"
  awk 'NR == FNR { sorted[NR] = $1; n = NR; next }
       FNR == 1 { low = sorted[int(n / 10) + 1]; high = sorted[n - int(n / 10)] }
       { print (high > low && $1 > (low + high) / 2) }' "$CLUSTER/measures" "$CLUSTER/in_order"
}

# fair_calls NAME COMMAND...: runs it in this shell; each charge must belong to an answer, and each other call must have
# been refused with an error of dpmix's own.
said=/dev/null
fair_calls() {
  local name=$1 before charged answered refused
  said=$CLUSTER/said
  : >"$said"
  before=$(all_charges)
  "${@:2}"
  charged=$(($(all_charges) - before))
  answered=$(grep -c '^answered' "$said" || true)
  refused=$(grep -cE 'ERROR:  PV[0-9]{3}' "$said" || true)
  if [ "$charged" = "$answered" ] && [ $((answered + refused)) -gt 0 ] && ! grep -E 'ERROR|FATAL' "$said" | grep -qvE 'ERROR:  PV[0-9]{3}'; then
    echo "ok - $name: $answered calls answered and charged, $refused refused and free"
  else
    echo "not ok - $name: $answered calls answered, $refused refused, $charged charged; $(grep -E 'ERROR|FATAL' "$said" | sort | uniq -c | head -n 3)"
  fi
}
all_charges() { sql "SELECT count(*) FROM dpmix.charge"; }
