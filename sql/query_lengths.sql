-- Bounds of a text column are those of its length: what is summed of lengths is clamped to them, and nothing else is.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE pages (id int PRIMARY KEY, url text, title varchar(40) NOT NULL, code char(6) NOT NULL, kind text NOT NULL);
INSERT INTO pages SELECT i, CASE WHEN i % 10 > 0 THEN repeat(CASE WHEN i % 2 = 0 THEN 'ü' ELSE 'u' END, i % 50) END, repeat('t', i % 30), repeat('c', 1 + i % 5), 'k' || i % 3
FROM generate_series(1, 3000) AS i;
SELECT dpmix.protect('pages', epsilon => 1e7, delta => .4);
SELECT * FROM dpmix.preview('SELECT dp_avg(length(url)) FROM pages', 1);
SELECT dpmix.set_bounds('pages', 'url', 5, 20), dpmix.set_bounds('pages', 'title', '10', '20');
SELECT column_name, lower, upper, source, missing FROM dpmix.declare('pages', '{"kind": {"bounds": [0, 9], "categories": ["k0", "k1"]}}');
SELECT column_name, lower, upper, not_declared, ask FROM dpmix.columns WHERE relation = 'pages'::regclass AND lower IS NOT NULL;
SELECT item, value FROM dpmix.describe('pages') WHERE section = 'column' AND item IN ('url', 'kind');
SELECT column_name, finding, exact_number FROM dpmix.check('pages') WHERE column_name IN ('url', 'title');

CREATE FUNCTION clamped(n float8, low float8, high float8) RETURNS float8 LANGUAGE sql AS 'SELECT CASE WHEN n IS NOT NULL THEN least(greatest(n, low), high) END';
-- Sums of lengths, of what is made of such texts, and of what is computed of lengths; bytes are up to four in UTF-8.
SELECT r.i, abs(noisy - plain) < 1e-2 AS clamped FROM dpmix.query($$
    SELECT dp_avg(length(url)), dp_avg(char_length(title)), dp_avg(2 * length(url) + 1), dp_avg(length(code)), dp_avg(octet_length(title)), dp_avg(length(url) - length(title)),
           dp_quantile(length(url), .5) FROM pages$$, epsilon => 1e6) AS n(a float8, b float8, c float8, d float8, e float8, f float8, g float8),
  (SELECT avg(clamped(length(url), 5, 20)) AS a, avg(clamped(length(title), 10, 20)) AS b, avg(2 * clamped(length(url), 5, 20) + 1) AS c, avg(length(code)) AS d,
          avg(clamped(octet_length(title), 10, 20 * pg_encoding_max_length(pg_char_to_encoding(getdatabaseencoding())))) AS e, avg(clamped(length(url), 5, 20) - clamped(length(title), 10, 20)) AS f,
          percentile_disc(.5) WITHIN GROUP (ORDER BY clamped(length(url), 5, 20)) AS g FROM pages) p,
  LATERAL unnest(ARRAY[n.a, n.b, n.c, n.d, n.e, n.f, n.g], ARRAY[p.a, p.b, p.c, p.d, p.e, p.f, p.g]) WITH ORDINALITY AS r(noisy, plain, i) ORDER BY 1;
SELECT r.i, abs(noisy - plain) < 1e-2 AS clamped FROM dpmix.query($$
    SELECT dp_avg(length(btrim(url))), dp_avg(length(left(url, 7))), dp_avg(length(url || 'abc' || title)), dp_avg(length(coalesce(url, title))) FROM pages$$, epsilon => 1e6)
    AS n(a float8, b float8, c float8, d float8),
  (SELECT avg(clamped(length(url), 0, 20)) AS a, avg(clamped(length(left(url, 7)), 0, 7)) AS b, avg(clamped(length(url || 'abc' || title), 15, 43)) AS c,
          avg(clamped(length(coalesce(url, title)), 5, 20)) AS d FROM pages) p,
  LATERAL unnest(ARRAY[n.a, n.b, n.c, n.d], ARRAY[p.a, p.b, p.c, p.d]) WITH ORDINALITY AS r(noisy, plain, i) ORDER BY 1;
-- What is not summed sees texts as they are: conditions, CASE, counts. As a key, lengths between the bounds are the
-- groups.
SELECT (n.*) = (p.*) AS as_they_are FROM dpmix.query($$SELECT dp_count(*), dp_count(length(url)), dp_sum(CASE WHEN length(url) > 30 THEN 1 ELSE 0 END), dp_count(*) FILTER (WHERE length(url) = 2) FROM pages
    WHERE length(title) < 25$$, epsilon => 1e6) AS n(a bigint, b bigint, c float8, d bigint),
  (SELECT count(*), count(length(url)), (count(*) FILTER (WHERE length(url) > 30))::float8, count(*) FILTER (WHERE length(url) = 2) FROM pages WHERE length(title) < 25) p;
SELECT count(*), min(length), max(length), sum(n) = (SELECT count(*) FROM pages WHERE coalesce(length(url), 5) BETWEEN 5 AND 20) AS in_groups
FROM dpmix.query('SELECT length(url), dp_count(*) FROM pages GROUP BY 1', epsilon => 1e6) AS t(length int, n bigint);
-- The noise is that of the bounds.
SELECT statistic, sensitivity FROM dpmix.preview('SELECT dp_sum(length(url)), dp_sum(octet_length(code)) FROM pages', 1) ORDER BY 1;
SELECT dpmix.expose('pages', comments => true);
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'private.pages'::regclass AND attnum > 0 ORDER BY attnum;

\set VERBOSITY terse
SELECT dpmix.set_bounds('pages', 'url', -1, 10);
SELECT dpmix.set_bounds('pages', 'url', 0, 9.5);
SELECT dpmix.set_bounds('pages', 'url', 'a', 'z');
SELECT dpmix.set_bounds('pages', 'url', 0, 9, nan_is_middle => true);
SELECT dpmix.set_bounds('pages', 'url', 9, 9);
SELECT FROM dpmix.declare('pages', '{"url": {"bounds": ["a", "z"]}}');
SELECT dpmix.hide('private.pages'), dpmix.unprotect('pages');
DROP TABLE pages;
DROP FUNCTION clamped;
