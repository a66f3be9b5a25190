. /tmp/wt/hostile/test/server/hostile_lib.sh
hostile_cluster
t() { local s=$(date +%s%N); "$@" >/dev/null 2>&1; echo "$(( ($(date +%s%N)-s)/1000000 )) ms: ${*:1:2}"; }
for i in 1 2 3; do
t sql "SELECT 1"
t sql "CREATE TABLE t (x int); SELECT dpmix.protect('t',1,0,accountant=>'basic')"
PGUSER=olga t sql "SELECT n FROM $counted"
PGUSER=olga t sql "SELECT n FROM $counted"
t sql "DROP TABLE t"
t all_charges
done
