#!/usr/bin/env bash
# Inside a fresh Debian (packaging/package.sh): the life of the package. Prints "ok - ..." or "not ok - ...".
set -euo pipefail
deb=$(ls /package/postgresql-*-dpmix_*.deb)
package=$(basename "${deb%%_*}")
major=${package//[!0-9]/}
. /package/package_use.sh
sql() { runuser -u postgres -- psql -XqAt -v VERBOSITY=verbose -d shop -c "SET client_min_messages = error" -c "$1" 2>&1 || true; }
quietly() { "$@" >/tmp/quietly.log 2>&1 </dev/null || { cat /tmp/quietly.log; return 1; }; }
wait_until() { local end=$((SECONDS + $1)); shift; until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep .2; done; }

quietly apt-get update
check "nothing of PostgreSQL is here yet" 0 "$(dpkg -l | grep -c postgresql || true)"
quietly apt-get install -y --no-install-recommends "$deb" && echo "ok - apt installs $(basename "$deb") and what it depends on"
files() { find / -xdev \( -path /proc -o -path /tmp -o -path /package \) -prune -o -name '*dpmix*' -print | sort; }
check_match "with it came" "/usr/lib/postgresql/$major/lib/dpmix.so" "$(dpkg -L "$package")"
check_match "and the papers' mechanisms" "/usr/lib/postgresql/$major/lib/dpmix_papers.so" "$(dpkg -L "$package")"

quietly pg_ctlcluster "$major" main start
data=$(runuser -u postgres -- psql -XqAt -c "SHOW data_directory")
runuser -u postgres -- psql -Xq -c "ALTER SYSTEM SET autovacuum = off" -c "SELECT pg_reload_conf()" -c "CREATE DATABASE shop" >/dev/null
make_people

# Everything that a database knows: how many rows each catalog has, and who and what is set.
state() {
  sql "CHECKPOINT; SELECT c.relname, (xpath('//c/text()', query_to_xml(format('SELECT count(*) AS c FROM pg_catalog.%I', c.relname), false, true, '')))[1]
       FROM pg_class c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND c.relname <> 'pg_statistic' ORDER BY 1;
       SELECT nspname, nspacl FROM pg_namespace ORDER BY 1; SELECT rolname FROM pg_roles ORDER BY 1; SELECT evtname FROM pg_event_trigger;
       SELECT * FROM pg_db_role_setting; SELECT * FROM pg_seclabel; SELECT name FROM pg_settings WHERE name LIKE 'dpmix%'"
  cat "$data/postgresql.auto.conf"
}
# Files of the database that belong to no relation, and files elsewhere in the cluster that are new in kind.
orphans() { sql "SELECT count(*) FROM pg_database d, pg_ls_dir('base/' || d.oid) f WHERE d.datname = current_database() AND f ~ '^[0-9]+\$'
                 AND NOT EXISTS (SELECT FROM pg_class c WHERE pg_relation_filenode(c.oid)::text = f)"; }
kinds() { find "$data" -not -path '*/base/*' -not -path '*/pg_wal/*' -not -path '*/pg_xact/*' -not -path '*/pg_subtrans/*' -printf '%P\n' | grep -v '^global/[0-9]' | sort; }
no_worker() { [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'dpmix%'")" = 0 ]; }

leave() {  # $1: what there was before
  check "DROP EXTENSION" "" "$(sql "DROP EXTENSION dpmix")"
  if wait_until 90 no_worker; then echo "ok - its worker ends"; else echo "not ok - its worker ends"; fi
  local difference
  if difference=$(diff <(echo "$1") <(state)); then echo "ok - the database is as it was"; else echo "not ok - the database is as it was: $difference"; fi
  check "no file is left of its tables" 0 "$(orphans)"
}

before=$(state) kinds_before=$(kinds)
use
leave "$before"
use
leave "$before"
quietly pg_ctlcluster "$major" main restart
check "after a restart no shared memory is left" 0 "$(sql "SELECT count(*) FROM pg_shmem_allocations WHERE name LIKE '%dpmix%'")"
check "no other file of the cluster is new" "" "$(diff <(echo "$kinds_before") <(kinds) | grep '^[<>]' || true)"

quietly apt-get purge -y "$package"
check "purged, it leaves no file" "" "$(files)"
quietly pg_ctlcluster "$major" main restart && echo "ok - the server starts without it"
check_match "and does not know it" "extension \"dpmix\" is not available|could not open extension control file" "$(sql "CREATE EXTENSION dpmix")"
check "the table is there" 1000 "$(sql "SELECT count(*) FROM people")"
quietly apt-get install -y --no-install-recommends "$deb"
use
leave "$before"
quietly apt-get purge -y "$package"
check "purged again, it leaves no file" "" "$(files)"
quietly pg_ctlcluster "$major" main stop
