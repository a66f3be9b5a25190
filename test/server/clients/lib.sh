# Sourced by tests of clients: the table of plain/lib.sh, and the clients themselves from their registries, kept in
# build/clients. Without the runtime or the registry a test says so, and is over.
. test/server/plain/lib.sh

skip() { echo "ok - skipped: $*"; exit 0; }

installed() {  # folder, what it holds: whether that was installed
  [ -f "build/clients/$1/.installed" ] && [ "$(cat "build/clients/$1/.installed")" = "$2" ]
}

python_packages() {  # folder package...: a virtual environment; PYTHON is its interpreter
  local folder=build/clients/$1 log
  PYTHON=$PWD/$folder/bin/python
  ! installed "$1" "${*:2}" || return 0
  command -v python3 >/dev/null || skip "there is no python3"
  mkdir -p build/clients
  exec 9>"build/clients/$1.lock"  # two tests may need the same folder at the same time
  flock 9
  ! installed "$1" "${*:2}" || { exec 9>&-; return 0; }
  rm -rf "$folder"
  log=$(python3 -m venv "$folder" 2>&1) || skip "python3 makes no virtual environment: ${log:0:200}"
  log=$("$folder/bin/pip" install -q "${@:2}" 2>&1) || skip "pip installs no ${*:2}: $(tail -n 1 <<<"$log")"
  echo "${*:2}" >"$folder/.installed"
  exec 9>&-
}

node_packages() {  # folder package...: node_modules
  local folder=build/clients/$1 log
  command -v node >/dev/null || skip "there is no node"
  ! installed "$1" "${*:2}" || return 0
  command -v npm >/dev/null || skip "there is no npm"
  rm -rf "$folder"
  mkdir -p "$folder"
  log=$(npm install --prefix "$folder" --no-save --silent --no-audit --no-fund "${@:2}" 2>&1) || skip "npm installs no ${*:2}: $(tail -n 1 <<<"$log")"
  echo "${*:2}" >"$folder/.installed"
}

jdbc_driver() {  # version: DRIVER is pgjdbc's jar, by Debian's package or by Maven
  local folder=build/clients/jdbc log
  command -v java >/dev/null || skip "there is no java"
  [ -n "$(java --list-modules 2>/dev/null | grep '^jdk.compiler')" ] || skip "java has no compiler: a JDK is needed"
  DRIVER=/usr/share/java/postgresql.jar
  [ ! -f "$DRIVER" ] || return 0
  DRIVER=$PWD/$folder/postgresql-$1.jar
  [ ! -f "$DRIVER" ] || return 0
  command -v mvn >/dev/null || skip "there is neither libpostgresql-jdbc-java nor mvn"
  log=$(mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact="org.postgresql:postgresql:$1" \
    -DoutputDirectory="$folder" 2>&1) && [ -f "$DRIVER" ] || skip "Maven has no pgjdbc: $(head -n 1 <<<"$log")"
}

listen() {  # the cluster listens at a free port of this machine: PGPORT; for clients without Unix sockets
  local tries
  for tries in 1 2 3 4 5; do
    export PGPORT=$((20000 + RANDOM % 20000))
    printf '%s\n' "listen_addresses = '127.0.0.1'" "port = $PGPORT" >>"$CLUSTER/data/postgresql.conf"
    ! cluster_restart 2>/dev/null || return 0
  done
  return 1
}

charges_now() { sql "SELECT public.charges()"; }

# From the lines of a client on stdin: "ok - ..." and "not ok - ..." for each of its checks, and "end" in the end.
client_checks() {  # name
  local ended="" line
  while IFS= read -r line; do
    case $line in
      "ok - "* | "not ok - "*) echo "${line/ - / - $1: }" ;;
      end) ended=1 ;;
      *) echo "# $line" ;;
    esac
  done
  [ -n "$ended" ] || echo "not ok - $1: it stopped before its end"
}
