#!/usr/bin/env bash
# clients/dpmix-policy: a policy as YAML goes out and in, says what would change, and keeps texts texts.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/clients/lib.sh
python_packages policy 'PyYAML>=6,<7'
cluster_start
sql "CREATE ROLE olga LOGIN; CREATE ROLE ana; CREATE ROLE \"no\"" >/dev/null
for database in one two; do
  sql "CREATE DATABASE $database" >/dev/null
  sql "CREATE EXTENSION dpmix; GRANT CREATE ON DATABASE $database TO olga" "$database" >/dev/null
  PGUSER=olga sql "CREATE SCHEMA \"Ward 1\"; CREATE TABLE \"Ward 1\".stay (id int PRIMARY KEY, patient int NOT NULL, day date, country text, code text, cost float8, at time);
    CREATE TABLE \"Ward 1\".place (id int)" "$database" >/dev/null
done
export PGUSER=olga PGDATABASE=one PYTHONDONTWRITEBYTECODE=1
sql "SET client_min_messages = error; SET search_path = \"Ward 1\"; SELECT dpmix.create_population('people', 1.5, 1e-6);
  SELECT dpmix.protect('stay', population => 'people', privacy_unit => 'patient', max_rows_per_unit => 5);
  SELECT FROM dpmix.declare('stay', '{\"day\": [\"2024-01-01\", \"2030-01-01\"], \"country\": [\"no\", \"se\", \"null\", \"true\", \"~\", \"\"], \"code\": [\"1\", \"01\", \"1e5\", \"1_000\", \"0x1f\", \"12:30:00\", \"- a\", \"ä: ü #\"], \"cost\": [1e-7, 1e22]}');
  SELECT dpmix.grant_access('stay', 'ana', .1), dpmix.grant_access('stay', '\"no\"', NULL, 0, NULL);
  SELECT dpmix.expose('stay', '\"Ward 1\".\"Stay\"', .1, 1e-9); SELECT dpmix.declare_public('place'); COMMENT ON TABLE stay IS E'two\nlines: \"yes\"'" one >"$CLUSTER/declared"
check "the first database is declared" "" "$(grep ERROR "$CLUSTER/declared" || true)"
policy() { "$PYTHON" clients/dpmix-policy "$@" 2>&1; }
status() { local status=0; policy "$@" >/dev/null || status=$?; echo $status; }
file=$CLUSTER/ward.yaml

policy export "Ward 1" -o "$file"
check "it is exported as the same text each time" "$(cat "$file")" "$(policy export "Ward 1")"
check "as YAML 1.1 it is the document itself" t "$(sql "SELECT dpmix.policy('\"Ward 1\"') = \$p\$$("$PYTHON" -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding="utf-8"))))' "$file")\$p\$::jsonb" one)"
check "nothing is to change where it came from" "nothing to change|0" "$(policy diff "$file" --prune)|$(status diff "$file" --prune)"
export PGDATABASE=two
check "elsewhere there is: status 1" 1 "$(status diff "$file")"
check_match "which says what, and what it needs" 'add    "Ward 1".place: declare_public +needs --allow public$' "$(policy diff "$file")"
check "a diff changes nothing" "{}" "$(sql "SELECT dpmix.policy()" two)"
check "without the word it is refused: status 2" 2 "$(status apply "$file")"
check_match "with the error, and what to write" 'HINT: .*allow => .\{public\}' "$(policy apply "$file" || true)"
check "applied" 0 "$(status apply "$file" --reason 'beds are no people' --allow public)"
check "there is nothing to change any more" 0 "$(status diff "$file" --prune)"
check "the same file comes back" "$(cat "$file")" "$(policy export "Ward 1")"
check "of a connection string, too" "$(cat "$file")" "$(PGDATABASE=nowhere policy -d "dbname=two user=olga" export "Ward 1")"

# By hand: words without quotes, JSON within, comments; a smaller budget; what is looser.
cat >"$CLUSTER/hand.yaml" <<'YAML'
# of the ward
schema: Ward 1
create_population:
  people: {epsilon: 1.2, delta: 1e-6, unit_type: int}
tables:
  stay:
    declare:
      day: [2024-01-01, 2030-01-01]    # dates are texts
      country: [no, se, "null", "true", "~", ""]
    grant_access:
      ana: {epsilon: 0.2}
      no: {min_epsilon: 0, max_charges_per_minute: null}
YAML
check "a hand-written file: two changes" 'change "Ward 1".stay: grant_access ana: epsilon 0.1 -> 0.2   needs --allow grants|change people: create_population: epsilon 1.5 -> 1.2' \
  "$(policy diff "$CLUSTER/hand.yaml" | sort | paste -sd'|')"
check "applied with a reason" 0 "$(status apply "$CLUSTER/hand.yaml" --reason "it's \$\$ needed" --allow grants,budget)"
check "the reason is on record" "it's \$\$ needed" "$(sql "SELECT reason FROM dpmix.budget_history ORDER BY at DESC LIMIT 1" two)"
check "back" 0 "$(status apply "$file" --reason again --allow budget)"
check "it is as it was" "$(cat "$file")" "$(policy export "Ward 1")"
for wrong in 'schema: a
schema: b' 'tables: {stay: {protect: {epsilon: 1, epsilon: 9}}}' 'tables: [' '- 1' 'tables: {"Ward 1.stay": {}}' 'schemas: x'; do
  echo "$wrong" >"$CLUSTER/wrong.yaml"
  check "refused: $(head -n 1 <<<"$wrong")" 2 "$(status apply "$CLUSTER/wrong.yaml")"
done
check "no file" 2 "$(status diff "$CLUSTER/none.yaml")"
check_match "a key that stands twice is named" 'epsilon stands twice' "$(echo 'tables: {stay: {protect: {epsilon: 1, epsilon: 9}}}' >"$CLUSTER/wrong.yaml"; policy diff "$CLUSTER/wrong.yaml" || true)"
check "it is as it was" "$(cat "$file")" "$(policy export "Ward 1")"

# The file of the guide.
awk '/^```yaml$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/guide/policy.md >"$CLUSTER/guide.yaml"
sql "CREATE SCHEMA clinic; CREATE TABLE clinic.patient (id int PRIMARY KEY, born date, sex text)" two >/dev/null
check "the guide's file is applied" 0 "$(status apply "$CLUSTER/guide.yaml")"
check "and is true" 0 "$(status diff "$CLUSTER/guide.yaml" --prune)"
