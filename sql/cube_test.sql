-- dpmix.test: whether groups of a stored cube differ.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpmix;
CREATE TABLE trial (id int PRIMARY KEY, arm text NOT NULL, cured boolean NOT NULL, grade text, weight float8);
INSERT INTO trial
SELECT i, (ARRAY['drug', 'placebo', 'none'])[i % 3 + 1], i % 7 < CASE WHEN i % 3 = 0 THEN 4 ELSE 3 END, CASE WHEN i % 50 > 0 THEN (ARRAY['low', 'mid', 'high'])[(i / 3 + i / 100) % 3 + 1] END,
       CASE WHEN i % 31 > 0 THEN 60 + i % 20 + CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END END
FROM generate_series(1, 3000) i;
SELECT dpmix.protect('trial', epsilon => 1e7, delta => 1e-3);
SELECT dpmix.set_categories('trial', 'arm', '{drug,placebo,none}'), dpmix.set_categories('trial', 'grade', '{low,mid,high}'), dpmix.set_bounds('trial', 'weight', 40, 100);

-- At this epsilon noise is 0: Pearson's statistic, Welch's test, but for the room that is left for noise.
SELECT tables FROM dpmix.release_cube('trial', 'trial', '{arm,cured,grade}', '{count,variance(weight)}', 5e6, 1e-6);
CREATE FUNCTION pearson(text, text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE found float8;
BEGIN
    EXECUTE format('SELECT sum((c.n - a.n * b.n / t.n) ^ 2 / (a.n * b.n / t.n))
        FROM (SELECT %1$I x, %2$I y, count(*)::float8 n FROM trial WHERE %2$I IS NOT NULL GROUP BY 1, 2) c, (SELECT %1$I x, count(*)::float8 n FROM trial WHERE %2$I IS NOT NULL GROUP BY 1) a,
             (SELECT %2$I y, count(*)::float8 n FROM trial WHERE %2$I IS NOT NULL GROUP BY 1) b, (SELECT count(*)::float8 n FROM trial WHERE %2$I IS NOT NULL) t WHERE c.x = a.x AND c.y = b.y', $1, $2) INTO found;
    RETURN found;
END $$;
SELECT degrees, abs(statistic / pearson('arm', 'cured') - 1) < .02 AS as_pearson, p_value < .01 AS differ, difference FROM dpmix.test('trial', 'chi2', 'arm', 'cured');
SELECT degrees, abs(statistic - pearson('arm', 'grade')) < .02 * (1 + pearson('arm', 'grade')) AS as_pearson, p_value > .05 AS alike FROM dpmix.test('trial', 'chi2', 'arm', 'grade');
SELECT degrees, p_value < .01 AS differ, abs(difference - (SELECT avg(cured::int) FILTER (WHERE arm = 'placebo') - avg(cured::int) FILTER (WHERE arm = 'drug') FROM trial)) < 1e-6 AS exact,
       low < difference AND difference < high AND high < 0 AS below FROM dpmix.test('trial', 'proportions', 'arm', 'cured', '{placebo,drug}');
WITH welch AS (SELECT avg(weight) FILTER (WHERE arm = 'drug') - avg(weight) FILTER (WHERE arm = 'none') AS difference,
                      sqrt(var_pop(weight) FILTER (WHERE arm = 'drug') / count(weight) FILTER (WHERE arm = 'drug') + var_pop(weight) FILTER (WHERE arm = 'none') / count(weight) FILTER (WHERE arm = 'none')) AS stderr FROM trial)
SELECT abs(t.difference - w.difference) < .001 AS exact, abs(sqrt(statistic) / abs(w.difference / w.stderr) - 1) < .03 AS as_welch, (t.high - t.low) / (3.92 * w.stderr) BETWEEN 1 AND 1.1 AS wide, t.p_value - .005 < .05 AS differ
FROM welch w, dpmix.test('trial', 't', 'arm', 'weight', '{drug,none}') t;
SELECT degrees, statistic > 0 AS told, difference, low, high FROM dpmix.test('trial', 'anova', 'arm', 'weight');

-- The noise is part of the test: where it hides all, as here, it finds nothing but for a chance of 1e-9.
SELECT tables FROM dpmix.release_cube('hidden', 'trial', '{arm,cured}', '{count,variance(weight)}', .001, 1e-6);
SELECT statistic < 45 AS nothing FROM dpmix.test('hidden', 'chi2', 'arm', 'cured');
SELECT statistic < 45 AS nothing FROM dpmix.test('hidden', 'anova', 'arm', 'weight');

-- Refused.
SELECT dpmix.test('trial', 'wilcoxon', 'arm', 'weight');
SELECT dpmix.test('trial', 't', 'arm', 'weight');
SELECT dpmix.test('trial', 't', 'arm', 'weight', '{drug,drug}');
SELECT dpmix.test('trial', 't', 'arm', 'weight', '{drug,other}');
SELECT dpmix.test('trial', 't', 'arm', 'height', '{drug,none}');
SELECT dpmix.test('trial', 'proportions', 'arm', 'grade', '{drug,none}');
SELECT dpmix.test('trial', 'chi2', 'arm', 'arm');
SELECT dpmix.test('trial', 'chi2', 'leg', 'cured');
SELECT dpmix.test('trial', 't', 'arm', 'weight', '{drug,none}', .999);
SELECT dpmix.test('hidden', 'chi2', 'arm', NULL);
SELECT dpmix.test('nothing', 'chi2', 'arm', 'cured');

SELECT dpmix.drop_release(n) FROM unnest('{trial,hidden}'::text[]) n;
SELECT dpmix.unprotect('trial');
DROP TABLE trial;
DROP FUNCTION pearson;
