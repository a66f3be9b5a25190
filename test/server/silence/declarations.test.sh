#!/usr/bin/env bash
# Declarations hold locks until their transaction ends. One that ana leaves open must not make others wait, whose tables
# have nothing to do with hers.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster
PGUSER=olga sql "CREATE TABLE parts (id int) PARTITION BY LIST (id); CREATE TABLE part (id int); CREATE TABLE mine (id int); CREATE TABLE free (id int); CREATE TABLE base (id int); CREATE TABLE child (id int)" >/dev/null
PGUSER=ana sql "CREATE TABLE own (id int)" >/dev/null
{ echo "BEGIN; SELECT dpmix.declare_public('own');"; sleep 8; } | PGUSER=ana session >/dev/null &
held() { [ "$(sql "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE c.relname = 'own'")" != 0 ]; }
wait_until 5 held
waits() {
  local output
  output=$(PGUSER=olga sql "SET lock_timeout = '1s'; SET client_min_messages = error; $1" || true)
  grep -m 1 ERROR <<<"$output" || echo goes
}
check "ALTER TABLE ATTACH PARTITION" goes "$(waits "ALTER TABLE parts ATTACH PARTITION part FOR VALUES IN (1)")"
check "ALTER TABLE INHERIT" goes "$(waits "ALTER TABLE child INHERIT base")"
check "protect" goes "$(waits "SELECT dpmix.protect('mine', 1, 1e-6)")"
check "declare_public" goes "$(waits "SELECT dpmix.declare_public('free')")"
wait
