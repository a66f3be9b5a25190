#!/usr/bin/env bash
# ana joins people with a public table of her own. Which of its pages are in shared buffers afterwards, that she emptied
# before, EXPLAIN (ANALYZE, BUFFERS) shows: a long value is stored out of line, and read if a row meets it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/silence/lib.sh
silent_cluster
people_with "letter text" "chr(97 + (8 * random() - .5)::int)" 40
PGUSER=ana session <<'SQL'
CREATE TABLE pages (id int, letter text, long text, PRIMARY KEY (letter, id));
ALTER TABLE pages ALTER long SET STORAGE EXTERNAL;
INSERT INTO pages SELECT id, chr(96 + letter), repeat(md5(letter || ' ' || id), 1000) FROM generate_series(1, 8) AS letter, generate_series(1, 40) AS id;
CREATE TABLE page (id int PRIMARY KEY);
INSERT INTO page SELECT generate_series(1, 40);
SELECT dpmix.declare_public('pages'), dpmix.declare_public('page') \g /dev/null
SQL
settle

long_of() { echo "$explain SELECT length(long || '') FROM pages WHERE id = $1 AND letter = '$2';"; }
letters() {
  local id letter
  for ((id = 1; id <= 40; ++id)); do
    {
      long_of 0 a  # catalogs first
      echo "$evict;"
      call "SELECT dp_count(*) FROM people AS p JOIN pages AS q ON q.id = p.id AND q.letter = p.letter WHERE p.id = $id AND strpos(q.long, '0') <= p.id * 1000"
      long_of 0 a
      for letter in a b c d e f g h; do
        echo "\\echo letter $letter"
        long_of "$id" $letter
      done
    } | ana | awk '/^letter/ { letter = $2; read = 0 } letter && / read=/ { sub(/.*read=/, ""); read += $1 }
                   letter { of[letter] = read } END { best = "a"; for (l in of) if (of[l] < of[best]) best = l; print best }'
  done >"$CLUSTER/letters"
}
fair_calls "joins with long values" letters
learns_nothing "which long values were joined" 8 "$(sql "SELECT letter FROM people ORDER BY id")" "$(cat "$CLUSTER/letters")"

bits() {
  local id
  for ((id = 1; id <= 40; ++id)); do
    {
      echo "$evict;"
      call "SELECT dp_count(*) FROM people AS p JOIN page AS q ON q.id = p.id WHERE p.id = $id AND p.ill"
      echo "$explain SELECT count(*) FROM page;"
    } | ana | read_of_plan | awk '{ print -$1 }'
  done | bits_of >"$CLUSTER/bits"
}
fair_calls "joins with a short table" bits
learns_nothing "whether the other table was read" 2 "$(who_is_ill)" "$(cat "$CLUSTER/bits")"
