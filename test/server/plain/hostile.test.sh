#!/usr/bin/env bash
# The hostile texts of test/server/hostile as plain SQL over facades, over three fillings of the table. What a text asks
# above the aggregates is PostgreSQL's now, so more of them are answered; but nothing may fail inside, show a value that
# nobody declared, differ between fillings, or cost anything when it is refused.
set -euo pipefail

cd "$(dirname "$0")/../../.."
. test/server/hostile/queries_lib.sh
cluster_start "autovacuum = off" "session_preload_libraries = 'dpmix'"
psql -Xq -v ON_ERROR_STOP=1 -f test/server/hostile/queries.sql
cat test/server/hostile/queries.cases test/server/hostile/poisons.cases |
  psql -Xq -c "COPY line (text) FROM STDIN WITH (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"
sql "SELECT read_cases()" >/dev/null
psql -Xq -v ON_ERROR_STOP=1 -o /dev/null <<'SQL'
SET client_min_messages = warning;
CREATE SCHEMA private AUTHORIZATION olga;
GRANT USAGE ON SCHEMA private TO ana;
SET SESSION AUTHORIZATION olga;
SELECT dpmix.expose(t) FROM unnest('{people,visits,calls,posts}'::regclass[]) AS t;
RESET SESSION AUTHORIZATION;
-- Some texts change search_path.
CREATE FUNCTION ask_plain(query text) RETURNS asked LANGUAGE plpgsql SET search_path = private, dpmix, traps, public AS $$
DECLARE
    before bigint := public.charged();
    result public.asked;
BEGIN
    BEGIN
        EXECUTE format(E'SELECT coalesce(jsonb_agg(to_jsonb(t)), ''[]'') FROM (%s\n) AS t', replace(query, 'public.people', 'private.people'))
            INTO result.answers;
        result.state := 'answered';
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS result.detail = PG_EXCEPTION_DETAIL, result.hint = PG_EXCEPTION_HINT;
        result.state := SQLSTATE;
        result.message := SQLERRM;
    END;
    result.charges := public.charged() - before;
    RETURN result;
END $$;
CREATE OR REPLACE FUNCTION attack(filling text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    h record;
BEGIN
    FOR h IN SELECT n, query, keys FROM public.hostile ORDER BY n LOOP
        PERFORM set_config('dpmix.keys', h.keys, false), set_config('dpmix.delta', CASE h.keys WHEN 'discover' THEN '1e-12' ELSE '0' END, false);
        INSERT INTO public.outcome SELECT filling, h.n, public.ask_plain(h.query);
    END LOOP;
END $$;
SQL

for filling in plain wild empty; do
  PGUSER=olga sql "SELECT fill('$filling')" >/dev/null
  sql "VACUUM (ANALYZE, FREEZE) people"
  PGUSER=ana session >"$CLUSTER/said.$filling" <<SQL
SET client_min_messages = log;
SET dpmix.epsilon = 1e-4;
SELECT public.attack('$filling') \\g /dev/null
SQL
done

cases=$(sql "SELECT count(*) FROM hostile")
check "every case was asked over every filling" "$((3 * cases))" "$(sql "SELECT count(*) FROM outcome")"
# The attacker's functions may run over what is released: declared categories, and noise.
# So may dpmix's own notices: of categories that the text misspells, of numbers beyond declared bounds, of answers in
# which the noise is large, and of how large it is.
unexpected() {
  awk '/NOTICE: .*( is no declared category of column | no value within the declared bounds of column | means little( in [0-9]+ of [0-9]+ groups)?$| rows count for less$|no (group|row) is possible: nothing was charged$)|NOTICE: .*dpmix: charged/ { noticed = 1; next }
    noticed && /^(DETAIL|HINT): / { next }
    { noticed = 0 }
    /sprung: CANARY (F|M|north|south|low|high|t|f|<NULL>|-?[0-9.e+]*)$|^(LOCATION|CONTEXT): |^(SQL|PL\/pgSQL)|^$/ { next }
    { print }' "$CLUSTER"/said.*
}
check "nothing was said beside the answers, their price and what is released" "" "$(unexpected | head -n 5)"
# How often a query fits is a number of its own, which goes down by one a charge.
check "nor any value that nobody declared" "" "$(sed 's/[0-9]* more fit$//' "$CLUSTER"/said.* | grep -E '7777|CANARY-|CANARY CANARY' | head -n 5 || true)"
check "hundreds were answered, over each filling" t "$(sql "SELECT min(count) > 300 FROM (SELECT count(*) FROM verdict WHERE state = 'answered' GROUP BY filling) s")"
report "$cases cases are answered, or refused by dpmix or for what the text says" "SELECT n, filling, state, query, message FROM verdict
  WHERE state !~ '^(answered|PV00[2356]|42|0A|22|54000)' ORDER BY n"
report "what dpmix.query answers is answered here" "SELECT n, filling, state, query, message FROM verdict
  WHERE expected = 'yes' AND state <> 'answered' ORDER BY n"
report "and alike, whatever the rows" "SELECT n, query, string_agg(filling || ': ' || state || ' ' || coalesce(message, without_noise(answers)), ' | ' ORDER BY filling)
  FROM verdict WHERE state !~ '^22' GROUP BY n, query
  HAVING count(DISTINCT (state, message, detail, hint, CASE WHEN expected <> 'no' THEN without_noise(answers) END)) > 1 ORDER BY n"
report "no value that nobody declared is seen" "SELECT n, query, message, detail, hint, answers FROM verdict
  WHERE concat_ws(' ', replace(message, query, ''), detail, hint, without_noise(answers)) ~ 'CANARY|7777' AND query !~ 'CANARY' ORDER BY n"
# What PostgreSQL refuses as it computes with released values comes after; so do functions that ask themselves.
report "refusals are free" "SELECT n, filling, query, state, charges FROM verdict
  WHERE charges > 0 AND state ~ '^PV00[235]' AND query !~ 'to_xml|outside_query' ORDER BY n"
report "a refusal names what is refused and what to write instead" "SELECT DISTINCT n, query, message FROM verdict
  WHERE state IN ('PV002', 'PV003', 'PV005') AND (coalesce(detail, '') = '' OR coalesce(hint, '') = '' OR message ~ '(function|aggregate) \?|^this ') ORDER BY n"
check "no crash, no assertion, no internal error in the server's log" 0 "$(grep -cE 'PANIC|TRAP|terminated by signal|XX000|CANARY' "$CLUSTER/log" || true)"
