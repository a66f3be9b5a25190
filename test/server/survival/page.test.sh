#!/usr/bin/env bash
# Every fenced piece of SQL in docs/guide/survival.md runs: what the owner declares first, then as the analyst ana.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/page.sh
demo_database
fenced docs/guide/survival.md 2 1 3 >"$CLUSTER/page.md"
run_page "$CLUSTER/page.md" ana 3
says "a curve for each arm" "count(*) = 48 AND count(DISTINCT by) = 2 FROM dpmix.survival('trial')"
says "of 4000 patients" "abs(rows_estimated[1] + rows_estimated[2] - 4000) < 500 FROM dpmix.releases WHERE name = 'trial'"
says "the arms differ" "p_value < 1e-6 AND until = 48 FROM dpmix.survival_test('trial')"
says "months lived" "bool_and(low < mean_time AND mean_time < high AND high < 36) FROM dpmix.survival_mean('trial', 36)"
says "what happened and who is left are all" "bool_and(abs(survival + died + moved - 1) < .1) FROM (
  SELECT s.survival, (SELECT incidence FROM dpmix.survival_incidence('trial', 'died') i WHERE (i.by, i.time) = (s.by, s.time)) AS died,
    (SELECT incidence FROM dpmix.survival_incidence('trial', 'moved') i WHERE (i.by, i.time) = (s.by, s.time)) AS moved
  FROM dpmix.survival('trial') s) t"
says "a picture with two curves" "count(*) = 2 FROM regexp_matches(dpmix.draw('trial'), 'stroke-width=\"2\"><title>(new|old)<', 'g')"
