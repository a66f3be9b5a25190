-- dpmix.cda: every type of column, as a number or by its categories, in the table's own types.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;

CREATE TYPE cda_mood AS ENUM ('sad', 'calm', 'happy');
CREATE DOMAIN cda_percent AS integer CHECK (value BETWEEN 0 AND 100);
CREATE DOMAIN cda_price AS numeric(8, 2);
CREATE DOMAIN cda_vote AS boolean;
CREATE DOMAIN cda_town AS varchar(6) CHECK (value <> 'nowhere');
CREATE DOMAIN cda_feeling AS cda_mood CHECK (value <> 'sad');
CREATE TABLE cda_kinds (
    small smallint, whole integer, big bigint, single real, double float8, plain numeric, fixed numeric(10, 2),
    share cda_percent, price cda_price, flag boolean, vote cda_vote, day date, moment timestamp, instant timestamptz,
    dropped text,
    mood cda_mood, word text, code varchar(4), padded char(3), tag name, letter "char", key uuid,
    weekday date, grade integer, rate numeric, town cda_town, feeling cda_feeling, truth boolean,
    twice integer GENERATED ALWAYS AS (2 * whole) STORED,
    class text GENERATED ALWAYS AS (CASE WHEN whole < 600 THEN 'low' ELSE 'high' END) STORED
);
ALTER TABLE cda_kinds DROP COLUMN dropped;
INSERT INTO cda_kinds
SELECT i % 100, i % 1000, i % 1000 * 1e12::bigint, i % 10, i % 1000 / 10.0, i % 1000 / 100.0, i % 1000,
       i % 100, i % 1000 / 8.0, i % 10 = 0, i % 100 < 98, date '2024-01-01' + i % 300,
       timestamp '2024-01-01' + i % 300 * interval '1 day', timestamptz '2024-01-01 00:00+00' + i % 300 * interval '1 hour',
       CASE WHEN i % 1000 < 600 THEN 'sad' WHEN i % 50 = 0 THEN 'happy' ELSE 'calm' END::cda_mood,
       CASE WHEN i % 100 < 90 THEN 'O''Hara' WHEN i % 100 < 99 THEN '' ELSE 'naïve \n' END,
       CASE i % 4 WHEN 0 THEN 'a' ELSE 'long' END, CASE i % 3 WHEN 0 THEN 'x' ELSE 'y z' END, CASE i % 2 WHEN 0 THEN 'odd' ELSE 'even' END,
       CASE i % 5 WHEN 0 THEN 'p' ELSE 'q' END::"char", ('00000000-0000-0000-0000-00000000000' || i % 4)::uuid,
       date '2024-02-28' + i % 3, CASE WHEN i % 20 = 0 THEN 5 ELSE 1 + i % 2 END, CASE i % 2 WHEN 0 THEN 1.50 ELSE 2.25 END,
       CASE WHEN i % 8 < 7 THEN 'Ulm' ELSE 'Bonn' END, CASE i % 5 WHEN 0 THEN 'happy' ELSE 'calm' END::cda_mood, i % 50 < 49
FROM generate_series(0, 19999) AS i;

SELECT dpmix.protect('cda_kinds', 1e6, 1e-2);
SELECT dpmix.set_bounds('cda_kinds', c, 0, u)
FROM (VALUES ('small', 99), ('whole', 999), ('big', 999e12), ('single', 9), ('double', 100), ('plain', 10), ('fixed', 999),
             ('share', 100), ('price', 125), ('twice', 2000)) AS t(c, u);
SELECT dpmix.set_bounds('cda_kinds', 'day', date '2024-01-01', date '2024-12-31'),
       dpmix.set_bounds('cda_kinds', 'moment', timestamptz '2024-01-01', timestamptz '2024-12-31'),
       dpmix.set_bounds('cda_kinds', 'instant', timestamptz '2024-01-01 00:00+00', timestamptz '2024-01-14 00:00+00');
SELECT dpmix.set_categories('cda_kinds', c, v::text[])
FROM (VALUES ('mood', '{sad,calm,happy}'), ('word', '{O''Hara,"","naïve \\n"}'), ('code', '{a,long,none}'), ('padded', '{x,"y z"}'),
             ('tag', '{odd,even}'), ('letter', '{p,q}'), ('class', '{low,high}'),
             ('key', '{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002,00000000-0000-0000-0000-000000000003}'),
             ('weekday', '{2024-02-28,2024-02-29,2024-03-01}'), ('grade', '{1,2,5}'), ('rate', '{1.5,2.25}'), ('town', '{Ulm,Bonn}'),
             ('feeling', '{calm,happy}'), ('truth', '{t,f}')) AS t(c, v);

-- All columns but two are features, the label is generated: types, domains and attributes are the
-- table's own, also under other settings than those of the declarations.
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Tokyo';
CREATE TABLE cda_kinds_out AS
SELECT * FROM dpmix.cda(NULL::cda_kinds, '{small,whole,big,single,double,plain,fixed,share,price,flag,vote,day,moment,instant,mood,word,code,padded,tag,letter,key,weekday,grade,rate,town,feeling,truth}', 6001, 20000, 1e-6, label => 'class');
RESET datestyle;
RESET timezone;
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type
FROM pg_attribute AS a WHERE attrelid = 'cda_kinds'::regclass AND attnum > 0 AND NOT attisdropped
EXCEPT
SELECT a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_attribute AS a WHERE attrelid = 'cda_kinds_out'::regclass AND attnum > 0;
SELECT class, count(*), count(twice) AS twice FROM cda_kinds_out GROUP BY class ORDER BY class;

-- Numbers within their bounds, on the grid of their type, and no NULL.
SELECT count(*) AS bad FROM cda_kinds_out
WHERE (small BETWEEN 0 AND 99 AND whole BETWEEN 0 AND 999 AND big BETWEEN 0 AND 999e12 AND single BETWEEN 0 AND 9
       AND double BETWEEN 0 AND 100 AND plain BETWEEN 0 AND 10 AND fixed BETWEEN 0 AND 999 AND scale(fixed) = 2
       AND share BETWEEN 0 AND 100 AND price BETWEEN 0 AND 125 AND scale(price::numeric) = 2
       AND flag IS NOT NULL AND vote IS NOT NULL AND day BETWEEN '2024-01-01' AND '2024-12-31'
       AND moment BETWEEN '2024-01-01' AND '2024-12-31' AND instant BETWEEN '2024-01-01 00:00+00' AND '2024-01-14 00:00+00') IS NOT true;

-- Shares of all values of each column in each class, and no value but declared ones.
CREATE FUNCTION cda_values(relation regclass) RETURNS TABLE (class text, name text, value text, share float8)
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($q$
        SELECT r.class, v.name, v.value, count(*) / sum(count(*)::float8) OVER (PARTITION BY r.class, v.name)
        FROM %s AS r, LATERAL (VALUES ('mood', mood::text), ('word', word), ('code', code), ('padded', padded::text), ('tag', tag::text),
             ('letter', letter::text), ('key', key::text), ('weekday', weekday::text), ('grade', grade::text),
             ('rate', rate::numeric(5, 2)::text), ('town', town::text), ('feeling', feeling::text), ('truth', truth::text), ('flag', flag::text), ('vote', vote::text)) AS v(name, value)
        GROUP BY r.class, v.name, v.value $q$, relation);
END $$;
SELECT s.class, s.name, s.value, t.share AS truth, s.share AS synthetic
FROM cda_values('cda_kinds') AS t FULL JOIN cda_values('cda_kinds_out') AS s USING (class, name, value)
WHERE abs(coalesce(t.share, 0) - coalesce(s.share, 0)) > .07 OR s.value IS NULL AND t.share > .07;
-- What belongs together stays together: the sad are low.
SELECT count(*) FILTER (WHERE (mood = 'sad') <> (class = 'low')) < 420 AS mood
FROM cda_kinds_out;

-- A label that is NULL: one class; the target of a regression is a feature. Demixed.
SELECT abs(corr(double, whole) - 1) < .01 AS line, abs(regr_slope(double, whole) - .1) < .005 AS slope, count(class) AS labels
FROM dpmix.cda(NULL::cda_kinds, '{whole,double}', 5000, 20000, 1e-6, demix => 'per_class', mix => 50);
-- Rows that average twenty records, demixed or not, have the rare values too, where a majority vote
-- would have none: of one record in 125, of one in 50. All tolerances are seven deviations or more.
SELECT demix, avg((mood = 'happy')::int) BETWEEN .001 AND .016 AS happy, abs(avg((mood = 'sad')::int) - .6) < .02 AS sad,
       abs(avg(truth::int) - .98) < .015 AS truth, count(*) - count(mood) AS none
FROM unnest(ARRAY['none', 'per_class', 'tied']) AS demix,
     LATERAL dpmix.cda(NULL::cda_kinds, '{mood,truth}', 10000, 20000, 1e-6, mix => 20, demix => demix)
GROUP BY demix ORDER BY demix;
-- More rows than are waited for; a single category, records of others being incomplete.
SELECT dpmix.set_categories('cda_kinds', 'tag', '{odd}');
SELECT count(*), count(*) FILTER (WHERE tag = 'odd') AS odd, abs(avg((word = '')::int) - .1) < .03 AS empty, abs(avg(flag::int) - .2) < .03 AS flag
FROM dpmix.cda(NULL::cda_kinds, '{tag,word,flag}', 20000, 20000, 1e-6);

-- Bounds make a column a number that has both; without bounds it is as good as its categories.
SELECT dpmix.set_bounds('cda_kinds', 'grade', 1, 5);
SELECT count(DISTINCT grade) > 3 AS a_number FROM dpmix.cda(NULL::cda_kinds, '{grade}', 1000, 20000, 1e-6);
SELECT count(DISTINCT rate) AS rates FROM dpmix.cda(NULL::cda_kinds, '{rate}', 1000, 20000, 1e-6);

-- The noise is that of the features' number, however many categories they have.
SELECT count(DISTINCT mu) AS mu, count(DISTINCT charge_cost) AS cost
FROM (SELECT * FROM dpmix.preview($$SELECT * FROM dpmix.cda(NULL::cda_kinds, '{mood,key}', 100, 1, 1e-6, label => 'class')$$)
      UNION ALL SELECT * FROM dpmix.preview($$
          SELECT * FROM dpmix.cda(NULL::cda_kinds, '{double,whole}', 100, 1, 1e-6, label => 'class')$$)) AS p;

-- Shortened records: two equal numbers, of which no norm but half the largest is left; on record.
SELECT abs(avg(whole) - 721.2) < 15 AS shortened
FROM dpmix.cda(NULL::cda_kinds, '{whole,big}', 4000, 20000, 1e-6, label => 'class', mix => 1000, clip => .5) WHERE class = 'high';
SELECT parameters ->> 'clip' AS clip, parameters ->> 'class_rows' AS class_rows, parameters -> 'features' AS features FROM dpmix.ledger
WHERE relation = 'public.cda_kinds' ORDER BY id DESC LIMIT 1;

-- A category that the domain of the column refuses, and a record that is longer than a row may be.
SELECT dpmix.set_categories('cda_kinds', 'feeling', '{calm,happy,sad}'),
       dpmix.set_categories('cda_kinds', 'code', ARRAY(SELECT i::text FROM generate_series(1, 4096) AS i));
SELECT * FROM dpmix.cda(NULL::cda_kinds, '{feeling}', 100, 1, 1e-6);
SELECT * FROM dpmix.cda(NULL::cda_kinds, '{whole,code}', 100, 1, 1e-6);

-- Mixtures are of numbers only: as before.
SELECT dpmix.release_gmm('cda kinds', 'cda_kinds', '{mood}', 1, 1e-6);

SELECT dpmix.unprotect('cda_kinds');
DROP TABLE cda_kinds, cda_kinds_out;
DROP FUNCTION cda_values(regclass);
DROP DOMAIN cda_percent, cda_price, cda_vote, cda_town, cda_feeling;
DROP TYPE cda_mood;
