#!/usr/bin/env bash
# What is derived from tables of more keys is what adds up over them, and ends are numbers of the answer's own type.
set -euo pipefail
. test/server/memory/lib.sh
memory_cluster
# 200 people, each in one shop, of whose rows some are of either kind: people of a kind do not add up to people.
PGUSER=olga sql "SET client_min_messages = warning;
  CREATE TABLE visits (id int PRIMARY KEY, shop text NOT NULL, member boolean NOT NULL, noon boolean NOT NULL, wage float8, paid float8,
    person int, city text);
  INSERT INTO visits SELECT i, (ARRAY['a', 'b', 'c', 'd'])[1 + i % 4], i / 800 % 2 = 1, i / 1600 % 2 = 1, i % 101, i % 89, i % 800,
      (ARRAY['x', 'y', 'z'])[1 + i % 3]
    FROM generate_series(1, 8000) i;
  SELECT dpmix.protect('visits', 1e6, 1e-2, accountant => 'gdp'), dpmix.set_categories('visits', 'shop', '{a,b,c,d}'),
         dpmix.set_categories('visits', 'city', '{x,y,z}'), dpmix.set_bounds('visits', 'wage', 0, 100),
         dpmix.set_bounds('visits', 'paid', 0, 100), dpmix.grant_access('visits', 'ana', NULL, 0, NULL)" >/dev/null
export PGUSER=ana

finer() { sql "SELECT FROM dpmix.query_json('SELECT shop, member, noon, $1 FROM visits GROUP BY 1, 2, 3', 60, 1e-9, mechanism => 'gaussian')" >/dev/null; }
charged() {  # AGGREGATE
  check "finer groups are charged: $1" 1 "$(paid finer "${1//\'/\'\'}")"
  check "coarser ones, too: $1" 1 "$(paid asked "SELECT shop, $1 FROM visits GROUP BY shop" .1)"
}
charged 'dp_count_distinct(person)'
charged 'dp_count_distinct(city)'
charged "dp_histogram(wage, '{0,50}')"
charged 'dp_median(wage)'

near() {  # WHAT AGGREGATE TRUTH WITHIN: the derived answer, its ends on both sides of it, and its true value near
  check "finer groups are charged: $1" 1 "$(paid finer "$2")"
  check "coarser ones are free: $1" 0 "$(paid asked "SELECT shop, $2 FROM visits GROUP BY shop" .1)"
  check "$1: near the truth, and between the ends" "4 t t t" "$(sql "SET client_min_messages = error;
    SELECT count(*), bool_and(l <= a AND a <= h), bool_and(h - l <= 2 * $4), bool_and(abs(a - $3) <= $4)
      FROM dpmix.query('SELECT shop, ($2)::float8, dp_low($2), dp_high($2) FROM visits GROUP BY shop', .1, 1e-9) AS t(r text, a float8, l float8, h float8)" | tr '|' ' ')"
}
near "numbers of rows" 'dp_count(*)' 2000 50
near "numbers of values" 'dp_count(wage)' 2000 50
near "numbers of pairs" 'dp_regr_count(paid, wage)' 2000 50
near "covariances" 'dp_covar(paid, wage)' 0 900
near "slopes" 'dp_regr_slope(paid, wage)' 0 1
