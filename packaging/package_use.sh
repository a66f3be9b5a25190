# Whether an installed dpmix works: the extension is made, refuses, answers and charges. For packaging/package_life.sh
# and debian/tests/first-query, which have sql(): a statement, with VERBOSITY verbose, in a database that is empty.
check() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: expected '$2', got '$3'"; fi; }
check_match() { if grep -qE "$2" <<<"$3"; then echo "ok - $1"; else echo "not ok - $1: no '$2' in '$3'"; fi; }

make_people() {
  sql "CREATE ROLE ana LOGIN; CREATE TABLE people (sex text, wage float8); INSERT INTO people SELECT 'F', i FROM generate_series(1, 1000) i" >/dev/null
}
use() {
  check "CREATE EXTENSION" "" "$(sql "CREATE EXTENSION dpmix")"
  check "its catalog is empty" "0|0|0" "$(sql "SELECT (SELECT count(*) FROM dpmix.charge), (SELECT count(*) FROM dpmix.protected_table), (SELECT count(*) FROM dpmix.access)")"
  check_match "nothing is protected before it is said" PV006 "$(sql "SET ROLE ana; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 1) AS t(n bigint)")"
  sql "SELECT dpmix.protect('people', epsilon => 8, delta => 1e-6); SELECT dpmix.set_bounds('people', 'wage', 0, 1000); SELECT dpmix.grant_access('people', 'ana')" >/dev/null
  check_match "what may not be asked is refused" PV002 "$(sql "SET ROLE ana; SELECT n FROM dpmix.query('SELECT max(wage) FROM people', 1) AS t(n float8)")"
  check_match "what the budget has not is refused" PV001 "$(sql "SET ROLE ana; SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people', 100) AS t(n bigint)")"
  check "an analyst's query is answered" t "$(sql "SET ROLE ana; SELECT n BETWEEN 900 AND 1100 AND w BETWEEN 300 AND 700 FROM dpmix.query('SELECT dp_count(*), dp_avg(wage) FROM people', 1, 1e-7) AS t(n bigint, w float8)")"
  check "and charged" "ana|1" "$(sql "SELECT role, epsilon FROM dpmix.charge")"
}
