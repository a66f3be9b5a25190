#!/usr/bin/env bash
# Writes docs/reference.md from the COMMENTs of this tree's dpmix, in a throwaway cluster.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
cluster_start
psql -q -c 'CREATE EXTENSION dpmix'
docs/reference/page.sh >"$CLUSTER/reference.md"
cp "$CLUSTER/reference.md" docs/reference.md
