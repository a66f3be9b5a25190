-- What foreign keys, exclusion constraints and indexes show of a protected table's rows: protect,
-- declare_public and DDL warn, the owner's report lists it.
CREATE SCHEMA exposed;
SET search_path = exposed, public;
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;
CREATE ROLE exposed_reader;
CREATE TABLE city (id int PRIMARY KEY, name text);
CREATE TABLE private_city (id int PRIMARY KEY);
CREATE TABLE town (id int PRIMARY KEY);
CREATE TABLE people (
    id int PRIMARY KEY, city int CONSTRAINT lives_in REFERENCES city, private_city int REFERENCES private_city,
    town int REFERENCES town, boss int REFERENCES people, age int, seen int4range,
    CONSTRAINT no_overlap EXCLUDE USING gist (seen WITH &&));
CREATE INDEX old ON people (id) WHERE age > 60;
CREATE INDEX parity ON people ((age % 2));
CREATE INDEX plain ON people (age, city);
CREATE TABLE visit (person int CONSTRAINT visitor REFERENCES people);
GRANT SELECT ON city TO PUBLIC;
GRANT SELECT (id) ON town TO exposed_reader;
GRANT INSERT ON visit TO exposed_reader;
SELECT dpmix.protect('people', 1, 1e-6, privacy_unit => 'id');
SELECT regexp_matches(dpmix.report('people'), 'PostgreSQL itself shows something of the rows: ([^<]*)<', 'g');

-- Once it is public, the table that only its owner read.
SELECT dpmix.declare_public('private_city');
SELECT dpmix.undeclare_public('private_city');

-- Said once more by what makes it, and of nothing else.
CREATE INDEX young ON people (id) WHERE age < 20;
CREATE INDEX CONCURRENTLY slowly ON people (id) WHERE age < 30;
CREATE INDEX CONCURRENTLY ON people (age, id);
ALTER TABLE people ADD FOREIGN KEY (age) REFERENCES city;
ALTER TABLE people ADD EXCLUDE USING gist (seen WITH -|-);
ALTER TABLE people ADD UNIQUE (city, age), ADD CHECK (age > 0);
CREATE INDEX ON people (city);
CREATE INDEX ON city (id) WHERE id > 0;

-- Partitions: what the parent says is said once.
CREATE TABLE parts (id int, city int REFERENCES city) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9);
CREATE INDEX every ON parts (id) WHERE city > 0;
CREATE INDEX one ON part (id) WHERE city > 0;
SELECT dpmix.protect('parts', 1, 1e-6);
SELECT dpmix.unprotect('parts');
CREATE INDEX afterwards ON parts (id) WHERE city > 1;

-- Nothing hangs on this one.
CREATE TABLE bare (id int PRIMARY KEY, age int UNIQUE);
SELECT dpmix.protect('bare', 1, 1e-6, privacy_unit => 'id');
SELECT dpmix.report('bare') ~ 'PostgreSQL itself shows';

SET client_min_messages = warning;
SELECT dpmix.unprotect('people'), dpmix.unprotect('bare');
DROP SCHEMA exposed CASCADE;
DROP ROLE exposed_reader;
