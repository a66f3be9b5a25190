-- Questions about people, asked of layers: a small hospital and a shop, in dpmix.query and in plain SQL, each beside
-- PostgreSQL's own answer over the tables themselves; what is refused, with its words; and what is charged.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA people;
CREATE SCHEMA doors;
CREATE SCHEMA commons;
SET search_path = people, commons;
SELECT setseed(.25);
CREATE FUNCTION one_of(texts text[]) RETURNS text LANGUAGE sql VOLATILE AS
    $$ SELECT texts[1 + floor(random() * cardinality(texts))::int] $$;
CREATE FUNCTION whole(low int, high int) RETURNS int LANGUAGE sql VOLATILE AS
    $$ SELECT low + floor(random() * (high - low + 1))::int $$;

-- Lab values name the visit, and only through it the patient.
CREATE TABLE patients (patient_id int PRIMARY KEY, sex text, age int, died boolean);
INSERT INTO patients SELECT i, one_of('{F,M}'), whole(20, 79), random() < .15 FROM generate_series(1, 300) i;
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL, diagnosis text, ward text,
                     cost numeric(8, 2), seen date, went date);
INSERT INTO visits SELECT i, whole(1, 280), one_of('{MI,stroke,flu,flu}'), one_of('{A,B,C}'), whole(10, 900) + .5, d,
                          d + whole(0, 30)
                   FROM (SELECT i, date '2020-01-01' + whole(0, 700) AS d FROM generate_series(1, 700) i) t;
CREATE TABLE labs (visit_id int, test text, value float8, taken timestamp);
INSERT INTO labs SELECT visit_id, one_of('{sbp,hb}'), whole(1, 200), seen + interval '1 hour' * whole(0, 20)
                 FROM visits, generate_series(1, 2);
CREATE TABLE commons.codes (code text PRIMARY KEY, chapter text);
INSERT INTO codes VALUES ('MI', 'heart'), ('stroke', 'brain'), ('flu', 'lungs');

-- Items name the order, refunds a line of one.
CREATE TABLE users (user_id int PRIMARY KEY, country text, joined date);
INSERT INTO users SELECT i, one_of('{DE,FR}'), date '2021-01-01' + whole(0, 80) FROM generate_series(1, 300) i;
CREATE TABLE orders (order_id int PRIMARY KEY, user_id int, day date, amount float8);
INSERT INTO orders SELECT i, user_id, joined + whole(0, 90), whole(1, 100)
                   FROM generate_series(1, 600) i, LATERAL (SELECT whole(1, 280) + 0 * i AS u) r
                        JOIN users ON user_id = u;
CREATE TABLE items (order_id int, line int, product text, price float8, PRIMARY KEY (order_id, line));
INSERT INTO items SELECT order_id, line, one_of('{p1,p2,p3,p4}'), whole(1, 50) FROM orders, generate_series(1, 3) line;
CREATE TABLE refunds (order_id int, line int, paid float8);
INSERT INTO refunds SELECT order_id, line, price FROM items WHERE random() < .2;
CREATE TABLE events (user_id int, kind text, at timestamp);
INSERT INTO events SELECT user_id, one_of('{view,view,cart,buy}'), joined + interval '1 minute' * whole(0, 129600)
                   FROM generate_series(1, 1500) i, LATERAL (SELECT whole(1, 290) + 0 * i AS u) r
                        JOIN users ON user_id = u;
CREATE TABLE commons.products (product text PRIMARY KEY, brand text);
INSERT INTO products VALUES ('p1', 'b1'), ('p2', 'b1'), ('p3', 'b2'), ('p4', 'b2');
ANALYZE patients, visits, labs, users, orders, items, refunds, events;

SELECT dpmix.create_population('people_hospital', 1e7, .1, accountant => 'basic');
SELECT dpmix.create_population('people_shop', 1e7, .1, accountant => 'basic');
SELECT dpmix.protect('patients', population => 'people_hospital', privacy_unit => 'patient_id');
SELECT dpmix.protect('visits', population => 'people_hospital', privacy_unit => 'patient_id', max_rows_per_unit => 12);
SELECT dpmix.protect('labs', population => 'people_hospital', unit_through => 'visits', link => '{visit_id}',
                     max_rows_per_unit => 24);
SELECT dpmix.protect('users', population => 'people_shop', privacy_unit => 'user_id');
SELECT dpmix.protect('orders', population => 'people_shop', privacy_unit => 'user_id', max_rows_per_unit => 12);
SELECT dpmix.protect('items', population => 'people_shop', unit_through => 'orders', link => '{order_id}',
                     max_rows_per_unit => 36);
SELECT dpmix.protect('refunds', population => 'people_shop', unit_through => 'items', link => '{order_id,line}',
                     max_rows_per_unit => 36);
SELECT dpmix.protect('events', population => 'people_shop', privacy_unit => 'user_id', max_rows_per_unit => 20);
SELECT dpmix.declare_public('codes'), dpmix.declare_public('products');
CREATE FUNCTION at(moment timestamp) RETURNS float8 LANGUAGE sql AS $$ SELECT dpmix_internal.to_float8(moment) $$;
CREATE FUNCTION at(day date) RETURNS float8 LANGUAGE sql AS $$ SELECT dpmix_internal.to_float8(day) $$;
SELECT dpmix.set_bounds('patients', 'age', 0, 100), dpmix.set_bounds('visits', 'cost', 0, 1000),
       dpmix.set_bounds('visits', 'seen', at(date '2020-01-01'), at(date '2021-12-31')),
       dpmix.set_bounds('visits', 'went', at(date '2020-01-01'), at(date '2022-01-31')),
       dpmix.set_bounds('labs', 'value', 0, 200),
       dpmix.set_bounds('labs', 'taken', at(timestamp '2020-01-01'), at(timestamp '2022-01-01'));
SELECT dpmix.set_categories('patients', 'sex', '{F,M}'), dpmix.set_categories('visits', 'ward', '{A,B,C}'),
       dpmix.set_categories('visits', 'diagnosis', '{MI,stroke,flu}'), dpmix.set_categories('labs', 'test', '{sbp,hb}');
SELECT dpmix.set_bounds('users', 'joined', at(date '2021-01-01'), at(date '2021-03-31')),
       dpmix.set_bounds('orders', 'day', at(date '2021-01-01'), at(date '2021-07-31')),
       dpmix.set_bounds('orders', 'amount', 0, 100), dpmix.set_bounds('items', 'price', 0, 50),
       dpmix.set_bounds('refunds', 'paid', 0, 50),
       dpmix.set_bounds('events', 'at', at(timestamp '2021-01-01'), at(timestamp '2021-07-31'));
SELECT dpmix.set_categories('users', 'country', '{DE,FR}'), dpmix.set_categories('items', 'product', '{p1,p2,p3,p4}'),
       dpmix.set_categories('events', 'kind', '{view,cart,buy}');
SELECT dpmix.expose(t::regclass, 'doors.' || t, default_epsilon => 2e4)
FROM unnest('{patients,visits,labs,users,orders,items,refunds,events}'::text[]) t;

-- What rows say, as JSON: keys, which come first, as one text, and numbers.
CREATE TYPE answer AS (key text, numbers float8[]);
CREATE FUNCTION answer_of(said json, keys int) RETURNS answer LANGUAGE sql AS $$
    SELECT coalesce(string_agg(coalesce(value, 'NULL'), ' ' ORDER BY n) FILTER (WHERE n <= keys), ''),
           array_agg(value::float8 ORDER BY n) FILTER (WHERE n > keys)
    FROM json_each_text(said) WITH ORDINALITY t(name, value, n)
$$;
CREATE FUNCTION answers(statement text, keys int, path text) RETURNS SETOF answer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', path, true);
    RETURN QUERY EXECUTE format('SELECT (people.answer_of(row_to_json(q), %s)).* FROM (%s) q', keys, statement);
    PERFORM set_config('search_path', 'people, commons', true);
EXCEPTION WHEN OTHERS THEN
    PERFORM set_config('search_path', 'people, commons', true);
    RETURN QUERY SELECT SQLSTATE || ' ' || SQLERRM, NULL::float8[];
END $$;
CREATE FUNCTION are_close(a float8[], b float8[]) RETURNS boolean LANGUAGE sql AS $$
    SELECT bool_and(abs(coalesce(x, 0) - coalesce(y, 0)) < .02 + .001 * abs(coalesce(y, 0))) FROM unnest(a, b) t(x, y)
$$;
-- A group without a row is here alone, and its first number is nothing.
CREATE FUNCTION differences(private answer[], exact answer[]) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce(string_agg(format('%s: %s, not %s', coalesce(p.key, e.key), p.numbers, e.numbers), '; '), 't')
    FROM unnest(private) p FULL JOIN unnest(exact) e ON e.key = p.key
    WHERE CASE WHEN p IS NULL THEN true WHEN e IS NULL THEN abs(p.numbers[1]) > .02
               ELSE NOT coalesce(are_close(p.numbers, e.numbers), false) END
$$;
-- {count} and the like are what is asked above the layers: in dpmix.query, and in plain SQL.
CREATE FUNCTION beside(question text, keys int DEFAULT 0) RETURNS TABLE (in_query text, in_sql text)
LANGUAGE plpgsql AS $$
DECLARE
    plain text := regexp_replace(question, '\{(\w+)\}', '\1', 'g');
    private text := regexp_replace(replace(question, '{count}(DISTINCT ', '{count_distinct}('), '\{(\w+)\}', 'dp_\1',
                                   'g');
    exact answer[] := ARRAY(SELECT a FROM answers(plain, keys, 'people, commons') a);
BEGIN
    IF cardinality(exact) = 0 OR exact[1].numbers IS NULL THEN
        RAISE EXCEPTION 'nothing to compare with: %', exact;
    END IF;
    in_query := differences(ARRAY(SELECT answer_of(q, keys) FROM dpmix.query_json(private, 2e4) q), exact);
    in_sql := differences(ARRAY(SELECT a FROM answers(plain, keys, 'doors, commons') a), exact);
    RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
    in_query := SQLSTATE || ' ' || SQLERRM;
    RETURN NEXT;
END $$;

-- A hospital's dozen: in dpmix.query, and in plain SQL.
SELECT * FROM beside('SELECT {avg}(age), {count}(*) FROM patients p
               WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id AND v.diagnosis = ''MI'')');
SELECT * FROM beside('SELECT sex, {count}(*) FROM patients
               WHERE died AND patient_id IN (SELECT patient_id FROM visits WHERE diagnosis = ''stroke'')
               GROUP BY sex', 1);
SELECT * FROM beside('SELECT {avg}(n), {sum}(n) FROM (SELECT patient_id, count(*) AS n FROM visits
                   GROUP BY patient_id) v');
SELECT * FROM beside('SELECT n, {count}(*) FROM (SELECT p.patient_id, count(v.visit_id) AS n
                   FROM patients p LEFT JOIN visits v ON v.patient_id = p.patient_id GROUP BY p.patient_id) v
               GROUP BY n', 1);
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT patient_id FROM visits GROUP BY patient_id
                   HAVING count(*) >= 3) v');
SELECT * FROM beside('SELECT {count}(*) FROM patients p WHERE EXISTS (SELECT FROM visits a JOIN visits b
                   ON a.patient_id = b.patient_id WHERE a.patient_id = p.patient_id AND b.seen > a.went
                   AND b.seen <= a.went + 30)');
SELECT * FROM beside('SELECT date_trunc(''month'', f)::date AS m, {count}(*) FROM (SELECT patient_id, min(seen) AS f
                   FROM visits GROUP BY patient_id) v GROUP BY 1', 1);
SELECT * FROM beside('SELECT {count}(DISTINCT v.patient_id) FROM visits v WHERE diagnosis = ''MI'' AND NOT EXISTS (
                   SELECT FROM labs l JOIN visits w ON w.visit_id = l.visit_id WHERE w.patient_id = v.patient_id
                   AND l.test = ''hb'' AND l.taken >= v.seen AND l.taken < v.seen + interval ''1 year'')');
SELECT * FROM beside('SELECT sex, {count}(*), {avg}(f - date ''2020-01-01'') FROM (
                   SELECT p.patient_id, p.sex, min(v.seen) AS f FROM patients p JOIN visits v USING (patient_id)
                   GROUP BY p.patient_id, p.sex) x GROUP BY sex', 1);
SELECT * FROM beside('SELECT floor(age / 20.0) AS band, {count}(*), {avg}(value) FROM (
                   SELECT v.patient_id, l.value, row_number()
                       OVER (PARTITION BY v.patient_id ORDER BY l.taken DESC, l.value) AS k
                   FROM labs l JOIN visits v ON v.visit_id = l.visit_id WHERE l.test = ''sbp'') x
                   JOIN patients p ON p.patient_id = x.patient_id WHERE k = 1 GROUP BY 1', 1);
SELECT * FROM beside('SELECT {avg}(m) FROM (SELECT patient_id, avg(cost) AS m FROM visits GROUP BY patient_id) x');
SELECT * FROM beside('SELECT ward, {count}(*), {avg}(stay) FROM (
                   SELECT patient_id, ward, max(went - seen) AS stay FROM visits
                   GROUP BY patient_id, ward) x GROUP BY ward', 1);
SELECT * FROM beside('SELECT k, {count}(*) FROM (SELECT patient_id, count(DISTINCT diagnosis) AS k FROM visits
                   GROUP BY patient_id) x GROUP BY k', 1);

-- A shop: what products are asked about.
SELECT * FROM beside('SELECT date_trunc(''month'', at)::date AS m, {count}(DISTINCT user_id) FROM events
                      GROUP BY 1', 1);
SELECT * FROM beside('SELECT date_trunc(''month'', m)::date AS t, {count}(*), {avg}(n) FROM (SELECT user_id,
                          date_trunc(''month'', at) AS m, count(*) AS n FROM events GROUP BY 1, 2) x GROUP BY 1', 1);
SELECT * FROM beside('SELECT {count}(*) FILTER (WHERE v) AS v, {count}(*) FILTER (WHERE v AND c) AS c,
                          {count}(*) FILTER (WHERE v AND c AND b) AS b FROM (SELECT user_id,
                          bool_or(kind = ''view'') AS v, bool_or(kind = ''cart'') AS c, bool_or(kind = ''buy'') AS b
                          FROM events GROUP BY user_id) x');
SELECT * FROM beside('SELECT {count}(*) FROM users u WHERE EXISTS (SELECT FROM events v WHERE v.user_id = u.user_id
                          AND v.kind = ''view'' AND EXISTS (SELECT FROM events b WHERE b.user_id = v.user_id
                          AND b.kind = ''buy'' AND b.at > v.at))');
SELECT * FROM beside('SELECT {count}(DISTINCT a.user_id) FROM events a JOIN events b ON a.user_id = b.user_id
                          WHERE a.kind = ''cart'' AND b.kind = ''buy'' AND b.at > a.at');
SELECT * FROM beside('SELECT date_trunc(''month'', c.f)::date AS cohort, {count}(DISTINCT c.user_id) FROM (
                          SELECT user_id, min(at) AS f FROM events GROUP BY user_id) c
                      JOIN events e ON e.user_id = c.user_id WHERE e.at >= c.f + interval ''28 days'' GROUP BY 1', 1);
SELECT * FROM beside('SELECT country, {count}(*) FROM users u WHERE EXISTS (SELECT FROM orders o
                          WHERE o.user_id = u.user_id AND o.day <= u.joined + 7) GROUP BY country', 1);
-- Within nine days; a month around, in descending order; within peers; with what looks at no frame beside it
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT count(*) OVER (PARTITION BY patient_id ORDER BY seen
    RANGE ''9 days'' PRECEDING) AS n FROM visits) x WHERE n > 1');
SELECT * FROM beside('SELECT {sum}(n) FROM (SELECT patient_id, least(count(*) OVER (PARTITION BY patient_id
    ORDER BY seen DESC RANGE BETWEEN ''1 month'' PRECEDING AND ''1 month 3 days'' FOLLOWING EXCLUDE CURRENT ROW), 5) AS n
    FROM visits) x');
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT count(*) OVER w AS n, row_number() OVER w AS k FROM visits
    WINDOW w AS (PARTITION BY patient_id ORDER BY visit_id RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING)) x
    WHERE n > 1 AND k > 1');
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT max(value) OVER (PARTITION BY patient_id ORDER BY seen
    GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM visits JOIN labs USING (visit_id)) x WHERE m > 150');
-- Moments at the ends of time: no row makes it fail
SELECT n = (SELECT count(*) FROM visits) FROM dpmix.query($$ SELECT dp_count(*) FROM (SELECT count(*) OVER (
    PARTITION BY patient_id ORDER BY CASE WHEN ward = 'A' THEN date '5874897-12-31' WHEN ward = 'B' THEN
    date '4713-01-01 BC' ELSE date 'infinity' END
    RANGE '500 years 182500 days 4000000 hours' PRECEDING) AS n FROM visits) x WHERE n > 0 $$, 1e5,
    mechanism => 'laplace') AS t(n bigint);
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT user_id, at, lag(at) OVER (PARTITION BY user_id ORDER BY at) AS was
                          FROM events) x WHERE was IS NULL OR at - was > interval ''30 days''');
SELECT * FROM beside('SELECT {avg}(s), {sum}(s) FROM (SELECT user_id, sum(amount) AS s FROM orders
                          GROUP BY user_id) x');
SELECT * FROM beside('SELECT {avg}(coalesce(s, 0)) FROM (SELECT u.user_id, (SELECT sum(amount) FROM orders o
                          WHERE o.user_id = u.user_id) AS s FROM users u) x');
SELECT * FROM beside('SELECT country, {count}(*) FROM users u WHERE user_id IN (SELECT user_id FROM orders
                          GROUP BY user_id HAVING count(*) >= 3) GROUP BY country', 1);
SELECT * FROM beside('SELECT date_trunc(''month'', f)::date AS m, {count}(*) FROM (SELECT user_id, min(day) AS f
                          FROM orders GROUP BY user_id) x GROUP BY 1', 1);
SELECT * FROM beside('SELECT {count}(*) FROM users u LEFT JOIN orders o ON o.user_id = u.user_id
                      WHERE o.order_id IS NULL');
SELECT * FROM beside('SELECT {count}(*) FROM users WHERE user_id NOT IN (SELECT user_id FROM events
                          WHERE at >= ''2021-03-01'')');
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT user_id FROM events WHERE kind = ''cart''
                          EXCEPT SELECT user_id FROM orders) x');
SELECT * FROM beside('SELECT {count}(DISTINCT user_id) FROM (SELECT user_id FROM orders UNION
                          SELECT user_id FROM events WHERE kind = ''buy'') x');
SELECT * FROM beside('SELECT product, {count}(*) FROM (SELECT (SELECT i.product FROM items i JOIN orders o
                          ON o.order_id = i.order_id WHERE o.user_id = u.user_id ORDER BY o.day, i.order_id, i.line
                          LIMIT 1) AS product FROM users u) x WHERE product IS NOT NULL GROUP BY product', 1);
SELECT * FROM beside('SELECT kind, {count}(*) FROM (SELECT DISTINCT ON (user_id) user_id, kind FROM events
                          ORDER BY user_id, at DESC, kind) x GROUP BY kind', 1);

-- Keys that a layer computed are of their type in the text again where answers are made of them.
SELECT * FROM beside('SELECT b + 1 AS b, {count}(*), {sum}(b) FROM (SELECT user_id,
                          floor(sum(amount::numeric) / 100) AS b FROM orders GROUP BY user_id) x
                      GROUP BY x.b HAVING x.b < 5 OR x.b * 2 > 3.5', 1);
SELECT * FROM beside('SELECT y, {count}(*) FROM (SELECT x.y FROM (SELECT patient_id, extract(year FROM min(seen)) AS y
                          FROM visits GROUP BY patient_id) x) z GROUP BY y HAVING y BETWEEN 2020 AND 2021', 1);
SELECT * FROM beside('SELECT coalesce(m, -1) AS m, {count}(*) FROM (SELECT p.patient_id, (SELECT round(avg(value) / 50)
                          FROM labs l JOIN visits v ON v.visit_id = l.visit_id WHERE v.patient_id = p.patient_id) AS m
                          FROM patients p) x GROUP BY x.m HAVING x.m > .5 OR x.m IS NULL', 1);
SELECT * FROM beside('SELECT (n * 2)::text AS n, {count}(*) FROM (SELECT patient_id,
                          floor((max(seen) - min(seen)) / 100.) AS n FROM visits GROUP BY patient_id) x
                      GROUP BY x.n', 1);
SELECT * FROM beside('SELECT y, m, {count}(*) FROM (SELECT patient_id, extract(year FROM min(seen)) AS y,
                          extract(month FROM max(seen)) AS m FROM visits GROUP BY patient_id) x
                      GROUP BY y, m HAVING m > 6 AND y <> m', 2);
-- Months that a layer cuts are those between the bounds, and no days.
SELECT * FROM beside('SELECT m, {count}(*) FROM (SELECT patient_id, date_trunc(''month'', min(seen))::date AS m
                          FROM visits GROUP BY patient_id) x GROUP BY m', 1);
SELECT * FROM beside('SELECT m, {count}(DISTINCT user_id), {avg}(n) FROM (SELECT user_id, date_trunc(''month'', at)
                          AS m, count(*) AS n FROM events GROUP BY 1, 2) x GROUP BY m HAVING m > ''2021-01-15''', 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT m, dp_count(*) FROM (
    SELECT p.patient_id, date_trunc('year', v.seen)::date AS m FROM patients p
    LEFT JOIN visits v ON v.patient_id = p.patient_id) x GROUP BY m $$, 1);
SELECT * FROM beside('SELECT m, {count}(*) FROM (SELECT patient_id, date_trunc(''year'', seen)::date AS m FROM visits
                          UNION ALL SELECT patient_id, date_trunc(''month'', went)::date FROM visits) x GROUP BY m', 1);

-- Buckets of both sides of a set operation are those of each; whole numbers become those of the wider type.
SELECT count(*) FROM dpmix.query_json($$ SELECT m, dp_count(*) FROM (
    SELECT patient_id, date_trunc('month', seen)::date AS m FROM visits WHERE seen IS NOT NULL UNION
    (SELECT patient_id, date_trunc('month', went)::date FROM visits INTERSECT
     SELECT patient_id, date_trunc('year', seen)::date FROM visits)) x WHERE m IS NOT NULL GROUP BY m $$, 1);
SELECT * FROM beside('SELECT m, {count}(*) FROM (SELECT patient_id, date_trunc(''month'', min(seen)) AS m FROM visits
                          GROUP BY 1 UNION ALL SELECT patient_id, date_trunc(''month'', went) FROM visits) x
                      GROUP BY m', 1);
SELECT * FROM beside('SELECT {count}(*), {sum}(n) FROM (SELECT patient_id, age AS n FROM patients UNION ALL
                          SELECT patient_id, count(*) FROM visits GROUP BY 1) x');
SELECT * FROM beside('SELECT n, {count}(*) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY 1
                          UNION ALL SELECT patient_id, 1::smallint FROM patients) x GROUP BY n', 1);
SELECT * FROM beside('SELECT {count}(*), {sum}(n) FROM (SELECT patient_id, age AS n FROM patients UNION ALL
                          SELECT patient_id, cost FROM visits UNION ALL
                          SELECT patient_id, sum(cost) FROM visits GROUP BY 1) x WHERE n > 20.25');
SELECT * FROM beside('SELECT {count}(*), {sum}(n) FROM (SELECT patient_id, max(n) AS n FROM (SELECT DISTINCT patient_id,
                          cost AS n FROM visits UNION ALL SELECT patient_id, age FROM patients) x GROUP BY 1) y');
SELECT * FROM beside('SELECT {count}(*), {avg}(n) FROM (SELECT patient_id, age::bigint AS n FROM patients EXCEPT
                          SELECT patient_id, 30 FROM visits) x');

-- LATERAL: what each row has beside it, of the same person.
SELECT * FROM beside('SELECT {count}(*), {sum}(n) AS n, {sum}(below) AS below FROM patients p,
    LATERAL (SELECT avg(cost) AS mean, count(*) AS n FROM visits v WHERE v.patient_id = p.patient_id) x,
    LATERAL (SELECT count(*) AS below FROM visits v WHERE v.patient_id = p.patient_id AND v.cost < x.mean) y');
SELECT * FROM beside('SELECT sex, {count}(*) AS n, {count}(x.cost) AS m, {sum}(x.cost) FROM patients p LEFT JOIN
    LATERAL (SELECT cost FROM visits v WHERE v.patient_id = p.patient_id ORDER BY seen, visit_id LIMIT 1) x ON x.cost > 100
    GROUP BY sex', 1);
SELECT * FROM beside('SELECT {count}(*), {sum}(x.cost) FROM patients p CROSS JOIN
    LATERAL (SELECT cost FROM visits v WHERE v.patient_id = p.patient_id ORDER BY cost DESC LIMIT 2) x');
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT v.patient_id, count(*) AS n FROM visits v LEFT JOIN
    LATERAL (SELECT w.visit_id FROM visits w WHERE w.patient_id = v.patient_id AND w.seen > v.seen LIMIT 1) later ON true
    WHERE later.visit_id IS NULL GROUP BY v.patient_id) x WHERE n = 1');
SELECT * FROM beside('SELECT {count}(*), {sum}(x.cost) FROM patients p JOIN
    LATERAL (SELECT v.patient_id, cost FROM visits v WHERE v.cost > 9 * p.age) x ON x.patient_id = p.patient_id');
SELECT * FROM beside('SELECT {count}(*), {sum}(x.paid) FROM items i, LATERAL (SELECT max(paid) AS paid FROM refunds r
    WHERE r.order_id = i.order_id AND r.line = i.line) x WHERE x.paid > 10');
-- No row beside it changes what a person's row is: the noise is for rows that differ.
SELECT bool_or(sensitivity > 1) AS beside, bool_or(sensitivity > 1) FILTER (WHERE inner_join) AS inside
FROM (VALUES (false, ''), (true, ' AND v.cost > 5 LIMIT 1')) AS t(inner_join, more),
     dpmix.preview(format('SELECT dp_sum(CASE WHEN m > 100 THEN 1 ELSE -1 END) FROM patients p, LATERAL (SELECT %s AS m
         FROM visits v WHERE v.patient_id = p.patient_id%s) x', CASE WHEN inner_join THEN 'cost' ELSE 'max(cost)' END, more),
                   1, mechanism => 'laplace', details => true);

-- Along links, with keys of one column and of two, and with public tables.
SELECT * FROM beside('SELECT {count}(*), {sum}(price) FROM items');
SELECT * FROM beside('SELECT country, {sum}(i.price) FROM users u JOIN orders o ON o.user_id = u.user_id
                          JOIN items i ON i.order_id = o.order_id GROUP BY country', 1);
SELECT * FROM beside('SELECT brand, {count}(*), {sum}(paid) FROM refunds r JOIN items i ON i.order_id = r.order_id
                          AND i.line = r.line JOIN products p ON p.product = i.product GROUP BY brand', 1);
SELECT * FROM beside('SELECT {count}(*) FROM items i WHERE NOT EXISTS (SELECT FROM refunds r
                          WHERE r.order_id = i.order_id AND r.line = i.line)');
SELECT * FROM beside('SELECT {count}(*), {avg}(n) FROM (SELECT order_id, count(*) AS n FROM items WHERE price > 20
                          GROUP BY order_id) x');
SELECT * FROM beside('SELECT chapter, {count}(*) FROM (SELECT DISTINCT v.patient_id, c.chapter FROM visits v
                          JOIN codes c ON c.code = v.diagnosis) x GROUP BY chapter', 1);
SELECT * FROM beside('WITH spent AS (SELECT user_id, sum(amount) AS s FROM orders GROUP BY user_id)
                      SELECT {count}(*) FROM spent WHERE s > 150');

-- Each row of a person beside each: twelve times twelve count.
SELECT * FROM beside('SELECT {count}(*), {sum}(a.cost) FROM visits a JOIN visits b ON a.patient_id = b.patient_id');
-- A key that other tables name is one person's, also where no row of these is in the question.
SELECT * FROM beside('SELECT {count}(*), {sum}(a.amount) FROM orders a JOIN orders b ON a.order_id = b.order_id
                          WHERE b.amount > 20');
SELECT * FROM beside('SELECT {count}(*), {sum}(s) FROM (SELECT order_id, sum(amount) AS s FROM orders
                          GROUP BY order_id HAVING min(day) < ''2021-03-01'') x');
SELECT * FROM beside('SELECT {count}(*) FROM orders WHERE order_id NOT IN (SELECT order_id FROM orders
                          WHERE amount < 50)');
SELECT * FROM beside('SELECT {count}(*) FROM (SELECT order_id, line, max(price) AS p FROM items GROUP BY 1, 2
                          EXCEPT SELECT order_id, line, price FROM items WHERE price < 9) x WHERE p < 20');

-- Who has no row in a table is in no group of it: said where another one has everybody.
SET client_min_messages = notice;
SELECT count(*) FROM dpmix.query_json($$ SELECT dp_avg(n) FROM (SELECT patient_id, count(*) AS n FROM visits
    GROUP BY patient_id) x $$, 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT dp_avg(n) FROM patients p JOIN (SELECT patient_id, count(*) AS n
    FROM labs JOIN visits USING (visit_id) GROUP BY patient_id) x USING (patient_id) $$, 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT dp_avg(coalesce(n, 0)) FROM patients p LEFT JOIN (SELECT patient_id,
    count(*) AS n FROM visits GROUP BY patient_id) x USING (patient_id) $$, 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT dp_count(*) FROM patients WHERE patient_id IN (SELECT patient_id
    FROM visits GROUP BY patient_id HAVING count(*) > 2) $$, 1);
SET client_min_messages = warning;
CREATE FUNCTION said_of(question text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('search_path', 'doors, commons', true);
    RETURN QUERY EXECUTE 'EXPLAIN ' || question;
    PERFORM set_config('search_path', 'people, commons', true);
END $$;
SELECT line FROM said_of('SELECT avg(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) x') line
WHERE line ~ 'left out';

-- What is one charge, and what is two: an uncorrelated sub-select with one noisy value is asked first.
CREATE FUNCTION charges() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT count(*) FROM dpmix.charge $$;
CREATE FUNCTION charged(statement text, path text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    was bigint := charges();
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement;
    PERFORM set_config('search_path', 'people, commons', true);
    RETURN charges() - was;
END $$;
SELECT charged(format('SELECT * FROM dpmix.query_json(%L, 10)', q), 'people, commons') FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id)',
    'SELECT dp_count(*) FROM refunds r JOIN items i ON i.order_id = r.order_id AND i.line = r.line',
    'SELECT dp_count(*) FROM (SELECT patient_id FROM patients EXCEPT SELECT patient_id FROM visits) x']) q;
SELECT charged(q, 'doors, commons') FROM unnest(ARRAY[
    'SELECT count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id)',
    'SELECT avg(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) x',
    'SELECT count(*) FROM visits WHERE cost > (SELECT avg(cost) FROM visits)',
    'SELECT count(*) FROM users WHERE user_id IN (SELECT user_id FROM orders
         WHERE amount > (SELECT avg(amount) FROM orders))',
    'SELECT (SELECT count(*) FROM patients p WHERE NOT EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id)),
            (SELECT count(*) FROM users)']) q;
SELECT abs(private.n - exact.n) < 2 FROM (SELECT numbers[1] AS n
    FROM answers('SELECT count(*) FROM visits WHERE cost > (SELECT avg(cost) FROM visits)', 0, 'doors')) private,
    (SELECT count(*) AS n FROM visits WHERE cost > (SELECT avg(cost) FROM visits)) exact;

-- In plain SQL, an answer for each row of a public table: asked once for all of them, and charged once.
CREATE TABLE commons.places (line int PRIMARY KEY, name text, next int NOT NULL, least int);
INSERT INTO places VALUES (1, 'one', 2, 1), (2, 'two', 3, 1), (3, 'three', 1, 1), (4, 'four', 1, NULL);
CREATE TABLE commons.offers (product text, line int, rank int NOT NULL, PRIMARY KEY (product, line));
INSERT INTO offers SELECT product, line, line FROM products, generate_series(1, 3) line
                   WHERE product <> 'p1' OR line <> 1;
SELECT dpmix.declare_public('places'), dpmix.declare_public('offers');
CREATE FUNCTION in_sql(question text, keys int DEFAULT 0) RETURNS TABLE (charged bigint, said text)
LANGUAGE plpgsql AS $$
DECLARE
    was bigint := charges();
    exact answer[] := ARRAY(SELECT a FROM answers(question, keys, 'people, commons') a);
BEGIN
    said := differences(ARRAY(SELECT a FROM answers(question, keys, 'doors, commons') a), exact) ||
            CASE WHEN exact IS NULL OR cardinality(exact) = 0 THEN ' but nothing to compare with' ELSE '' END;
    charged := charges() - was;
    RETURN NEXT;
END $$;
SELECT * FROM in_sql('SELECT sum(price), count(*) FROM items i, places p WHERE i.line = p.line AND p.name <> ''two''
    AND price < (SELECT .83 * avg(price) FROM items WHERE line = p.line)');
SELECT * FROM in_sql('SELECT country, count(DISTINCT u.user_id) FROM users u JOIN orders o ON o.user_id = u.user_id
    JOIN items i ON i.order_id = o.order_id JOIN places ON places.line = i.line
    WHERE price > (SELECT avg(p.price) FROM items p JOIN orders o ON o.order_id = p.order_id
                   WHERE p.line = next AND day < ''2021-05-01'') + places.line / 7.0 GROUP BY country', 1);
SELECT * FROM in_sql('SELECT count(*) FROM users u WHERE EXISTS (SELECT FROM orders o
    JOIN items i ON i.order_id = o.order_id JOIN places p ON p.line = i.line WHERE o.user_id = u.user_id
    AND i.price > 3 * (SELECT count(*) / 400.0 + stddev(price) FROM items j WHERE j.line = p.line))');
SELECT * FROM in_sql('SELECT p.product, (SELECT count(*) FROM items i WHERE p.product = i.product AND price > 25) AS n,
    (SELECT avg(n) FROM (SELECT order_id, product, count(*) AS n FROM items GROUP BY 1, 2) x
     WHERE x.product = p.product) AS r FROM products p WHERE brand = ''b1''', 1);
SELECT * FROM in_sql('SELECT f.product || f.line AS key, rank FROM offers f WHERE f.product ~ ''[12]''
    AND rank IN (1, 2) AND rank < .0006 * (SELECT sum(price) FROM items i WHERE i.line = f.line
                                           AND f.product = i.product)', 1);
SELECT * FROM in_sql('SELECT brand, count(*) FROM products WHERE product IN (SELECT f.product FROM offers f
    WHERE (SELECT avg(price) FROM items i WHERE i.line = f.line AND f.product = i.product) > 20) GROUP BY brand', 1);
-- Columns of one public table have values together below a layer, too; not so the least of each.
SELECT count(*) FROM dpmix.query_json($$ SELECT x.product, x.line, dp_count(*) FROM (SELECT o.user_id, f.product,
    f.line FROM orders o JOIN items i ON i.order_id = o.order_id JOIN offers f ON f.product = i.product
    AND f.line = i.line WHERE f.rank <> 2) x GROUP BY 1, 2 $$, 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT x.line, x.next, dp_count(*) FROM (SELECT o.user_id, p.line, p.next
    FROM orders o LEFT JOIN (SELECT order_id, line FROM items) i ON i.order_id = o.order_id LEFT JOIN places p
    ON p.line = i.line) x GROUP BY 1, 2 $$, 1);
SELECT count(*) FROM dpmix.query_json($$ SELECT x.line, x.next, dp_count(*) FROM (SELECT o.user_id,
    min(p.line) AS line, max(p.next) AS next FROM orders o JOIN items i ON i.order_id = o.order_id
    JOIN places p ON p.line = i.line GROUP BY 1) x GROUP BY 1, 2 $$, 1);

-- What is refused, in dpmix.query and in plain SQL.
CREATE FUNCTION refusal(statement text, path text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
    detail text;
    hint text;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE statement;
    PERFORM set_config('search_path', 'people, commons', true);
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                            hint = PG_EXCEPTION_HINT;
    PERFORM set_config('search_path', 'people, commons', true);
    RETURN concat_ws(E'\n        ', state || ' ' || message,
                     nullif(regexp_replace(detail, '^A private query.*', ''), ''), nullif(hint, ''));
END $$;
-- Of one in plain SQL what it says in dpmix.query is not said again.
CREATE FUNCTION refusals(questions text[]) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format(E'%s\n    %s', q, private) || CASE WHEN plain = private THEN '' ELSE E'\n    in SQL: ' || plain END
    FROM unnest(questions) WITH ORDINALITY t(q, n),
         LATERAL (SELECT refusal(format('SELECT * FROM dpmix.query_json(%L, .1)',
                                        regexp_replace(q, '\{(\w+)\}', 'dp_\1', 'g')), 'people, commons') AS private,
                         refusal(regexp_replace(q, '\{(\w+)\}', '\1', 'g'), 'doors, commons') AS plain) r
    ORDER BY n
$$;
-- One person's rows are told by their unit alone.
CREATE TEMP TABLE before AS SELECT charges() AS n;
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM patients WHERE EXISTS (SELECT FROM visits)',
    'SELECT {count}(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.visit_id = p.patient_id)',
    'SELECT {count}(*) FROM patients p WHERE 1 < (SELECT count(*) FROM visits v LEFT JOIN labs l
        ON l.visit_id = v.visit_id LEFT JOIN visits w ON w.visit_id = l.visit_id AND w.patient_id = p.patient_id)',
    'SELECT {count}(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id
        OR v.cost > 5)',
    'SELECT {count}(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id >= p.patient_id)',
    'SELECT {count}(*) FROM patients WHERE age IN (SELECT patient_id FROM visits)',
    'SELECT {count}(*) FROM orders WHERE user_id NOT IN (SELECT order_id FROM items)',
    'SELECT {count}(*) FROM items WHERE line IN (SELECT line FROM refunds)',
    'SELECT {count}(*) FROM patients WHERE patient_id NOT IN (SELECT v.patient_id FROM patients p
        LEFT JOIN visits v ON v.patient_id = p.patient_id)',
    'SELECT {count}(*) FROM patients p WHERE age > (SELECT avg(age) FROM patients q WHERE q.sex = p.sex)',
    'SELECT {count}(*) FROM patients p WHERE age > (SELECT v.cost FROM visits v WHERE v.patient_id = p.patient_id)',
    'SELECT {count}(*) FROM patients p WHERE age > ALL (SELECT v.cost FROM visits v
        WHERE v.patient_id = p.patient_id)']);
SELECT refusals(ARRAY[
    'SELECT {avg}(n) FROM (SELECT v.patient_id, count(*) AS n FROM patients p LEFT JOIN visits v
        ON v.patient_id = p.patient_id GROUP BY v.patient_id) x',
    'SELECT {avg}(n) FROM (SELECT patient_id + 0 AS p, count(*) AS n FROM visits GROUP BY patient_id + 0) x',
    'SELECT {avg}(n) FROM (SELECT line, count(*) AS n FROM refunds GROUP BY line) x',
    'SELECT {avg}(n) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY ROLLUP (patient_id)) x',
    'SELECT {count}(*) FROM (SELECT DISTINCT ON (diagnosis) diagnosis, patient_id FROM visits) x',
    'SELECT {count}(*) FROM (SELECT diagnosis FROM visits UNION SELECT diagnosis FROM visits) x',
    'SELECT {count}(*) FROM (SELECT patient_id, cost FROM visits INTERSECT SELECT age, 5.5 FROM patients) x',
    'SELECT {count}(*) FROM (SELECT line FROM items EXCEPT SELECT line FROM refunds) x',
    'SELECT {count}(*) FROM (SELECT v.patient_id FROM patients p LEFT JOIN visits v ON v.patient_id = p.patient_id UNION
        SELECT patient_id FROM visits) x',
    'SELECT {avg}(n) FROM (SELECT patient_id, count(*) AS n FROM visits
        GROUP BY GROUPING SETS ((patient_id), (patient_id, ward))) x',
    'SELECT {count}(*) FROM (SELECT * FROM visits LIMIT 10) x',
    'SELECT {count}(*) FROM (SELECT * FROM visits OFFSET 10) x',
    'SELECT {count}(*) FROM (SELECT row_number() OVER (ORDER BY seen) AS k FROM visits) x WHERE k = 1',
    'SELECT {count}(*) FROM (SELECT row_number() OVER (PARTITION BY diagnosis ORDER BY seen) AS k FROM visits) x
        WHERE k = 1',
    'SELECT patient_id, {count}(*) FROM visits GROUP BY patient_id',
    'SELECT order_id, {count}(*) FROM items GROUP BY order_id',
    'SELECT p, {count}(*) FROM (SELECT patient_id AS p, count(*) FROM visits GROUP BY patient_id) x GROUP BY p']);
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM patients p JOIN (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) v
        ON v.n = p.age',
    'SELECT {count}(*) FROM visits a JOIN visits b ON a.diagnosis = b.diagnosis',
    'SELECT {count}(*) FROM visits a, visits b',
    'SELECT {count}(*) FROM visits a JOIN visits b ON a.patient_id = b.patient_id OR a.ward = b.ward',
    'SELECT {count}(*) FROM items i JOIN refunds r ON r.line = i.line',
    'SELECT {count}(*) FROM orders o JOIN items i ON i.order_id = o.user_id',
    'SELECT {count}(*) FROM codes c LEFT JOIN visits v ON v.diagnosis = c.code',
    'SELECT {count}(*) FROM (SELECT c.code, v.patient_id FROM codes c LEFT JOIN visits v ON v.diagnosis = c.code) x',
    'SELECT {count}(*) FROM items i JOIN refunds r ON r.order_id = i.order_id',
    'SELECT {count}(*) FROM patients p FULL JOIN visits v ON v.patient_id = p.patient_id',
    'SELECT {count}(*) FROM patients p, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.cost > p.age) x',
    'SELECT {count}(*) FROM patients p, LATERAL (SELECT v.cost FROM visits v WHERE v.cost > p.age) x',
    'SELECT {count}(*) FROM patients p, LATERAL (SELECT v.patient_id FROM visits v WHERE v.cost > p.age LIMIT 1) x
        WHERE x.patient_id = p.patient_id',
    'SELECT {count}(*) FROM patients p LEFT JOIN visits w ON w.patient_id = p.patient_id, LATERAL
        (SELECT v.cost FROM visits v LEFT JOIN labs l ON v.patient_id = w.patient_id AND l.visit_id = v.visit_id) x',
    'SELECT {sum}(x.n) FROM patients p LEFT JOIN visits v ON v.patient_id = p.patient_id, LATERAL (SELECT count(*) AS n
        FROM patients q WHERE q.patient_id = p.patient_id AND v.patient_id NOT IN (SELECT patient_id FROM visits)) x',
    'WITH RECURSIVE r AS (SELECT patient_id FROM patients UNION SELECT patient_id FROM r) SELECT {count}(*) FROM r',
    'SELECT {avg}(n) FROM (SELECT a.patient_id, count(DISTINCT a.cost) AS n FROM visits a JOIN visits b
        ON a.patient_id = b.patient_id GROUP BY a.patient_id) x']);
-- Nothing whose order, or whose failure, rows decide.
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM (SELECT patient_id, array_agg(diagnosis) AS d FROM visits GROUP BY patient_id) x',
    'SELECT {count}(*) FROM (SELECT patient_id, string_agg(diagnosis, '','') AS d FROM visits GROUP BY patient_id) x',
    'SELECT {avg}(m) FROM (SELECT patient_id, percentile_cont(.5) WITHIN GROUP (ORDER BY cost) AS m FROM visits
        GROUP BY patient_id) x',
    'SELECT {avg}(m) FROM (SELECT user_id, sum(amount * 1e300) AS m FROM orders GROUP BY user_id) x',
    'SELECT {avg}(m) FROM (SELECT patient_id, dp_count(*) AS m FROM visits GROUP BY patient_id) x',
    'SELECT {count}(*) FROM (SELECT count(*) OVER (PARTITION BY patient_id ORDER BY cost RANGE 10 PRECEDING)
        AS s FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT count(*) OVER (PARTITION BY patient_id ORDER BY seen RANGE ''-1 day'' PRECEDING)
        AS s FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT count(*) OVER (PARTITION BY patient_id ORDER BY seen RANGE ''100000 years'' PRECEDING)
        AS s FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT first_value(cost) OVER (PARTITION BY patient_id ORDER BY seen RANGE ''9 days''
        PRECEDING) AS s FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT count(*) OVER (PARTITION BY patient_id ORDER BY seen ROWS visit_id PRECEDING)
        AS s FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT lag(cost, visit_id) OVER (PARTITION BY patient_id ORDER BY seen) AS s
        FROM visits) x WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT ntile(0) OVER (PARTITION BY patient_id ORDER BY seen) AS s FROM visits) x
        WHERE s > 5',
    'SELECT {count}(*) FROM patients p WHERE age > (SELECT v.cost FROM visits v WHERE v.patient_id = p.patient_id
        ORDER BY seen LIMIT 2)',
    'SELECT {count}(*) FROM (SELECT patient_id, random() AS r FROM visits) x WHERE r > .5']);
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM (SELECT nth_value(cost, 2) OVER (PARTITION BY patient_id ORDER BY seen) AS s FROM visits) x
        WHERE s > 5',
    'SELECT {count}(*) FROM (SELECT sum(cost) OVER (PARTITION BY patient_id ORDER BY seen, visit_id
        ROWS BETWEEN random()::int PRECEDING AND CURRENT ROW) AS s FROM visits) x WHERE s > 1',
    'SELECT {count}(*) FROM (SELECT patient_id, avg(DISTINCT cost) AS s FROM visits GROUP BY patient_id) x',
    'SELECT {count}(*) FROM patients p WHERE age IN (SELECT v.cost * 2 FROM visits v
        WHERE v.patient_id = p.patient_id)',
    'SELECT {count}(*) FROM patients p WHERE (patient_id, age) IN (SELECT v.patient_id, v.visit_id FROM visits v)',
    'SELECT {count}(*) FROM (SELECT patient_id, cost FROM visits
        UNION SELECT patient_id, sum(cost) FROM visits GROUP BY 1) x',
    'SELECT {count}(*) FROM ((SELECT patient_id, cost FROM visits EXCEPT SELECT patient_id, cost FROM visits
        WHERE ward = ''A'') UNION ALL SELECT patient_id, age FROM patients) x',
    'SELECT {count}(*) FROM (SELECT patient_id, seen FROM visits UNION ALL SELECT patient_id, seen::timestamp FROM visits) x',
    'SELECT {count}(*) FROM (SELECT diagnosis FROM visits UNION SELECT ward FROM visits) x']);
-- Parts of a key that are of two rows name somebody else's.
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM items a JOIN orders o ON o.order_id = a.order_id JOIN orders p ON p.user_id = o.user_id
        JOIN items b ON b.order_id = p.order_id
        WHERE EXISTS (SELECT FROM refunds r WHERE r.order_id = a.order_id AND r.line = b.line)',
    'SELECT {count}(*) FROM orders o JOIN items a ON a.order_id = o.order_id JOIN items b ON b.order_id = o.order_id
        JOIN refunds r ON r.order_id = a.order_id AND r.line = b.line',
    'SELECT {count}(*) FROM (SELECT a.order_id, b.line FROM refunds a
            JOIN items i ON i.order_id = a.order_id AND i.line = a.line JOIN orders o ON o.order_id = i.order_id
            JOIN orders p ON p.user_id = o.user_id JOIN items j ON j.order_id = p.order_id
            JOIN refunds b ON b.order_id = j.order_id AND b.line = j.line) x
        JOIN refunds r ON r.order_id = x.order_id AND r.line = x.line',
    'SELECT {count}(*) FROM patients p, LATERAL (SELECT w.visit_id FROM visits w
        LEFT JOIN visits v ON v.patient_id = w.patient_id AND v.patient_id = p.patient_id) x']);
-- None of what may be NULL, or is said otherwise; nor by people's columns.
SELECT q || E'\n    ' || refusal(q, 'doors, commons') FROM unnest(ARRAY[
    'SELECT sum(price) FROM items i, products p WHERE i.product = p.product
        AND price < (SELECT avg(price) FROM items j WHERE j.product = p.product)',
    'SELECT sum(price) FROM items i, places p WHERE i.line = p.line
        AND EXISTS (SELECT avg(price) FROM items j WHERE j.line = p.line)',
    'SELECT sum(price) FROM items i, places p WHERE i.line = p.line
        AND price < (SELECT avg(price) FROM items j WHERE j.line > p.line)',
    'SELECT sum(price) FROM items i, places p WHERE i.line = p.line
        AND price < (SELECT avg(price) FROM items j WHERE j.line = i.line)',
    'SELECT sum(price) FROM items i LEFT JOIN places p ON i.line = p.line
        WHERE price < (SELECT avg(price) FROM items j WHERE j.line = p.line)',
    'SELECT name FROM places p WHERE 5 < (SELECT avg(price) FROM items j WHERE j.line = p.least)',
    'SELECT name FROM places p WHERE 5 < (SELECT count(*) FROM items j WHERE j.line = p.line AND j.line < 3)',
    'SELECT p.name FROM places p, places q WHERE 5 < (SELECT avg(price) FROM items j
        WHERE j.line = p.line AND j.line + 1 = q.line)']) q;
-- Nor where row security could hide from the owner whose rows they are.
ALTER TABLE orders ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT refusals(ARRAY['SELECT {count}(*), {sum}(price) FROM items']);
ALTER TABLE orders NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;
-- Nor by a key that no index shows to be unique any more.
ALTER TABLE orders DROP CONSTRAINT orders_pkey;
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM (SELECT order_id, sum(amount) AS s FROM orders GROUP BY order_id) x',
    'SELECT {count}(*) FROM orders a JOIN orders b ON a.order_id = b.order_id']);
ALTER TABLE orders ADD CONSTRAINT orders_pkey PRIMARY KEY (order_id);
-- Of both sides of a set operation no more is held than there are rows; and none is left out.
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM (SELECT a.patient_id FROM visits a JOIN visits b ON a.patient_id = b.patient_id
        EXCEPT SELECT patient_id FROM patients) x',
    'SELECT {count}(*) FROM (SELECT patient_id FROM visits UNION SELECT patient_id FROM patients ORDER BY 1 LIMIT 5) x']);
-- In plain SQL alone: an answer in a condition; what makes rows, locks them, reads itself; a column that is gone.
CREATE TABLE going (patient_id int, x float8);
SELECT dpmix.protect('going', population => 'people_hospital', privacy_unit => 'patient_id', max_rows_per_unit => 2);
SELECT dpmix.expose('going', 'doors.going', default_epsilon => 1);
ALTER TABLE going DROP COLUMN x;
SELECT q || E'\n    ' || refusal(q, 'doors, commons') FROM unnest(ARRAY[
    'SELECT count(*) FROM visits WHERE ward IN (SELECT ward FROM (SELECT ward, count(*) AS n FROM visits
        GROUP BY ward) x WHERE n > 3)',
    'SELECT count(*) FROM (SELECT generate_series(1, 2), row_number() OVER (PARTITION BY patient_id) FROM visits) x',
    'SELECT count(*) FROM (SELECT generate_series(1, 2) FROM visits) x',
    'SELECT count(*) FROM (SELECT patient_id FROM visits FOR UPDATE) x',
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r WHERE n < 5)
        SELECT count(*) FROM (SELECT patient_id, count(*) AS n FROM visits GROUP BY patient_id) x JOIN r USING (n)',
    'SELECT count(*) FROM (SELECT patient_id, count(x) AS n FROM going GROUP BY patient_id) x WHERE n > 1']) q;
-- Whose rows one change would make those of two.
SELECT dpmix.create_population('people_changing', 10, .1);
CREATE TABLE changing (id int, x float8);
CREATE TABLE changed (id int, x float8);
SELECT dpmix.protect(t::regclass, population => 'people_changing', privacy_unit => 'id', max_rows_per_unit => 2,
                     adjacency => 'replace') FROM unnest('{changing,changed}'::text[]) t;
SELECT dpmix.expose(t::regclass, 'doors.' || t, default_epsilon => .1)
FROM unnest('{changing,changed}'::text[]) t;
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM (SELECT id FROM changing) a LEFT JOIN changed b ON a.id = b.id',
    'SELECT {count}(*) FROM changing a WHERE NOT EXISTS (SELECT FROM changed b WHERE a.id = b.id)']);
-- Tables without people, of labels, or with budgets of their own.
CREATE TABLE alone (id int, x float8);
CREATE TABLE labelled (patient_id int, x float8, label text);
SELECT dpmix.protect('alone', 10, 1e-6);
SELECT dpmix.protect('labelled', 10, 0, accountant => 'basic', adjacency => 'label', label => 'label') \g /dev/null
SELECT dpmix.expose('alone', 'doors.alone', default_epsilon => .1, default_delta => 1e-9);
SELECT refusals(ARRAY[
    'SELECT {count}(*) FROM alone a JOIN alone b ON a.id = b.id',
    'SELECT {count}(*) FROM patients p WHERE EXISTS (SELECT FROM orders o WHERE o.user_id = p.patient_id)',
    'SELECT {count}(*) FROM patients WHERE patient_id IN (SELECT user_id FROM users)']);
SELECT refusals(ARRAY['SELECT {count}(*) FROM labelled a JOIN labelled b ON a.patient_id = b.patient_id']);
SELECT charges() = n FROM before;
-- In plain SQL groups that are no person's are a release of their own, with what is asked of its answer; in dpmix.query
-- they are refused.
SELECT refusals(ARRAY[
    'SELECT {sum}(n) FROM (SELECT diagnosis, count(*) AS n FROM visits GROUP BY diagnosis) x',
    'SELECT {count}(*) FROM (SELECT DISTINCT diagnosis FROM visits) x']);
SELECT charges() - n FROM before;

-- Whoever asks has access to each table that a layer reads, and to those through which links lead.
CREATE ROLE regress_people_reader;
GRANT USAGE ON SCHEMA people, commons TO regress_people_reader;
SELECT dpmix.grant_access(t::regclass, 'regress_people_reader') FROM unnest('{patients,labs,users,items}'::text[]) t;
SET ROLE regress_people_reader;
SELECT message FROM unnest(ARRAY[
    'SELECT dp_count(*) FROM patients p WHERE EXISTS (SELECT FROM visits v WHERE v.patient_id = p.patient_id)',
    'SELECT dp_count(*) FROM labs', 'SELECT dp_count(*) FROM (SELECT order_id, count(*) AS n FROM items GROUP BY 1) x',
    'SELECT dp_count(*) FROM (SELECT sex, patient_id FROM patients) x']) q,
    LATERAL refusal(format('SELECT * FROM dpmix.query_json(%L, .1)', q), 'people, commons') AS message;
RESET ROLE;

SET client_min_messages = error;
DROP OWNED BY regress_people_reader;
DROP ROLE regress_people_reader;
DROP SCHEMA people, doors, commons CASCADE;
