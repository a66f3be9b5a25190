\echo Use "CREATE EXTENSION dpmix" to load this file. \quit

-- What installation grants: the schema and what stands in it to everyone, except the catalog's
-- tables, which nobody may touch but through the functions.
GRANT USAGE ON SCHEMA dpmix TO PUBLIC;
