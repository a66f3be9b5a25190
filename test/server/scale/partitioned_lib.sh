# Sourced by tests of big tables: plain and parts, two protected tables with the same rows, and visits and visit_parts,
# whose units have several. The partitions are nested, of every kind, with a default, and one has other columns in
# another order. What scans did, and the exact rows that they found, shows plan_probe.
. test/server/lib/charges.sh

partitioned_cluster() {  # settings...
  cluster_start "$@"
  cluster_plan_probe
  session >/dev/null <<'SQL'
\set ON_ERROR_STOP on
CREATE EXTENSION dpmix;
CREATE FUNCTION scan_plans() RETURNS text VOLATILE LANGUAGE c AS '$libdir/plan_probe';
CREATE FUNCTION scan_rows() RETURNS text VOLATILE LANGUAGE c AS '$libdir/plan_probe';
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
GRANT CREATE ON SCHEMA public TO olga;
SET ROLE olga;
CREATE TABLE plain (id bigint NOT NULL, person int NOT NULL, kind text, town text, wage float8, hours numeric, age int, day date, seen timestamp, flag boolean);
CREATE TABLE parts (LIKE plain) PARTITION BY LIST (kind);
CREATE TABLE parts_a PARTITION OF parts FOR VALUES IN ('a') PARTITION BY RANGE (age);
CREATE TABLE parts_a_young PARTITION OF parts_a FOR VALUES FROM (MINVALUE) TO (40);
CREATE TABLE parts_a_rest PARTITION OF parts_a DEFAULT;
CREATE TABLE parts_b PARTITION OF parts FOR VALUES IN ('b') PARTITION BY HASH (id);
CREATE TABLE parts_b_0 PARTITION OF parts_b FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts_b_1 PARTITION OF parts_b FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
CREATE TABLE visits (person int, town text, wage float8);
CREATE TABLE visit_parts (LIKE visits) PARTITION BY HASH (person);
CREATE TABLE visit_parts_0 PARTITION OF visit_parts FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE visit_parts_1 PARTITION OF visit_parts FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE visit_parts_2 PARTITION OF visit_parts FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE labels (LIKE plain);
CREATE TABLE label_parts (LIKE plain) PARTITION BY LIST (kind);
CREATE TABLE label_parts_ab PARTITION OF label_parts FOR VALUES IN ('a', 'b');
CREATE TABLE label_parts_rest PARTITION OF label_parts DEFAULT;
SELECT dpmix.protect(t, 1e7, .1, adjacency => 'label', label => 'kind') FROM unnest('{labels,label_parts}'::regclass[]) t;
SELECT dpmix.protect(t, 1e7, .1, privacy_unit => 'person', max_rows_per_unit => 8) FROM unnest('{visits,visit_parts}'::regclass[]) t;
SELECT dpmix.protect(t, 1e7, .1) FROM unnest('{plain,parts}'::regclass[]) t;
SELECT dpmix.set_bounds(t, c, 0, 100) FROM unnest('{plain,parts,labels,label_parts}'::regclass[]) t, unnest('{wage,hours,age}'::name[]) c;
SELECT dpmix.set_bounds(t, 'wage', 0, 100), dpmix.set_categories(t, 'town', '{t0,t1,t2,t3}') FROM unnest('{visits,visit_parts}'::regclass[]) t;
SELECT dpmix.set_bounds(t, 'day', date '2020-01-01', date '2021-12-31'), dpmix.set_bounds(t, 'seen', timestamp '2020-01-01', timestamp '2021-12-31'),
  dpmix.set_categories(t, 'town', '{t0,t1,t2,t3}') FROM unnest('{plain,parts}'::regclass[]) t;
SELECT dpmix.set_categories(t, 'kind', '{a,b,c}') FROM unnest('{plain,parts,labels,label_parts}'::regclass[]) t;
SELECT dpmix.grant_access(t, 'ana') FROM unnest('{plain,parts,visits,visit_parts}'::regclass[]) t;
-- After protect(): a partition that does not look like its table.
CREATE TABLE parts_c (gone text, flag boolean, seen timestamp, day date, more int, age int, hours numeric, wage float8, town text, kind text, person int NOT NULL, id bigint NOT NULL);
ALTER TABLE parts_c DROP gone, DROP more;
ALTER TABLE parts ATTACH PARTITION parts_c FOR VALUES IN ('c');
INSERT INTO plain SELECT i, i / 2, (ARRAY['a', 'b', 'c', 'd', NULL])[1 + i % 7 % 5], 't' || i % 5, CASE WHEN i % 11 <> 0 THEN 50 + 50 * sin(i) END,
  round((i * 7919 % 10007)::numeric / 100, 2), i % 90, date '2020-01-01' + i % 700, timestamp '2020-01-01' + i % 700 * interval '1 day 1 second', i % 3 = 0
FROM generate_series(1, 20000) AS i;
INSERT INTO parts SELECT * FROM plain;
INSERT INTO labels SELECT * FROM plain;
INSERT INTO label_parts SELECT * FROM plain;
CREATE TABLE synthetic AS SELECT kind, wage, hours, age FROM plain WHERE id % 7 = 0;
INSERT INTO visits SELECT i / 4, 't' || i % 5, i % 100 FROM generate_series(1, 20000) AS i;
INSERT INTO visit_parts SELECT * FROM visits;
CREATE TABLE places (town text PRIMARY KEY, zone text);
INSERT INTO places SELECT 't' || i, 'z' || i % 2 FROM generate_series(0, 3) AS i;
INSERT INTO places SELECT 'nobody lives in ' || i, 'z' || i % 2 FROM generate_series(1, 300) AS i;
SELECT dpmix.declare_public('places');
GRANT SELECT ON places TO ana;
VACUUM (ANALYZE, FREEZE);
SQL
}

# Statements, one a line: its name, a bar, and the call, in which @ stands for plain or parts.
queries() {
  local aggregates='dp_count(*), dp_count(wage), dp_sum(wage), dp_avg(hours), dp_var(age), dp_stddev(wage)'
  local six='n bigint, m bigint, s float8, a float8, v float8, d float8'
  sed 's/^\([^|]*\)|\(.*\)|\([^|]*\)$/\1|SELECT * FROM dpmix.query($$\2$$, .01, 1e-9) AS t(\3)/' <<SQL
count|SELECT dp_count(*) FROM @|n bigint
count of values|SELECT dp_count(town), dp_count(wage) FROM @|n bigint, m bigint
sum of a float8|SELECT dp_sum(wage) FROM @|s float8
sum of a numeric|SELECT dp_sum(hours) FROM @|s float8
sum of an integer|SELECT dp_sum(age) FROM @|s float8
average|SELECT dp_avg(wage) FROM @|a float8
variance and deviation|SELECT dp_var(wage), dp_stddev(hours) FROM @|v float8, d float8
by category|SELECT kind, $aggregates FROM @ GROUP BY kind|k text, $six
by two categories|SELECT kind, town, $aggregates FROM @ GROUP BY kind, town|k text, o text, $six
by an expression|SELECT coalesce(kind, 'a'), $aggregates FROM @ GROUP BY 1|k text, $six
by ranges|SELECT width_bucket(wage, 0, 100, 5), $aggregates FROM @ GROUP BY 1|k int, $six
by months|SELECT date_trunc('month', seen), $aggregates FROM @ GROUP BY 1|k timestamp, $six
WHERE|SELECT $aggregates FROM @ WHERE age BETWEEN 20 AND 60 AND town LIKE 't%' AND NOT flag|$six
FILTER|SELECT kind, dp_count(*) FILTER (WHERE flag), dp_sum(wage) FILTER (WHERE age < 30) FROM @ GROUP BY kind|k text, n bigint, s float8
of expressions|SELECT dp_sum(least(wage * 2 + hours, 150)), dp_avg(CASE WHEN flag THEN age ELSE 0 END) FROM @|s float8, a float8
distinct|SELECT kind, dp_count_distinct(town) FROM @ GROUP BY kind|k text, n bigint
quantiles|SELECT dp_median(wage), dp_quantile(hours, .9) FROM @|m float8, q float8
quantiles by category|SELECT kind, dp_median(wage), dp_high(dp_median(wage)) FROM @ GROUP BY kind|k text, m float8, h float8
histogram|SELECT dp_histogram(wage, ARRAY[0, 10, 50, 100]) FROM @|h bigint[]
join|SELECT zone, $aggregates FROM @ JOIN places USING (town) GROUP BY zone|k text, $six
left join|SELECT dp_count(*), dp_count(zone) FROM @ LEFT JOIN places ON places.town = @.town|n bigint, m bigint
SQL
  sed 's/^\([^|]*\)|\(.*\)|\([^|]*\)$/\1|SELECT * FROM dpmix.query($$\2$$, 1, 1e-6, keys => '"'discover'"') AS t(\3)/' <<SQL
discover|SELECT town, dp_count(*), dp_sum(wage) FROM @ GROUP BY town|k text, n bigint, s float8
discover by an expression|SELECT left(town, 2), age / 10, dp_avg(wage) FROM @ GROUP BY 1, 2|k text, a int, s float8
SQL
  echo 'a quantile of fine cells|SELECT * FROM dpmix.query($$SELECT dp_median(wage) FROM @$$, 1.5) AS t(m float8)'
}

# The same of visits and visit_parts.
unit_queries() {
  cat <<'SQL'
units|SELECT * FROM dpmix.query($$SELECT dp_count(*), dp_sum(wage), dp_count_distinct(person) FROM @$$, .01, 1e-9) AS t(n bigint, s float8, u bigint)
units by category|SELECT * FROM dpmix.query($$SELECT town, dp_count(*), dp_median(wage) FROM @ GROUP BY town$$, .01, 1e-9) AS t(k text, n bigint, m float8)
units in few groups|SELECT * FROM dpmix.query($$SELECT town, dp_count(*) FROM @ GROUP BY town$$, .01, 1e-9, max_groups => 4) AS t(k text, n bigint)
units, discovered|SELECT * FROM dpmix.query($$SELECT town, dp_count(*) FROM @ GROUP BY town$$, 1, 1e-6, keys => 'discover', max_groups => 4) AS t(k text, n bigint)
SQL
}

# Mixtures by every method that takes them, in the same form.
mixtures() {
  local name arguments
  while IFS='|' read -r name arguments; do
    echo "$name|SELECT * FROM dpmix.release_gmm('@ $name ' || txid_current(), '@', '{wage,hours,age}', 10, 1e-6, $arguments)"
  done <<'SQL'
one shot|label => 'kind', method => 'one_shot'
staged|label => 'kind'
staged diagonal|label => 'kind', covariance => 'diagonal'
staged in 2|label => 'kind', dimensions => 2
em|components => 3
em chooses|covariance => 'full'
kmeans|components => 3, method => 'kmeans'
SQL
}

# Of one column, whose bins are public: one pass, of the same tables each time.
tree_of_a_column() { echo "tree of a column|SELECT * FROM dpmix.release_tree('@ tree of a column ' || txid_current(), '@', '{age}', 10, 1e-6, label => 'kind')"; }
regressions() {
  cat <<'SQL'
regression|SELECT * FROM dpmix.release_regression('@ regression ' || txid_current(), '@', 'wage', '{hours,age,age^2,kind,seen,age > 30}', 10, 1e-6)
regression by category|SELECT * FROM dpmix.release_regression('@ regression by category ' || txid_current(), '@', 'ln(wage + 1)', '{age,flag}', 10, 1e-6, label => 'kind')
SQL
}
trees() {
  cat <<'SQL'
tree|SELECT * FROM dpmix.release_tree('@ tree ' || txid_current(), '@', '{wage,hours,age,town,flag,day,seen}', 10, 1e-6, label => 'kind')
tree without a label|SELECT * FROM dpmix.release_tree('@ tree without a label ' || txid_current(), '@', '{wage,age,kind}', 10, 1e-6, bins => 'equal')
SQL
}
label_mixtures() {
  cat <<'SQL'
label only|SELECT * FROM dpmix.release_gmm('@ label only ' || txid_current(), '@', '{wage,hours,age}', 10, 1e-6, label => 'kind')
label only in 2|SELECT * FROM dpmix.release_gmm('@ label only in 2 ' || txid_current(), '@', '{wage,hours,age}', 10, 1e-6, label => 'kind', dimensions => 2)
SQL
}
comparisons() {
  cat <<'SQL'
compare|SELECT * FROM dpmix.compare('@', 'synthetic', 'kind')
compare private|SELECT * FROM dpmix.compare_private('@', 'synthetic', 10, 1e-6, 'kind')
SQL
}
synthetic_rows() { echo "cda|SELECT * FROM dpmix.cda(NULL::@, '{wage,hours,age}', 100, 10, 1e-6, label => 'kind')"; }

# digests NAME WORKERS TABLE...: runs the statements on stdin, over each table in the place of @, and keeps what their
# scans did.
digests() {
  local name workers=$2 table line
  local lines; lines=$(cat)
  sql "CREATE TABLE IF NOT EXISTS done (turn text, workers int, relation text, name text, plan text, digest text, rows bigint)" >/dev/null
  for table in "${@:3}"; do
    {
      echo "SET client_min_messages = error; SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = ${TUPLE_COST:-0}; SET min_parallel_table_scan_size = 0;"
      echo "${SETTINGS:-}"
      while IFS= read -r line; do
        name=${line%%|*}
        echo "SELECT scan_plans(), scan_rows() \\g /dev/null"
        echo "${line#*|} \\g /dev/null" | sed "s/@/$table/g"
        echo "INSERT INTO done SELECT '$1', $workers, '$table', '$name', p, md5(string_agg(l, '' ORDER BY l COLLATE \"C\")), count(*) - 1
          FROM (SELECT scan_plans() AS p, scan_rows() AS r OFFSET 0) s, regexp_split_to_table(r, E'\\n') l GROUP BY p;"
      done <<<"$lines"
    } | session | sed 's/^/not ok - /'
  done
}
