-- The record of a table as the registry of deployments has it: what the owner states, what the catalog knows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
\set SHOW_CONTEXT never
CREATE ROLE registry_owner; CREATE ROLE registry_auditor; CREATE ROLE registry_analyst;
CREATE SCHEMA registry_test AUTHORIZATION registry_owner;
GRANT USAGE ON SCHEMA registry_test TO PUBLIC;
SET ROLE registry_owner;
CREATE TABLE registry_test.visits (patient int NOT NULL, age int, region text);
INSERT INTO registry_test.visits SELECT i % 100, i % 90, 'north' FROM generate_series(1, 300) i;
SELECT dpmix.protect('registry_test.visits', 8, 1e-6, privacy_unit => 'patient', max_rows_per_unit => 5),
       dpmix.set_bounds('registry_test.visits', 'age', 0, 120),
       dpmix.grant_access('registry_test.visits', 'registry_analyst', 2), dpmix.grant_audit('registry_test.visits', 'registry_auditor');
-- What is missing is said by name.
SELECT dpmix.registry_record('registry_test.visits');
SELECT dpmix.state('registry_test.visits', 'colour', 'blue');
SELECT dpmix.state('registry_test.visits', 'data_product_sector', 'Hospitals');
SELECT dpmix.state('registry_test.visits', 'name', E' \n');
SELECT dpmix.state('registry_test.visits', 'name', repeat('x', 10001));
SELECT dpmix.state('registry_test.visits', NULL, 'x');
SELECT dpmix.registry_record('registry_test.visits', 'xml');
SELECT dpmix.state('registry_test.visits', 'name', 'Visits: "north" & south'),
       dpmix.state('registry_test.visits', 'data_curators', E'General Hospital\nOffice of Health'),
       dpmix.state('registry_test.visits', 'description', E'Counts of visits.\nBy region.'),
       dpmix.state('registry_test.visits', 'intended_use', 'Planning of beds'),
       dpmix.state('registry_test.visits', 'data_product_region', 'Nowhere'),
       dpmix.state('registry_test.visits', 'data_product_sector', 'Healthcare'),
       dpmix.state('registry_test.visits', 'notes', 'A draft'), dpmix.state('registry_test.visits', 'notes', NULL),
       dpmix.state('registry_test.visits', 'registry_authors', 'The office');
RESET ROLE;
-- The budget is the largest it ever was.
SELECT dpmix.set_budget('registry_test.visits', 4, 1e-6, 'less');
SET ROLE registry_auditor;
\a
SELECT regexp_replace(regexp_replace(dpmix.registry_record('registry_test.visits'), '\d{4}-\d\d-\d\d', 'DATE'),
                      'dpmix \S+, an extension of PostgreSQL \d+', 'dpmix on PostgreSQL') AS record;
\a
SELECT dpmix.state('registry_test.visits', 'name', 'mine');
SET ROLE registry_owner;
SELECT dpmix.state('registry_test.visits', 'justification', 'As the board decided'),
       dpmix.state('registry_test.visits', 'preprocessing_and_hyperparameter_tuning', 'None');
SELECT r ->> 'tier' AS tier, r -> 'deployment' -> 'basic' ->> 'data_curators' AS curators,
       r -> 'deployment' -> 'basic' ->> 'publication_date' = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS today
FROM CAST(dpmix.registry_record('registry_test.visits', 'json') AS json) r;
-- After a release its noise is named; the record does not depend on rows, and names no role and no question.
SET ROLE registry_analyst;
SELECT count(*) FROM dpmix.query('SELECT dp_count(*) FROM registry_test.visits WHERE age > 77', .1, mechanism => 'laplace') AS t(n bigint);
SELECT dpmix.registry_record('registry_test.visits');
SET ROLE registry_owner;
CREATE TEMP TABLE before AS SELECT dpmix.registry_record('registry_test.visits') AS record;
DELETE FROM registry_test.visits WHERE patient < 50;
SELECT record = dpmix.registry_record('registry_test.visits') AS same, record LIKE '%Noise so far: laplace.%' AS noise,
       record !~ 'registry_analyst|77' AS nothing_asked
FROM before;
RESET ROLE;
DROP SCHEMA registry_test CASCADE;
DROP OWNED BY registry_owner, registry_auditor, registry_analyst;
DROP ROLE registry_owner, registry_auditor, registry_analyst;
