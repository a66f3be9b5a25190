#!/usr/bin/env bash
# What planning promises, against the ledger itself: calls_left counts exactly the calls that are
# admitted, and the epsilon that a refusal names is admitted while the next number is not.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster
export PGOPTIONS='-c client_min_messages=error'  # synthetic rows of an empty table are all noise

sql "CREATE ROLE ana; GRANT CREATE ON SCHEMA public TO ana;
CREATE TABLE result (name text, ok boolean, detail text); GRANT ALL ON result TO PUBLIC;

-- A protected table of that name; ana may spend up to the cap.
CREATE FUNCTION make(name text, accountant text, cap float8 = NULL) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
    EXECUTE format('CREATE TABLE %I (wage float8, age int, region text)', name);
    PERFORM dpmix.protect(name::regclass, 4, 1e-6, accountant => accountant);
    PERFORM dpmix.set_bounds(name::regclass, 'wage', 0, 2500), dpmix.set_bounds(name::regclass, 'age', 0, 100),
            dpmix.set_categories(name::regclass, 'region', '{north,south}'), dpmix.grant_access(name::regclass, 'ana', cap);
END \$\$;

CREATE FUNCTION count_of(name text) RETURNS text IMMUTABLE LANGUAGE sql AS \$\$ SELECT format('SELECT dp_count(*) FROM %I', name) \$\$;
CREATE FUNCTION groups_of(name text) RETURNS text IMMUTABLE LANGUAGE sql AS \$\$
    SELECT format('SELECT region, dp_count(*), dp_sum(wage), dp_avg(age) FROM %I GROUP BY region', name) \$\$;

-- A call of a kind as text: the charging one or its preview.
CREATE FUNCTION call(kind text, preview boolean, name text, epsilon numeric, delta float8, mechanism text) RETURNS text LANGUAGE sql AS \$\$
    SELECT CASE
        WHEN kind IN ('gmm', 'cda') THEN format(
            CASE WHEN preview THEN 'SELECT min(calls_left) FROM dpmix.preview(%L)' ELSE '%s' END,
            CASE kind
                WHEN 'gmm' THEN format('SELECT FROM dpmix.release_gmm(%L, %L, ''{wage,age}'', %s, %s, ''region'')',
                    name || clock_timestamp(), name, epsilon, delta)
                ELSE format('SELECT count(*) FROM dpmix.cda(NULL::%I, ''{wage,age}'', 4, %s, %s, label => ''region'')',
                    name, epsilon, delta) END)
        WHEN preview THEN format('SELECT min(calls_left) FROM dpmix.preview(%L, %s, %s, %L)',
            CASE kind WHEN 'count' THEN count_of(name) ELSE groups_of(name) END, epsilon, delta, mechanism)
        ELSE format('SELECT count(*) FROM dpmix.query(%L, %s, %s, %L) AS t(%s)',
            CASE kind WHEN 'count' THEN count_of(name) ELSE groups_of(name) END, epsilon, delta, mechanism,
            CASE kind WHEN 'count' THEN 'n bigint' ELSE 'region text, n bigint, s float8, a float8' END) END \$\$;
CREATE FUNCTION calls_left(kind text, name text, epsilon numeric, delta float8, mechanism text) RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE n bigint;
BEGIN
    EXECUTE call(kind, true, name, epsilon, delta, mechanism) INTO n;
    RETURN n;
END \$\$;

-- NULL: charged. Else the hint of the refusal. The charge stands, though the block is rolled back to.
CREATE FUNCTION charged(kind text, name text, epsilon numeric, delta float8, mechanism text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE hint text;
BEGIN
    EXECUTE call(kind, false, name, epsilon, delta, mechanism);
    RETURN NULL;
EXCEPTION WHEN SQLSTATE 'PV001' THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END \$\$;

-- Until refused: before the i-th of n admitted calls n - i + 1 were promised, and none in the end.
CREATE FUNCTION count_down(label text, kind text, name text, epsilon numeric, delta float8, mechanism text) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE promised bigint[] := '{}'; n bigint := 0;
BEGIN
    LOOP
        promised := promised || calls_left(kind, name, epsilon, delta, mechanism);
        EXIT WHEN charged(kind, name, epsilon, delta, mechanism) IS NOT NULL;
        n := n + 1;
    END LOOP;
    INSERT INTO result VALUES (format('%s: the %s calls that were promised and no more', label, n),
        promised = ARRAY(SELECT generate_series(n, 0, -1)) AND (n > 0 OR label ~ 'none'), promised::text);
END \$\$;

-- Too large a request is refused; what the hint says is admitted, what follows it is not.
CREATE FUNCTION follow_hint(label text, kind text, name text, epsilon numeric, delta float8, mechanism text) RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE hint text; largest numeric; following numeric; refused boolean;
BEGIN
    hint := charged(kind, name, epsilon, delta, mechanism);
    largest := substring(hint FROM 'this call still fits with delta [0-9.]+ is ([0-9.]+)\\.(?: The owner .*)?\$')::numeric;
    following := largest + power(10::numeric, floor(log(largest)) - 2);
    refused := charged(kind, name, following, delta, mechanism) IS NOT NULL;
    INSERT INTO result VALUES (format('%s: %s fits, %s does not', label, trim_scale(largest), trim_scale(following)),
        refused AND calls_left(kind, name, largest, delta, mechanism) >= 1 AND calls_left(kind, name, following, delta, mechanism) = 0
        AND charged(kind, name, largest, delta, mechanism) IS NULL, hint);
END \$\$;" >/dev/null

report() {  # of what the statements before have noted
  sql "SELECT CASE WHEN ok THEN 'ok - ' || name ELSE 'not ok - ' || coalesce(name, 'without a name') || ': ' || coalesce(detail, '') END
       FROM result; TRUNCATE result"
}

# Fresh tables, then after charges of other kinds, by the owner and by an analyst under a cap.
for accountant in basic renyi gdp gaussian; do
  session >"$CLUSTER/out" <<SQL
SELECT make('down_$accountant', '$accountant', 1.7);
SELECT charge_probe('down_$accountant', 0.37, 1e-8) > 0;
SET ROLE ana;
SELECT count_down('$accountant, an analyst under a cap', 'count', 'down_$accountant', 0.3, 1e-9, 'gaussian');
SELECT count_down('$accountant, smaller calls under that cap', 'groups', 'down_$accountant', 0.07, 0, 'laplace');
SELECT count_down('$accountant, none is left', 'count', 'down_$accountant', 1, 1e-9, 'auto');
RESET ROLE;
SELECT charge_probe('down_$accountant', 0.1234567, 1e-8) > 0;
SELECT count_down('$accountant, the owner', 'count', 'down_$accountant', 0.7, 1e-9, 'gaussian');
SELECT count_down('$accountant, the owner, several statistics', 'groups', 'down_$accountant', 0.2, 1e-10, 'gaussian');
SELECT count_down('$accountant, none for the owner', 'groups', 'down_$accountant', 0.2, 1e-3, 'optimal');
SELECT make('models_$accountant', '$accountant');
SELECT count_down('$accountant, mixtures', 'gmm', 'models_$accountant', 0.9, 1e-9, NULL);
SELECT count_down('$accountant, synthetic rows', 'cda', 'models_$accountant', 0.2, 1e-9, NULL);
-- What a fresh table admits, as the planning function says.
SELECT make('fresh_$accountant', '$accountant');
INSERT INTO result SELECT '$accountant, a fresh table admits what charges_admitted says of ' || m, p = a, p || ' and ' || a
FROM unnest('{gaussian,laplace,staircase,optimal,auto}'::text[]) m,
     LATERAL (SELECT calls_left('count', 'fresh_$accountant', 0.1, 1e-9, m)) l(p),
     LATERAL (SELECT dpmix.charges_admitted(4, 1e-6, '$accountant', m, 0.1, 1e-9)) c(a);
SQL
  check "$accountant: the calls are what they should be" "" "$(grep -vE '^t?$' "$CLUSTER/out" || true)"
  report
done
check "previews and refusals charge nothing" "0" "$(charges fresh_renyi)"
check "40 times 0.1 is 4" "40" "$(sql "SELECT dpmix.charges_admitted(4, 0, 'basic', 'laplace', 0.1, 0)")"

# Hints: by mechanism, shape, accountant and who asks.
for accountant in basic renyi gdp gaussian; do
  before=2  # charges of 0.1; close to 4 in all only the Renyi divergences admit more than a little
  [ $accountant = basic ] || before=38
  for kind in count groups gmm cda; do
    mechanisms="gaussian laplace optimal auto"
    [ $kind = groups ] || mechanisms="$mechanisms multi_gaussian tulap"
    [ $kind = count ] || [ $kind = groups ] || mechanisms="gaussian"
    for mechanism in $mechanisms; do
      name="${accountant}_${kind}_$mechanism"
      echo "SELECT make('$name', '$accountant', 1.5); SELECT count(charge_probe('$name', 0.1, 1e-9)) = $before FROM generate_series(1, $before);
            SET ROLE ana; SELECT follow_hint('$accountant, $kind by $mechanism under a cap', '$kind', '$name', 8, 1e-9, '$mechanism'); RESET ROLE;
            SELECT follow_hint('$accountant, $kind by $mechanism', '$kind', '$name', 10, 1e-8, '$mechanism');"
    done
  done
done | session >"$CLUSTER/out"
check "the hints are what they should be" "" "$(grep -vE '^t?$' "$CLUSTER/out" || true)"
report

# A Gaussian call knows that it is cheaper than a plain one of its epsilon and delta, of which the
# ledger's own hint speaks.
session <<<"SELECT make('cheap', 'renyi'); SELECT count(charge_probe('cheap', 0.1, 1e-9)) FROM generate_series(1, 39);" >/dev/null
plain=$(sql "SELECT charge_probe('cheap', 3, 1e-9)" || true)
check_match "the plain release" "that still fits with delta 0.000000001 is [0-9.]+\." "$plain"
own=$(sql "SELECT charged('count', 'cheap', 8, 1e-9, 'gaussian')")
hinted() { grep -oE 'is [0-9.]+[0-9]' | cut -c 4-; }
check "the hint of a Gaussian call is larger than that of a plain one" "t" "$(sql "SELECT $(hinted <<<"$own") > $(hinted <<<"$plain")")"
check_match "nothing fits with so large a delta" "Nothing fits with delta 0.01; a smaller delta may" \
  "$(sql "SELECT charged('count', 'cheap', 3, 0.01, 'optimal')")"
check_match "nothing more fits" "Nothing more fits" \
  "$(session <<<"SELECT make('spent', 'basic'); SELECT charge_probe('spent', 4, 0); SELECT charged('count', 'spent', 1, 0, 'laplace');")"

# A raise that is not committed is seen by the caller's previews, so that an owner may try one; it buys nothing.
out=$(session <<'SQL'
SELECT make('raised', 'basic');
SELECT charge_probe('raised', 3.5, 0) > 0;
BEGIN;
SELECT dpmix.set_budget('raised', 10, 1e-6, 'to try');
SELECT 'left ' || calls_left('count', 'raised', 1, 0, 'laplace');
SELECT charged('count', 'raised', 1, 0, 'laplace');
ROLLBACK;
SELECT 'left ' || calls_left('count', 'raised', 0.1, 0, 'laplace');
SQL
)
check_match "a preview after set_budget" "^left 6$" "$out"
check_match "a call after it" "has changed declarations of dpmix" "$out"
check_match "a preview after its ROLLBACK" "^left 5$" "$out"

# The newest charges count, whatever the snapshot.
out=$(session <<'SQL'
SELECT make('snapshot', 'basic');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 'left ' || calls_left('count', 'snapshot', 1, 0, 'laplace');
SELECT charge_probe('snapshot', 1.5, 0) > 0;
SELECT 'left ' || calls_left('count', 'snapshot', 1, 0, 'laplace');
COMMIT;
SQL
)
check "an old snapshot sees the balance of now" "left 4 left 2" "$(grep left <<<"$out" | tr '\n' ' ' | sed 's/ $//')"
