#!/usr/bin/env bash
# Every fenced piece of SQL in README.md, docs/{operating,installing,cookbook,faq,notebooks}.md,
# docs/guide/{choosing,report}.md and docs/officers runs, in the order of the pages, on the table that they speak of;
# and what they say of answers holds. Other guides: guides.test.sh, and the tests of their rooms.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
same() { check "docs/guide/choosing.md: $1" "$2" "$(psql -XAtqF'|' -c "$3")"; }
table_after() { awk -v n="$2" '/^```sql$/ { count++; rows = 0 } count == n && /^\|/ && ++rows > 2' "$1" | sed 's/^| //; s/ |$//; s/ | /|/g'; }
check "docs/officers/singling_out.md: its table" "$(table_after docs/officers/singling_out.md 1)" "$(psql -XAtqF'|' -c "$(piece docs/officers/singling_out.md 1)")"
for n in 1 2; do same "its table $n" "$(table_after docs/guide/choosing.md $n)" "$(piece docs/guide/choosing.md $n)"; done

# Its first piece protects the table that the other pages ask.
export PGOPTIONS="-c client_min_messages=warning"
echo "session_preload_libraries = 'dpmix'" >>"$CLUSTER/data/postgresql.conf"
echo "dpmix.memory_keep = '1d'" >>"$CLUSTER/data/postgresql.conf"
cluster_restart
createdb -T demo readme
psql -Xqc 'GRANT CREATE ON DATABASE readme TO office, ana'
PGDATABASE=readme run_page README.md ana 2
run_page docs/cookbook.md ana 31
check "docs/cookbook.md: has 30 questions" 30 "$(grep -cE '^\*\*[0-9]+\. ' docs/cookbook.md)"
check "docs/cookbook.md: what is said to be free is" "0|0" "$(psql -XAtqF'|' -c "SELECT count(*) FILTER (WHERE parameters ->> 'query' ~ 'LIMIT'), count(*) FILTER (WHERE role <> 'ana') FROM dpmix.charge")"
within() { check "docs/cookbook.md: $1" t "$(PGUSER=ana psql -XAtqc "SELECT abs(($2) - $3) < $4")"; }  # seven times the noise
within "counts" "SELECT count(*) FROM private.cps" 28155 350
within "averages" "SELECT avg(wage) FROM private.cps" 603 47
within "answers by error" "SELECT people FROM dpmix.query('SELECT dp_count(*) FROM cps WHERE smsa', 0.5) AS t(people bigint)" 20931 140

run_page docs/officers/why_noise.md ana 4
check "docs/officers/why_noise.md: what the difference gives away" "$(table_after docs/officers/why_noise.md 2)" "$(PGUSER=office psql -XAtqF'|' -c "$(piece docs/officers/why_noise.md 2)")"
check "docs/officers/why_noise.md: what noise costs" "$(table_after docs/officers/why_noise.md 4)" "$(PGUSER=ana psql -XAtqF'|' -c "$(piece docs/officers/why_noise.md 4)")"
check "docs/officers/why_noise.md: which is one person" "1|356.13" "$(PGUSER=office psql -XAtqF'|' -c "SELECT count(*), max(wage) FROM cps WHERE region = 'midwest' AND experience >= 60")"
check "docs/officers/why_noise.md: the mean, and how far the sample is off" t "$(PGUSER=office psql -XAtqc "SELECT round(avg(wage)) = 605 AND round(1.96 * stddev(wage) / sqrt(count(*))) = 11 AND count(*) = 6863 FROM cps WHERE region = 'midwest'")"
for page in hipaa iso_27559 satre; do run_page docs/officers/$page.md office 1; done
for page in faq notebooks; do run_page docs/$page.md ana 3; done
run_page docs/operating.md postgres 5
run_page docs/installing.md postgres 1
run_page docs/guide/report.md postgres 1
