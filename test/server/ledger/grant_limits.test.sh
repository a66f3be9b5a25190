#!/usr/bin/env bash
# What a grant allows of a single charge, and in a minute: decided by the ledger worker, for all sessions
# together, before anything is charged. Owners are not bound.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 200ms"
charge() { PGUSER=$1 sql "SELECT charge_probe('t', $2)" || true; }  # role, epsilon
grant() { PGUSER=olga sql "SELECT dpmix.grant_access('t', 'team'$1)"; }
sql "GRANT CREATE ON SCHEMA public TO PUBLIC; CREATE ROLE olga LOGIN; CREATE ROLE team; CREATE ROLE ana LOGIN IN ROLE team; CREATE ROLE bob LOGIN IN ROLE team" >/dev/null
PGUSER=olga sql "CREATE TABLE t (x int); SELECT dpmix.protect('t', 1e6, 0, accountant => 'basic')" >/dev/null

# A floor.
grant "" >/dev/null
check_match "the default floor: less is refused" 'PV005: epsilon is below what role "team" may ask of public.t' "$(charge ana 9.99e-5)"
check_match "with what was asked, and what may be" 'epsilon 0.0000999 and delta 0; .* epsilon 0.0001 at least' "$(charge ana 9.99e-5)"
check "free" 0 "$(charges t)"
check_match "so much is charged" '^[0-9]+$' "$(charge ana 1e-4)"
check_match "owners are not bound" '^[0-9]+$' "$(charge olga 1e-6)"
check "the views show it to whom it binds" "team|0.0001|600" "$(PGUSER=ana sql "SELECT role, min_epsilon, max_charges_per_minute FROM dpmix.role_budget WHERE relation = 't'::regclass")"
preview() { PGUSER=$1 sql "SELECT calls_left = 0 FROM dpmix.preview('SELECT dp_count(*) FROM t', $2)"; }
check "a preview says that no such call is admitted" "t f f" "$(preview ana 9e-5) $(preview ana 1e-4) $(preview olga 9e-5)"
check_match "nor is it" PV005 "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM t', 9e-5) AS r(n bigint)" || true)"
grant ", NULL, 0.5" >/dev/null
check_match "the owner's floor" PV005 "$(charge ana .4)"
check_match "once lowered" '^[0-9]+$' "$(grant ", min_epsilon => 0" >/dev/null; charge ana 1e-6)"
for bad in "min_epsilon => -1" "min_epsilon => 'NaN'" "min_epsilon => 'Infinity'" "max_charges_per_minute => 0" "max_charges_per_minute => 1000001"; do
  check_match "$bad is refused" PV005 "$(grant ", $bad" || true)"
done
# Of two tables that pay for one query, that with the floor refuses first.
PGUSER=olga sql "CREATE TABLE free_t (x int PRIMARY KEY); CREATE TABLE floor_t (x int PRIMARY KEY);
  SELECT dpmix.protect(r, 10, 1e-6, privacy_unit => 'x') FROM unnest('{free_t,floor_t}'::regclass[]) r;
  SELECT dpmix.grant_access('free_t', 'team', min_epsilon => 0), dpmix.grant_access('floor_t', 'team', min_epsilon => 1)" >/dev/null
check_match "in a join of two protected tables" PV005 "$(PGUSER=ana sql "SELECT * FROM dpmix.query('SELECT dp_count(*) FROM free_t JOIN floor_t USING (x)', .5) AS r(n bigint)" || true)"
check "the other one keeps its budget" 0 "$(charges free_t)"

# A rate, however many sessions ask, and although the worker ends in between.
grant ", NULL, 0, 20" >/dev/null
start=$SECONDS
for role in ana ana bob bob; do
  { for _ in $(seq 1 15); do echo "SELECT charge_probe('t', 1);"; done; } | PGUSER=$role session >"$CLUSTER/$role.$RANDOM.rate" 2>&1 || true &
done
wait
# Of the minute before come the charges of the first part, if it was quick.
through() { sql "SELECT count(*) FROM dpmix.charge WHERE granted_to = 'team' AND relation = 'public.t'"; }
check "20 in a minute are all" "20 f" "$(through) $([ $((SECONDS - start)) -gt 50 ] && echo t || echo f)"
check_match "the others are refused" 'PV004: +role "team" asks public.t too often|PV004: role "team" asks public.t too often' "$(cat "$CLUSTER"/*.rate)"
check "each of the 60 was answered or refused" 60 "$(cat "$CLUSTER"/*.rate | grep -cE '^[0-9]+$|PV004: ')"
wait_until 10 no_worker
check_match "a worker that starts anew knows of them" 'PV004: role "team" asks' "$(charge bob 1)"
check_match "owners are not bound by a rate" '^[0-9]+$' "$(charge olga 1)"
grant ", NULL, 0, 21" >/dev/null
check_match "a higher rate holds at once" '^[0-9]+$' "$(charge bob 1)"
check_match "up to it" PV004 "$(charge bob 1)"
for _ in $(seq 1 70); do charge olga 1 >/dev/null; done
wait_until 10 no_worker
check_match "however many charges of others came since" PV004 "$(charge bob 1)"
grant ", NULL, 0, NULL" >/dev/null
check_match "NULL is no limit" '^[0-9]+$' "$(charge bob 1)"
grant ", NULL, 0, 5" >/dev/null
# As if a minute had passed: the ledger is append-only, but a superuser may do anything.
sql "ALTER TABLE dpmix.charge DISABLE TRIGGER append_only; UPDATE dpmix.charge SET at = at - interval '62 seconds'; ALTER TABLE dpmix.charge ENABLE ALWAYS TRIGGER append_only" >/dev/null
wait_until 10 no_worker
check_match "after a minute it may ask again" '^[0-9]+$' "$(charge bob 1)"
