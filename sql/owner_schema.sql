-- protect_schema(): what the foreign keys of a schema make of its tables.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
LOAD 'dpmix';
\set SHOW_CONTEXT never

-- A shop: lines belong to customers through orders; parts and nations to nobody.
CREATE SCHEMA shop;
SET search_path = shop;
CREATE TABLE region (id int PRIMARY KEY);
CREATE TABLE nation (id int PRIMARY KEY, region int REFERENCES region);
CREATE TABLE customer (id int PRIMARY KEY, nation int REFERENCES nation);
CREATE TABLE orders (id bigint PRIMARY KEY, customer int REFERENCES customer);
CREATE TABLE part (id int PRIMARY KEY);
CREATE TABLE lineitem (orders bigint REFERENCES orders, number int, part int REFERENCES part,
    PRIMARY KEY (orders, number));
CREATE TABLE log (line text);
ALTER TABLE lineitem ADD UNIQUE (number, orders);
CREATE TABLE claim (orders bigint, number int, day date,
    FOREIGN KEY (number, orders) REFERENCES lineitem (number, orders));
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'shoppers', 50, 4, 1e-6);
SELECT count(*) FROM dpmix.populations WHERE name = 'shoppers';
SELECT relation, becomes FROM dpmix.protect_schema('shop', 'customer', 'id', 'shoppers', 50, 4, 1e-6, apply => true);
SELECT p.table_name, p.privacy_unit, t.table_name AS unit_through, p.link, p.target_key, p.max_rows_per_unit
FROM dpmix.protected_table p LEFT JOIN dpmix.protected_table t ON t.id = p.unit_through
WHERE p.schema_name = 'shop' ORDER BY p.id;
SELECT name, epsilon, delta, accountant, array_length(tables, 1) FROM dpmix.populations WHERE name = 'shoppers';
SELECT count(*) FROM dpmix.public_tables WHERE relation::text LIKE 'shop.%' OR relation = 'part'::regclass;
-- What came later is added; a budget is not stated twice.
CREATE TABLE letter (customer int REFERENCES customer, body text);
SELECT dpmix.declare_public('nation');
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'shoppers', 50, apply => true);
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'shoppers', 50, 4, 1e-6);
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'strangers', 50);
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'strangers', 50, 1);
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'name', 'shoppers', 50);
SELECT * FROM dpmix.protect_schema('shop', NULL, 'id', 'shoppers', 50);
SELECT * FROM dpmix.protect_schema('shop', 'customer', 'id', 'strangers', 50, 'NaN', 0, apply => true);

-- OMOP: what names the person by itself does not need the visit; vocabularies name nobody.
CREATE SCHEMA omop;
SET search_path = omop;
CREATE TABLE vocabulary (vocabulary_id text PRIMARY KEY, vocabulary_concept_id int);
CREATE TABLE concept (concept_id int PRIMARY KEY, vocabulary_id text REFERENCES vocabulary);
ALTER TABLE vocabulary ADD FOREIGN KEY (vocabulary_concept_id) REFERENCES concept;
CREATE TABLE provider (provider_id int PRIMARY KEY, specialty_concept_id int REFERENCES concept);
CREATE TABLE person (person_id int PRIMARY KEY, gender_concept_id int REFERENCES concept,
    provider_id int REFERENCES provider);
CREATE TABLE death (person_id int PRIMARY KEY REFERENCES person, death_date date);
CREATE TABLE visit_occurrence (visit_occurrence_id int PRIMARY KEY, person_id int NOT NULL REFERENCES person,
    preceding_visit_occurrence_id int REFERENCES visit_occurrence, provider_id int REFERENCES provider);
CREATE TABLE visit_detail (visit_detail_id int PRIMARY KEY,
    visit_occurrence_id int NOT NULL REFERENCES visit_occurrence);
CREATE TABLE condition_occurrence (condition_occurrence_id int PRIMARY KEY, person_id int NOT NULL REFERENCES person,
    condition_concept_id int REFERENCES concept, visit_occurrence_id int REFERENCES visit_occurrence);
CREATE TABLE measurement (measurement_id int PRIMARY KEY, person_id int NOT NULL REFERENCES person, value float8,
    measurement_concept_id int REFERENCES concept, visit_occurrence_id int REFERENCES visit_occurrence);
CREATE TABLE cohort (cohort_id int, subject_id int);
SELECT * FROM dpmix.protect_schema('omop', 'person', 'person_id', 'persons', 1000, 2, 1e-7, 'gdp', 'replace');
SELECT count(*) FROM dpmix.protect_schema('omop', 'person', 'person_id', 'persons', 1000, 2, 1e-7, 'gdp', 'replace',
                                          apply => true);
SELECT p.table_name, p.privacy_unit, t.table_name AS unit_through, p.link, p.max_rows_per_unit, p.adjacency
FROM dpmix.protected_table p LEFT JOIN dpmix.protected_table t ON t.id = p.unit_through
WHERE p.schema_name = 'omop' ORDER BY p.id;

-- Two persons in a row, two ways, and what hangs on them; a circle; keys that no link can use.
CREATE SCHEMA wing;
SET search_path = wing;
CREATE TABLE patient (id int PRIMARY KEY, code text UNIQUE);
CREATE TABLE referral (id int PRIMARY KEY, sender int REFERENCES patient, receiver int REFERENCES patient);
CREATE TABLE remark (referral int REFERENCES referral, text text);
CREATE TABLE bed (id int PRIMARY KEY, code text REFERENCES patient (code));
CREATE TABLE drug (id int PRIMARY KEY, code text REFERENCES patient (code));
CREATE TABLE dose (bed int REFERENCES bed, drug int REFERENCES drug);
CREATE TABLE stay (id int PRIMARY KEY, code text REFERENCES patient (code), last_note int);
CREATE TABLE note (id int PRIMARY KEY, stay int REFERENCES stay);
ALTER TABLE stay ADD FOREIGN KEY (last_note) REFERENCES note;
CREATE TABLE wide (id bigint REFERENCES patient);
CREATE TABLE vague (code varchar REFERENCES patient (code));
CREATE TABLE reading (id int, code text REFERENCES patient (code), PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE reading_1 PARTITION OF reading FOR VALUES FROM (0) TO (100);
CREATE TABLE value (reading int REFERENCES reading, x float8);
SELECT * FROM dpmix.protect_schema('wing', 'patient', 'id', 'patients', 10, 1, 1e-6);
SELECT relation, becomes FROM dpmix.protect_schema('wing', 'patient', 'id', 'patients', 10, 1, 1e-6, apply => true)
WHERE becomes IN ('own column', 'link');
SELECT count(*) FROM dpmix.protected_table WHERE schema_name = 'wing' AND active;

-- All or nothing, and only by those who may.
CREATE ROLE schema_stranger;
CREATE SCHEMA half;
CREATE TABLE half.own (id int PRIMARY KEY);
CREATE TABLE half.other (id int REFERENCES half.own);
ALTER TABLE half.own OWNER TO schema_stranger;
GRANT USAGE ON SCHEMA half TO schema_stranger;
SET ROLE schema_stranger;
SELECT relation, becomes FROM dpmix.protect_schema('half', 'half.own', 'id', 'halves', 10, 1, 1e-6);
SELECT relation, becomes FROM dpmix.protect_schema('half', 'half.own', 'id', 'halves', 10, 1, 1e-6, apply => true);
SELECT count(*) FROM dpmix.populations;
RESET ROLE;
DROP SCHEMA shop, omop, wing, half CASCADE;
DROP ROLE schema_stranger;
