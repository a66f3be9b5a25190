-- First of all tests: in this database equal questions are charged each time, for that is what most tests count.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET dpmix.memory_keep = 0', current_database()); END $$;
\c
SHOW dpmix.memory_keep;
