#!/usr/bin/env bash
# scope => 'table': what anyone paid answers everybody with access; the cap of a grant counts what its role was shown
# of others' charges, each once, durably, before the first row.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
PGUSER=olga sql "SELECT dpmix.set_memory('people', NULL, 'table'); SELECT dpmix.grant_access('people', 'bob', 1)" >/dev/null
spent() { PGUSER=$1 sql "SELECT epsilon_declared FROM dpmix.role_budget WHERE role = '$1' AND relation = 'people'::regclass"; }

count="SELECT dp_count(*) AS n FROM people"
anas=$(PGUSER=ana asked "$count" .4 "'gaussian'")
told() { PGUSER=$1 sql "SELECT DISTINCT memory FROM dpmix.preview('$2', $3, 1e-9, 'gaussian')"; }
check_match "preview says what a first sight counts" "^NOTICE.*what others paid would count epsilon 0.4 for role bob on public.people" "$(told bob "$count" .4)"
check "which is no charge, and no sight" "1 0" "$(all_charges) $(sql "SELECT count(*) FROM dpmix.sight")"
check "of one's own charges it says nothing" hit "$(told ana "$count" .4)"
check "another grant gets the same answer" "$anas" "$(PGUSER=bob asked "$count" .4 "'gaussian'")"
check "the table was charged once" 1 "$(all_charges)"
check "and the cap of the second grant" 0.4 "$(spent bob)"
PGUSER=bob asked "$count" .4 "'gaussian'" >/dev/null
PGUSER=bob asked "$count" .2 "'gaussian'" >/dev/null
check "once" 0.4 "$(spent bob)"
check "of which preview then says nothing" hit "$(told bob "$count" .4)"
check "the first pays what it paid" 0.4 "$(spent ana)"
PGUSER=ana asked "$count" .5 "'gaussian'" >/dev/null
step=$(sql "SELECT epsilon FROM dpmix.charge ORDER BY id DESC LIMIT 1")
PGUSER=bob asked "$count" .5 "'gaussian'" >/dev/null
check "after an upgrade by others, the difference" t "$(sql "SELECT $(spent bob) = .4 + $step")"
check_match "beyond its cap it is shown nothing" 'PV001.*cap of role' \
  "$(PGUSER=ana asked "SELECT dp_sum(wage) AS s FROM people" .9 >/dev/null; PGUSER=bob asked "SELECT dp_sum(wage) AS s FROM people" .9)"
check "which costs it nothing" t "$(sql "SELECT $(spent bob) = .4 + $step")"
# What it may still spend buys an answer of its own, and preview says what the call does.
PGUSER=ana asked "SELECT dp_sum(wage) AS s FROM people" .9 >/dev/null
check_match "beyond its cap an answer is bought, says preview" '^miss 0.01$' \
  "$(PGUSER=bob sql "SELECT DISTINCT memory || ' ' || epsilon FROM dpmix.preview('SELECT dp_sum(wage) FROM people', .01, 1e-9, 'laplace')")"
before=$(spent bob)
check "and it is" 1 "$(PGUSER=bob paid asked "SELECT dp_sum(wage) AS s FROM people" .01 "'laplace'")"
check "for its own price" t "$(sql "SELECT $(spent bob) = $before + .01")"
check "it is there the next time" hit "$(PGUSER=bob sql "SELECT DISTINCT memory FROM dpmix.preview('SELECT dp_sum(wage) FROM people', .01, 1e-9, 'laplace')")"
step=$(sql "SELECT $step + .01")
cluster_restart immediate
check "sights survive a crash" t "$(sql "SELECT $(spent bob) = .4 + $step")"
check_match "and count when the ledger is read again" 'PV001' "$(PGUSER=bob asked "SELECT dp_count(*) FROM people WHERE id = 3" .9)"
sql "BEGIN; SET ROLE bob; SELECT * FROM dpmix.query('SELECT dp_count(*) FROM people', .1, 1e-9) AS t(n bigint); ROLLBACK" >/dev/null
check "ROLLBACK takes no sight back" t "$(sql "SELECT $(spent bob) = .4 + $step")"
check_match "nobody takes one back" 'append-only' "$(sql "DELETE FROM dpmix.sight")"
check "the owner is shown what others paid, without a cap" "$(PGUSER=ana asked "$count" .1)" "$(PGUSER=olga asked "$count" .1)"
check "a stranger is refused" PV006 "$(PGUSER=carl asked "$count" .1 | grep -o 'PV...')"

# A caller's max_age does not make another role pay.
PGUSER=ana sql "CREATE FUNCTION asked_by_ana() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS
  \$\$ SELECT n FROM dpmix.query('SELECT dp_count(*) FROM public.people', .1, 1e-9) AS t(n bigint) \$\$" >/dev/null
check "max_age of a caller is not that of the role that pays" 0 \
  "$(PGUSER=carl paid sql "SET dpmix.max_age = 0; SELECT asked_by_ana()")"
check "its own is" 1 "$(PGUSER=ana paid sql "SET dpmix.max_age = 0; SELECT asked_by_ana()")"

# A public table that is not the protected table's owner's must not answer for others.
PGUSER=carl sql "CREATE TABLE names (sex text PRIMARY KEY, name text); INSERT INTO names VALUES ('F', 'f'), ('M', 'm');
  GRANT SELECT ON names TO PUBLIC; SELECT dpmix.declare_public('names')" >/dev/null
joined="SELECT dp_count(*) FROM people p JOIN names n ON p.sex = n.sex WHERE n.name = 'f'"
check "joined with a table of others: each grant pays" "1 1" \
  "$(PGUSER=ana paid asked "$joined" .1) $(PGUSER=bob paid asked "$joined" .01)"
