# Sourced: questions about people over tables that are distributed by their privacy unit, @ before each; then columns of
# the answer. Each is to be answered as over local tables. Tables: layers_tables.
layer_queries=(
  "SELECT dp_count(*) FROM (SELECT patient_id, count(*) AS c FROM @visits GROUP BY patient_id) x WHERE c > 3|n bigint"
  "SELECT c, dp_count(*), dp_sum(s) / 100 FROM (SELECT patient_id, count(*) AS c, sum(cost) AS s FROM @visits GROUP BY patient_id HAVING sum(days) > 10) x GROUP BY c|c bigint, n bigint, a float8"
  "SELECT sex, dp_count(*), dp_avg(total) FROM @patients AS p JOIN (SELECT patient_id, sum(cost) AS total FROM @visits GROUP BY patient_id) v ON v.patient_id = p.patient_id WHERE sex IN ('F', 'M') GROUP BY sex|s text, n bigint, a float8"
  "SELECT sex, dp_count(*), dp_count(v.c) FROM @patients p LEFT JOIN (SELECT patient_id, count(*) AS c FROM @visits WHERE kind = 'b' GROUP BY patient_id) v ON v.patient_id = p.patient_id GROUP BY sex|s text, n bigint, c bigint"
  "SELECT kind, dp_count(*) FROM (SELECT kind, row_number() OVER (PARTITION BY patient_id ORDER BY days, cost) AS n FROM @visits) v WHERE n = 1 GROUP BY kind|k text, n bigint"
  "SELECT kind, dp_count(*), dp_sum(cost) / 100 FROM (SELECT DISTINCT ON (patient_id) patient_id, kind, cost FROM @visits ORDER BY patient_id, days, cost) v GROUP BY kind|k text, n bigint, s float8"
  "SELECT dp_count(*) FROM (SELECT DISTINCT patient_id, kind FROM @visits) v|n bigint"
  "SELECT dp_median(c), dp_count(*), dp_quantile(c, 0.9) FROM (SELECT patient_id, avg(cost) AS c FROM @visits GROUP BY patient_id) v|m float8, n bigint, q float8"
  "SELECT dp_count(*), dp_median(m) FROM (SELECT patient_id, max(c) AS m FROM (SELECT patient_id, kind, count(*) AS c FROM @visits GROUP BY patient_id, kind) k GROUP BY patient_id) v|n bigint, m float8"
  "SELECT dp_count(*) / 1000 FROM @visits a JOIN @visits b ON a.patient_id = b.patient_id AND a.days < b.days|n bigint"
  "SELECT dp_count(*) FROM (SELECT cost - lag(cost) OVER (PARTITION BY patient_id ORDER BY days, cost) AS d FROM @visits) v WHERE d > 5|n bigint"
  "WITH x AS (SELECT patient_id, count(DISTINCT kind) AS k FROM @visits GROUP BY patient_id) SELECT k, dp_count(*) FROM x GROUP BY k|k bigint, n bigint"
  "SELECT dp_count(*) FROM @patients p WHERE EXISTS (SELECT FROM @visits v WHERE v.patient_id = p.patient_id AND v.days > 15)|n bigint"
  "SELECT sex, dp_count(*) FROM @patients p WHERE NOT EXISTS (SELECT FROM @visits v WHERE v.patient_id = p.patient_id AND v.days > 15) AND age > 20 GROUP BY sex|s text, n bigint"
  "SELECT dp_count(*) FROM @patients p WHERE p.patient_id IN (SELECT v.patient_id FROM @visits v WHERE v.kind = 'a' AND v.cost > 50)|n bigint"
  "SELECT dp_count(*) FROM @patients p WHERE p.patient_id NOT IN (SELECT v.patient_id FROM @visits v WHERE v.patient_id = p.patient_id AND days > 3)|n bigint"
  "SELECT dp_count(*) FROM @patients p WHERE (SELECT count(*) FROM @visits v WHERE v.patient_id = p.patient_id) > 3|n bigint"
  "SELECT country, dp_count(*) FROM (SELECT v.patient_id, r.country, count(*) AS c FROM @visits v JOIN @kinds r ON r.kind = v.kind GROUP BY v.patient_id, r.country) x WHERE c > 1 AND country IN ('x', 'y') GROUP BY country|c text, n bigint"
  "SELECT kind, dp_count_distinct(patient_id) FROM (SELECT patient_id, kind, sum(cost) OVER (PARTITION BY patient_id, kind ORDER BY days, cost ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM @visits) v WHERE s > 60 GROUP BY kind|k text, n bigint"
  "SELECT sex, dp_count(*) FROM @patients p JOIN @visits v ON v.patient_id = p.patient_id JOIN (SELECT patient_id, min(days) AS d FROM @visits GROUP BY patient_id) f ON f.patient_id = v.patient_id AND f.d = v.days GROUP BY sex|s text, n bigint"
)
# What is PV002 there: the text, columns, and a part of the message.
layer_refusals=(
  "SELECT dp_count(*) FROM (SELECT patient_id FROM @visits UNION SELECT patient_id FROM @patients) u|n bigint|UNION, INTERSECT or EXCEPT over a distributed table"
  "SELECT dp_count(*) FROM @patients p, LATERAL (SELECT count(*) AS c FROM @visits v WHERE v.patient_id = p.patient_id) x WHERE c > 3|n bigint|LATERAL over a distributed table"
  "SELECT dp_count(*) FROM @patients p WHERE EXISTS (SELECT v.kind FROM @visits v WHERE v.patient_id = p.patient_id GROUP BY v.kind HAVING count(*) > 2)|n bigint|GROUP BY or UNION in a sub-select of an expression over a distributed table"
  "SELECT dp_count(*) FROM @patients p WHERE EXISTS (SELECT FROM (SELECT patient_id FROM @visits) v WHERE v.patient_id = p.patient_id)|n bigint|a sub-select within one of an expression over a distributed table"
  "SELECT cost + 1 AS c, dp_count(*), dp_count_distinct(patient_id) FROM (SELECT patient_id, cost FROM @visits) v GROUP BY 1|c float8, n bigint, p bigint|over shards where a unit may have several rows"
  "SELECT dp_count(*) FROM (SELECT kind, count(*) AS c FROM @visits GROUP BY kind) v|n bigint|whose groups are not of one person each"
)
# $1: prefix. A hospital: 1 visit to 21 of a patient.
layers_tables() {
  cat <<SQL
CREATE TABLE $1patients (patient_id bigint PRIMARY KEY, sex text, age int);
CREATE TABLE $1visits (patient_id bigint, kind text, cost float8, days int NOT NULL);
CREATE TABLE $1kinds (kind text PRIMARY KEY, country text);
SQL
}
layers_rows() {  # $1: prefix
  cat <<SQL
INSERT INTO $1patients SELECT i, CASE WHEN i % 3 = 0 THEN 'F' WHEN i % 41 > 0 THEN 'M' END, CASE WHEN i % 37 > 0 THEN i % 90 END FROM generate_series(1, 1000) i;
INSERT INTO $1visits SELECT 1 + (997 * (abs(hashint8(i)) % 1000 / 1000.0) ^ 2)::int, CASE WHEN i % 43 > 0 THEN (ARRAY['a','b','c'])[1 + i % 3] END,
  CASE WHEN i % 31 = 0 THEN NULL WHEN i % 53 = 0 THEN 'NaN'::float8 ELSE i % 101 - .25 END, i % 20 FROM generate_series(1, 3500) i;
INSERT INTO $1kinds VALUES ('a', 'x'), ('b', 'y'), ('c', 'x');
SQL
}
layers_declarations() {  # $1: prefix
  cat <<SQL
SELECT dpmix.create_population('$1clinic', 1e7, 1e-3);
SELECT dpmix.protect('$1patients', population => '$1clinic', privacy_unit => 'patient_id');
SELECT dpmix.protect('$1visits', population => '$1clinic', privacy_unit => 'patient_id', max_rows_per_unit => 30);
SELECT dpmix.set_categories('$1patients', 'sex', '{F,M}'), dpmix.set_bounds('$1patients', 'age', 0, 90), dpmix.set_categories('$1visits', 'kind', '{a,b,c}'),
       dpmix.set_bounds('$1visits', 'cost', 0, 101), dpmix.set_bounds('$1visits', 'days', 0, 20), dpmix.declare_public('$1kinds');
SELECT dpmix.grant_access('$1patients', 'analyst'), dpmix.grant_access('$1visits', 'analyst');
SQL
}
