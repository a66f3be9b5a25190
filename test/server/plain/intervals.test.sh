#!/usr/bin/env bash
# Error bars as columns: what a client is told is what it gets, in the simple and the extended protocol, and nothing
# that others count on has them. Counts of nobody say that they mean little.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/plain/lib.sh
plain_cluster "client_min_messages = warning" >/dev/null
# Any change of what the facade is plans are made anew for.
PGUSER=olga sql "CREATE FUNCTION touch() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS \$\$ BEGIN EXECUTE format('COMMENT ON TABLE cps IS %L', random()); ALTER VIEW private.cps SET (security_barrier = false); ALTER VIEW private.cps RESET (security_barrier); END \$\$"

mkdir -p build/probes
g++ -std=c++20 -O1 -I"$("$PG_CONFIG" --includedir)" test/server/plain/interval_client.cpp -o "build/probes/interval_client.$$" -lpq
seen=$(PGUSER=ana "build/probes/interval_client.$$") || echo "not ok - a driver: $seen"
rm -f "build/probes/interval_client.$$"
given() { sed -n "s/^$1: //p" <<<"$seen"; }
wide="region:25 n:20 n_low:701 n_high:701" plain="region:25 n:20"
check "a prepared statement is described with them" "$wide" "$(given described)"
check "and gives them, with a generic plan too" "$wide in 5" "$(given executed)"
check "an unnamed statement" "$wide in 5" "$(given unnamed)"
check "a simple one" "n:20 n_low:701 n_high:701 in 1" "$(given simple)"
check "described when plans are made anew" "$wide" "$(given "described again")"
check "executed when plans are made anew" "$wide in 5" "$(given "executed again")"
check "no cursor has them" "n:20 in 1" "$(given "a cursor")"
check "nor PREPARE" "n:20 in 1" "$(given PREPARE)"
check "nor a view" "$plain in 5" "$(given "a view")"
check "a prepared statement keeps them when the setting changes" "$wide in 5" "$(given "as prepared")"
check "until it is made anew" "0A000" "$(given "made anew")"
check "without the setting nothing has them" "$plain|$plain in 5" "$(given without)|$(given "executed without")"
check "nothing failed" "" "$(grep '^failed' <<<"$seen" || true)"

# pgbench's protocols: each execution of each is answered.
echo "SELECT region, count(*) AS n, 100.0 * count(*) FILTER (WHERE employed) / count(*) AS share FROM private.cps GROUP BY region ORDER BY n;" >"$CLUSTER/asked.sql"
chmod 644 "$CLUSTER/asked.sql"
for protocol in simple extended prepared; do
  before=$(sql "SELECT charges()")
  check_match "pgbench -M $protocol" "number of transactions actually processed: 6/6" \
    "$(PGUSER=ana PGOPTIONS='-c dpmix.intervals=on' pgbench -n -M $protocol -t 6 -f "$CLUSTER/asked.sql" 2>&1)"
  check "once each" 6 "$(($(sql "SELECT charges()") - before))"
done

# Columns in their place: after all others, before none; ORDER BY, HAVING, LIMIT and names as before.
ask() { PGUSER=ana psql -XAtq -F ' ' -c "SET dpmix.intervals = on" "$@"; }
columns() { PGUSER=ana psql -XAtq <<<"SET dpmix.intervals = on; $1 \\gdesc" | cut -d'|' -f1 | tr '\n' ' '; }
check "after all others" "r n m n_low n_high m_low m_high " "$(columns "SELECT region AS r, count(*) AS n, avg(wage) AS m FROM private.cps GROUP BY region ORDER BY sum(hours)")"
check "of what has an interval" "share q a t share_low share_high q_low q_high " "$(columns "SELECT sum(wage) / count(*) AS share, percentile_disc(0.5) WITHIN GROUP (ORDER BY wage) AS q, abs(count(*)) AS a, count(*)::text AS t FROM private.cps")"
check "not of results" "max " "$(columns "SELECT max(n) FROM (SELECT count(*) AS n FROM private.cps GROUP BY region) AS s")"
check "through rows of a sub-select" "n n_low n_high " "$(columns "WITH rows AS (SELECT * FROM private.cps WHERE wage > 3) SELECT count(*) AS n FROM (SELECT hours FROM rows) AS s")"
check "not where all columns count" "region count |n " "$(columns "SELECT DISTINCT region, count(*) FROM private.cps GROUP BY region")|$(columns "SELECT count(*) AS n FROM private.cps UNION ALL SELECT 1")"
check "not where no row is read" "n " "$(columns "SELECT count(*) AS n FROM private.cps WHERE 1 <> 1")"
check "and it is answered" 0 "$(ask -c "SELECT count(*) FROM (SELECT * FROM private.cps LIMIT 0) AS s")"
check "they hold the answer, and are sorted along" "t" "$(ask -c "SELECT region, count(*) AS n FROM private.cps WHERE region IS NOT NULL GROUP BY region ORDER BY n LIMIT 3" | awk '$3 <= $2 && $2 <= $4 {n++} END {print (n == 3 && NF == 4) ? "t" : $0}')"
check "a function's statement has none" 1 "$(PGUSER=ana psql -XAtq <<<"SET dpmix.intervals = on; DO \$\$ DECLARE r record; BEGIN SELECT count(*) AS n INTO r FROM private.cps; CREATE TEMP TABLE made AS SELECT (SELECT count(*) FROM json_each(to_json(r))) AS columns; END \$\$; TABLE made;")"

# The facade's comment, where the owner wants it.
comment() { sql "SELECT obj_description('private.cps'::regclass, 'pg_class')"; }
check "no comment by itself" "" "$(comment)"
PGUSER=olga sql "SELECT dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9, intervals => true)" >/dev/null
check_match "intervals => true says how to ask" "dpmix.low\(count\(\*\)\).*dpmix.high.*dpmix.intervals.*dpmix.suppress" "$(comment)"
PGUSER=olga sql "SELECT dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9)" >/dev/null
check "all settings are stated anew" "" "$(comment)"
PGUSER=olga sql "COMMENT ON VIEW private.cps IS 'wages'; SELECT dpmix.expose('cps', default_epsilon => 1, default_delta => 1e-9)" >/dev/null
check "another comment stays" "wages" "$(comment)"

# 40 counts of nobody at epsilon 0.5: each is within its noise of 0 with 95%; below 28 has a chance of 1e-8.
said=$(PGUSER=ana psql -Xq 2>&1 <<<"SET client_min_messages = notice; SET dpmix.epsilon = 0.5; $(for _ in $(seq 40); do echo "SELECT count(*) FROM private.cps WHERE note = 'nobody';"; done)" | grep -c 'count(\*) means little' || true)
check "counts of nobody mean little" t "$([ "$said" -ge 28 ] && echo t || echo "$said")"
said=$(PGUSER=ana psql -Xq 2>&1 <<<"SET client_min_messages = notice; SET dpmix.epsilon = 0.5; $(for _ in $(seq 40); do echo "SELECT sum(hours) FROM private.cps WHERE note = 'nobody';"; done)" | grep -c 'sum(hours) means little' || true)
check "so do sums" t "$([ "$said" -ge 28 ] && echo t || echo "$said")"
check "nothing broke" 0 "$(grep -cE 'XX000|PANIC|terminated by signal' "$CLUSTER/log" || true)"
