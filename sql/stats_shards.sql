-- What a Citus cluster needs of the statistics aggregates, tested without one (test/server/scale/citus.sh has one).
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE SCHEMA shards_test;
SET search_path = shards_test, public;
\getenv source PG_ABS_SRCDIR
\set forms :source '/test/data/shard_forms.sql'
\set ECHO none
\i :forms
\set ECHO all

-- States travel: no aggregate that computes anything keeps one that has no text or binary form. merge, of states of
-- any type, is none of these: Citus gathers its rows.
SELECT p.oid::regprocedure FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_type t ON t.oid = a.aggtranstype
 WHERE p.pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND p.proname !~ '^dp_|_svg$|^merge$'
   AND (t.typtype = 'p' OR t.typinput = 0 OR t.typoutput = 0 OR t.typreceive = 0 OR t.typsend = 0 OR 'internal'::regtype = ANY (p.proargtypes::oid[]));

-- Each has one form for shards, with the same transition function, and without a combine function: Citus would
-- run one that has it inside worker_partial_agg, at several times the cost.
WITH mine AS (
  SELECT p.proname, a.aggtranstype, f.prosrc, a.aggcombinefn, a.agginitval FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid
    JOIN pg_proc f ON f.oid = a.aggtransfn
   WHERE p.pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND f.prosrc <> 'dpmix_outside_query')
SELECT m.proname, count(s) AS forms, bool_and(s.aggcombinefn = 0) AS as_it_stands, bool_and(s.agginitval = m.agginitval) AS same_start
  FROM mine m LEFT JOIN mine s ON s.proname = 'array_agg' AND s.prosrc = m.prosrc AND s.aggtranstype = m.aggtranstype
 WHERE m.proname <> 'array_agg' AND EXISTS (SELECT FROM forms f WHERE f.aggregate = m.proname) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM forms;

CREATE TABLE here AS SELECT *, id % 7 AS shard FROM rows_of(1, 5000);
CREATE TABLE nobody (LIKE here);

-- The same states, of some rows and of none
SELECT aggregate, count(*) AS states, bool_and(p.state = s.state) AS same
  FROM forms f, states_of('here', plain_form(f)) p JOIN LATERAL states_of('here', shard_form(f)) s ON s.class IS NOT DISTINCT FROM p.class
 GROUP BY 1 ORDER BY 1;
SELECT aggregate, p.state = s.state AS same FROM forms f, states_of('nobody', plain_form(f)) p, states_of('nobody', shard_form(f)) s ORDER BY 1;

-- As computed on seven shards, one of them empty, sent as text and as bytes, and joined
CREATE FUNCTION travelled(f forms) RETURNS text LANGUAGE plpgsql AS $$
DECLARE joined text; type text;
BEGIN
  EXECUTE format('SELECT pg_typeof(%s) FROM nobody', plain_form(f)) INTO type;
  EXECUTE format('SELECT dpmix_internal.joined_states(array_agg(s::text::%1$s))::text FROM (
      SELECT %2$s AS s FROM here GROUP BY shard UNION ALL SELECT %2$s FROM nobody) shards', type, plain_form(f)) INTO joined;
  EXECUTE format('CREATE TEMP TABLE sent AS SELECT dpmix_internal.array_agg(%s, %s) AS s FROM here GROUP BY shard', f.arguments, f.kind);
  CREATE TEMP TABLE received (LIKE sent);
  EXECUTE format('COPY sent TO %L (FORMAT binary)', current_setting('data_directory') || '/shards_test');
  COPY received FROM PROGRAM 'cat shards_test && rm shards_test' (FORMAT binary);  -- in the data directory
  EXECUTE 'SELECT CASE WHEN dpmix_internal.joined_states(s)::text = $1 THEN $1 END FROM (SELECT array_agg(e) AS s FROM received, unnest(s) e) all_shards'
     INTO joined USING joined;
  DROP TABLE sent, received;
  RETURN joined;
END $$;
SELECT aggregate, travelled(f) = state AS same FROM forms f, states_of('here', plain_form(f)) WHERE class IS NULL ORDER BY 1;

-- Text of a query, as other nodes get it: constants to the last bit with the digits that a scan over shards asks for,
-- and not with those that a session may ask for.
CREATE FUNCTION retold(f forms, digits int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE told text; state text;
BEGIN
  EXECUTE format('CREATE TEMP VIEW told AS SELECT %s AS s FROM here', shard_form(f));
  PERFORM set_config('extra_float_digits', digits::text, true);
  told := pg_get_viewdef('told'::regclass);
  PERFORM set_config('extra_float_digits', '1', true);
  EXECUTE format('SELECT s::text FROM (%s) t', rtrim(told, ';')) INTO state;
  DROP VIEW told;
  RETURN state;
END $$;
SELECT aggregate, retold(f, 3) = state AS same FROM forms f, states_of('here', plain_form(f)) WHERE class IS NULL ORDER BY 1;
SELECT retold(f, -13) = state AS same FROM forms f, states_of('here', plain_form(f)) WHERE class IS NULL AND aggregate = 'class_moments';

-- What cannot be merged
SELECT dpmix_internal.joined_states('{}'::dpmix.sum_state[]), dpmix_internal.joined_states(NULL::dpmix.count_state[]), dpmix_internal.joined_states('{NULL,"(1,2,0,1,-9,9)"}'::dpmix.sum_state[]);
SELECT dpmix_internal.joined_states('{"(1,2,0,1,-9,9)","(1,2,0,2,-9,9)"}'::dpmix.sum_state[]);
SELECT dpmix_internal.joined_states('{1,2}'::int[]);

SET client_min_messages = error;
DROP SCHEMA shards_test CASCADE;
