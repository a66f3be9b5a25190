#!/usr/bin/env bash
# docs/guide/people.md: its SQL runs on the tables that it makes; at a large epsilon its questions have PostgreSQL's own
# answers; and the noise that it states is what a call says.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
page=docs/guide/people.md
export PGOPTIONS="-c client_min_messages=warning"
{
  echo "session_preload_libraries = 'dpmix'"
  echo "dpmix.memory_keep = '1d'"
} >>"$CLUSTER/data/postgresql.conf"
cluster_restart
for name in page exact; do
  createdb -T demo "$name"
  psql -Xqd "$name" -c "GRANT CREATE ON DATABASE $name TO office, ana"
done
export PGDATABASE=page
run_page $page ana 41
check "it has 35 questions, as it says" "35|35" \
  "$(grep -cE '^\*\*[0-9]+\. ' $page)|$(sed -n 's/^Below are \([0-9]*\) questions.*/\1/p' $page)"
check "a number about everybody is a charge of its own" 2 \
  "$(psql -XAtqc "SELECT count(*) FROM dpmix.charge, LATERAL (SELECT parameters ->> 'query' AS query) q
    WHERE query LIKE '%SELECT (dpmix.dp_avg(cost))%FROM office.visits visits' OR query LIKE '%(cost > \$1)'")"

# What the page says is refused, is; before a charge.
refused() {  # name, what it says, statement
  check_match "refused: $1" "$2" "$(PGUSER=ana psql -XAtqc "$3" 2>&1)"
}
charges=$(psql -XAtqc "SELECT count(*) FROM dpmix.charge")
each="SELECT patient_id, count(*) AS n FROM private.visits GROUP BY patient_id"
refused "a list of people" "groups by patient_id are of one person each" "$each"
refused "rows of a layer" "gives no rows" "SELECT * FROM ($each) v"
refused "groups of several people" "groups are not of one person each" \
  "SELECT * FROM dpmix.query('SELECT dp_avg(n) FROM (SELECT ward, count(*) AS n FROM visits GROUP BY ward) v', 1)
     AS t(n float8)"
refused "a window of everybody" "a window over the rows of several people" "SELECT count(*) FROM
  (SELECT patient_id, row_number() OVER (ORDER BY admitted) AS k FROM private.visits) v WHERE k = 1"
refused "LIMIT" "LIMIT in a sub-select of FROM" "SELECT avg(n) FROM ($each LIMIT 10) v"
refused "EXISTS of everybody" "EXISTS over the rows of other people" \
  "SELECT count(*) FROM private.patients WHERE EXISTS (SELECT FROM private.visits WHERE cost > 800)"
refused "one value of other people" "aggregates the rows of all people" \
  "SELECT count(*) FROM private.visits v WHERE cost > (SELECT avg(cost) FROM private.visits w WHERE w.ward = v.ward)"
refused "one for each public row, by a text" "an answer for each row of a public table" \
  "SELECT sum(quantity) FROM private.order_lines l JOIN products p ON p.product = l.product
     WHERE quantity < (SELECT avg(m.quantity) FROM private.order_lines m WHERE m.product = p.product)"
refused "a join by something else" "otherwise than on their privacy units" \
  "SELECT count(*) FROM private.patients p JOIN private.visits v ON v.cost = p.age"
refused "several values" "may have several values" "SELECT avg(c) FROM
  (SELECT (SELECT cost FROM private.visits v WHERE v.patient_id = p.patient_id) AS c FROM private.patients p) x"
refused "ALL" "ALL or ARRAY with a sub-select" "SELECT count(*) FROM private.visits v
  WHERE cost >= ALL (SELECT cost FROM private.visits w WHERE w.patient_id = v.patient_id)"
refused "rows that multiply, told apart" "each may meet several are counted by count\(DISTINCT\)" \
  "SELECT avg(n) FROM (SELECT a.patient_id, count(DISTINCT b.diagnosis) AS n
     FROM private.visits a JOIN private.visits b ON b.patient_id = a.patient_id GROUP BY a.patient_id) x"
refused "FULL JOIN" "a FULL JOIN is not allowed" \
  "SELECT count(*) FROM private.patients p FULL JOIN private.visits v ON v.patient_id = p.patient_id"
refused "a public table on the left" "may leave out the protected table" \
  "SELECT organ, count(*) FROM codes c LEFT JOIN private.visits v ON v.diagnosis = c.diagnosis GROUP BY organ"
refused "aggregates that hang on an order" "string_agg over the rows of one person" \
  "SELECT count(*) FROM (SELECT patient_id, string_agg(ward, ',') FROM private.visits GROUP BY patient_id) v"
refused "groups by what may be NULL" "groups are not of one person each" "SELECT count(*) FROM
  (SELECT v.patient_id, count(*) FROM private.patients p LEFT JOIN private.visits v ON v.patient_id = p.patient_id
   GROUP BY v.patient_id) x"
refused "LATERAL of others' rows" "aggregates the rows of all people" "SELECT avg(n) FROM private.patients p,
  LATERAL (SELECT count(*) AS n FROM private.visits v WHERE v.cost > p.age) v"
refused "LATERAL with their LIMIT" "LIMIT in a sub-select of FROM that does not follow" "SELECT avg(x.cost) FROM
  private.patients p, LATERAL (SELECT * FROM private.visits v WHERE v.cost > p.age LIMIT 1) x WHERE x.patient_id = p.patient_id"
refused "ROLLUP" "GROUPING SETS, ROLLUP or CUBE in a sub-select" "SELECT avg(n) FROM
  (SELECT patient_id, ward, count(*) AS n FROM private.visits GROUP BY patient_id, ROLLUP (ward)) v"
refused "UNION of whole numbers with decimals" "numbers of different types" "SELECT avg(n) FROM
  (SELECT patient_id, visit_id AS n FROM private.visits UNION SELECT patient_id, cost FROM private.visits) v"
refused "RANGE with an offset over texts" "a RANGE frame with such an offset|RANGE with offset PRECEDING" "SELECT avg(s) FROM (SELECT
  sum(cost) OVER (PARTITION BY patient_id ORDER BY ward RANGE BETWEEN 9 PRECEDING AND CURRENT ROW) AS s
   FROM private.visits) v"
refused "a bad offset" "a frame whose offset is no constant" "SELECT avg(s) FROM (SELECT sum(cost) OVER
  (PARTITION BY patient_id ORDER BY visit_id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) AS s FROM private.visits) v"
refused "two budgets" "which have budgets of their own" \
  "SELECT count(*) FROM private.patients WHERE patient_id IN (SELECT user_id FROM private.events)"
check "none of it was charged" "$charges" "$(psql -XAtqc "SELECT count(*) FROM dpmix.charge")"

# The same tables with a budget for everything.
much="epsilon => 1e7, delta => 0.1, accountant => 'basic'"
{ piece $page 1; piece $page 2 | sed "s/epsilon => 8, delta => 1e-6/$much/"; } |
  PGUSER=office psql -Xqd exact -v ON_ERROR_STOP=1 >/dev/null
python3 test/server/docs/people.py $page
