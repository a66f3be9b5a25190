-- Random tables and random queries, each with the plain SQL that means the same, for property.test.sh.
-- What is switched on stands in the table feature.
CREATE TYPE feeling AS ENUM ('low', 'high', 'never');
CREATE TABLE feature (name text PRIMARY KEY);
CREATE TABLE fault (seed text, how text, query text, plain text, seen text);
CREATE TABLE bound (tab text, col text, lower float8, upper float8);
CREATE TABLE unit_rows (tab text, rows int);  -- how many rows a unit may have

CREATE FUNCTION has(feature text) RETURNS boolean LANGUAGE sql AS 'SELECT EXISTS (SELECT FROM feature f WHERE f.name = $1)';
CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS
    'SELECT choices[1 + floor(random() * cardinality(choices))::int]';
CREATE FUNCTION chance(p float8) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT random() < p';
CREATE FUNCTION whole(low int, high int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT low + floor(random() * (high - low + 1))::int';

-- A table with NULL, NaN, infinities, values out of bounds and undeclared categories; a view over it in which numbers
-- are what the bounds make of them, as n_NAME: float8, NaN and NULL where missing.
CREATE FUNCTION make_table(tab text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    bad float8 := (ARRAY[0, .05, .3])[whole(1, 3)];
    m int := CASE WHEN has('units') AND chance(.5) THEN whole(1, 4) ELSE 0 END;
    col text;
    l float8;
    u float8;
    nan text;
    cleaned text := '';
BEGIN
    EXECUTE format('CREATE TABLE %I (id int PRIMARY KEY, who int, a smallint, b int, c bigint, f real, g float8, h numeric,
                    d date, s timestamp, t text, v varchar(6), w boolean, m feeling)', tab);
    EXECUTE format($q$INSERT INTO %I SELECT i, (i - 1) / greatest(%s, 1),
        CASE WHEN chance(%3$s) THEN pick(NULL, '32767', '-32768', '0') ELSE whole(0, 9)::text END::smallint,
        CASE WHEN chance(%3$s) THEN pick(NULL, '2147483647', '-2147483648') ELSE whole(-60, 90)::text END::int,
        CASE WHEN chance(%3$s) THEN pick(NULL, '9223372036854775807', '-9223372036854775808') ELSE whole(-5000, 5000)::text END::bigint,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'NaN', 'Infinity', '-Infinity') ELSE (random() * 80 - 20)::text END::real,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'NaN', 'Infinity', '-Infinity', '1e300', '-0') ELSE (random() * 700 - 300)::text END::float8,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'NaN', '1e400', '-1e400', 'Infinity') ELSE (whole(-900, 900) / 7.0)::text END::numeric,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'infinity', '-infinity') ELSE (date '2020-01-01' + whole(0, 900))::text END::date,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'infinity') ELSE (timestamp '2020-01-01' + random() * interval '900 days')::text END::timestamp,
        CASE WHEN chance(%3$s) THEN pick(NULL, 'else', '') ELSE pick('x', 'y', 'z') END,
        CASE WHEN chance(%3$s) THEN NULL ELSE pick('va', 'vb', 'vc') END,
        CASE WHEN chance(%3$s) THEN NULL ELSE chance(.5) END,
        CASE WHEN chance(%3$s) THEN NULL ELSE pick('low', 'high') END::feeling
        FROM generate_series(1, %4$s) AS i$q$, tab, m, bad, (ARRAY[0, 1, 7, 60, 300])[whole(1, 5)]);
    EXECUTE format('ALTER TABLE %I ALTER who SET NOT NULL', tab);
    EXECUTE format('ANALYZE %I', tab);
    IF m > 0 THEN
        PERFORM dpmix.protect(tab, 1e7, .1, privacy_unit => 'who', max_rows_per_unit => m, adjacency => pick('add_remove', 'replace'), accountant => 'basic');
    ELSE
        PERFORM dpmix.protect(tab, 1e7, .1, adjacency => pick('add_remove', 'replace'), accountant => 'basic');
    END IF;
    INSERT INTO unit_rows VALUES (tab, greatest(m, 1));
    FOREACH col IN ARRAY '{a,b,c,f,g,h}'::text[] LOOP
        l := whole(-50, 20) * CASE col WHEN 'c' THEN 50 WHEN 'a' THEN .1 ELSE 1 END;
        u := l + whole(1, 100) * CASE col WHEN 'c' THEN 50 WHEN 'a' THEN .1 ELSE 1 END;
        IF col IN ('a', 'b', 'c') THEN  -- ends that a whole number can reach
            l := floor(l);
            u := ceil(u);
        END IF;
        nan := 'NaN';
        IF col IN ('f', 'g', 'h') AND chance(.5) THEN  -- the middle; of a column that has no NULLs, never missing
            nan := (l + (u - l) / 2)::text;
            IF chance(.5) THEN
                EXECUTE format('UPDATE %I SET %I = ''NaN'' WHERE %2$I IS NULL', tab, col);
                EXECUTE format('ALTER TABLE %I ALTER %I SET NOT NULL', tab, col);
            END IF;
        END IF;
        PERFORM dpmix.set_bounds(tab, col, l, u, nan_is_middle => nan <> 'NaN');
        INSERT INTO bound VALUES (tab, col, l, u);
        cleaned := cleaned || format(', CASE WHEN %1$I::text = ''NaN'' THEN %4$L WHEN %1$I IS NOT NULL THEN least(greatest(%1$I::numeric, %2$s), %3$s)::float8 END AS n_%1$s',
                                     col, quote_literal(l) || '::numeric', quote_literal(u) || '::numeric', nan);
    END LOOP;
    PERFORM dpmix.set_categories(tab, 't', '{z,x,y,none}'), dpmix.set_categories(tab, 'v', '{vb,va}'), dpmix.set_categories(tab, 'w', '{false,true}'),
            dpmix.set_categories(tab, 'm', '{high,never,low}'), dpmix.set_categories(tab, 'a', '{3,1,2,99}');
    EXECUTE format('CREATE VIEW %I AS SELECT *%s FROM %I', tab || '_clean', cleaned, tab);
END $$;

CREATE TABLE key_column (col text PRIMARY KEY, type text, categories text);
INSERT INTO key_column VALUES ('t', 'text', '{z,x,y,none}'), ('v', 'varchar', '{vb,va}'), ('w', 'boolean', '{false,true}'),
                              ('m', 'feeling', '{high,never,low}'), ('a', 'smallint', '{3,1,2,99}');

-- A condition, the same text in both languages.
CREATE FUNCTION condition(depth int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF depth > 0 AND chance(.6) THEN
        RETURN CASE whole(1, 3) WHEN 1 THEN format('(%s AND %s)', condition(depth - 1), condition(depth - 1))
                    WHEN 2 THEN format('(%s OR %s)', condition(depth - 1), condition(depth - 1)) ELSE format('NOT %s', condition(depth - 1)) END;
    END IF;
    RETURN '(' || CASE whole(1, 12)
        WHEN 1 THEN format('%s %s %s', pick('a', 'b', 'c'), pick('=', '<>', '<', '<=', '>', '>='), whole(-9, 40))
        WHEN 2 THEN format('%s %s %s', pick('f', 'g', 'h'), pick('<', '<=', '>', '>='), pick('0', '12.5', '-7.25', '''NaN''', '''Infinity'''))
        WHEN 3 THEN format('%s %s %s', pick('a', 'b', 'c'), pick('=', '<>', '<', '>='), pick('a', 'b', 'c'))
        WHEN 4 THEN format('t %s ''%s''', pick('=', '<>', '<', '>'), pick('x', 'y', ''))
        WHEN 5 THEN format('v %s (''va'', ''%s'')', pick('IN', 'NOT IN'), pick('vb', 'vc', ''))
        WHEN 6 THEN format('%s IS %s NULL', pick('a', 'b', 'c', 'f', 'g', 'h', 'd', 't', 'w', 'm'), pick('', 'NOT'))
        WHEN 7 THEN format('w IS %s', pick('TRUE', 'NOT TRUE', 'FALSE', 'NOT FALSE', 'UNKNOWN', 'NOT UNKNOWN'))
        WHEN 8 THEN format('d %s ''2020-%s-01''', pick('<', '>=', '<>'), lpad(whole(1, 12)::text, 2, '0'))
        WHEN 9 THEN format('s BETWEEN ''2020-01-01'' AND ''202%s-06-01 12:00''', whole(0, 2))
        WHEN 10 THEN format('m %s ''%s''', pick('=', '<>'), pick('low', 'high'))
        WHEN 11 THEN format('b = ANY (''{%s,%s,NULL}'')', whole(-9, 9), whole(-9, 9))
        ELSE format('%s BETWEEN %s AND %s', pick('a', 'b', 'c', 'h'), whole(-60, 0), whole(0, 60)) END || ')';
END $$;

-- A number of a row: its text, the plain text, and bounds of what it can be.
CREATE TYPE number_case AS (query text, plain text, lower float8, upper float8);
CREATE FUNCTION number(tab text, depth int) RETURNS number_case LANGUAGE plpgsql AS $$
DECLARE
    x number_case;
    y number_case;
    k int;
BEGIN
    IF NOT has('expressions') OR depth = 0 OR chance(.4) THEN
        SELECT col, 'n_' || col, bound.lower, bound.upper INTO x FROM bound WHERE bound.tab = number.tab ORDER BY random() LIMIT 1;
        RETURN x;
    END IF;
    x := number(tab, depth - 1);
    k := whole(2, 5);
    CASE whole(1, 7)
        WHEN 1 THEN RETURN ROW(format('(%s * %s.0)', x.query, k), format('(%s * %s)', x.plain, k), k * x.lower, k * x.upper)::number_case;
        WHEN 2 THEN RETURN ROW(format('(- %s)', x.query), format('(- %s)', x.plain), - x.upper, - x.lower)::number_case;
        WHEN 3 THEN RETURN ROW(format('coalesce(%s, %s)', x.query, k), format('coalesce(%s, %s)', x.plain, k), least(x.lower, k), greatest(x.upper, k))::number_case;
        WHEN 4 THEN RETURN ROW(format('CASE WHEN w THEN %s ELSE %s END', x.query, k), format('CASE WHEN w THEN %s ELSE %s END', x.plain, k),
                               least(x.lower, k), greatest(x.upper, k))::number_case;
        WHEN 5 THEN RETURN ROW(format('abs(%s)', x.query), format('abs(%s)', x.plain), greatest(x.lower, - x.upper, 0), greatest(abs(x.lower), abs(x.upper)))::number_case;
        ELSE
            y := number(tab, depth - 1);
            IF chance(.5) THEN
                RETURN ROW(format('(%s + %s)', x.query, y.query), format('(%s + %s)', x.plain, y.plain), x.lower + y.lower, x.upper + y.upper)::number_case;
            END IF;
            RETURN ROW(format('(%s - %s)', x.query, y.query), format('(%s - %s)', x.plain, y.plain), x.lower - y.upper, x.upper - y.lower)::number_case;
    END CASE;
END $$;

-- One aggregate: its text, the plain text over the rows of a group (id NULL: none), its type and what the two may
-- differ by. parts: by how much more noise its statistic has than epsilon asks for, at most.
CREATE TYPE answer_case AS (query text, plain text, type text, tolerance text);
-- narrowed: a condition may have narrowed its bounds, whose middle is what no value at all gives.
CREATE FUNCTION answer(tab text, parts float8, narrowed boolean = false) RETURNS answer_case LANGUAGE plpgsql AS $$
<<wanted>>
DECLARE
    here text := 'id IS NOT NULL';
    filter text := '';
    x number_case;
    reach float8;
    width float8;
    col text;
    kind text;
    counted text;
    loose text := '';  -- the tolerance where there is a value
    ends text := '';
    kinds text[] := '{rows,values,sum,mean}';
    p float8 := (ARRAY[0, .01, .25, .5, .9, 1, random()])[whole(1, 7)];
    edges float8[];
BEGIN
    IF has('filter') AND chance(.4) THEN
        filter := condition(1);
        here := here || ' AND ' || filter;
        filter := format(' FILTER (WHERE %s)', filter);
    END IF;
    IF has('moments') THEN kinds := kinds || '{variance,stddev,distinct,different}'::text[]; END IF;
    IF has('quantiles') THEN kinds := kinds || '{quantile,quantile,histogram}'::text[]; END IF;
    kind := pick(VARIADIC kinds);
    IF kind = 'rows' THEN
        RETURN ROW('dp_count(*)' || filter, format('count(*) FILTER (WHERE %s)', here), 'bigint', '0')::answer_case;
    ELSIF kind = 'values' THEN
        col := pick('a', 'b', 'c', 'f', 'g', 'h', 'd', 's', 't', 'v', 'w', 'm');
        RETURN ROW(format('dp_count(%s)%s', col, filter), format('count(*) FILTER (WHERE %s AND %s::text <> ''NaN'')', here, CASE WHEN col IN ('f', 'g', 'h') THEN 'n_' || col ELSE col END), 'bigint', '0')::answer_case;
    ELSIF kind = 'distinct' THEN
        col := (SELECT k.col FROM key_column k ORDER BY random() LIMIT 1);
        RETURN ROW(format('dp_count_distinct(%s)%s', col, filter), format('count(DISTINCT %s) FILTER (WHERE %s AND %1$s::text = ANY (%3$L))', col, here,
                   (SELECT categories FROM key_column k WHERE k.col = wanted.col)), 'bigint', '0')::answer_case;
    ELSIF kind = 'different' THEN  -- values that nobody declared
        col := (SELECT c FROM unnest('{id,a,b,c,f,g,h,d,s}'::text[]) AS c WHERE NOT EXISTS (SELECT FROM key_column k WHERE k.col = c) ORDER BY random() LIMIT 1);
        RETURN ROW(format('dp_count_distinct(%s)%s', col, filter), format('count(DISTINCT %s) FILTER (WHERE %s AND %1$s::text <> ''NaN'')', col, here), 'bigint', '0')::answer_case;
    END IF;
    x := number(tab, 2);
    x.plain := format('nullif(%s, ''NaN'')', x.plain);
    reach := greatest(abs(x.lower), abs(x.upper), x.upper - x.lower);
    width := x.upper - x.lower;
    counted := format('count(%s) FILTER (WHERE %s)', x.plain, here);
    IF narrowed OR filter <> '' THEN
        loose := format('CASE WHEN %s = 0 THEN ''Infinity''::float8 ELSE ', counted);
        ends := ' END';
    END IF;
    CASE kind
        WHEN 'sum' THEN
            RETURN ROW(format('dp_sum(%s)%s', x.query, filter), format('coalesce(sum(%s) FILTER (WHERE %s), 0)', x.plain, here), 'float8',
                       format('%s + %s * 1e-8 * %s', parts * reach, reach, counted))::answer_case;
        WHEN 'mean' THEN
            RETURN ROW(format('dp_avg(%s)%s', x.query, filter), format('coalesce(avg(%s) FILTER (WHERE %s), %s)', x.plain, here, (x.lower + x.upper) / 2), 'float8',
                       loose || format('%s / greatest(%s, 1) + %s', 2 * parts * width, counted, 1e-8 * reach) || ends)::answer_case;
        WHEN 'quantile' THEN  -- to a cell of the bounds
            RETURN ROW(CASE p WHEN .5 THEN format('dp_median(%s)%s', x.query, filter) ELSE format('dp_quantile(%s, %s)%s', x.query, p, filter) END,
                       format('coalesce(percentile_disc(%s) WITHIN GROUP (ORDER BY %s) FILTER (WHERE %s), %s)', p, x.plain, here, (x.lower + x.upper) / 2), 'float8',
                       loose || (width / 2048)::text || ends)::answer_case;
        WHEN 'histogram' THEN
            edges := ARRAY(SELECT DISTINCT e FROM generate_series(1, whole(2, 6)), LATERAL (SELECT round((x.lower - 1 + random() * (width + 2))::numeric, 1)::float8 AS e) r ORDER BY 1);
            edges := edges || (edges[cardinality(edges)] + 1);
            -- Of the column as it is: cells need no bounds.
            col := pick('a', 'b', 'c', 'f', 'g', 'h');
            RETURN ROW(format('dp_histogram(%s, %L)%s', col, edges, filter),
                       format('ARRAY[%s]', (SELECT string_agg(format('count(*) FILTER (WHERE %1$s AND %2$s::text <> ''NaN'' AND %2$s >= %3$s AND %2$s < %4$s)', here, col, edges[i], edges[i + 1]), ', ' ORDER BY i)
                                            FROM generate_series(1, cardinality(edges) - 1) AS i)), 'bigint[]', '0')::answer_case;
        WHEN 'variance' THEN
            RETURN ROW(format('dp_var(%s)%s', x.query, filter), format('coalesce(var_pop(%s) FILTER (WHERE %s), %s)', x.plain, here, width * width / 8), 'float8',
                       loose || format('%s / greatest(%s, 1) + %s', 3 * parts * width * width, counted, 1e-6 * width * width) || ends)::answer_case;
        ELSE
            RETURN ROW(format('dp_stddev(%s)%s', x.query, filter), format('coalesce(stddev_pop(%s) FILTER (WHERE %s), %s)', x.plain, here, width / sqrt(8)), 'float8',
                       loose || format('sqrt(%s / greatest(%s, 1) + %s)', 3 * parts * width * width, counted, 1e-6 * width * width) || ends)::answer_case;
    END CASE;
END $$;

-- Both texts of a whole query, the types of its columns, and how each is judged.
CREATE TYPE query_case AS (query text, plain text, columns text, judge text);
CREATE FUNCTION random_query(tab text, parts float8) RETURNS query_case LANGUAGE plpgsql AS $$
DECLARE
    wanted text := CASE WHEN chance(.3) THEN 'true' ELSE condition(2) END;
    keys int := CASE WHEN chance(.4) THEN 0 ELSE whole(1, 2) END;
    answers int := whole(1, 3);
    key key_column;
    a answer_case;
    query text[] := '{}';
    plain text[] := ARRAY['0 AS k0', 'count(id) AS there'];
    columns text[] := '{}';
    groups text := '(SELECT 0) AS none(k0)';
    matches text := 'true';
    judge text := 'q.k0 IS NOT DISTINCT FROM p.k0';
    grouped text := '';
    outer_clauses text := '';
    order_by text := '';
    narrows boolean := false;  -- a condition on a key may leave out groups, which no order counts then
BEGIN
    FOR key IN SELECT * FROM key_column ORDER BY random() LIMIT keys LOOP
        query := query || (key.col || ' AS k' || cardinality(query) + 1);
        plain := plain || format('k%s', cardinality(query));
        narrows := narrows OR wanted ~ ('\m' || key.col || '\M');
        columns := columns || format('k%s %s', cardinality(query), key.type);
        groups := groups || format(' CROSS JOIN unnest(%L::%s[] || NULL::%2$s) AS g%s(k%3$s)', key.categories, key.type, cardinality(query));
        matches := matches || format(' AND r.%I IS NOT DISTINCT FROM k%s', key.col, cardinality(query));
        grouped := grouped || ', ' || key.col;
    END LOOP;
    FOR i IN 1..answers LOOP
        a := answer(tab, parts, wanted <> 'true');
        query := query || format('%s AS a%s', a.query, i);
        plain := plain || format('(%s)::%s AS a%s, (%s)::float8 AS tolerance%3$s', a.plain, a.type, i, a.tolerance);
        columns := columns || format('a%s %s', i, a.type);
        judge := judge || format(CASE a.type WHEN 'bigint[]' THEN ' AND q.a%1$s = p.a%1$s' ELSE ' AND coalesce(abs(q.a%1$s - p.a%1$s) <= p.tolerance%1$s, false)' END, i);
    END LOOP;
    IF has('released') THEN
        IF chance(.3) THEN
            query := query || '(100.0 * dp_count(*) / greatest(dp_count(t), 1) + 1)::float8 AS b1'::text;
            plain := plain || '(100.0 * count(id) / greatest(count(t), 1) + 1)::float8 AS b1'::text;
            columns := columns || 'b1 float8'::text;
            judge := judge || ' AND q.b1 IS NOT DISTINCT FROM p.b1';
        END IF;
        IF chance(.3) THEN outer_clauses := format(' HAVING %%s %s %s', pick('>', '<=', '<>'), whole(0, 30)); END IF;
        IF keys > 0 AND NOT narrows AND chance(.3) THEN
            order_by := format(' ORDER BY %%s %s%s%s', pick('', 'DESC'),
                               (SELECT string_agg(format(', k%s %s', k, pick('', 'DESC', 'DESC NULLS LAST')), '') FROM generate_series(1, keys) AS k), pick('', ' LIMIT 3', ' OFFSET 1'));
            judge := judge || ' AND q.place = p.place';
        END IF;
    END IF;
    RETURN ROW(format('SELECT %s FROM %I WHERE %s%s', array_to_string(query, ', '), tab, wanted, CASE WHEN keys > 0 THEN ' GROUP BY ' || substr(grouped, 3) ELSE '' END)
                   || format(outer_clauses || order_by, 'dp_count(*)', 'dp_count(*)'),
               format('SELECT %s FROM %s LEFT JOIN (SELECT * FROM %I WHERE %s) AS r ON %s%s', array_to_string(plain, ', '), groups, tab || '_clean', wanted, matches,
                      ' GROUP BY ' || (SELECT string_agg('k' || k, ', ') FROM generate_series(0, keys) AS k))
                   || format(outer_clauses || order_by, 'count(id)', 'count(id)'),
               array_to_string(columns, ', '), judge)::query_case;
END $$;

-- Asks both, and keeps what differs. Answers whether they agreed.
CREATE FUNCTION agree(seed text, tab text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    epsilon float8 := 1e5;
    mechanism text := pick('laplace', 'laplace', 'auto');
    -- 45 times the mean of a geometric law: never. At most 12 statistics; replace doubles; a unit has several rows.
    c query_case := random_query(tab, 45 * 12 * 2 / epsilon * (SELECT rows FROM unit_rows u WHERE u.tab = agree.tab));
    keys text;
    wrong text;
    over_nothing boolean;
    charges bigint := (SELECT count(*) FROM dpmix.charge);
BEGIN
    SELECT 'k0' || coalesce(string_agg(format(', coalesce(k%s::text, ''NULL'')', k), ''), '') INTO keys FROM generate_series(1, 2) AS k WHERE c.columns ~ ('\mk' || k || ' ');
    EXECUTE format('SELECT string_agg(concat(q, %L, p), E''\n''),
                        bool_and(p.there = 0 AND NOT EXISTS (SELECT FROM jsonb_each(to_jsonb(q) - ''{k0,place,key}''::text[]) AS e WHERE e.value NOT IN (''null'', ''0'', coalesce(to_jsonb(p) -> e.key, ''0''))))
                    FROM (SELECT *, concat_ws('' '', %s) AS key FROM (SELECT 0 AS k0, row_number() OVER () AS place, t.* FROM dpmix.query(%L, %s, mechanism => %L) AS t(%s)) AS q) AS q
                    FULL JOIN (SELECT row_number() OVER () AS place, s.*, concat_ws('' '', %s) AS key FROM (%s) AS s) AS p USING (key) WHERE NOT coalesce(%s, false) AND NOT (q.k0 IS NULL AND p.there = 0 AND %L)',
                   ' instead of ', keys, c.query, epsilon, mechanism, c.columns, keys, c.plain, c.judge, keys <> 'k0') INTO wrong, over_nothing;
    -- Where conditions contradict each other, the answer is PostgreSQL's over no row, without noise: it must be free.
    IF over_nothing AND (SELECT count(*) FROM dpmix.charge) = charges THEN wrong := NULL; END IF;
    IF wrong IS NOT NULL THEN INSERT INTO fault VALUES (seed, mechanism, c.query, c.plain, wrong); END IF;
    RETURN wrong IS NULL;
EXCEPTION WHEN OTHERS THEN
    INSERT INTO fault VALUES (seed, mechanism, c.query, c.plain, SQLSTATE || ' ' || SQLERRM);
    RETURN false;
END $$;
