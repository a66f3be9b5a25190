SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
RESET client_min_messages;

-- Noise that is known to be enough, of both samplers.
SELECT dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5) BETWEEN 9.8 AND 10 AS poisson,
       dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0232, 1e-5, sampler => 'without_replacement') BETWEEN 9.8 AND 10.05 AS twice_the_noise,
       dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, sampler => 'without_replacement') > 20 AS too_little;
-- A guarantee for more tables costs more; so does a looser accountant.
SELECT dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, s) < dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, 'replace') AS replace_costs_more,
       dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, 'label') <= 1.002 * dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, 'replace') AS label_is_a_replacement,
       dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, s) < dpmix.cda_epsilon(6000, 64, 6000, 1, 0.0116, 1e-5, s, accountant => 'rdp') AS rdp_is_looser
FROM (VALUES ('add_remove')) a(s);
-- A class that joins whole: Gaussian noise of mu = sqrt(100) * 1 / (50 * 0.1).
SELECT abs(dpmix.delta_of('gaussian', dpmix.cda_epsilon(40, 50, 100, 1, 0.1, 1e-6), 1 / 2.0) / 1e-6 - 1) < 1e-6 AS whole;
-- The published theorem claims 10 for the whole table, of which one class of 600 costs far more.
SELECT dpmix.cda_epsilon(60000, 1, 60000, 1, 0.961, 1e-5, accountant => 'published') BETWEEN 9.95 AND 9.96 AS as_published,
       dpmix.cda_epsilon(60000, 64, 60000, 1, 0.0237, 1e-5, accountant => 'published') < 10 AS claimed,
       dpmix.cda_epsilon(600, 64, 6000, 1, 0.0237, 1e-5, sampler => 'without_replacement') > 100 AS true_of_a_small_class;
-- No noise to speak of, or nothing but noise.
SELECT dpmix.cda_epsilon(6000, 4, 1, 1, 1e9, 0.1) AS nothing, dpmix.cda_epsilon(6000, 4, 100, 1, 0.01, 1e-5) > 100 AS everything;

-- A planner may evaluate it once, in parallel workers too.
SELECT provolatile, proparallel FROM pg_proc WHERE oid = 'dpmix.cda_epsilon'::regproc;

-- Bad parameters.
SELECT dpmix.cda_epsilon(0, 4, 6000, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 0, 6000, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 0, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 2000000000, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 0, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 'NaN', 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, -1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 0);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.008, 1e-5);
SELECT dpmix.cda_epsilon(6000, 6000, 6000, 1, 0.1, 1e-5, sampler => 'without_replacement');
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1e-5, 'both');
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1e-5, sampler => 'shuffle');
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1e-5, accountant => 'moments');
SELECT dpmix.cda_epsilon(NULL, 4, 6000, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, NULL, 6000, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, NULL, 1, 0.1, 1e-5);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, NULL);
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1e-5, NULL);
\set VERBOSITY sqlstate
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1e-5, accountant => 'moments');
SELECT dpmix.cda_epsilon(6000, 4, 6000, 1, 0.1, 1);

-- Answers a cancel at once.
SET statement_timeout = '50ms';
SELECT dpmix.cda_epsilon(1000000, 1, 1000000 + n, 1, 0.3, 1e-9, 'replace') FROM generate_series(1, 100) n;
RESET statement_timeout;
