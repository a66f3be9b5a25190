#!/usr/bin/env bash
# A release of a regression of 50 terms beside averages of the same columns: bench/regression/speed.sh [rows]
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
rows=${1:-1000000}
cluster_start shared_buffers=1GB max_parallel_workers_per_gather=2 max_parallel_workers=4 max_worker_processes=16
psql -qX <<SQL
CREATE EXTENSION dpmix;
SELECT format('CREATE TABLE wide AS SELECT %s, random() AS y FROM generate_series(1, $rows) i',
              string_agg(format('random() AS x%s', i), ', ')) FROM generate_series(1, 50) i \gexec
VACUUM ANALYZE wide;
SET client_min_messages = warning;
SELECT dpmix.protect('wide', 1e6, .1, accountant => 'gdp') \g /dev/null
SELECT count(dpmix.set_bounds('wide', attname, 0, 1)) FROM pg_attribute
WHERE attrelid = 'wide'::regclass AND attnum > 0 \g /dev/null
\o /dev/null
\timing on
SELECT format('SELECT %s FROM wide', string_agg(format('avg(x%s)', i), ', ')) FROM generate_series(1, 50) i \gexec
\o
\echo averages of 50 columns, above; regressions of 50 columns, of 49 expressions, and a logistic one of 50 columns, below
SELECT quality FROM dpmix.release_regression('a', 'wide', 'y', ARRAY(SELECT 'x' || i FROM generate_series(1, 50) i), 1, 1e-6);
SELECT quality FROM dpmix.release_regression('b', 'wide', 'y', ARRAY(SELECT 'x' || i FROM generate_series(1, 50) i), 1, 1e-6);
SELECT quality FROM dpmix.release_regression('c', 'wide', 'ln(1 + y)', ARRAY(SELECT format('ln(1 + x%s)', i) FROM generate_series(1, 49) i), 1, 1e-6);
SELECT quality FROM dpmix.release_regression('d', 'wide', 'y > 0.5', ARRAY(SELECT 'x' || i FROM generate_series(1, 50) i), 1, 1e-6, kind => 'logistic');
SELECT count(dpmix.predict('a', w)) FROM wide w;
SQL
