# Sourced: a throwaway Citus cluster, a coordinator and workers on 127.0.0.1, with this tree's dpmix on each.
# PG_CONFIG names a server that has Citus.
#
#   citus_start workers [setting...]   then psql talks to the coordinator
#   on_node n psql-argument...         0: the coordinator
#   sql, as role statement             at the coordinator
#   mark, sent                         the statements over shards that workers logged since

. test/server/lib/checks.sh

on_node() { psql -q -p $((PGPORT + $1)) "${@:2}"; }

citus_stop() {
  local data
  for data in "$CLUSTER"/data*; do
    [ ! -f "$data/postmaster.pid" ] || as_server "$BIN/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  done
  rm -rf "$CLUSTER"
}

citus_start() {
  local workers=$1 n data setting
  shift
  CLUSTER=$(mktemp -d /tmp/dpmix.XXXXXX)
  trap citus_stop EXIT
  trap 'exit 130' INT TERM
  chmod 755 "$CLUSTER"
  cluster_prefix "$CLUSTER/prefix"
  mkdir "$CLUSTER/socket"
  [ "$(id -u)" -ne 0 ] || chown "$cluster_user" "$CLUSTER" "$CLUSTER/socket"
  export PGHOST=$CLUSTER/socket PGUSER=postgres PGDATABASE=postgres PGPORT=${CITUS_PORT:-$((20000 + RANDOM % 20000))}
  export PGOPTIONS= PGTZ=UTC PSQLRC=/dev/null
  for ((n = 0; n <= workers; n++)); do
    data=$CLUSTER/data$n
    cluster_data "$data"
    {
      echo "listen_addresses = '127.0.0.1'"
      echo "port = $((PGPORT + n))"
      echo "unix_socket_directories = '$CLUSTER/socket'"
      echo "shared_preload_libraries = 'citus'"
      echo "citus.node_conninfo = 'sslmode=disable'"
      echo "max_worker_processes = 32"
      echo "autovacuum = off"
      echo "dpmix.memory_keep = 0"  # each question is charged
      for setting in "$@"; do echo "$setting"; done
    } >>"$data/postgresql.conf"
    as_server "$BIN/pg_ctl" -D "$data" -l "$CLUSTER/log$n" -w -t 60 start >/dev/null
    on_node "$n" -c 'CREATE EXTENSION citus'
  done
  psql -q -c "SELECT citus_set_coordinator_host('127.0.0.1', $PGPORT)" >/dev/null
  for ((n = 1; n <= workers; n++)); do
    psql -q -c "SELECT citus_add_node('127.0.0.1', $((PGPORT + n)))" >/dev/null
  done
  psql -q -c 'SET client_min_messages = warning; CREATE EXTENSION dpmix'
}

bad=0
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; bad=1; }
has() { if grep -qF -- "$2" <<<"$3"; then ok "$1"; else not_ok "$1"; echo "  no $2 in: ${3:0:600}"; fi; }
hasnt() { if grep -qE -- "$2" <<<"$3"; then not_ok "$1"; grep -oE -- ".{0,80}($2).{0,80}" <<<"$3" | head -3; else ok "$1"; fi; }
sql() { psql -qtA -v ON_ERROR_STOP=1 "$@"; }
as() { PGUSER=$1 psql -qtA -v VERBOSITY=verbose -c "$2" 2>&1; }
mark() { from_log=("$(wc -c <"$CLUSTER/log1")" "$(wc -c <"$CLUSTER/log2")"); }
logged() { sleep .2; for n in 1 2; do tail -c +$((from_log[n - 1] + 1)) "$CLUSTER/log$n"; done; }  # since the mark
sent() { logged | grep -E ' FROM \(*.*public\.[a-z_]+_1[0-9]{5} ' || true; }  # statements over shards
# Noise moves what is rounded to a whole number to the next one at most, of thousands of draws, and the rest less.
same_but_for_noise() {  # $1: name $2, $3: answers
  local differ
  differ=$(paste -d'\n' <(tr '|,{}' '\n' <<<"$2") <(tr '|,{}' '\n' <<<"$3") | awk 'NR % 2 { a = $0; next }
    a != $0 && (a !~ /^-?[0-9.e+-]+$/ || $0 !~ /^-?[0-9.e+-]+$/ || (a - $0) ^ 2 > (1.5 + .002 * a) ^ 2) { print a " and " $0 }')
  if [ -z "$differ" ] && [[ $2 != *ERROR* ]]; then ok "$1"; else not_ok "$1: ${2:0:300} / ${3:0:300} ($differ)"; fi
}
charges() {  # $1: whether of tables of this node
  sql -c "SELECT string_agg(format('%s of %s %s %s', n, epsilon, delta, mechanism), '; ' ORDER BY epsilon, delta, mechanism) FROM (
    SELECT count(*) AS n, c.epsilon, c.delta, c.mechanism FROM dpmix.charge c JOIN dpmix.protected_table t ON t.id = c.table_id WHERE t.table_name LIKE 'local%' = $1 GROUP BY 2, 3, 4) kinds"
}

# States that shards sent, merged, beside those that the same statement gives over the rows of one machine. Units that
# are weighed down (c9 ...) are counted in any of their groups, so over all of these.
make_parts() {
  sql >/dev/null <<'SQL'
CREATE TABLE part (place int, row jsonb);
CREATE FUNCTION merged(here int) RETURNS TABLE (key jsonb, name text, state text) LANGUAGE sql AS $$
  WITH value AS (SELECT CASE WHEN n !~ '^c\d+$' THEN row->'worker_column_1' END AS key, n AS name, jsonb_typeof(v) = 'array' AS is_state, CASE jsonb_typeof(v) WHEN 'array' THEN v->>0 ELSE v #>> '{}' END AS text
                   FROM part, jsonb_each(row) c(n, v) WHERE place = here AND n <> 'worker_column_1')
  SELECT key, name, CASE WHEN bool_or(is_state) THEN dpmix.merge(CASE WHEN is_state THEN text::dpmix.exact_state END)::text
                         ELSE sum(CASE WHEN NOT is_state THEN text::numeric END)::text END FROM value GROUP BY 1, 2
$$;
SQL
}
# Without GROUP BY the first column is no key.
row_of_part() {
  if [[ $1 == *"worker_subquery GROUP BY"* || $1 != *worker_subquery* ]]; then echo 'to_jsonb(s)'; else
    echo "(to_jsonb(s) - 'worker_column_1') || jsonb_build_object('first', to_jsonb(s)->'worker_column_1')"
  fi
}
# $1: statements since the mark, a regular expression. Place 1: what shards gave; 2: the same of local_ tables.
compare_parts() {
  local n statement
  rm -f "$CLUSTER/parts" "$CLUSTER/statements"
  for n in 1 2; do
    tail -c +$((from_log[n - 1] + 1)) "$CLUSTER/log$n" | grep -oE "$1" | while IFS= read -r statement; do
      on_node "$n" -tA -c "SELECT $(row_of_part "$statement") FROM ($statement) s" >>"$CLUSTER/parts"
      echo "$statement" >>"$CLUSTER/statements"
    done
  done
  psql -q -c 'TRUNCATE part' -c '\copy part (row) FROM '"'$CLUSTER/parts'"' WITH (FORMAT csv, DELIMITER E'"'\x01'"', QUOTE E'"'\x02'"')' -c 'UPDATE part SET place = 1'
  statement=$(head -1 "$CLUSTER/statements" | sed -E 's/public\.(patients|visits)_1[0-9]{5}/public.local_\1/g')
  sql -c "INSERT INTO part SELECT 2, $(row_of_part "$statement") FROM ($statement) s"
}
differ="(SELECT * FROM merged(1) EXCEPT SELECT * FROM merged(2)) UNION ALL (SELECT * FROM merged(2) EXCEPT SELECT * FROM merged(1))"
