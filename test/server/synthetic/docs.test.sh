#!/usr/bin/env bash
# Every fenced piece of SQL in docs/guide/synthetic_tables.md runs, in the order of the page, on the table
# that the page speaks of: as the analyst ana, or as the owner where its first line says so. The rows
# that it makes are what the page says of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
export PGDATABASE=demo
createdb demo
psql -v ON_ERROR_STOP=1 -q -v cps="$PWD/test/data/cps1988.csv" -v iris="$PWD/test/data/iris.csv" -f demo/setup.sql >/dev/null

pieces=$CLUSTER/pieces
mkdir "$pieces"
awk -v to="$pieces" '/^```sql$/ { inside = 1; name = sprintf("%s/%03d_line_%d.sql", to, ++n, NR + 1); next }
                     /^```$/ { inside = 0 }
                     inside { print > name }' docs/guide/synthetic_tables.md
ran=0
for piece in "$pieces"/*.sql; do
  role=ana
  [ "$(head -n 1 "$piece")" != "-- the owner" ] || role=office
  ran=$((ran + 1))
  name=$(basename "$piece" .sql | cut -d_ -f2-)
  if PGUSER=$role psql -XAtq -v ON_ERROR_STOP=1 -f "$piece" >"$piece.out" 2>"$piece.err"; then
    echo "ok - docs/guide/synthetic_tables.md, $name"
  else
    echo "not ok - docs/guide/synthetic_tables.md, $name"
    cat "$piece" "$piece.err"
  fi
done
[ "$ran" -ge 8 ] || echo "not ok - only $ran pieces of SQL found"

says() {  # name, a condition on the tables that the page made
  if [ "$(psql -XAtqc "SELECT $2" 2>&1)" = t ]; then echo "ok - $1"; else echo "not ok - $1: $2"; fi
}
says "as many rows as asked for, evenly by class" \
  "(SELECT bool_and(n = 5000) AND count(*) = 4 FROM (SELECT count(*) AS n FROM ana.synthetic GROUP BY region) AS c)"
says "values are within the bounds, categories are declared ones" \
  "NOT EXISTS (SELECT FROM ana.synthetic WHERE NOT coalesce(wage BETWEEN 0 AND 2500 AND education BETWEEN 0 AND 20
     AND experience BETWEEN 0 AND 60 AND ethnicity IN ('cauc', 'afam') AND parttime IS NOT NULL, false))"
says "other columns are empty" \
  "NOT EXISTS (SELECT FROM ana.synthetic WHERE id IS NOT NULL OR smsa IS NOT NULL)"
says "shares of a categorical feature are kept" \
  "(SELECT abs(avg((ethnicity = 'afam')::integer) - (SELECT avg(share) FROM (SELECT avg((ethnicity = 'afam')::integer) AS share
     FROM office.cps GROUP BY region) AS r)) < .02 FROM ana.synthetic)"
says "so are the means" \
  "(SELECT abs(avg(education) - 13.07) < .5 AND abs(avg(wage) - 600) < 60 FROM ana.synthetic)"
