# For tests of pages: every fenced piece of SQL of a page runs, in its order, in $PGDATABASE.
. test/server/lib/checks.sh

# The database that pages speak of, of the owner `office` and the analyst ana, in a cluster of its own.
demo_database() {
  cluster_start
  export PGDATABASE=demo
  createdb demo
  psql -v ON_ERROR_STOP=1 -q -v cps="$PWD/test/data/cps1988.csv" -v iris="$PWD/test/data/iris.csv" -f demo/setup.sql >/dev/null
}

# run_page PAGE ROLE LEAST: as ROLE, or as the owner (`office`), the analyst (ana), the monitor or a superuser where a
# piece's first line says so. At least LEAST pieces.
run_page() {
  local page=$1 reader=$2 least=$3 ran=0 piece role name pieces
  pieces=$(mktemp -d "$CLUSTER/pieces.XXXXXX")
  awk -v to="$pieces" '/^```sql$/ { inside = 1; name = sprintf("%s/%03d_line_%d.sql", to, ++n, NR + 1); next }
                       /^```$/ { inside = 0 }
                       inside { print > name }' "$page"
  for piece in "$pieces"/*.sql; do
    role=$reader
    case $(head -n 1 "$piece") in
      "-- the owner") role=office ;;
      "-- the analyst") role=ana ;;
      "-- the monitor") role=monitor ;;
      "-- a superuser" | "-- the database's owner") role=postgres ;;
    esac
    ran=$((ran + 1))
    name=$(basename "$piece" .sql | cut -d_ -f2-)
    if PGUSER=$role psql -XAtq -v ON_ERROR_STOP=1 -f "$piece" >"$piece.out" 2>"$piece.err"; then
      echo "ok - $page, $name"
    else
      echo "not ok - $page, $name"
      cat "$piece" "$piece.err"
    fi
  done
  [ "$ran" -ge "$least" ] || echo "not ok - only $ran pieces of SQL found"
}

# piece PAGE N: the Nth fenced piece of SQL. fenced PAGE N...: a page of these pieces alone, in that order.
piece() { awk -v n="$2" '/^```sql$/ { inside = ++count == n; next } /^```$/ { inside = 0 } inside' "$1"; }
fenced() {
  local page=$1 n
  shift
  for n in "$@"; do printf '```sql\n%s\n```\n' "$(piece "$page" "$n")"; done
}
# fenced_statements PAGE: a page of the statements that PAGE has as indented examples, with their output below.
fenced_statements() {
  awk '/^    (SELECT|CREATE|CALL) / { print "```sql"; inside = 1 }
       inside { print substr($0, 5) }
       inside && /(;( *--.*)?|\\gx)$/ { print "```"; inside = 0 }' "$1"
}

says() {  # name, a condition on what the page made
  if [ "$(psql -XAtqc "SELECT $2" 2>&1)" = t ]; then echo "ok - $1"; else echo "not ok - $1: $2"; fi
}
