-- Runs once, in POSTGRES_DB of a new cluster. Each further database needs the same.
CREATE EXTENSION dpmix;
