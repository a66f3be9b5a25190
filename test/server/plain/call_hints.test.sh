#!/usr/bin/env bash
# A wrong call of a function of dpmix is told the right one, from the first statement of a session on: each function by
# its arguments as the catalog has them, and those of a misspelt name.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/checks.sh
cluster_start
sql "CREATE EXTENSION dpmix; CREATE ROLE ana LOGIN; ALTER ROLE ana SET session_preload_libraries = 'dpmix'"
hint() { PGUSER=${2:-ana} psql -XAtqc "$1" 2>&1 | sed -n 's/^HINT:  //p'; }
plain="No function matches the given name and argument types. You might need to add explicit type casts."

# Each signature as name|argument,argument,... A text in place of a row type is refused in words of its own.
names() {  # of lines name(argument, argument, ...): their arguments' names, or types where they have none
  sed 's/timestamp with time zone/timestamptz/; s/timestamp without time zone/timestamp/' | awk '{
    name = $0; sub(/\(.*/, "", name); list = substr($0, length(name) + 2); sub(/\)$/, "", list)
    n = split(list, argument, ", "); line = name "|"
    for (i = 1; i <= n && argument[i] !~ /^OUT /; i++) {
      sub(/^(IN|INOUT) /, "", argument[i]); sub(/^"any"$/, i == 1 ? "x" : "y", argument[i]); sub(/ .*/, "", argument[i])
      line = line (i > 1 ? "," : "") argument[i]
    }
    gsub(/"/, "", line); print line
  }' | sort
}
sql "SELECT format('%s(%s)', proname, CASE WHEN proname = 'dp_count' AND pronargs = 0 THEN '*' ELSE pg_get_function_identity_arguments(oid) END)
     FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace AND NOT (coalesce(proargnames[1], '') = 'row_type' AND proargtypes[0] = 'text'::regtype)" |
  names >"$CLUSTER/declared"
check "there are functions" 1 "$(($(wc -l <"$CLUSTER/declared") > 90))"
sql "SELECT DISTINCT format('%s dpmix.%I(nothing_of_this_name => 1);', CASE prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, proname) FROM pg_proc WHERE pronamespace = 'dpmix'::regnamespace" >"$CLUSTER/calls"
PGUSER=ana psql -Xq -f "$CLUSTER/calls" >"$CLUSTER/said" 2>&1 || true
sed -n 's/^HINT:  Write //p' "$CLUSTER/said" | sed 's/, or \(CALL \)\?dpmix[.]/\n/g' | sed -E 's/^(CALL )?dpmix[.]//; s/[.]$//; s/ ?\[, /, /; s/\(\[/(/; s/\]\)$/)/' |
  names >"$CLUSTER/hinted"
check "each wrong call is told its arguments" "" "$(diff "$CLUSTER/declared" "$CLUSTER/hinted" || true)"

check "what must be given comes first" \
  "Write dpmix.release_tree(name text, relation regclass, columns name[], epsilon float8, delta float8 [, label name, bins text, source text, blocks text])." \
  "$(hint "SELECT dpmix.release_tree('m', 'visits', '{age}', 1, 1e-6, features => '{age}')")"
check "a misspelt name" "Write dpmix.revoke_audit(relation regclass, role regrole)." "$(hint "SELECT dpmix.revoke_adit('x', 'y')")"
check "of a procedure" "Write CALL dpmix.run_schedule(name text [, at timestamptz, retry boolean])." "$(hint "CALL dpmix.run_schedul('x')")"
check "an aggregate without its schema" "Write dpmix.dp_avg(x)." "$(hint "SELECT dp_avg(1)")"
check "in a function's body" "Write dpmix.explain_charge(id bigint)." "$(hint "DO 'BEGIN PERFORM dpmix.explain_charges(1); END'")"
check "a name like none" "$plain" "$(hint "SELECT dpmix.something_else(1)")"
check "a function of others" "$plain" "$(hint "SELECT release_tree(1)")"
check "no call" "" "$(hint "DROP FUNCTION dpmix.revoke_adit(text)")"
check "who catches it sees PostgreSQL's words" "$plain" "$(PGUSER=ana psql -XAtq 2>&1 <<'SQL' | sed -n 's/^NOTICE:  //p'
DO $$
DECLARE
    hint text;
BEGIN
    PERFORM dpmix.releases_of(1);
EXCEPTION WHEN undefined_function THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RAISE NOTICE '%', hint;
END $$;
SQL
)"
check "so do sessions without the library" "$plain" "$(hint "SELECT dpmix.revoke_adit('x', 'y')" postgres)"
