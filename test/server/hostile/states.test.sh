#!/usr/bin/env bash
# States from elsewhere may be anything: bytes and texts with bits flipped, cut off, lengthened, and then merged. Each
# is refused where it is read, or is a state that rows can make, which merges to another one. The server stands; nothing
# wraps around. DPMIX_SEED: other faults; `make soak` tries five times as many.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/server/lib/charges.sh
cluster_start "fsync = off" "autovacuum = off"
seed=${DPMIX_SEED:-1} tries=400
if [ -n "${DPMIX_SOAK:-}" ]; then seed=${DPMIX_SEED:-$RANDOM} tries=2000; fi
psql -Xq -v ON_ERROR_STOP=1 <<'SQL'
CREATE EXTENSION dpmix;
-- What COPY makes of bytes that a state was sent as
CREATE FUNCTION receive(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    file text := current_setting('data_directory') || '/received';
    large oid := lo_from_bytea(0, '\x5047434f50590aff0d0a00'::bytea || int4send(0) || int4send(0) || int2send(1::int2) ||
                                  int4send(length(bytes)) || bytes || int2send((-1)::int2));
    result text;
BEGIN
    PERFORM lo_export(large, file);
    PERFORM lo_unlink(large);
    EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
    DELETE FROM received RETURNING received.state::text INTO result;
    RETURN result;
END $$;
CREATE TABLE received (state dpmix.exact_state);
CREATE FUNCTION at_random(bytes bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
    n int := length(bytes);
    i int;
BEGIN
    CASE floor(random() * 6)::int
        WHEN 0 THEN RETURN substr(bytes, 1, floor(random() * n)::int);
        WHEN 1 THEN RETURN bytes || decode(md5(random()::text), 'hex');
        WHEN 2 THEN  -- a whole word of zeros, ones, or of what stands elsewhere
            i := 1 + 4 * floor(random() * (n / 4))::int;
            RETURN overlay(bytes PLACING (ARRAY['\x00000000'::bytea, '\xffffffff', '\x7fffffff', '\x80000000', substr(bytes || '\x0000'::bytea, 1 + floor(random() * (n - 4))::int, 4)])[1 + floor(random() * 5)::int] FROM i FOR 4);
        ELSE
            FOR k IN 0..floor(random() * random() * 5)::int LOOP
                i := floor(random() * 8 * n)::int;
                bytes := set_bit(bytes, i, 1 - get_bit(bytes, i));
            END LOOP;
            RETURN bytes;
    END CASE;
END $$;
CREATE FUNCTION at_random(word text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    letters text := '0123456789-,(){}|.e+ abfinx';
BEGIN
    FOR k IN 0..floor(random() * random() * 4)::int LOOP
        word := overlay(word PLACING repeat(substr(letters, 1 + floor(random() * length(letters))::int, 1), floor(random() * 3)::int)
                        FROM 1 + floor(random() * length(word))::int FOR floor(random() * 3)::int);
    END LOOP;
    RETURN word;
END $$;
CREATE TABLE states (type text, good text, sent bytea);
INSERT INTO states
    SELECT 'sum', s::text, dpmix_internal.state_send(s) FROM (SELECT dpmix_internal.lattice_sum(i, 0, 1, -9, 9) AS s FROM generate_series(1, 20) i) t UNION ALL
    SELECT 'squares', s::text, dpmix_internal.state_send(s) FROM (SELECT dpmix_internal.lattice_squares(i, 0, .5, -90, 90) AS s FROM generate_series(1, 20) i) t UNION ALL
    SELECT 'counts', s::text, dpmix_internal.state_send(s) FROM (SELECT dpmix_internal.cell_counts(i, '{0,20,4}') AS s FROM generate_series(1, 20) i) t UNION ALL
    SELECT 'moments', s::text, dpmix_internal.state_send(s)
      FROM (SELECT dpmix_internal.class_moments(i % 2, ARRAY[i, -i], '{1,2,2,1,50,-100,-100,100,100,50,0,0,1,1,50,0,0,1,1}') AS s FROM generate_series(1, 20) i) t UNION ALL
    SELECT 'sample', s::text, dpmix_internal.state_send(s) FROM (SELECT dpmix_internal.feature_sample(ARRAY[i % 7], '{1,1,1,1,80,-100,100,80,0,1,5,7}') AS s FROM generate_series(1, 20) i) t;
-- Rows of any state: from its text, as a number
CREATE FUNCTION rows_of(state text, type text) RETURNS numeric LANGUAGE sql AS $$
    SELECT CASE type WHEN 'sum' THEN split_part(split_part(state, '(', 2), ',', 1)::numeric WHEN 'squares' THEN split_part(state, ',', 2)::numeric
        WHEN 'counts' THEN (SELECT coalesce(sum(n), 0) FROM unnest(string_to_array(substring(state FROM '\{(.*)\}'), ',')::numeric[]) n)
        WHEN 'moments' THEN (SELECT coalesce(sum(m[1]::numeric), 0) FROM regexp_matches(state, '\{(\d+)\|', 'g') m) END $$;
CREATE TABLE outcome (type text, how text, fault text, outcome text, code text);
-- fault: bytes or text. Answers what became of it: refused when read, refused when merged, merged; else what is wrong.
CREATE FUNCTION attempt(type text, good text, bytes bytea, word text, OUT outcome text, OUT code text) LANGUAGE plpgsql AS $$
DECLARE
    state text;
    merged text;
    back text;
BEGIN
    outcome := 'refused when read';
    IF bytes IS NOT NULL THEN
        state := receive(bytes);
    ELSE
        EXECUTE format('SELECT %L::dpmix.exact_state::text', word) INTO state;
    END IF;
    outcome := 'cannot be read again';
    EXECUTE format('SELECT %L::dpmix.exact_state::text', state) INTO back;
    IF back <> state THEN RETURN; END IF;
    outcome := 'refused when merged';
    EXECUTE format('SELECT dpmix.merge(s::dpmix.exact_state)::text FROM unnest(ARRAY[%L, %L, %1$L]) s', good, state) INTO merged;
    outcome := 'merged out of range';
    EXECUTE format('SELECT %L::dpmix.exact_state::text', merged) INTO back;
    IF back <> merged OR rows_of(merged, type) <> 2 * rows_of(good, type) + rows_of(state, type) THEN RETURN; END IF;
    outcome := 'merged';
EXCEPTION WHEN OTHERS THEN
    code := SQLSTATE;
END $$;
SQL
{
  echo "SELECT setseed($seed / 1e6);"
  for type in sum squares counts moments sample; do
    cat <<SQL
INSERT INTO outcome SELECT type, 'bytes', f::text, a.* FROM (SELECT *, at_random(sent) AS f FROM states, generate_series(1, $tries) WHERE type = '$type' OFFSET 0) r, attempt(type, good, f, NULL) a;
INSERT INTO outcome SELECT type, 'text', f, a.* FROM (SELECT *, at_random(good) AS f FROM states, generate_series(1, $tries) WHERE type = '$type' OFFSET 0) r, attempt(type, good, NULL, f) a;
SQL
  done
} | psql -XqAt -v ON_ERROR_STOP=1 >"$CLUSTER/fuzz" 2>&1 || sed 's/^/# /' "$CLUSTER/fuzz"
check "$((tries * 10)) faulty states (seed $seed): each was tried, the server stood" $((tries * 10)) "$(sql 'SELECT count(*) FROM outcome')"
check 'each is refused, or a state that merges to another one' '' \
  "$(sql "SELECT DISTINCT type, how, outcome, code FROM outcome WHERE outcome NOT IN ('refused when read', 'refused when merged', 'merged') LIMIT 5")"
check 'refused as states, never as an internal error' '' \
  "$(sql "SELECT DISTINCT type, how, outcome, code FROM outcome WHERE code IS NOT NULL AND code NOT IN ('22P02', '22P03', '08P01', '22003', 'PV005', 'XX001', '22P04', '22021') LIMIT 5")"
check 'some of each are refused when read, when merged, and merge' t \
  "$(sql "SELECT count(DISTINCT (type, how, outcome)) >= 28 FROM outcome")"
sql "SELECT '# ' || how || ', ' || outcome || ' ' || coalesce(code, '') || ': ' || count(*) FROM outcome GROUP BY how, outcome, code ORDER BY how, outcome, code"
