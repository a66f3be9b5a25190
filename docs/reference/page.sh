#!/usr/bin/env bash
# Prints docs/reference.md: the prose of page.md.in, and what the catalog of the database that psql
# reaches says of dpmix, in which it must be installed. psql alone; the piece of src/sql that makes an
# object, or its section, says where it stands. docs/reference/make.sh runs it in a throwaway cluster.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Prose in lines of up to 120 bytes; none begins with what would make a list or a heading of it.
wrapped() {
  awk 'length($0) <= 120 || /^([|#<]|    )/ { print; next }
    {
      indent = /^- / ? "  " : ""
      line = $1
      for (i = 2; i <= NF; i++) {
        if (length(line) + 1 + length($i) > 120 && $i !~ /^([-+*#>|=]+|[0-9]+[.)])$/) { print line; line = indent $i }
        else line = line " " $i
      }
      print line
    }'
}

literally() { sed 's/\\/\\\\/g; s/\t/\\t/g'; }  # for COPY

{
  echo 'SET search_path = pg_catalog;'
  echo 'CREATE TEMP TABLE template (number int GENERATED ALWAYS AS IDENTITY, line text);'
  echo 'COPY pg_temp.template (line) FROM stdin;'
  literally <docs/reference/page.md.in
  printf '%s\n' '\.'

  # A line `-- Title ----...` begins a section of a piece.
  echo 'CREATE TEMP TABLE made (number int GENERATED ALWAYS AS IDENTITY, piece text, section text, name text);'
  echo 'COPY pg_temp.made (piece, section, name) FROM stdin;'
  for file in src/sql/*.sql; do
    awk -v piece="$(basename "$file" .sql)" '
      /^-- .* ---+$/ { section = $0; gsub(/^-- | -+$/, "", section) }
      match($0, /^ *CREATE (OR REPLACE )?(FUNCTION|PROCEDURE|AGGREGATE|VIEW|TABLE|TYPE|DOMAIN) dpmix\.[a-z_0-9]+/) {
        name = substr($0, 1, RLENGTH); sub(/.*\./, "", name); print piece "\t" piece "/" section "\t" name
      }' "$file"
  done
  printf '%s\n' '\.'

  cat docs/reference/page.sql
} | psql -XAtq -v ON_ERROR_STOP=1 | wrapped
