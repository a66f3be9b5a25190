#!/usr/bin/env bash
# Random statements over layers (statements.py), asked before and after one unit's rows come, go or change, in all
# tables of its population or in one: no statistic moves farther than preview says that its noise is made for, and some
# move as far. The unit has as many rows as it may, of the values that weigh most.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "autovacuum = off" "shared_preload_libraries = 'dpmix'"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/people/layers.sql
first=${DPMIX_SEED:-500} schemas=8 statements=30
if [ -n "${DPMIX_SOAK:-}" ]; then first=${DPMIX_SEED:-$RANDOM} schemas=60; fi
export PGOPTIONS="-c client_min_messages=error"
# Unit 3: four rows in each table, but one in p; its keys are from 500 on.
psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE FUNCTION without_unit(tables text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF tables ~ 'k' THEN DELETE FROM k WHERE n IN (SELECT n FROM l JOIN q USING (id) WHERE u = 3); END IF;
    IF tables ~ 'l' THEN DELETE FROM l WHERE id IN (SELECT id FROM q WHERE u = 3); END IF;
    IF tables ~ 'm' THEN DELETE FROM m WHERE (i, j) IN (SELECT i, j FROM w WHERE u = 3); END IF;
    IF tables ~ 'p' THEN DELETE FROM p WHERE u = 3; END IF;
    IF tables ~ 'q' THEN DELETE FROM q WHERE u = 3; END IF;
    IF tables ~ 'w' THEN DELETE FROM w WHERE u = 3; END IF;
END $$;
CREATE FUNCTION with_unit(x int, y int, c text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO p VALUES (3, x, y, c);
    INSERT INTO q SELECT 3, 500 + i, x, y, c FROM generate_series(1, 4) i;
    INSERT INTO w SELECT 3, 500, 500 + i, x, y, c FROM generate_series(1, 4) i;
    INSERT INTO l SELECT 500 + i, 501, x, y, c FROM generate_series(1, 4) i;
    INSERT INTO m SELECT 500, 501, x, y, c FROM generate_series(1, 4) i;
    INSERT INTO k SELECT 501, x, y, c FROM generate_series(1, 4) i;
END $$;
-- In each schema: as what is remembered is asked, the unit has these rows.
CREATE FUNCTION change(place text, made text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', place || ', public', true);
    EXECUTE 'SELECT ' || made;
END $$;
SQL
for ((schema = first; schema < first + schemas; schema++)); do
  case $((schema % 4)) in
    0) before="without_unit('pqwlmk'), with_unit(4, 4, 'a')" change="without_unit('pqwlmk')" ;;
    1) before="without_unit('pqwlmk')" change="with_unit(4, 4, 'b')" ;;
    2) before="without_unit('pqwlmk'), with_unit(4, 4, 'a')" change="without_unit('q')" ;;
    3) before="without_unit('pqwlmk'), with_unit(4, 4, 'c')" change="without_unit('lmk')" ;;
  esac
  # Neighbours under replace have a unit each: its rows become others.
  python3 test/server/people/statements.py "$schema" 1 "$statements" remember >"$CLUSTER/statements"
  ! grep -q "adjacency => 'replace'" "$CLUSTER/statements" ||
    { before="without_unit('pqwlmk'), with_unit(4, 4, 'a')"; change="without_unit('pqwlmk'), with_unit(0, 0, 'b')"; }
  { grep -v remember "$CLUSTER/statements"; echo "SELECT $before \\g /dev/null"
    grep remember "$CLUSTER/statements"
    echo "SELECT change('s$schema', \$\$$change\$\$) \\g /dev/null"
    echo "SELECT ask_moved('s$schema', \$\$$change\$\$) \\g /dev/null"; } | session
done >"$CLUSTER/said"
check "$schemas schemas were searched" "" "$(head -c 1000 "$CLUSTER/said")"
check "two of five statements are answered, at least" t \
  "$(sql "SELECT 5 * count(*) FILTER (WHERE verdict = 'remembered') >= 2 * count(*) FROM asked")"
check "none moves farther than its noise is made for" "" \
  "$(sql "SELECT * FROM moved WHERE by > allowed * (1 + 1e-9) + .4 LIMIT ${SHOW:-3}")"
check "nor all groups together farther than a unit's rows" "" \
  "$(sql "SELECT * FROM moved WHERE together > 2 * allowed * (1 + 1e-9) + 3 LIMIT ${SHOW:-3}")"
check "counts and sums move as far, also of linked tables" "t|t|t" \
  "$(sql "SELECT bool_or(number = 1 AND near AND allowed > 1), bool_or(number > 1 AND near),
            bool_or(near AND statement ~ 'FROM [lmk] AS' AND allowed > 1)
          FROM (SELECT *, by > .99 * allowed AS near FROM moved) t")"
check "more than a tenth of them move" t "$(sql "SELECT count(*) FILTER (WHERE by > .5) * 10 > count(*) FROM moved")"
