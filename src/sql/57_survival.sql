-- Survival curves: noisy counts of people by time and what became of them, one charged release, then free use.

CREATE TYPE dpmix.survival_summary AS (
    name           text,
    relation       regclass,
    groups         integer,
    events         integer,
    bins           integer,
    until          float8,
    epsilon        float8,
    delta          float8,
    count_stddev   float8,
    rows_estimated float8,
    quality        text
);
COMMENT ON TYPE dpmix.survival_summary IS
    'what dpmix.release_survival() made.';
COMMENT ON COLUMN dpmix.survival_summary.name IS 'of the curves';
COMMENT ON COLUMN dpmix.survival_summary.relation IS 'the table that they are of';
COMMENT ON COLUMN dpmix.survival_summary.groups IS 'curves: one for each value of by';
COMMENT ON COLUMN dpmix.survival_summary.events IS 'kinds of events';
COMMENT ON COLUMN dpmix.survival_summary.bins IS 'of time';
COMMENT ON COLUMN dpmix.survival_summary.until IS 'end of the last bin';
COMMENT ON COLUMN dpmix.survival_summary.epsilon IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.survival_summary.delta IS 'guarantee of the release, as charged';
COMMENT ON COLUMN dpmix.survival_summary.count_stddev IS
    'standard deviation of the noise in the number of people of a group who left in a bin in one way';
COMMENT ON COLUMN dpmix.survival_summary.rows_estimated IS 'noisy number of people';
COMMENT ON COLUMN dpmix.survival_summary.quality IS 'how far the curves reach before the noise hides who is left';

CREATE FUNCTION dpmix.release_survival(name text, relation regclass = NULL, duration name = NULL, event name = NULL,
                                       epsilon float8 = NULL, delta float8 = NULL, by name = NULL, bins integer = 20,
                                       until float8 = NULL, censored text = NULL, condition text = NULL,
                                       source text = NULL)
    RETURNS dpmix.survival_summary
    AS 'MODULE_PATHNAME', 'dpmix_release_survival' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.release_survival(text, regclass, name, name, float8, float8, name, integer, float8, text,
    text, text) IS
    E'stores private survival curves of people under a new name: noisy numbers of those who left in each bin of time, '
    'of each group, by what became of them. Charges (epsilon, delta) once, before a row is read. A ROLLBACK, an error '
    'or a cancel undoes the curves, not the charge. Needs access. What one does with them is free: dpmix.survival(), '
    'dpmix.survival_incidence(), dpmix.survival_mean(), dpmix.survival_test(), dpmix.survival_ratios(), dpmix.draw().\n'
    'name: as in dpmix.release_gmm()\n'
    'duration: a column of numbers: how long each person was followed, in days or years from the person''s own begin. '
    'What is below 0 counts as 0\n'
    'event: a column with public values that says how that ended: a boolean, categories, or a bounded whole number. '
    'One value is censored, each other one is a kind of event; at most 8\n'
    'epsilon: 1e-6 to 1e7\n'
    'delta: above 0, at most 0.5\n'
    'by: a column with public values, at most 100: a curve for each, at the same noise. NULL: one curve\n'
    'bins: of equal width from 0 to until, 1 to 60. Each adds its noise to the number at risk in all before it. Where '
    'durations are whole numbers and each bin is of one, curves are exactly Kaplan and Meier''s of the noisy counts\n'
    'until: the last moment that curves are about; NULL: the upper bound of duration. Who was followed longer is at '
    'risk all the time, and has no event\n'
    'censored: the value of event of people to whom nothing had happened when they were last seen; NULL: false, or 0\n'
    'condition: on rows, as after WHERE; NULL: all rows. Of a table with blocks it says which are read\n'
    'source: in place of relation, as in dpmix.release_regression(), with one row for each person\n'
    'A person whose duration or event is missing, or whose event or group is no public value, is in no curve.\n'
    'Errors: PV001 budget; PV002 several rows of a person, or a condition that is not allowed; PV003 no bounds, no '
    'public values, or no blocks; PV004 ledger; PV005 parameter, more than 60 bins, or a name that is taken; PV006 not '
    'protected, or no access.\n'
    'See also: dpmix.preview, dpmix.releases, docs/guide/survival.md, docs/proofs/survival.md.';

CREATE FUNCTION dpmix.survival(release text, level float8 = 0.95)
    RETURNS TABLE (by text, "time" float8, at_risk float8, events float8, survival float8, noise_low float8,
                   noise_high float8, low float8, high float8)
    AS 'MODULE_PATHNAME', 'dpmix_survival' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.survival(text, float8) IS
    E'stored survival curves (Kaplan-Meier), at the end of each bin. A curve ends where fewer people are left at risk '
    'than 3 standard deviations of the noise in their number. Free, for its maker, the table''s owner and roles with '
    'access to the table.\n'
    'level: at which a band holds the whole curve of a group, between 0 and 1\n'
    'by: the value of by; NULL without\n'
    'time: the end of a bin; where each bin is of one whole number, that number\n'
    'at_risk: noisy number of people who are still followed when the bin begins\n'
    'events: noisy number of events in the bin, which may be negative\n'
    'survival: share of people without an event up to then, as a curve that never rises\n'
    'noise_low, noise_high: the curve of these very people, without noise and bins, lies there\n'
    'low, high: the curve of the population that they were drawn from lies there, if being censored has nothing to do '
    'with the event\n'
    'Errors: PV005 a release of another kind, or a level out of range; PV006 no such release, or no access.\n'
    'See also: docs/guide/survival.md.';

CREATE FUNCTION dpmix.survival_incidence(release text, event text = NULL, level float8 = 0.95)
    RETURNS TABLE (by text, event text, "time" float8, incidence float8, noise_low float8, noise_high float8,
                   low float8, high float8)
    AS 'MODULE_PATHNAME', 'dpmix_survival_incidence' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.survival_incidence(text, text, float8) IS
    E'how many people had an event of a kind before any other, by the end of each bin (Aalen-Johansen, competing '
    'risks). Free, as dpmix.survival(), whose columns it has.\n'
    'event: one kind, as text; NULL: each\n'
    'level: at which a band holds the whole curve of a group and kind, between 0 and 1\n'
    'incidence: share of people, as a curve that never falls\n'
    'Errors: PV005 a release of another kind, no such event, or a level out of range; PV006 no such release, or no '
    'access.\n'
    'See also: dpmix.survival, docs/guide/survival.md.';

CREATE FUNCTION dpmix.survival_mean(release text, until float8 = NULL, level float8 = 0.95)
    RETURNS TABLE (by text, until float8, mean_time float8, noise_low float8, noise_high float8, low float8,
                   high float8)
    AS 'MODULE_PATHNAME', 'dpmix_survival_mean' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.survival_mean(text, float8, float8) IS
    E'restricted mean survival: how long people live without an event up to a moment, on average. Free, as '
    'dpmix.survival().\n'
    'until: the end of a bin; NULL: of the last\n'
    'level: of each interval, between 0 and 1\n'
    'mean_time: the area below the curve; NULL: it ends before\n'
    'noise_low, noise_high: that of these very people lies there\n'
    'low, high: that of the population lies there. Nobody knows when people leave within a bin, so intervals are no '
    'narrower than that makes them: bins may be too few\n'
    'Errors: PV005 a release of another kind, until that is no end of a bin, or a level out of range; PV006 no such '
    'release, or no access.\n'
    'See also: dpmix.survival, docs/guide/survival.md.';

CREATE FUNCTION dpmix.survival_test(release text, OUT statistic float8, OUT degrees integer, OUT p_value float8,
                                    OUT until float8) RETURNS record
    AS 'MODULE_PATHNAME', 'dpmix_survival_test' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.survival_test(text) IS
    E'whether groups survive alike: the log-rank test of stored survival curves, for events of all kinds, whose variance '
    'is that of counts and of noise. Free, as dpmix.survival().\n'
    'statistic: chi-squared if they do; NULL: the noise hides it\n'
    'degrees: of freedom\n'
    'p_value: chance of as much where they survive alike\n'
    'until: the end of the last bin that all groups tell; 0: there is none\n'
    'Errors: PV005 a release of another kind, or of one group; PV006 no such release, or no access.\n'
    'See also: dpmix.survival, docs/guide/survival.md.';

CREATE FUNCTION dpmix.survival_ratios(release text, level float8 = 0.95)
    RETURNS TABLE (by text, hazard_ratio float8, low float8, high float8, p_value float8)
    AS 'MODULE_PATHNAME', 'dpmix_survival_ratios' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpmix.survival_ratios(text, float8) IS
    E'hazard ratios of stored survival curves (Cox): how many times as often events come in a group as in the first '
    'one, where that is the same all the time. Of events of all kinds, over the bins that all groups tell. Free, as '
    'dpmix.survival().\n'
    'level: of each interval, between 0 and 1\n'
    'by: each value but the first, which it is compared with\n'
    'hazard_ratio: NULL: the noise hides how much the counts tell\n'
    'low, high: that of the population lies there, about. Intervals are normal ones of the logarithm\n'
    'p_value: of the hypothesis that it is 1, two-sided\n'
    'Errors: PV005 a release of another kind or of one group, or a level out of range; PV006 no such release, or no '
    'access.\n'
    'See also: dpmix.survival_test, docs/guide/survival.md.';
