#!/usr/bin/env bash
# The format of items of memory: noisy integers and laws that an earlier build kept are shown as they were then. Keys of
# items are of one database and one build: here they are those of today.
# FREEZE=1 writes the files that are compared with. What a released version has kept is never frozen anew.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
kept=test/server/memory/frozen/items.txt answers=test/server/memory/frozen/answers.txt
question="SELECT sex, dp_count(*) AS rows, dp_count(wage) AS wages, dp_count_distinct(day) AS days, dp_count_distinct(sex) AS sexes, dp_sum(wage) AS total,
  dp_avg(wage) AS mean, dp_var(wage) AS variance, dp_stddev(wage) AS deviation, dp_covar(wage, id) AS covariance, dp_corr(wage, id) AS correlation,
  dp_regr_count(wage, id) AS pairs, dp_regr_slope(wage, id) AS slope, dp_regr_intercept(wage, id) AS intercept, dp_quantile(least(id, 40), .9) AS quantile,
  dp_median(least(id, 40)) AS median, dp_histogram(wage, '{0,20,50,100}') AS histogram FROM people GROUP BY sex"
PGUSER=olga sql "SELECT dpmix.set_bounds('people', 'id', 0, 512)" >/dev/null
shown() {  # ratios go through the C library: ten digits
  PGUSER=ana sql "SET client_min_messages = warning; SELECT a.key, v.value FROM dpmix.query_json(\$\$$question\$\$, 50, 1e-9, 'gaussian') q,
    LATERAL jsonb_each(to_jsonb(q)) a, LATERAL (SELECT CASE jsonb_typeof(a.value) WHEN 'number' THEN to_jsonb(round((a.value)::numeric, 10)) ELSE a.value END) v(value)"
}
shown >/dev/null
if [ -n "${FREEZE:-}" ]; then
  sql "COPY (SELECT statistic, groups, law, content FROM dpmix.memory_item WHERE statistic <> 'tables by keys' ORDER BY statistic COLLATE \"C\") TO STDOUT" >$kept
fi
check "the same statistics are kept" "$(cut -f1,2 $kept)" "$(sql "COPY (SELECT statistic, groups FROM dpmix.memory_item WHERE statistic <> 'tables by keys' ORDER BY statistic COLLATE \"C\") TO STDOUT")"
{
  echo "CREATE TABLE frozen (statistic text, groups int, law bytea, content bytea);"
  echo "COPY frozen FROM STDIN;"
  cat $kept
  echo '\.'
  echo "UPDATE dpmix.memory_item i SET law = f.law, content = f.content FROM frozen f WHERE f.statistic = i.statistic;"
} | psql -Xq -v ON_ERROR_STOP=1
before=$(all_charges)
[ -z "${FREEZE:-}" ] || shown >$answers
check_command "what an earlier build kept is shown as it was" diff <(shown) $answers
check "free" "$before" "$(all_charges)"
