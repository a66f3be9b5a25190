#!/usr/bin/env bash
# Three years of nights over a table whose days have budgets of their own: each night pays its day once, so the
# schedule never runs out; over the same rows with one budget it ends after as many nights as charges_admitted says.
# Called by the simulated clock, through the real ledger.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
ledger_cluster "dpmix.ledger_idle_timeout = 1s" "TimeZone = 'UTC'"
nights=1095
session >/dev/null <<'SQL'
CREATE TABLE visits (at timestamptz, page text);
INSERT INTO visits SELECT timestamptz '2040-01-01' + i * interval '6 hours', 'home' FROM generate_series(0, 4 * 1095 - 1) i;
CREATE TABLE whole AS TABLE visits;
SELECT dpmix.protect('visits', 1, 1e-6, accountant => 'gdp', blocks => 'at', blocks_from => '2040-01-01'),
       dpmix.protect('whole', 1, 1e-6, accountant => 'gdp');
SQL

create() {  # name table where start [epsilon]: how many nights it is told
  sql "SELECT periods_left FROM dpmix.create_schedule('$1', \$c\$SELECT dpmix.query(\$q\$SELECT dp_count(*) AS n FROM $2 $3\$q\$,
    ${5:-0.5}, 1e-8, 'gaussian')\$c\$, '1 day', '$4', '$1')"
}
yesterday="WHERE at >= \$due - interval '1 day' AND at < \$due"
calls() {  # name first last: as statements of one session, nights from 2040-01-02 on
  local night
  for night in $(seq "$2" "$3"); do
    echo "CALL dpmix.run_schedule('$1', at => timestamptz '2040-01-01 03:00+00' + $night * interval '1 day');"
  done
}
became() { sql "SELECT string_agg(n || ' ' || state, ', ' ORDER BY n DESC) FROM (SELECT state, count(*) AS n FROM dpmix.schedule_runs WHERE name = '$1' GROUP BY state) s"; }

check "a schedule whose nights pay their own days never runs out" Infinity "$(create nightly visits "$yesterday" "2040-01-02 00:00+00")"
SECONDS=0
calls nightly 1 $nights | session >/dev/null
check "all of three years" "$nights stored" "$(became nightly)"
echo "# $nights nights in $SECONDS s"
check "each has paid one day" "$nights, $nights days" \
  "$(sql "SELECT count(*) || ', ' || (SELECT sum(upper(r) - lower(r)) FROM (SELECT range_agg(b) AS all FROM dpmix.charge g, unnest(g.blocks) b) x, unnest(x.all) r) || ' days' FROM dpmix.charge")"
check "which is the day before it was due" 0 "$(sql "SELECT count(*) FROM dpmix.schedule_runs r JOIN dpmix.charge g ON g.id = ANY (r.charge_ids)
  WHERE g.blocks <> int8multirange(int8range(r.period, r.period + 1))")"
check "and read its rows alone" t "$(sql "SELECT abs(avg(n) - 4) < 2 FROM nightly")"
check "it goes on" Infinity "$(sql "SELECT periods_left FROM dpmix.schedules WHERE name = 'nightly'")"

admitted=$(sql "SELECT dpmix.charges_admitted(1, 1e-6, 'gdp', 'gaussian', 0.5, 1e-8)")
check "the same nights again fit as often as a day's budget says" "$((admitted - 1))" \
  "$(for n in $(seq "$admitted"); do create "again$n" visits "$yesterday" "2040-01-02 00:00+00"; calls "again$n" 1 1 | session 2>/dev/null; done | grep -c Infinity)"
check "then the first day is spent" 0 "$(create late visits "$yesterday" "2040-01-02 00:00+00")"
check "and others are not" Infinity "$(create later visits "$yesterday" "2040-01-03 00:00+00")"

check "one budget for all rows is told to end" "$admitted" "$(create all_rows whole "" "2040-01-02 00:00+00")"
calls all_rows 1 $((admitted + 5)) | session >/dev/null 2>&1 || true
check "and ends there" "5 failed, $admitted stored" "$(became all_rows)"

# At 02:00 in Berlin a night meets two days, and each day two nights.
export PGTZ=Europe/Berlin
check "where a day pays twice and can, the nights go on" Infinity "$(create twice visits "$yesterday" "2041-01-01 02:00")"
check "at a price that a day can pay once" 1 "$(sql "SELECT dpmix.charges_admitted(1, 1e-6, 'gdp', 'gaussian', 0.9, 1e-8)")"
check "nights of whole days go on" Infinity "$(PGTZ=UTC create whole_days visits "$yesterday" "2045-01-01 00:00" 0.9)"
check "and those that cut days end" 1 "$(create cut_days visits "$yesterday" "2045-01-01 02:00" 0.9)"
calls cut_days 1827 1829 | session >/dev/null 2>&1 || true
check "as they do, and what was not charged to a day is left to the next night" "2 stored, 1 failed" "$(became cut_days)"
