#!/usr/bin/env bash
# Every fenced piece of SQL in docs/guide/{synthetic_tables,cda}.md runs, in the order of the pages, on the table that
# they speak of: as the analyst ana, or as the owner where its first line says so. The rows
# that it makes are what the page says of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database

run_page docs/guide/synthetic_tables.md ana 7
says "rows of the analyst's own tables are within the bounds" \
  "NOT EXISTS (SELECT FROM (TABLE ana.drawn UNION ALL TABLE ana.sampled) AS r
     WHERE wage NOT BETWEEN 0 AND 2500 OR education NOT BETWEEN 0 AND 20)"
run_page docs/guide/cda.md ana 4

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
