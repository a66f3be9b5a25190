#!/usr/bin/env bash
# The worked example of CONTRIBUTING.md: what it says is all that an aggregate needs is all that it needs. Its C++ is
# built into a library beside dpmix, its SQL run as it is there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start "dpmix.memory_keep = '1d'"
example() {  # pattern of its first line: an indented piece
  sed -n '/^## An aggregate from nothing/,/^## A kind of release/p' CONTRIBUTING.md |
    awk -v first="$1" '/^    / || /^$/ { piece = piece substr($0, 5) "\n"; next } { if (piece ~ "^\n*" first) print piece; piece = "" }'
}
mkdir -p build/probes
cat >build/probes/geomean.cpp <<END
$(example '// dp_geomean')
extern "C" {
PG_MODULE_MAGIC;
PGDLLEXPORT void _PG_init(void);
void _PG_init(void) {}
}
END
check_command "its file compiles" g++ -std=c++20 -O2 -ffp-contract=off -fPIC -shared -Wno-register -Isrc -isystem /usr/include/eigen3 \
  -I"$("$PG_CONFIG" --includedir-server)" build/probes/geomean.cpp -o build/probes/geomean.so -L. -l:dpmix.so -Wl,-rpath,'$ORIGIN'
install -m 755 build/probes/geomean.so "$("$BIN/pg_config" --pkglibdir)"
echo "shared_preload_libraries = 'dpmix,geomean'" >>"$CLUSTER/data/postgresql.conf"
cluster_restart
export PGOPTIONS="-c client_min_messages=warning"
sql "CREATE EXTENSION dpmix" >/dev/null
check "its SQL runs" "" "$(sql "$(example 'CREATE AGGREGATE')")"
sql "CREATE TABLE t (g text, x float8, z float8, n int); INSERT INTO t SELECT (ARRAY['a', 'b'])[1 + i % 2], 1 + i % 100, i % 100, 1 + i % 9 FROM generate_series(1, 2000) i;
  SELECT dpmix.protect('t', 1e6, 1e-2, accountant => 'gdp'), dpmix.set_bounds('t', 'x', 1, 128), dpmix.set_bounds('t', 'z', 0, 128), dpmix.set_bounds('t', 'n', 1, 10), dpmix.set_categories('t', 'g', '{a,b,none}')" >/dev/null
ask() { sql "SELECT $2 FROM dpmix.query(\$\$SELECT $1 FROM t${3:-}\$\$, 1000, 1e-6) AS r(${4:-a float8})"; }
exact=$(sql "SELECT exp(avg(ln(x))) FROM t")
check "it answers" t "$(ask "dp_geomean(x)" "abs(a - $exact) < 0.1")"
check "of whole numbers" t "$(ask "dp_geomean(n)" "abs(a - (SELECT exp(avg(ln(n))) FROM t)) < 0.05")"
check "with its interval" t "$(ask "dp_geomean(x), dp_low(dp_geomean(x)), dp_high(dp_geomean(x), 0.99)" "low <= a AND a <= high AND high - low < 1" "" "a float8, low float8, high float8")"
check "with FILTER, of groups, in expressions and HAVING" "a|t" \
  "$(ask "g, dp_geomean(x) FILTER (WHERE n > 3) / dp_avg(x)" "g, a < 1" " GROUP BY g HAVING dp_geomean(x) > 3 AND dp_count(*) > 10 LIMIT 1" "g text, a float8")"
check "within the bounds where there is no row" t "$(ask "dp_geomean(x)" "a BETWEEN 0.999 AND 128.001" " WHERE g = 'none'")"
check_match "bounds that reach 0 are refused" "PV005: dp_geomean is of numbers above 0" "$(ask "dp_geomean(z)" a)"
check "and is free the second time" "0" "$(before=$(sql "SELECT count(*) FROM dpmix.charge"); ask "dp_geomean(x)" a >/dev/null; echo $(($(sql "SELECT count(*) FROM dpmix.charge") - before)))"
check_match "lists name it" "dp_histogram\(x, edges\) and dp_geomean\(x\), and dp_low" "$(ask "dp_mode(x)" a)"
check_match "preview prices it" "centred sum" "$(sql "SELECT string_agg(statistic, ' ') FROM dpmix.preview('SELECT dp_geomean(x) FROM t', 1, 1e-6)")"
check "and says how wide its interval is in a group of 500 rows" t \
  "$(sql "SELECT bool_and(interval_95 BETWEEN 0.1 AND 100) FROM dpmix.preview('SELECT dp_geomean(x) AS m FROM t', 1, 1e-6, group_rows => 500) WHERE output_column = 'm' AND statistic ~ 'groups of'")"
check_match "a NOTICE says where it means little" "dp_geomean\(x\) means little" \
  "$(PGOPTIONS= sql "SET dpmix.max_age = 0; SELECT * FROM dpmix.query('SELECT dp_geomean(x) FROM t', 0.0001, 1e-9) AS r(a float8)")"

# The files that it names are there, but for its own; and by what they are of aggregates that are there, there are no
# others.
files=$(sed -n '/^## An aggregate from nothing/,/^## A kind of release/s/^| \(`.*`\) | .*/\1/p' CONTRIBUTING.md | grep -oE '[a-z_/]+/[a-zA-Z_0-9.]+|CHANGELOG.md' | sort -u)
check "files that it names and nobody has" "" "$(for file in $files; do [ -e "$file" ] || echo "$file"; done | grep -v geomean)"
for name in dp_corr dp_regr_slope dp_regr_intercept; do
  check "of src, two files have $name" "src/pg/query/aggregates/pairs.cpp src/sql/40_query.sql" \
    "$(grep -rlw "$name" src --include=*.cpp --include=*.hpp --include='[0-9]*.sql' | grep -v 50_mixture | sort | paste -sd' ')"
done

# The same of a kind of release: what is named is there, and nothing else in src knows the word.
kinds=$(sed -n '/^## A kind of release/,/^## Dependencies/s/^| \(`.*`\) | .*/\1/p' CONTRIBUTING.md | grep -oE '[a-z_/]+/[a-zA-Z_0-9./]+|CHANGELOG.md' | sort -u)
check "files of a kind that it names and nobody has" "" "$(for file in $kinds; do [ -e "$file" ] || echo "$file"; done)"
check "it names some" t "$([ "$(wc -w <<<"$kinds")" -gt 15 ] && echo t)"
check "of src, but for what is its own, three files have survival" \
  "src/core/release/kinds.cpp src/sql/57_survival.sql src/sql/63_models.sql" \
  "$(grep -rliwE 'survival|release_survival' src --include=*.cpp --include=*.hpp --include='[0-9]*.sql' |
    grep -vE '^src/(core|pg)/survival/|^src/core/drawing/survival\.' | sort | paste -sd' ')"
