#!/usr/bin/env bash
# Servers that follow another: a hot standby charges nothing and answers what is free; promoted, rewound
# or recovered to an earlier point it is frozen until adopted.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
archive=$(mktemp -d /tmp/dpmix_archive.XXXXXX)
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "wal_log_hints = on" "wal_keep_size = 512MB" "max_wal_senders = 4" \
  "archive_mode = on" "archive_command = 'cp %p $archive/%f'"
chmod 777 "$archive"
started=()
stop_others() {
  local folder
  for folder in "${started[@]}"; do as_server "$BIN/pg_ctl" -D "$folder" -m immediate stop >/dev/null 2>&1 || true; done
  rm -rf "$archive"
  cluster_stop
}
trap stop_others EXIT
start() {  # folder port
  started+=("$CLUSTER/$1")
  as_server "$BIN/pg_ctl" -D "$CLUSTER/$1" -o "-p $2" -l "$CLUSTER/log.$1" -w start >/dev/null
}
stop() { as_server "$BIN/pg_ctl" -D "$CLUSTER/$1" -m fast -w stop >/dev/null; }
base_backup() { as_server "$BIN/pg_basebackup" -h "$CLUSTER/socket" -p "${2:-5432}" -U postgres -D "$CLUSTER/$1" -c fast "${@:3}"; }
on() { PGPORT=$1 sql "$2" || true; }  # port statement
charge() { on "$1" "SELECT charge_probe('$2', $3)"; }
charged='^[0-9]+$'
caught_up() { [ "$(on 5433 "SELECT pg_last_wal_replay_lsn() >= '$1'")" = t ]; }
follow() { wait_until 30 caught_up "$(sql "SELECT pg_current_wal_flush_lsn()")"; }

sql "CREATE ROLE ana LOGIN; CREATE TABLE people (age int, sex text); INSERT INTO people SELECT i % 90, 'f' FROM generate_series(1, 500) i;
     SELECT dpmix.protect('people', 10, 1e-6, accountant => 'basic'); SELECT dpmix.set_bounds('people', 'age', 0, 100);
     SELECT dpmix.set_categories('people', 'sex', '{f}'); SELECT dpmix.grant_access('people', 'ana')" >/dev/null
sql "SELECT name FROM dpmix.release_gmm('model', 'people', '{age}', 1, 1e-7, label => 'sex')" >/dev/null

# A clone of the files, started beside the original.
base_backup clone 5432
start clone 5434
check_match "a clone by pg_basebackup does not charge" "PV004: the ledger was made in another place" "$(charge 5434 people .1)"
check_match "the original does" "$charged" "$(charge 5432 people .1)"
on 5434 "SELECT dpmix.adopt_ledger('a copy for tests')" >/dev/null
check_match "adopted, the clone goes on" "$charged" "$(charge 5434 people .1)"
check "both stamps are on record" "first protect()|a copy for tests" "$(on 5434 "SELECT string_agg(reason, '|' ORDER BY id) FROM dpmix.ledger_stamp")"
stop clone

# A hot standby.
base_backup standby 5432 -R
start standby 5433
while IFS='|' read -r what statement; do
  check_match "standby: $what gets PV004" "PV004: the privacy ledger is not available" "$(on 5433 "$statement")"
done <<'SQL'
query|SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .1) AS t(n bigint)
query of an analyst|SET ROLE ana; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .1) AS t(n bigint)
release_gmm|SELECT dpmix.release_gmm('second', 'people', '{age}', 1, 1e-7, label => 'sex')
cda|SELECT * FROM dpmix.cda(NULL::people, '{age}', 10, 1, 1e-7)
protect|SELECT dpmix.protect('people', 1, 1e-6)
unprotect|SELECT dpmix.unprotect('people')
set_budget|SELECT dpmix.set_budget('people', 99, 1e-6, 'more')
set_bounds|SELECT dpmix.set_bounds('people', 'age', 0, 9)
set_categories|SELECT dpmix.set_categories('people', 'sex', '{m}')
grant_access|SELECT dpmix.grant_access('people', 'ana')
revoke_access|SELECT dpmix.revoke_access('people', 'ana')
adopt_ledger|SELECT dpmix.adopt_ledger('mine')
SQL
check "standby: calibrate" gaussian "$(on 5433 "SELECT mechanism FROM dpmix.calibrate('gaussian', 1, 1e-6)")"
check "standby: noise" 5 "$(on 5433 "SELECT count(*) FROM dpmix.noise('laplace', 1, 0, 1, 5)")"
check "standby: preview" count "$(on 5433 "SELECT statistic FROM dpmix.preview('SELECT dp_count(*) FROM people', .1)" | sed 's/(.*//')"
check "standby: a model's rows" 20 "$(on 5433 "SELECT count(*) FROM dpmix.sample('model', NULL::people, 20)")"
check "standby: the balance" "$(sql "SELECT * FROM dpmix.budget")" "$(on 5433 "SELECT * FROM dpmix.budget")"
check "standby: the history" "$(sql "SELECT count(*) FROM dpmix.ledger")" "$(on 5433 "SELECT count(*) FROM dpmix.ledger")"
check_match "the primary charges all along" "$charged" "$(charge 5432 people .1)"
follow
check "standby: it follows" "$(sql "SELECT * FROM dpmix.budget")" "$(on 5433 "SELECT * FROM dpmix.budget")"

# Failover. One charge is made that the standby never saw.
on 5433 "SELECT pg_wal_replay_pause()" >/dev/null
stop standby
check_match "a charge that the standby misses" "$charged" "$(charge 5432 people 2)"
last=$(sql "SELECT sum(epsilon) FROM dpmix.charge")
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m immediate stop >/dev/null
start standby 5433
as_server "$BIN/pg_ctl" -D "$CLUSTER/standby" -w promote >/dev/null
check_match "promoted: it does not charge" "PV004: the ledger was made in another place" "$(charge 5433 people .1)"
check_match "promoted: nor for its analyst" PV004 "$(PGUSER=ana charge 5433 people .1)"
check_match "promoted: free functions go on" "$charged" "$(on 5433 "SELECT count(*) FROM dpmix.sample('model', NULL::people, 20)")"
on 5433 "SELECT dpmix.adopt_ledger('failover, the last charge may be missing')" >/dev/null
check_match "promoted: adopted knowingly" "$charged" "$(charge 5433 people .1)"
check "promoted: without the charge that it missed" t "$(on 5433 "SELECT sum(epsilon) = $last - 2 + .1 FROM dpmix.charge")"
check_match "promoted: an owner lowers the budget by what may be missing" "$charged" \
  "$(on 5433 "SELECT dpmix.set_budget('people', 8, 1e-6, 'the last charge was lost')" >/dev/null; charge 5433 people .1)"
cluster_up
check_match "the old primary, started again, still charges: it cannot know" "$charged" "$(charge 5432 people .1)"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -w stop >/dev/null

# The old primary becomes a standby of the new one, and is promoted in turn. Until the new one's first
# checkpoint pg_rewind would believe that both are on one timeline.
on 5433 "CHECKPOINT" >/dev/null
as_server "$BIN/pg_rewind" -D "$CLUSTER/data" --source-server="host=$CLUSTER/socket port=5433 user=postgres dbname=postgres" -R >"$CLUSTER/rewind.log" 2>&1 || cat "$CLUSTER/rewind.log"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -o "-p 5432" -l "$CLUSTER/log" -w start >/dev/null
check_match "rewound: a standby" PV004 "$(charge 5432 people .1)"
rewound_caught_up() { [ "$(sql "SELECT pg_last_wal_replay_lsn() >= '$1'")" = t ]; }
wait_until 30 rewound_caught_up "$(on 5433 "SELECT pg_current_wal_flush_lsn()")"
spent=$(on 5433 "SELECT sum(epsilon) FROM dpmix.charge")
stop standby
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -w promote >/dev/null
check_match "rewound and promoted: frozen, though it was the first" "PV004: the ledger was made in another place" "$(charge 5432 people .1)"
check "rewound and promoted: with the charges of the other" "$spent" "$(sql "SELECT sum(epsilon) FROM dpmix.charge")"
sql "SELECT dpmix.adopt_ledger('switched back')" >/dev/null
check_match "rewound and promoted: adopted" "$charged" "$(charge 5432 people .1)"

# Back to a point in time, in the place of the original.
base_backup backup 5432
sql "SELECT charge_probe('people', 1)" >/dev/null
spent=$(sql "SELECT sum(epsilon) FROM dpmix.charge")
point=$(sql "SELECT pg_create_restore_point('here')")
sql "SELECT charge_probe('people', 1); SELECT pg_switch_wal()" >/dev/null
segment=$(sql "SELECT pg_walfile_name('$point')")
wait_until 30 test -e "$archive/$segment"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -w stop >/dev/null
as_server rm -rf "$CLUSTER/data"
as_server cp -a "$CLUSTER/backup" "$CLUSTER/data"
as_server tee -a "$CLUSTER/data/postgresql.auto.conf" >/dev/null <<CONF
restore_command = 'cp $archive/%f %p'
recovery_target_name = 'here'
recovery_target_action = 'promote'
CONF
as_server touch "$CLUSTER/data/recovery.signal"
cluster_up
recovered() { [ "$(sql "SELECT pg_is_in_recovery()")" = f ]; }
wait_until 30 recovered
check "point in time: a charge is gone" "$spent" "$(sql "SELECT sum(epsilon) FROM dpmix.charge")"
check_match "point in time: frozen" "PV004: the ledger was made in another place" "$(charge 5432 people .1)"
sql "SELECT dpmix.adopt_ledger('back to noon')" >/dev/null
check_match "point in time: adopted" "$charged" "$(charge 5432 people .1)"
