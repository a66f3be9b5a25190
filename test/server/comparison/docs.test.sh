#!/usr/bin/env bash
# Every fenced piece of SQL in docs/guide/comparisons.md runs, in the order of the page, on the table that the page
# speaks of: as the analyst ana, or as the owner where its first line says so. What the page says of them is so.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
PGUSER=office psql -v ON_ERROR_STOP=1 -qXAt >/dev/null <<'SQL'
SELECT dpmix.protect('cps', epsilon => 20, delta => 1e-5);
SELECT dpmix.set_bounds('cps', 'wage', 0, 2500), dpmix.set_bounds('cps', 'education', 0, 20), dpmix.set_bounds('cps', 'experience', 0, 60);
SELECT dpmix.set_categories('cps', 'region', '{northeast,midwest,south,west}'), dpmix.set_categories('cps', 'ethnicity', '{cauc,afam}');
SELECT dpmix.grant_access('cps', 'ana');
SQL
run_page docs/guide/comparisons.md ana 5

says "a picture of both tables is a document" "(SELECT xml_is_well_formed_document(svg) FROM office.picture)"
says "two halves of the real rows are nearer to each other than the synthetic table is" \
  "(SELECT min(difference) FILTER (WHERE source = 'half') < min(difference) FILTER (WHERE source = 'synthetic') FROM office.yardstick)"
says "the exact mean over pairs is within the bound of the private one" \
  "(SELECT abs(p.difference - e.difference) <= p.error_bound_95 FROM ana.judged p, office.yardstick e WHERE e.source = 'synthetic' AND p.measure = 'pair_tv_mean')"
says "one comparison was charged" "(SELECT count(*) = 1 FROM dpmix.ledger WHERE kind = 'compare')"
