-- Weights of privacy units as a shard computes them, by windows over its rows: the largest whole numbers that keep the
-- norm of query_units.md, in exact arithmetic. test/unit/query/unit_weights_test.cpp says the same of one machine's.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;

-- Units of 1 to some 300 rows in up to 9 groups, of which two thirds pass
CREATE TEMP TABLE seen AS
SELECT u AS unit, abs(hashint8extended(i, u)) % (u % 9 + 1) AS place, abs(hashint8extended(i, u + 1000)) % 3 > 0 AS pass
  FROM generate_series(1, 120) u, generate_series(1, CASE WHEN u % 10 = 0 THEN u * 3 ELSE u % 12 + 1 END) i;

-- A bound: rows of a group that count in full (0: any), the norm or its square, which of the two, bits
CREATE FUNCTION weighed(most bigint, bound bigint, by_rows boolean, bits int)
    RETURNS TABLE (unit int, place bigint, rows bigint, weight int) LANGUAGE sql AS $$
  SELECT DISTINCT unit, place, n, dpmix_internal.norm_weight(n, norm, most, bound, by_rows, bits)
    FROM (SELECT *, dpmix_internal.norm_sum(n, most, by_rows) FILTER (WHERE r = 1) OVER (PARTITION BY unit) AS norm
            FROM (SELECT unit, place, pass, count(*) FILTER (WHERE pass) OVER (PARTITION BY unit, place) AS n,
                         row_number() OVER (PARTITION BY unit, place) AS r FROM seen) counted) summed
   WHERE pass
$$;

CREATE FUNCTION judged(most bigint, bound bigint, by_rows boolean, bits int)
    RETURNS TABLE (units bigint, kept boolean, largest boolean, bounded boolean) LANGUAGE sql AS $$
  WITH cut AS (SELECT *, CASE WHEN most > 0 THEN least(rows, most) ELSE rows END::numeric AS counted FROM weighed(most, bound, by_rows, bits)),
  -- Of rows of groups that are not cut: the unit's own weight. Where all are, the largest of them is near it.
  by_unit AS (
    SELECT unit, max(weight) FILTER (WHERE counted = rows) AS own, sum(weight * rows) AS l1, sum((weight * rows::numeric) ^ 2) AS l2,
           sum(CASE WHEN by_rows THEN counted ELSE counted ^ 2 END) AS norm, count(DISTINCT weight) FILTER (WHERE counted = rows) AS weights,
           min(weight) AS least FROM cut GROUP BY 1),
  limits AS (SELECT *, CASE WHEN by_rows THEN 2 ^ bits::numeric * bound ELSE 4 ^ bits::numeric * bound END AS most_of FROM by_unit)
  SELECT count(*), bool_and(CASE WHEN by_rows THEN l1 ELSE l2 END <= most_of),
         bool_and(own IS NULL OR own = 2 ^ bits OR CASE WHEN by_rows THEN (own + 1) * norm ELSE (own + 1) ^ 2 * norm END > most_of) AND max(weights) = 1,
         bool_or(least < 2 ^ bits)
    FROM limits
$$;
SELECT most, bound, by_rows, bits, j.* FROM (VALUES (0, 1, false, 20), (0, 25, false, 20), (0, 1600, false, 14), (0, 1000000, false, 20), (0, 5, true, 20), (0, 40, true, 10),
    (3, 27, false, 20), (3, 13, false, 20), (1, 9, true, 20), (7, 100, true, 13), (0, 0, false, 20)) b(most, bound, by_rows, bits),
  LATERAL judged(most, bound, by_rows, bits) j;

-- Any order, any plan, any number of other units
SELECT count(*), count(DISTINCT (unit, place)) FROM weighed(0, 25, false, 20);
CREATE TEMP TABLE before AS SELECT * FROM weighed(3, 27, false, 20);
CREATE TEMP TABLE mixed AS SELECT * FROM seen ORDER BY random();
TRUNCATE seen; INSERT INTO seen SELECT * FROM mixed WHERE unit % 2 = 0;
SELECT count(*) FROM (SELECT * FROM weighed(3, 27, false, 20) EXCEPT SELECT * FROM before) differ;
SET enable_hashagg = off; SET enable_incremental_sort = off; SET enable_sort = off;
SELECT count(*) FROM (SELECT * FROM weighed(3, 27, false, 20) EXCEPT SELECT * FROM before) differ;
RESET ALL;

-- Norms end at 2^63 - 1, where a unit counts for nothing: no number of rows raises.
SELECT dpmix_internal.norm_add(0, 3037000499, 0, false) AS below, dpmix_internal.norm_add(0, 3037000500, 0, false) AS beyond,
       dpmix_internal.norm_add(9223372036854775807, 9223372036854775807, 0, false) AS ends, dpmix_internal.norm_add(9223372036854775806, 1, 0, true) AS rows;
SELECT dpmix_internal.norm_weight(5, 9223372036854775807, 0, 1, false, 20) AS nothing, dpmix_internal.norm_weight(5, 9223372036854775806, 0, 1000000000000, false, 20) AS some,
       dpmix_internal.norm_weight(9223372036854775807, 100, 1000000, 1000000000000, false, 20) AS cut, dpmix_internal.norm_weight(0, 0, 0, 0, true, 0) AS none;
\set VERBOSITY terse
SELECT dpmix_internal.norm_add(0, -1, 0, false);
SELECT dpmix_internal.norm_weight(1, 1, -1, 1, false, 20);
SELECT dpmix_internal.norm_weight(1, 1, 0, 1, false, 21);

\set VERBOSITY default
-- Picked rows of a unit, in the order of a hash of their bytes: by the bytes, not by how they are stored
SELECT dpmix_internal.row_order(ROW(1, 'a'::text, NULL::float8)) = dpmix_internal.row_order(ROW(1, 'a'::text, NULL::float8)) AS same,
       count(DISTINCT dpmix_internal.row_order(ROW(i, i % 3, CASE WHEN i % 2 = 0 THEN 'x' END))) AS differ FROM generate_series(1, 5000) i;
CREATE TEMP TABLE stored (id int, note text);
ALTER TABLE stored ALTER note SET STORAGE EXTERNAL;
INSERT INTO stored SELECT i, repeat(chr(64 + i), i * 3000) FROM generate_series(1, 5) i;
CREATE TEMP TABLE packed (id int, note text);
INSERT INTO packed SELECT id, note || '' FROM stored;
SELECT bool_and(dpmix_internal.row_order(ROW(s.id, s.note)) = dpmix_internal.row_order(ROW(p.id, p.note))) AS same, bool_or(pg_column_size(s.note) <> pg_column_size(p.note)) AS stored_otherwise
  FROM stored s JOIN packed p USING (id);
CREATE TEMP TABLE visit AS SELECT 1 + (i * i) % 91 AS unit, i % 7 AS kind, (i % 50)::float8 AS cost, CASE WHEN i % 5 > 0 THEN i % 11 END AS days FROM generate_series(1, 2000) i;
CREATE FUNCTION picked(most int) RETURNS SETOF visit LANGUAGE sql AS $$
  SELECT unit, kind, cost, days FROM (SELECT *, row_number() OVER (PARTITION BY unit ORDER BY dpmix_internal.row_order(ROW(kind, cost, days, unit)), ROW(kind, cost, days, unit) USING *<) AS n FROM visit) v WHERE n <= most
$$;
CREATE TEMP TABLE once AS SELECT * FROM picked(3);
SELECT max(n) AS most, sum(n) = (SELECT sum(least(n, 3)) FROM (SELECT count(*) AS n FROM visit GROUP BY unit) v) AS none_left_out FROM (SELECT count(*) AS n FROM once GROUP BY unit) o;
-- Other units' rows, and their order, decide on nothing
CREATE TEMP TABLE shuffled AS SELECT * FROM visit WHERE unit % 4 > 0 ORDER BY random();
TRUNCATE visit; INSERT INTO visit SELECT * FROM shuffled;
SELECT count(*) AS differ FROM ((SELECT * FROM once WHERE unit % 4 > 0 EXCEPT ALL SELECT * FROM picked(3)) UNION ALL (SELECT * FROM picked(3) EXCEPT ALL SELECT * FROM once)) d;
-- No value of a column is picked before the others
SELECT count(DISTINCT kind) FROM (SELECT DISTINCT ON (unit) kind FROM picked(1)) first;

-- Sums of units, weighed, are the sums of weighed rows, to the bit: on lattices of whole numbers, of fractions, and of
-- the largest indices; of rows that are missing or out of bounds, and of weights from none to the largest.
CREATE TEMP TABLE paid AS SELECT i, 1 + (i * i) % 91 AS unit, i % 3 AS place,
       CASE WHEN i % 53 = 0 THEN 'NaN' WHEN i % 59 = 0 THEN NULL WHEN i % 61 = 0 THEN 'Infinity' WHEN i % 67 = 0 THEN '-Infinity' ELSE hashint8extended(i, 5) / 9.3e16 END::float8 AS x
  FROM generate_series(1, 3000) i;
CREATE FUNCTION summed(origin float8, step float8, reach float8) RETURNS TABLE (rows text, units text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    SELECT row(dpmix_internal.lattice_sum(x, %1$s), dpmix_internal.lattice_squares(x, %1$s))::text,
           row(dpmix_internal.lattice_sum(u, %2$s, w), dpmix_internal.lattice_squares(q, %2$s, w))::text
      FROM (SELECT place, unit, dpmix_internal.unit_sum(x, %2$s) FILTER (WHERE i %% 4 > 0) AS u, dpmix_internal.unit_squares(x, %2$s) FILTER (WHERE i %% 4 > 0) AS q,
                   dpmix_internal.norm_weight(count(*), dpmix_internal.norm_add(0, count(*), 0, false), 0, 400 * (unit %% 3), false, 20) AS w
              FROM paid GROUP BY place, unit) units FULL JOIN
           (SELECT place, x, dpmix_internal.norm_weight(n, dpmix_internal.norm_add(0, n, 0, false), 0, 400 * (unit %% 3), false, 20) AS v, unit
              FROM (SELECT *, count(*) OVER (PARTITION BY place, unit) AS n FROM paid) p WHERE i %% 4 > 0) rows ON false GROUP BY coalesce(units.place, rows.place)$q$,
    format('%L::float8, %L::float8, %L::float8, %L::float8, v', origin, step, -reach, reach), format('%L::float8, %L::float8, %L::float8, %L::float8', origin, step, -reach, reach));
END $$;
SELECT reach, count(*) AS groups, bool_and(rows = units) AS same, bool_and(rows ~ 'squares\(-?\d{9}' AND units !~ '^\("sum\(0') AS of_many
  FROM (VALUES (0, 1, 100), (50.1, 4.6659260988235475e-08, 1073741824), (.5, 1e-13, 9007199254740992), (3, 1, 0)) l(origin, step, reach), LATERAL summed(origin, step, reach) GROUP BY 1 ORDER BY 1;
-- Of no row; of one that is not the aggregate's own, which stays as it is
SELECT dpmix_internal.lattice_sum(u, 0, 1, -9, 9, 1048576) AS nobody, dpmix_internal.lattice_sum(NULL::bytea, 0, 1, -9, 9, 1) AS nothing, dpmix_internal.lattice_squares(NULL::bytea, 0, 1, -9, 9, 1) AS squares,
       dpmix_internal.lattice_sum(u, 0, 1, -9, 9, NULL) AS weightless FROM (SELECT dpmix_internal.unit_sum(NULL, 0, 1, -9, 9) AS u) none;
SELECT count(DISTINCT dpmix_internal.unit_sum_add(u, x, 0, 1, -9, 9)), count(DISTINCT dpmix_internal.unit_squares_add(q, x, 0, 1, -9, 9)),
       count(DISTINCT dpmix_internal.lattice_sum_add('sum(1,2,0,1,-9,9)', u, 0, 1, -9, 9, 3)::text), count(DISTINCT dpmix_internal.lattice_squares_add('squares(0,0,0,0,0,0,0)', q, 0, 1, -9, 9, 3)::text)
  FROM (SELECT dpmix_internal.unit_sum(7, 0, 1, -9, 9) AS u, dpmix_internal.unit_squares(7, 0, 1, -9, 9) AS q) one, (SELECT 2::float8 AS x FROM generate_series(1, 7)) alike;
\set VERBOSITY terse
SELECT dpmix_internal.unit_sum(1, 0, 1, 9, -9);
SELECT dpmix_internal.unit_squares(1, 0, 0, -9, 9);
SELECT dpmix_internal.unit_sum_add('\x00', 1, 0, 1, -9, 9);
SELECT dpmix_internal.lattice_sum('\x'::bytea, 0, 1, -9, 9, 1);
SELECT dpmix_internal.lattice_squares(dpmix_internal.unit_sum_add(decode(repeat('00', 24), 'hex'), 1, 0, 1, -9, 9), 0, 1, -9, 9, 1);
SELECT dpmix_internal.lattice_sum(dpmix_internal.unit_sum_add(decode(repeat('00', 24), 'hex'), 1, 0, 1, -9, 9), 0, 1, -i, 9, 1) FROM generate_series(8, 9) i;
