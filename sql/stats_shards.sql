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

-- States travel: no aggregate that computes anything keeps one that has no text or binary form.
SELECT p.oid::regprocedure FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_type t ON t.oid = a.aggtranstype
 WHERE p.pronamespace IN ('dpmix'::regnamespace, 'dpmix_internal'::regnamespace) AND p.proname !~ '^dp_|_svg$'
   AND (t.typtype = 'p' OR t.typinput = 0 OR t.typoutput = 0 OR t.typreceive = 0 OR t.typsend = 0 OR 'internal'::regtype = ANY (p.proargtypes::oid[]));

-- Each can be computed in the form for shards, which has no combine function: Citus would run one that has it inside
-- worker_partial_agg, at several times the cost.
SELECT p.proname, count(f) > 0 AS tested FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid LEFT JOIN forms f ON f.aggregate = p.proname
 WHERE p.pronamespace = 'dpmix_internal'::regnamespace AND a.aggtranstype = 'dpmix.exact_state'::regtype AND p.proname <> 'array_agg' GROUP BY 1 ORDER BY 1;
SELECT aggcombinefn = 0 AS as_it_stands FROM pg_aggregate WHERE aggfnoid::text = 'dpmix_internal.array_agg';
SELECT count(*) FROM forms;

CREATE TABLE here AS SELECT *, id % 7 AS shard FROM rows_of(1, 5000);
CREATE TABLE nobody (LIKE here);

-- The same states, of some rows and of none
SELECT aggregate, count(*) AS states, bool_and(p.state = s.state) AS same
  FROM forms f, states_of('here', plain_form(f)) p JOIN LATERAL states_of('here', shard_form(f)) s ON s.class IS NOT DISTINCT FROM p.class
 GROUP BY 1 ORDER BY 1;
SELECT DISTINCT s.state AS of_no_rows FROM forms f, states_of('nobody', shard_form(f)) s;

-- A state that is not an aggregate's own is left alone by all that changes those in place: one constant, seven calls
-- with equal arguments, one result each.
CREATE TABLE alike AS SELECT 1 AS class, 50::float8 AS x, '{50,50}'::float8[] AS v FROM generate_series(1, 7);
CREATE FUNCTION results(f forms) RETURNS TABLE (added bigint, on_shards bigint, combined bigint) LANGUAGE plpgsql AS $$
DECLARE state text;
BEGIN
  EXECUTE format('SELECT %s FROM here', plain_form(f)) INTO state;
  RETURN QUERY EXECUTE format('SELECT count(DISTINCT dpmix_internal.%1$s_add(%3$L::dpmix.exact_state, %2$s)::text),
      count(DISTINCT dpmix_internal.shard_state_add(%3$L::dpmix.exact_state, %2$s, %1$L::text)::text),
      count(DISTINCT dpmix_internal.state_combine(%3$L::dpmix.exact_state, CASE class WHEN 1 THEN %3$L::dpmix.exact_state END)::text)
      FROM alike', f.aggregate, f.arguments, state);
END $$;
SELECT aggregate, r.* FROM forms f, results(f) r ORDER BY 1;
SELECT p.oid::regprocedure AS not_called FROM pg_proc p
 WHERE p.prokind = 'f' AND p.proargtypes[0] = 'dpmix.exact_state'::regtype AND p.prorettype = 'dpmix.exact_state'::regtype
   AND NOT EXISTS (SELECT FROM forms WHERE p.proname IN (aggregate || '_add', 'shard_state_add', 'state_combine'));

-- As computed on seven shards, one of them empty, sent as text and as bytes, and joined
CREATE FUNCTION travelled(f forms) RETURNS text LANGUAGE plpgsql AS $$
DECLARE joined text;
BEGIN
  EXECUTE format('SELECT dpmix_internal.joined_states(array_agg(s::text::dpmix.exact_state))::text FROM (
      SELECT %1$s AS s FROM here GROUP BY shard UNION ALL SELECT %1$s FROM nobody) shards', plain_form(f)) INTO joined;
  EXECUTE format('CREATE TEMP TABLE sent AS SELECT dpmix_internal.array_agg(%s, %L::text) AS s FROM here GROUP BY shard', f.arguments, f.aggregate);
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

-- What cannot be merged, or computed
SELECT dpmix_internal.joined_states('{}'), dpmix_internal.joined_states(NULL), dpmix_internal.joined_states('{NULL,"sum(1,2,0,1,-9,9)"}');
SELECT dpmix_internal.joined_states('{"sum(1,2,0,1,-9,9)","sum(1,2,0,2,-9,9)"}');
SELECT dpmix_internal.array_agg(1::float8, 0::float8, 1::float8, -9::float8, 9::float8, 'lattice'::text);
SELECT dpmix_internal.array_agg(1, 0, 1, -9, 9, 'lattice_sum'::text);
SELECT dpmix_internal.array_agg(0::float8, 1::float8, -9::float8, 9::float8, 'lattice_sum'::text);
SELECT dpmix_internal.array_agg(1::float8, 0::float8, 1::float8, -9::float8, 9::float8, aggregate) FROM forms;
SELECT dpmix_internal.array_agg('lattice_sum'::text);
SELECT dpmix_internal.array_agg();

SET client_min_messages = error;
DROP SCHEMA shards_test CASCADE;
