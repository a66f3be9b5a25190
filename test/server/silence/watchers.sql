-- The observer's roles, and tables of ana's with long values.
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE olga LOGIN;
CREATE ROLE ana LOGIN;
CREATE ROLE mona LOGIN IN ROLE ana, pg_monitor;
CREATE ROLE sam LOGIN;   -- a stranger
CREATE ROLE dora LOGIN;  -- the database's owner
ALTER DATABASE postgres OWNER TO dora;
SET ROLE ana;
CREATE TABLE filler (wide text);
ALTER TABLE filler ALTER wide SET STORAGE EXTERNAL;
INSERT INTO filler SELECT repeat(md5(i::text), 1000) FROM generate_series(1, 500) AS i;
CREATE TABLE longs (id int PRIMARY KEY, long text);
ALTER TABLE longs ALTER long SET STORAGE EXTERNAL;
INSERT INTO longs SELECT i, repeat(md5(i::text), 1000) FROM generate_series(0, 15) AS i;
GRANT SELECT ON longs TO PUBLIC;
RESET ROLE;
