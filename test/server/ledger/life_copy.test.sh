#!/usr/bin/env bash
# Databases and data directories that are copied, moved, renamed, upgraded: a copy is frozen until
# adopted, what is only moved or renamed goes on.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s"
charged='^[0-9]+$'
frozen="PV004: the ledger was made in another place"
charge() { sql "SELECT charge_probe('t', .1)" "${1:-postgres}" || true; }  # [database]
quiet() { wait_until 10 no_worker "$1"; }                                   # database
down() { as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -w stop >/dev/null; }
protected_table t 1000

# Databases.
sql "CREATE DATABASE source" >/dev/null; install_probe source; protected_table t 10 source
sql "CREATE DATABASE early TEMPLATE source" >/dev/null
check_match "a template copy of what was not yet charged is frozen" "$frozen" "$(charge early)"
check_match "the source is not" "$charged" "$(charge source)"
quiet source; sql "ALTER DATABASE source RENAME TO renamed" >/dev/null
check_match "a renamed database goes on" "$charged" "$(charge renamed)"
quiet renamed; sql "CREATE DATABASE source TEMPLATE renamed" >/dev/null
check_match "a copy under the old name is frozen" "$frozen" "$(charge source)"
quiet renamed; as_server mkdir "$CLUSTER/space"
sql "CREATE TABLESPACE space LOCATION '$CLUSTER/space'" >/dev/null
sql "ALTER DATABASE renamed SET TABLESPACE space" >/dev/null
check_match "a database in another tablespace goes on" "$charged" "$(charge renamed)"
check_match "with all charges" "spent are epsilon 0.3 " "$(sql "SELECT charge_probe('t', 100)" renamed || true)"
quiet renamed; sql "ALTER DATABASE renamed SET TABLESPACE pg_default" >/dev/null; sql "DROP TABLESPACE space" >/dev/null
sql "SELECT dpmix.adopt_ledger('a copy')" source >/dev/null
check_match "an adopted copy has its charges" "spent are epsilon 0.2 " "$(sql "SELECT charge_probe('t', 100)" source || true)"
quiet source; sql "DROP DATABASE source" >/dev/null; sql "CREATE DATABASE source TEMPLATE renamed" >/dev/null
check_match "adoption is of one copy, not of the next" "$frozen" "$(charge source)"
check_match "a table made in a frozen copy is frozen too" PV004 \
  "$(sql "CREATE TABLE later (x int); SELECT dpmix.protect('later', 1, 1e-6)" source; sql "SELECT charge_probe('later', .1)" source || true)"

# Moved and copied files.
check_match "before" "$charged" "$(charge)"
down; as_server mv "$CLUSTER/data" "$CLUSTER/elsewhere"; as_server mv "$CLUSTER/elsewhere" "$CLUSTER/data"; cluster_up
check_match "a data directory that was moved goes on" "$charged" "$(charge)"
cluster_restart immediate
check_match "after a crash too" "$charged" "$(charge)"

# An inode is used again: unpacking an archive in the place of the original often finds it free.
birth=$(sql "SELECT control_birth FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1")
restamp() {  # expression: a stamp like the newest, with this birth
  quiet postgres
  sql "INSERT INTO dpmix.ledger_stamp (at, role, reason, system_identifier, timeline, database, control_inode, machine_id, control_birth, record)
       SELECT at, role, 'test', system_identifier, timeline, database, control_inode, machine_id, $1, record FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1" >/dev/null
}
if [ -n "$birth" ]; then
  restamp NULL
  check_match "a stamp without the file's birth is believed" "$charged" "$(charge)"
  check "and completed" "the same place, known more closely|$birth" "$(sql "SELECT reason, control_birth FROM dpmix.ledger_stamp ORDER BY id DESC LIMIT 1")"
  restamp "control_birth - 1"
  check_match "the same inode made at another time is another place" "$frozen" "$(charge)"
  sql "SELECT dpmix.adopt_ledger('test')" >/dev/null
  check_match "until adopted" "$charged" "$(charge)"
  for i in 1 2; do  # the first time its inode was free for long, the second time just now
    down; as_server tar -C "$CLUSTER" -cf "$CLUSTER/backup.tar" data
    cluster_up; charge >/dev/null; down
    as_server rm -rf "$CLUSTER/data"; as_server tar -C "$CLUSTER" -xf "$CLUSTER/backup.tar"; cluster_up
    check_match "a backup unpacked in the place of the original, time $i" "$frozen" "$(charge)"
    sql "SELECT dpmix.adopt_ledger('from the archive')" >/dev/null
  done
else
  echo "ok - # SKIP this file system does not tell when a file was made"
fi

# A machine without an identity of its own, as containers are.
in_container() {  # starts the server where /etc/machine-id is empty
  : >"$CLUSTER/empty"
  unshare -m sh -c "mount --bind '$CLUSTER/empty' /etc/machine-id && exec runuser -u '$cluster_user' -- '$BIN/pg_ctl' -D '$CLUSTER/data' -l '$CLUSTER/log' -w start" >/dev/null 2>&1
}
down
if [ "$(id -u)" -eq 0 ] && [ -s /etc/machine-id ] && in_container; then
  check_match "on a machine without machine-id it is elsewhere" "$frozen" "$(charge)"
  sql "SELECT dpmix.adopt_ledger('into a container')" >/dev/null
  check_match "adopted" "$charged" "$(charge)"
  down; in_container
  check_match "a container that starts again goes on" "$charged" "$(charge)"
  down; cluster_up
  check_match "back on the machine it is elsewhere again" "$frozen" "$(charge)"
  sql "SELECT dpmix.adopt_ledger('back')" >/dev/null
else
  echo "ok - # SKIP /etc/machine-id cannot be hidden here"
  cluster_up
fi

# pg_upgrade: the files of the tables, under another system identifier.
charge >/dev/null
spent=$(sql "SELECT sum(epsilon) FROM dpmix.charge")
down
cluster_data "$CLUSTER/new"
if (cd "$CLUSTER" && as_server "$BIN/pg_upgrade" -b "$BIN" -B "$BIN" -d data -D new -U postgres -s "$CLUSTER/socket" >"$CLUSTER/upgrade.log" 2>&1); then
  as_server mv "$CLUSTER/data" "$CLUSTER/old"
  as_server cp "$CLUSTER/old/postgresql.conf" "$CLUSTER/new/"; as_server mv "$CLUSTER/new" "$CLUSTER/data"
  cluster_up
  check "pg_upgrade keeps the charges" "$spent" "$(sql "SELECT sum(epsilon) FROM dpmix.charge")"
  check_match "pg_upgrade: frozen" "$frozen" "$(charge)"
  sql "SELECT dpmix.adopt_ledger('a new major version')" >/dev/null
  check_match "pg_upgrade: adopted" "$charged" "$(charge)"
  sql "ALTER TABLE t RENAME TO t2; SELECT dpmix.move_record('t', 't2')" >/dev/null
  check_match "pg_upgrade: triggers follow" "spent are epsilon $(sql "SELECT sum(epsilon) FROM dpmix.charge")" "$(sql "SELECT charge_probe('t2', 1e6)" || true)"
else
  echo "not ok - pg_upgrade: $(tail -n 5 "$CLUSTER/upgrade.log")"
fi
