# What the observer asks, and under which settings. A kind of observation is release.role.buffers.setting: for example
# joined.ana.empty.workers2.
#
# Roles: ana has access, mona is a member of ana and of pg_monitor; sam is a stranger who watches a call of ana's.
# Buffers, before the call: `empty`, filled with other pages; `warm`, so too, but the process knows the question
# already, so that only its workers read the catalog; `full`, as the observation left them; `cold`, the server was
# restarted (where shared buffers are too many to be filled). `limits`: not how things are afterwards is observed, but
# with how much memory of each process there is an answer; `worker_limits`: of each but the release's own.
declare -A release setting

# --- Settings. Those that a database's owner may set are set so (ALTER DATABASE); "server:" begins the others. ---
forced="min_parallel_table_scan_size=0 parallel_setup_cost=0 parallel_tuple_cost=0"
setting[plain]=""  # PostgreSQL's defaults
setting[serial]="max_parallel_workers_per_gather=0"
for workers in 1 2 8; do
  setting[workers$workers]="$forced max_parallel_workers_per_gather=$workers"
  setting[leaderless$workers]="${setting[workers$workers]} parallel_leader_participation=off"
done
setting[tiny]="${setting[leaderless2]} server:shared_buffers=2MB"
setting[roomy]="${setting[leaderless2]} server:shared_buffers=128MB"
setting[debug]="${setting[workers2]} client_min_messages=debug5 debug_print_parse=on debug_print_rewritten=on debug_print_plan=on trace_sort=on trace_notify=on"
setting[jit]="${setting[leaderless2]} jit_above_cost=0 jit_inline_above_cost=0 jit_optimize_above_cost=0"

# --- Releases. ---
ask() { echo "SELECT FROM dpmix.query(\$\$ SELECT $1 \$\$, .01${2:+, $2}) AS t(n ${3:-bigint})"; }
among="ill AND region = 'r0'"
release[control]="SELECT watch.leaky()"
release[groups]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_count(*), dp_sum(wage) FROM people WHERE ill GROUP BY region \$\$, .01) AS t(region text, n bigint, wage float8)"
release[long]=$(ask "dp_count(*) FROM people WHERE $among AND strpos(note, 'z') = 0")
release[distinct]=$(ask "dp_count_distinct(u) FROM people WHERE $among")
release[different]=$(ask "dp_count_distinct(note) FROM people WHERE $among")
release[median]=$(ask "dp_median(wage) FROM people WHERE $among" "" float8)
release[histogram]=$(ask "dp_histogram(wage, '{0,20,50,100}') FROM people WHERE $among" "" "bigint[]")
release[joined]=$(ask "dp_count(*) FROM people JOIN longs ON longs.id = people.k WHERE $among AND strpos(longs.long, 'z') <= people.k")
release[left_joined]=$(ask "dp_count(zone) FROM people LEFT JOIN short ON short.id = people.k WHERE $among")
release[temporary]="CREATE TEMP TABLE own_short AS SELECT * FROM short; ALTER TABLE own_short ADD PRIMARY KEY (id); $(ask "dp_count(zone) FROM people LEFT JOIN own_short AS o ON o.id = people.k WHERE $among")"
release[units]=$(ask "dp_count(*) FROM visits WHERE $among")
release[units_in_groups]="SELECT FROM dpmix.query(\$\$ SELECT zone, dp_count(*), dp_sum(wage) FROM visits JOIN short ON short.id = visits.person WHERE $among GROUP BY zone \$\$, .01, max_groups => 1) AS t(zone text, n bigint, wage float8)"
release[two_tables]=$(ask "dp_sum(cost) FROM visits AS v JOIN buys AS b ON v.person = b.person WHERE v.ill AND v.region = 'r0'" "" float8)
# Layers: of people who are ill in r0, in one world nobody's rows are numbered, grouped and looked for. Noise hides how
# many there are: a NOTICE that the answer means little would say it.
among_few() { echo "SELECT FROM dpmix.query(\$\$ SELECT $1 \$\$, .0001) AS t(n ${2:-bigint})"; }
numbered="(SELECT person, place, wage, row_number() OVER (PARTITION BY person ORDER BY wage, place) AS k,
  lag(wage) OVER (PARTITION BY person ORDER BY place, wage) AS was FROM visits WHERE $among)"
release[layers]=$(among_few "dp_sum(n) FROM (SELECT person, count(*) AS n FROM $numbered AS s WHERE k <= 2 GROUP BY person
  HAVING count(DISTINCT place) > 0 AND max(wage) >= min(wage)) AS x
  WHERE EXISTS (SELECT FROM buys AS b WHERE b.person = x.person AND b.ill)" float8)
release[grouped]=$(among_few "dp_sum(n) FROM (SELECT person, count(*) AS n, sum(wage) AS s FROM visits WHERE $among GROUP BY person
  HAVING max(wage) >= min(wage)) AS x WHERE s > 10" float8)
release[windows]=$(among_few "dp_count(*) FROM $numbered AS s WHERE was IS DISTINCT FROM wage")
release[without]=$(among_few "dp_count(*) FROM visits AS v WHERE $among AND NOT EXISTS
  (SELECT FROM buys AS b WHERE b.person = v.person AND b.cost > 100)
  AND person IN (SELECT person FROM buys WHERE ill UNION SELECT person FROM visits WHERE ill)")
release[json]="SELECT count(*) FROM dpmix.query_json(\$\$ SELECT region, dp_count(*) AS n, dp_avg(wage) AS wage FROM people WHERE ill GROUP BY region \$\$, .01)"
# A miss, whose answer is kept, and a hit.
pay="\$\$ SELECT dp_count(*) AS n, dp_sum(pay) AS s FROM pays WHERE sex = 'F' AND pay > 50 \$\$, .01"
release[remembered]="SELECT FROM dpmix.query($pay) AS a(n bigint, s float8), dpmix.query_json($pay) AS b"
release[discovered]="SELECT count(n) FROM dpmix.query('SELECT place, dp_count(*) FROM visits GROUP BY place', 50, 1e-6, keys => 'discover') AS t(place text, n bigint)"
release[gmm]="SELECT FROM dpmix.release_gmm('m' || txid_current(), 'public.pays', '{pay}', 1, 1e-6, label => 'sex')"
release[tree]="SELECT FROM dpmix.release_tree('t' || txid_current(), 'public.pays', '{pay}', 1, 1e-6, label => 'sex', bins => 'equal')"
release[regression]="SELECT FROM dpmix.release_regression('r' || txid_current(), 'public.pays', 'ln(pay + 1)', '{pay,pay^2}', 1, 1e-6, label => 'sex')"
release[survival]="SELECT FROM dpmix.release_survival('l' || txid_current(), 'public.pays', 'pay', 'sex', 1, 1e-6, bins => 10, censored => 'F')"
release[copula]="SELECT count(pay) FROM dpmix.synthesize(NULL::pays, 1000, 1, 1e-6, columns => '{pay}', label => 'sex', method => 'copula')"
release[logistic]="SELECT FROM dpmix.release_regression('o' || txid_current(), 'public.pays', 'pay > 50', '{pay}', 1, 1e-6, 'logistic', label => 'sex')"
release[coordinate]="SELECT FROM dpmix.release_regression('d' || txid_current(), 'public.pays', 'pay > 50', '{pay}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 2)"
release[logistic_of_units]="SELECT FROM dpmix.release_regression('u' || txid_current(), 'public.visits', 'wage > 50', '{ill,wage}', 1, 1e-6, 'logistic')"
release[coordinate_of_units]="SELECT FROM dpmix.release_regression('v' || txid_current(), 'public.visits', 'wage > 50', '{ill,wage}', 1, 1e-6, 'logistic', method => 'coordinate', passes => 2)"
# Of what each person did: rows, and several of each. Noise hides how many there are: a model says what it is good for.
release[source]="SELECT FROM dpmix.release_regression('s' || txid_current(), target => 'n', terms => '{w}', epsilon => .0001, delta => 1e-6, source => \$\$ SELECT person, count(DISTINCT place) AS n, max(wage) AS w FROM visits WHERE $among GROUP BY person \$\$)"
release[source_of_rows]="SELECT FROM dpmix.release_tree('s' || txid_current(), columns => '{k,wage}', epsilon => .0001, delta => 1e-6, bins => 'equal', source => \$\$ SELECT person, wage, row_number() OVER (PARTITION BY person ORDER BY place) AS k FROM visits WHERE $among \$\$)"
release[cda]="SELECT count(pay) FROM dpmix.cda(NULL::pays, '{pay}', 1000, 1, 1e-6, label => 'sex')"
release[compared]="SELECT count(*) FROM dpmix.compare_private('pays', 'synthetic', 1, 1e-6, 'sex')"
# What workers may need first when a row comes through: enum, collated, numeric, and one row of many under default
# costs.
release[types]="SELECT FROM dpmix.query(\$\$ SELECT mood, dp_count(*), dp_sum(amount) FROM people WHERE $among AND town < 't5' GROUP BY mood \$\$, .01) AS t(mood mood, n bigint, amount float8)"
release[crowd]="SELECT FROM dpmix.query(\$\$ SELECT region, dp_count(*) FROM crowd WHERE name = 'p77' AND ill GROUP BY region \$\$, .01) AS t(region text, n bigint)"
# A pattern and a time zone that no process knows yet.
day="date '2020-01-01' + k"
release[times]=$(ask "dp_count(*) FROM people WHERE $among AND to_char($day, 'FMMonth YYYY') <> 'May' AND extract(hour FROM ($day)::timestamp AT TIME ZONE 'Asia/Kathmandu') < 24")
# 5 MB for a row that is met, which need not be had for others.
long_text="(\$1 || region)"
for i in {1..20}; do long_text="left($long_text, $((250000 - i)))"; done
release[texts]=$(ask "dp_count(*) FROM people WHERE CASE WHEN $among AND id = 7 THEN length($long_text) > 5 ELSE false END" "params => ARRAY[repeat('x', 250000)]")

# --- The control's leaks (observer.sql), and where each shows. ---
declare -A leak
leak[pages]='probe.*long 15.*Read Blocks'
leak[counters]='view.*longs.*seq_tup_read'
leak[contents]='contents.*(longs|pg_toast).*buffers'
leak[worker]='probe.*pg_enum.*(Hit|Read) Blocks'
leak[lock]='during.*advisory.* 4242'
leak[file]='pg_stat_database.*temp_bytes'
leak[message]='said.*found in the open'
leak[debug]='said.*found in words for few'
leak[memory]='limits.least'
leak_is_there() {  # class setting [limits]
  case $1 in
    memory) [ "${3:-}" = limits ] ;;
    debug) [ "$2" = debug ] ;;
    worker) [ "${3:-}" != limits ] && [[ $2 != @(serial|tiny) ]] ;;
    pages) [ "${3:-}" != limits ] && [ "$2" != tiny ] ;;  # of 2 MB the probes themselves use up too much
    *) [ "${3:-}" != limits ] ;;
  esac
}

# --- Kinds. Of releases every one, in the long form, under every setting; otherwise a fixed choice, of each a little.
# ---
limits=8 widest=$((1 << 18))  # kB above what the postmaster has
controls=(control.ana.empty.{leaderless2,debug} control.ana.limits.serial)
kinds=(joined.ana.empty.workers2 source.ana.empty.leaderless2 types.mona.warm.leaderless2 times.ana.empty.leaderless2 units.sam.empty.workers2 remembered.ana.empty.debug
  layers.ana.empty.serial grouped.ana.empty.serial layers.mona.warm.leaderless2 crowd.ana.warm.plain texts.ana.limits.serial texts.ana.worker_limits.leaderless2)
if [ -n "${DPMIX_SOAK:-}" ]; then
  limits=20 widest=$((1 << 20))
  controls=(control.ana.limits.serial control.ana.limits.leaderless2)
  kinds=()
  for name in $(printf '%s\n' "${!setting[@]}" | sort); do
    cold=$([[ ${setting[$name]} = *=128MB* ]] && echo cold || true)
    controls+=("control.ana.${cold:-empty}.$name")
    for asked in $(printf '%s\n' "${!release[@]}" | grep -v control | sort); do
      kinds+=("$asked.ana.${cold:-warm}.$name")
      [[ $name != @(serial|leaderless2) ]] || kinds+=("$asked".{ana.empty,mona.full,sam.empty,ana.limits}."$name")
      [ $name != leaderless2 ] || kinds+=("$asked.ana.worker_limits.$name")
    done
  done
fi
