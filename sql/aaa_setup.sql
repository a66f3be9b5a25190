-- First of all tests: in this database equal questions are charged each time, for that is what most tests count, and
-- large budgets, which most tests have, are not named.
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET dpmix.memory_keep = 0', current_database()); END $$;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET dpmix.warn_of_weak_budgets = off', current_database()); END $$;
\c
SHOW dpmix.memory_keep;
