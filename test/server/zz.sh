. /tmp/wt/hostile/test/server/hostile_lib.sh
hostile_cluster
PGUSER=olga session <<'SQL'
\timing on
SELECT 'SELECT count(*) FROM people WHERE id = 1' || repeat(' OR id = 2', 100000) AS q \gset
:q;
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1' || repeat(' OR id = 2', 20000), .1) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1' || repeat(' OR id = 2', 100000), .1) AS t(n bigint);
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1' || repeat(' OR wage = 2', 100000), .1) AS t(n bigint);
set statement_timeout='100ms';
SELECT n FROM dpmix.query('SELECT dp_count(*) FROM people WHERE id = 1' || repeat(' OR wage = 2', 100000), .1) AS t(n bigint);
SQL
