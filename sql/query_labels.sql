-- Labels of enums as text, and initcap: the values that PostgreSQL has, and as keys all of them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE ROLE label_owner;
GRANT CREATE ON SCHEMA public TO label_owner;
SET ROLE label_owner;
CREATE TYPE label_status AS ENUM ('open', 'closed', 'in work');
ALTER TYPE label_status ADD VALUE 'new' BEFORE 'open';
CREATE TABLE label_tickets (id int PRIMARY KEY, status label_status, town text);
INSERT INTO label_tickets SELECT i, (ARRAY['open', 'closed', NULL, 'open']::label_status[])[1 + i % 4], (ARRAY['NEW york', 'oslo'])[1 + i % 2] FROM generate_series(1, 400) AS i;
SELECT dpmix.protect('label_tickets', 1e7, .01, accountant => 'basic');
SELECT dpmix.set_categories('label_tickets', 'town', '{NEW york,oslo}');
SELECT * FROM dpmix.query('SELECT status::text, dp_count(*) FROM label_tickets GROUP BY 1', 1e4) AS t(status text, n bigint);
SELECT * FROM dpmix.query('SELECT status, dp_count(*) FROM label_tickets WHERE status > ''open'' GROUP BY status', 1e4) AS t(status label_status, n bigint);
SELECT * FROM dpmix.query('SELECT status::varchar, dp_count(*) FROM label_tickets WHERE status IN (''open'', ''new'') GROUP BY 1', 1e4) AS t(status varchar, n bigint);
SELECT * FROM dpmix.query('SELECT initcap(town), dp_count(*) FROM label_tickets GROUP BY 1 ORDER BY 1', 1e4) AS t(town text, n bigint);
SELECT * FROM dpmix.query('SELECT upper(status::text), dp_count(*), dp_count(status::text), dp_count_distinct(status::text) FROM label_tickets WHERE status::text LIKE ''%o%'' GROUP BY 1', 1e4)
    AS t(status text, n bigint, known bigint, labels bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*), dp_count(*) FILTER (WHERE status::text IN (''open'', ''none'')), dp_sum(length(initcap(left(town, 10)))) FROM label_tickets WHERE coalesce(status::text, ''none'') <> ''closed''', 1e4)
    AS t(n bigint, open bigint, letters float8);
SELECT count(*), count(*) FILTER (WHERE status::text IN ('open', 'none')) AS open, sum(length(initcap(left(town, 10)))) AS letters FROM label_tickets WHERE coalesce(status::text, 'none') <> 'closed';
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM label_tickets WHERE (id::text) = ''1''', 1e4) AS t(n bigint);
SELECT * FROM dpmix.query('SELECT dp_count(*) FROM label_tickets WHERE initcap(town COLLATE "und-x-icu") = ''Oslo''', 1e4) AS t(n bigint);
SELECT dpmix.unprotect('label_tickets');
RESET ROLE;
DROP OWNED BY label_owner CASCADE;
DROP ROLE label_owner;
