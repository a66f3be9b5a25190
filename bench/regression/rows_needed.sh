#!/usr/bin/env bash
# Which sizes give coefficients of regressions normal intervals: bench/regression/rows_needed.sh [releases]. Samples of
# the wage table; for each size, number of terms and epsilon how many coefficients have them, on average over the
# releases. Build with make first; some minutes. The table of docs/guide/regressions.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
. test/server/lib/cluster.sh
releases=${1:-20}
cluster_start "fsync = off"
export PGDATABASE=demo PGOPTIONS="-c client_min_messages=error"
createdb demo
psql -v ON_ERROR_STOP=1 -q -v cps="$PWD/test/data/cps1988.csv" -v iris="$PWD/test/data/iris.csv" \
  -f demo/setup.sql >/dev/null
PGUSER=office psql -XqAt -v ON_ERROR_STOP=1 <<SQL
CREATE TABLE seen (kind text, coefficients int, rows int, epsilon float8, shown int);
DO \$\$
DECLARE
    rows int;
    sampled regclass;
BEGIN
    FOREACH rows IN ARRAY '{300,1000,3000,10000,28155}'::int[] LOOP
        EXECUTE format('CREATE TABLE cps_%s AS SELECT * FROM cps ORDER BY md5(id::text) LIMIT %s', rows, rows);
        sampled := 'cps_' || rows;
        PERFORM dpmix.protect(sampled, 1e6, 1e-2, accountant => 'basic');
        PERFORM dpmix.declare(sampled, '{"wage": [50, 2500], "education": [0, 18], "experience": [0, 60],
            "region": ["northeast", "midwest", "south", "west"], "ethnicity": ["cauc", "afam"],
            "schooling": ["below 12 years", "12 years", "13 to 15 years", "16 years or more"]}');
    END LOOP;
END \$\$;
DO \$\$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM unnest('{300,1000,3000,10000,28155}'::int[]) AS rows,
        unnest('{0.25,1,4}'::float8[]) AS epsilon,
        (VALUES ('{education,experience}'::text[]), ('{education,experience,experience^2,ethnicity,region}'),
                ('{education,experience,experience^2,ethnicity,region,smsa,parttime,schooling}')) AS t (terms),
        (VALUES ('linear', 'ln(wage)'), ('logistic', 'wage > 600')) AS k (kind, target),
        generate_series(1, $releases) LOOP
        PERFORM dpmix.release_regression('one', ('cps_' || c.rows)::regclass, c.target, c.terms, c.epsilon, 1e-6,
                                         c.kind);
        INSERT INTO seen SELECT c.kind, count(*), c.rows, c.epsilon, count(*) FILTER (WHERE note IS NULL)
            FROM dpmix.regression('one');
        PERFORM dpmix.drop_release('one');
    END LOOP;
END \$\$;
\pset footer off
\pset format aligned
\pset tuples_only off
SELECT kind, coefficients, rows, epsilon, round(avg(shown), 1) AS with_intervals,
       count(*) FILTER (WHERE shown = coefficients) AS all_of_them
FROM seen GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
SQL
