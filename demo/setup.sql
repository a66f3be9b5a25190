-- Loads the two tables as their owner, the statistics office. See test/data/README.md.
CREATE EXTENSION dpmix;
CREATE ROLE office LOGIN;
CREATE ROLE ana LOGIN;
CREATE ROLE officer LOGIN;
GRANT CREATE ON DATABASE demo TO office, ana;
CREATE SCHEMA office AUTHORIZATION office;
CREATE SCHEMA ana AUTHORIZATION ana;
GRANT USAGE ON SCHEMA office TO ana, officer;
GRANT USAGE ON SCHEMA ana TO office;
ALTER ROLE office SET search_path = office, ana;
ALTER ROLE ana SET search_path = ana, office;
ALTER ROLE officer SET search_path = office, ana;

\connect - office
CREATE TABLE cps (
    id         integer PRIMARY KEY,
    wage       float8,
    education  integer,
    experience integer,
    ethnicity  text NOT NULL,
    smsa       boolean NOT NULL,
    region     text NOT NULL,
    parttime   boolean NOT NULL,
    schooling  text NOT NULL GENERATED ALWAYS AS (CASE WHEN education < 12 THEN 'below 12 years'
                                                       WHEN education = 12 THEN '12 years'
                                                       WHEN education < 16 THEN '13 to 15 years'
                                                       ELSE '16 years or more' END) STORED
);
\set command '\\copy cps (id, wage, education, experience, ethnicity, smsa, region, parttime) FROM ' :'cps' ' (FORMAT csv, HEADER)'
:command
CREATE TABLE iris (
    sepal_length float8,
    sepal_width  float8,
    petal_length float8,
    petal_width  float8,
    species      text NOT NULL
);
\set command '\\copy iris FROM ' :'iris' ' (FORMAT csv, HEADER)'
:command
