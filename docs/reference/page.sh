#!/usr/bin/env bash
# Prints docs/reference.md: the prose of page.md.in, and what the catalog of the database that psql
# reaches says of dpmix, in which it must be installed. psql alone; which piece of src/sql makes an
# object says where it stands. docs/reference/make.sh runs it in a throwaway cluster.
set -euo pipefail
cd "$(dirname "$0")/../.."

literally() { sed 's/\\/\\\\/g; s/\t/\\t/g'; }  # for COPY

{
  echo 'SET search_path = pg_catalog;'
  echo 'CREATE TEMP TABLE template (number int GENERATED ALWAYS AS IDENTITY, line text);'
  echo 'COPY pg_temp.template (line) FROM stdin;'
  literally <docs/reference/page.md.in
  printf '%s\n' '\.'

  echo 'CREATE TEMP TABLE piece (piece text, title text);'
  echo 'COPY pg_temp.piece FROM stdin;'
  for file in src/sql/*.sql; do  # its first comment, up to the first full stop or colon
    printf '%s\t%s\n' "$(basename "$file" .sql)" "$(sed -n '/^-- /{s/^-- //; s/[.:].*//; p; q}' "$file" | literally)"
  done
  printf '%s\n' '\.'

  echo 'CREATE TEMP TABLE made (number int GENERATED ALWAYS AS IDENTITY, piece text, name text);'
  echo 'COPY pg_temp.made (piece, name) FROM stdin;'
  grep -iEo '^ *CREATE (OR REPLACE )?(FUNCTION|PROCEDURE|AGGREGATE|VIEW|TABLE|TYPE|DOMAIN) dpmix\.[a-z_0-9]+' src/sql/*.sql |
    sed 's,^.*/\(.*\)\.sql:.*dpmix\.\(.*\)$,\1\t\2,I'
  printf '%s\n' '\.'

  cat docs/reference/page.sql
} | psql -XAtq -v ON_ERROR_STOP=1
