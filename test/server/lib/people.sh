# A protected table, its owner, and people who mean ill. What an attack
# cost is read from the ledger's rows, never from what the attacker was told.
. test/server/lib/charges.sh

hostile_cluster() {  # settings...
  cluster_start "$@"
  sql "CREATE EXTENSION dpmix; GRANT CREATE ON SCHEMA public TO PUBLIC;
       CREATE ROLE olga LOGIN; CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE mallory LOGIN"
  # olga owns the table; ana and bob have access to it, mallory has none.
  PGUSER=olga sql "CREATE TABLE people (id int PRIMARY KEY, sex text, wage float8);
    INSERT INTO people SELECT i, (ARRAY['F', 'M'])[1 + i % 2], i % 100 FROM generate_series(1, 500) i;
    SELECT dpmix.protect('people', 1e6, .1, accountant => 'basic');
    SELECT dpmix.set_bounds('people', 'wage', 0, 100); SELECT dpmix.set_categories('people', 'sex', '{F,M}');
    SELECT dpmix.grant_access('people', 'ana', NULL, 0, NULL); SELECT dpmix.grant_access('people', 'bob', 1000, 0, NULL)" >/dev/null
}

# The queries of most attacks. The noise has a deviation above a hundred thousand: two draws are equal
# less often than once in a hundred thousand.
counted="dpmix.query('SELECT dp_count(*) FROM public.people', 1e-5) AS t(n bigint)"
synthetic="dpmix.cda(NULL::public.people, '{wage}', 2, .01, 1e-6, label => 'sex')"
modelled() { echo "dpmix.release_gmm('$1', 'public.people', '{wage}', .01, 1e-6, label => 'sex')"; }

all_charges() { sql "SELECT count(*) FROM dpmix.charge"; }

# costs NAME CHARGES PATTERN [ROLE]: runs the statements on stdin, each on its own, as ROLE (ana). The
# ledger must hold exactly CHARGES more rows afterwards, and what was printed must match PATTERN.
costs() {
  local name=$1 expected=$2 pattern=$3 before output after
  before=$(all_charges)
  output=$(PGUSER=${4:-ana} session | without_noisy_notices | cut -c 1-500 || true)
  after=$(all_charges)
  if [ $((after - before)) != "$expected" ]; then
    echo "not ok - $name: $((after - before)) charges instead of $expected; printed: $output"
  elif ! tr '\n' ' ' <<<"$output" | grep -qE -e "$pattern"; then
    echo "not ok - $name: no '$pattern' in: $output"
  else
    echo "ok - $name"
  fi
}

# The roles charged since charge ID, in order.
last_charge() { sql "SELECT coalesce(max(id), 0) FROM dpmix.charge"; }
payers() { sql "SELECT string_agg(role || ' by ' || coalesce(granted_to, 'ownership'), ', ' ORDER BY id) FROM dpmix.charge WHERE id > $1"; }
