-- What a table's owner declares. Everyone may call these; they ask for ownership themselves.

-- epsilon, delta and reason are required: NULL is their default so that the error names the one that is missing.
-- (With a population they are not.)
CREATE FUNCTION dpmix.protect(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
                              privacy_unit name DEFAULT NULL, max_rows_per_unit integer DEFAULT 1,
                              adjacency text DEFAULT 'add_remove', label name DEFAULT NULL,
                              accountant text DEFAULT NULL, population name DEFAULT NULL,
                              blocks name DEFAULT NULL, width text DEFAULT NULL, blocks_from text DEFAULT NULL,
                              guard_unit boolean DEFAULT false, unit_through regclass DEFAULT NULL,
                              link name[] DEFAULT NULL, target_key name[] DEFAULT NULL,
                              strict boolean DEFAULT false, weak_budget boolean DEFAULT false)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_protect';
COMMENT ON FUNCTION dpmix.protect(regclass, float8, float8, name, integer, text, name, text, name, name, text, text,
                                  boolean, regclass, name[], name[], boolean, boolean) IS
    E'puts a table under a privacy budget for its whole life. Earlier charges under the same name resume, with the '
    'same adjacency, accountant and privacy unit. The protection belongs to the name: the next table of the owner that '
    'takes it, with the columns that something is declared of, is protected in its place. Warns of roles that hold a '
    'privilege on the table that shows rows, of default privileges that would give one on the next, and of foreign keys, '
    'exclusion constraints, partial and expression indexes that show others something of its rows. Only its owner and '
    'superusers may call it, in a transaction that commits before the first charge.\n'
    'relation: an ordinary or partitioned table, all of whose rows are stored here\n'
    'epsilon, delta: the total that everything ever released about the table may reveal; epsilon 1e-6 to 1e7, delta 0 '
    'to below 0.5, above 0 unless the accountant is basic. Left out with a population, which has a budget\n'
    'privacy_unit: the column that says whose row it is, stored, of a built-in scalar type with an order or an enum; '
    'NULL: each row is a unit, as a NOTICE says. Rows in which it is NULL are used by no release\n'
    'max_rows_per_unit: 1 to 1000000; rows of a unit with more of them count for less, so that its whole part in an '
    'answer is that of so many rows, which the noise covers; of quantiles, numbers of values, groups that are found and '
    'models so many rows count, chosen at random. Totals are bounded by it, and intervals are of the bounded ones. Where '
    'it is 1 and privacy_unit is NOT NULL under a valid, immediate, non-partial unique index, all rows count; this is '
    'looked up at each charge. Other tables take queries, tree models and regressions only\n'
    'adjacency: what neighbours differ in: add_remove, one unit present or absent; replace, one unit''s rows changed '
    'to others, so that the number of units is public; label, the label of one row, while every other column is '
    'public, so that none may be derived from the label, and a unit has one row. Tables under label take '
    'dpmix.release_gmm, dpmix.cda and comparisons, not queries\n'
    'label: the private column, for adjacency label alone\n'
    'accountant: how charges add up: renyi (NULL); gdp, for more answers with Gaussian noise (with a delta) and fewer '
    'without; gaussian, the same with nine tenths of delta for Gaussian noise in place of half, and a twentieth in place '
    'of a quarter for deltas that are added; basic, the plain sums of epsilon and delta. It cannot change once the table was charged. NULL with a '
    'population: the population''s\n'
    'population: of dpmix.create_population(), whose budget the table shares, for ever; the table needs a privacy_unit '
    'of its unit_type and the adjacency of its other tables. NULL: a budget of its own\n'
    'blocks: a column of a date, timestamp or whole number that puts each row into a block, or of text, uuid, boolean '
    'or an enum whose declared categories are the blocks; the budget is that of each block, for ever, and a query '
    'pays for the blocks that its WHERE narrows to. With a privacy unit the promise is for each unit and block; under '
    'replace the unit''s rows of a block are replaced by others of that unit. No UPDATE moves a row out of its block; '
    'rows without one, or in a block before the first or after now, are used by no release. NULL: the table has one '
    'budget; in a population with blocks, that of what is always read\n'
    'width: of a block, an interval of days and times or one of months and years, or a number; NULL: one day, or 1; '
    'with a population: its own\n'
    'blocks_from: where block 0 begins, in UTC, of blocks of months the first day of one; NULL: 2000-01-01, or 0; with a '
    'population: its own\n'
    'guard_unit: whether an UPDATE that gives a row to another privacy unit is refused (PV002). Otherwise the statement '
    'is on record, and dpmix.check() counts it: the row may then have spent the budget twice\n'
    'unit_through: in place of privacy_unit, a protected table of the same population whose rows say whose row it is: '
    'by a column, or through a further table. A row belongs to the unit of the row that it names; one that names none, '
    'or one without a unit, is used by no release\n'
    'link: the columns that name a row of unit_through\n'
    'target_key: the columns there that they are compared with, in the same order, which a valid, immediate, '
    'non-partial unique index has to be on; this is looked up at each charge. Each is of the type of its column of '
    'link, or both are whole numbers. NULL: the primary key\n'
    'strict: refuses what is otherwise a WARNING about privileges of others, now (PV005) and of each table that takes the '
    'place of this one, which then is not protected, and nothing is answered\n'
    'weak_budget: whether the caller knows that the budget protects nobody, or hardly. Otherwise a WARNING says so: of '
    'an epsilon above 20, and of a delta above one over the rows that ANALYZE counted. It stays on record. '
    'There is no WARNING either where dpmix.warn_of_weak_budgets is off, as in a database for tests\n'
    'Errors: PV001 earlier charges do not fit the population''s budget; PV005 a value out of range, a relation, column '
    'or key that does not suit, a table that is protected already, has other terms on record, left the name of its '
    'record or shares rows with a protected, charged or public one; PV006 no such table or population; 42501 not the '
    'owner, or the record of the name is another role''s.\n'
    'See also: dpmix.records, dpmix.set_bounds, dpmix.set_categories, dpmix.grant_access, dpmix.charges_admitted, '
    'dpmix.blocks, docs/guide/ledger.md, docs/guide/blocks.md, docs/proofs/accounting.md.';

CREATE FUNCTION dpmix.create_population(name name, epsilon float8, delta float8, accountant text DEFAULT 'renyi',
                                        unit_type regtype DEFAULT NULL, weak_budget boolean DEFAULT false,
                                        width text DEFAULT NULL, blocks_from text DEFAULT NULL)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_create_population';
COMMENT ON FUNCTION dpmix.create_population(name, float8, float8, text, regtype, boolean, text, text) IS
    E'makes one budget for all tables about the same people. What is released about any of its tables is charged to '
    'it, a join of several of them once, and the guarantee is about everything that they hold of one unit. The caller '
    'owns it.\n'
    'name: not taken by another population\n'
    'epsilon, delta: ranges as for dpmix.protect()\n'
    'accountant: renyi, gdp, gaussian or basic; it never changes\n'
    'unit_type: type of the columns that say whose row it is: a built-in scalar type with an order, or an enum; '
    'NULL: that of the first table\n'
    'weak_budget: as for dpmix.protect()\n'
    'width: of a block of time, such as 1 year or 7 days: then the budget is for each person and block, for ever, and '
    'once more for tables without a time column, which every release that reads them pays and which never renews. '
    'Somebody who is there in k blocks is promised k + 1 budgets, composed. It never changes. NULL: one budget for ever\n'
    'blocks_from: where block 0 begins, in UTC, of blocks of months the first day of one; NULL: 2000-01-01\n'
    'Errors: PV004 on a standby; PV005 a value out of range, a type that does not suit, or a name that is taken.\n'
    'See also: dpmix.protect, dpmix.join_population, dpmix.populations, docs/guide/populations.md, '
    'docs/proofs/populations.md.';

CREATE FUNCTION dpmix.join_population(relation regclass, population name)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_join_population';
COMMENT ON FUNCTION dpmix.join_population(regclass, name) IS
    E'moves a protected table, with all its charges, into a population. From then on its releases are charged to the '
    'population, and its own budget ends. This is never undone. Decide on it without looking at answers. For those who '
    'own the table and the population.\n'
    'relation: a table with the population''s accountant and unit_type, and the adjacency of its other tables. Under '
    'renyi a table that was charged needs the population''s order, too, which follows from the budgets: the same ones '
    'give the same order\n'
    'Errors: PV001 the charges of both do not fit the population''s budget; PV005 other terms, or a table that is in '
    'a population already, or a population with blocks, which takes tables by protect() alone; PV006 no such table or population; 42501 not the owner.\n'
    'See also: dpmix.create_population, docs/guide/populations.md.';

CREATE FUNCTION dpmix.unprotect(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_unprotect';
COMMENT ON FUNCTION dpmix.unprotect(regclass) IS
    E'ends releases about a table and forgets who had access and who audits it; its charges stay on record and resume '
    'with the next '
    'dpmix.protect(). Its facades stay too and answer nothing until then. A table stays in its population.\n'
    'Errors: PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.set_budget(relation regclass DEFAULT NULL, epsilon float8 DEFAULT NULL,
                                 delta float8 DEFAULT NULL, reason text DEFAULT NULL, population name DEFAULT NULL,
                                 weak_budget boolean DEFAULT false)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_budget';
COMMENT ON FUNCTION dpmix.set_budget(regclass, float8, float8, text, name, boolean) IS
    E'gives a table, or a population, a new total budget, on record in dpmix.budget_history with its reason. It may be '
    'below what was spent; the guarantee is that of the largest epsilon and the largest delta ever set, each by itself. '
    'For the owner and superusers.\n'
    'relation: a table with a budget of its own\n'
    'epsilon, delta: required; ranges as for dpmix.protect()\n'
    'reason: required; any text that is not blank\n'
    'population: in place of relation: dpmix.set_budget(population => ''patients'', epsilon => 2, delta => 1e-6, '
    'reason => ''...'')\n'
    'weak_budget: as for dpmix.protect(), of the new budget\n'
    'Errors: PV005 out of range, no reason, not one of relation and population, or a table whose budget is its '
    'population''s; PV006 not protected, or no such population; 42501 not the owner.\n'
    'See also: docs/guide/ledger.md, docs/guide/populations.md.';

CREATE FUNCTION dpmix.set_bounds(relation regclass, column_name name, lower anycompatible, upper anycompatible,
                                 nan_is_middle boolean DEFAULT false)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_bounds';
COMMENT ON FUNCTION dpmix.set_bounds(regclass, name, anycompatible, anycompatible, boolean) IS
    E'states public bounds of a numeric, date, timestamp or interval column, to which values are clamped; of a text '
    'column those of its length, to which length and octet_length are clamped in sums and averages. State them from '
    'what the column means, not from its rows: min and max are private. For the owner and superusers.\n'
    'relation: a protected table; or a view over protected tables, of a number, date or timestamp that the view computes: '
    'each value is then clamped, in conditions, too\n'
    'lower, upper: finite, lower < upper. Numbers in the units of the column; of dates in days, of timestamps in '
    'seconds, both since 2000-01-01; of intervals in seconds; of texts in characters, whole numbers from 0 on. Dates, '
    'timestamps and intervals of columns in time or of intervals: from the beginning of a day, in the session''s time '
    'zone where the column has none, in the seconds that extract(epoch FROM ...) counts. Literals without a type, such '
    'as ''2020-01-01'', are whichever the column holds\n'
    'nan_is_middle: whether the aggregates of queries take NaN for the middle of the bounds; otherwise NaN is missing, '
    'as NULL is. A NOT NULL column is then never missing, so that averages of several such columns share one noisy '
    'count. Conditions, keys, models and synthetic tables see NaN as before. For real, double precision and numeric\n'
    'Errors: PV005 no such column, another type, no interval, nan_is_middle of a type without NaN, or a view''s column that '
    'is one of a table; PV006 not protected; 42501 not the owner.\n'
    'See also: docs/guide/query.md.';

CREATE FUNCTION dpmix.set_categories(relation regclass, column_name name, categories text[], other boolean DEFAULT false)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_categories';
COMMENT ON FUNCTION dpmix.set_categories(regclass, name, text[], boolean) IS
    E'states the public values of a column, by which rows may be grouped and classified. For the owner and superusers.\n'
    'relation: a protected table; or a view over protected tables, of a text, uuid or enum that the view computes, with at '
    'most 1000 categories: other values are then NULL, or with other the group of others\n'
    'categories: 1 to 10000 values of the column''s type as text, distinct, none NULL, in the order in which groups '
    'come back\n'
    'other: whether all other values are one group, the last, which is shown as ''other'', or ''(other)'' where that is a '
    'category; of text, varchar and char. Without it they are in no group\n'
    'Errors: PV005 no such column, another type, or no list of its values; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.declare(relation regclass, domains jsonb DEFAULT '{}')
    RETURNS TABLE (column_name name, type text, lower text, upper text, categories text[], source text, missing text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_declare';
COMMENT ON FUNCTION dpmix.declare(regclass, jsonb) IS
    E'states public bounds and categories of all columns of a table in one call: those that domains names, and for '
    'other columns what the catalog says of their values. It reads no row. Returns one row for each column, with what '
    'is now declared. Nothing is declared where anything is refused. A column that was declared before keeps its '
    'declaration unless domains names it. For the owner and superusers.\n'
    'relation: a protected table; or a view over protected tables, of columns that it computes, as in dpmix.set_bounds() and '
    'dpmix.set_categories(), without bounds by category. Columns that it hands on have what is declared of their tables. '
    'What is declared belongs to the view''s name\n'
    'domains: for each column [lower, upper] where it holds numbers, dates or times, as numbers or texts; a list of '
    'categories for other types; or an object with both, {"bounds": [1, 5], "categories": [1, 2, 3, 4, 5]}, or with '
    '"other": true beside categories, as in dpmix.set_categories(), or "nan_is_middle": true beside bounds, as in '
    'dpmix.set_bounds(); for numbers also bounds by category of another column, of texts, an enum or whole numbers: '
    '{"by": "test", "bounds": {"sbp": [60, 260], "fib4": [0, 30]}}. Rows of other categories have the widest of them. '
    'Sums and averages use those of a category where GROUP BY, WHERE, FILTER or CASE says which it is. An object may '
    'have rules between columns, which tree models and their synthetic rows keep: "at_least": "admitted" where the '
    'column is never below another, "sum_of": ["a", "b"] where it is the sum of others, "present_with": "admitted" where '
    'it is NULL in the same rows as another. Rules are stated as bounds are, from what columns mean; a row that breaks one '
    'is moved, and never counted. Of a column that domains names, rules that it leaves out are forgotten\n'
    'lower, upper, categories: now declared; NULL: none\n'
    'source: stated (in domains), declared before, or the default that was taken: names of CHECK constraints and '
    'domains that bound the column from both sides or list its values, an enum or boolean; NULL: nothing is declared\n'
    'missing: where nothing is declared, what could be stated\n'
    'Errors: PV005 no such column, or bounds or categories that dpmix.set_bounds() or dpmix.set_categories() refuses; '
    'PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.set_bounds, dpmix.set_categories, dpmix.columns, docs/guide/declaring.md.';

CREATE FUNCTION dpmix.check(relation regclass)
    RETURNS TABLE (column_name name, finding text, exact_number bigint, exact_share float8, examples text[], warning text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_check';
COMMENT ON FUNCTION dpmix.check(regclass) IS
    E'how the declarations of a table suit its rows: values that are clamped, values that are in no category, rows of a '
    'unit; and whether charges under its name count elsewhere. The numbers are exact, which a NOTICE says: they are for '
    'the owner, not for publication, and no budget covers them. Correct declarations by what a column means, not by these numbers. It reads the table several times. For the '
    'owner and superusers.\n'
    'column_name: a declared column, or the privacy unit; NULL: the table\n'
    'finding: what is counted\n'
    'exact_number: of rows, units or categories\n'
    'exact_share: of the table''s rows, or of the declared categories; NULL: no share\n'
    'examples: up to 5 values, of those not in the categories the most frequent first; NULL: none\n'
    'warning: what would make answers useless, such as bounds in another unit, a misspelt category, or a group '
    'of nobody; NULL: nothing\n'
    'Errors: PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.declare, docs/guide/declaring.md.';

CREATE FUNCTION dpmix.set_max_rows_per_unit(relation regclass, max_rows_per_unit integer)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_max_rows_per_unit';
COMMENT ON FUNCTION dpmix.set_max_rows_per_unit(regclass, integer) IS
    E'changes how many rows of a unit count in full from now on, and so how much noise releases have. Budget and charges '
    'stay: they protect all rows of a unit, whatever the bound is. A counter takes no further step. Only the owner and '
    'superusers may call it.\n'
    'max_rows_per_unit: as for dpmix.protect()\n'
    'Errors: PV005 out of range, no privacy unit; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.suggest_unit_bounds, docs/guide/declaring.md.';

CREATE FUNCTION dpmix.set_time_quantum(relation regclass, column_name name, quantum interval)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_set_time_quantum';
COMMENT ON FUNCTION dpmix.set_time_quantum(regclass, name, interval) IS
    E'rounds the constants that queries compare with a date or timestamp column by <, <=, =, >=, > or BETWEEN down to '
    'multiples of a quantum, counted from 2000-01-01 (UTC; in a column without time zone, its own clock). Windows of '
    'dashboards, which move by seconds, are then one question for as long as the quantum takes, and are answered from '
    'memory. It changes answers: they are about the rounded window, which a NOTICE names. For the owner and '
    'superusers.\n'
    'quantum: above 0, at most 10000 days, without months; of a date whole days; NULL: none any more\n'
    'Errors: PV005 no such column, another type, or such a quantum; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.set_memory, docs/guide/memory.md, docs/proofs/memory.md.';

CREATE FUNCTION dpmix.grant_access(relation regclass, role regrole, epsilon float8 DEFAULT NULL,
                                   min_epsilon float8 DEFAULT 1e-4, max_charges_per_minute integer DEFAULT 600,
                                   share float8 DEFAULT NULL)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_grant_access';
COMMENT ON FUNCTION dpmix.grant_access(regclass, regrole, float8, float8, integer, float8) IS
    E'lets a role and its members query, model and synthesise a table, and spend its budget; they get SELECT on the '
    'table''s facades. Granting again states all of the terms anew. For the owner and superusers.\n'
    'relation: a protected table; or a view over protected tables: then the role may ask these in texts that name them '
    'through views that it was granted alone, each on these terms. The caller owns the view and the tables, and so does '
    'the view''s owner. The grant belongs to the view''s name. A NOTICE says that views are no secret\n'
    'epsilon: cap on the sum of epsilon charged through this grant, 1e-6 to 1e7; NULL: none. A cap is policy among '
    'analysts, not proof: the table''s budget is one for all\n'
    'min_epsilon: the epsilon that one charge asks at least, 0 to 1e7, so that the ledger does not grow by charges that '
    'answer nothing; 0: any. Less is PV005\n'
    'max_charges_per_minute: how many charges are admitted through this grant within 60 seconds, 1 to 1000000; NULL: any '
    'number. More are PV004. The default lets a dashboard ask for 100 numbers every ten seconds\n'
    'share: how much of the budget the charges through this grant may take by themselves, above 0 to 1: composed by the '
    'table''s accountant, as share_spent of dpmix.budget is, so that many small answers take little of it. Of a table with '
    'blocks, of each block''s budget; of a population, of its budget. NULL: no limit. It is policy as a cap is, and both '
    'hold where both are stated\n'
    'Errors: PV005 a value out of range, no such role, a view that is temporary, has security_invoker, is of another '
    'owner or of a table without a privacy_unit; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.role_budget, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.revoke_access(relation regclass, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_revoke_access';
COMMENT ON FUNCTION dpmix.revoke_access(regclass, regrole) IS
    E'takes back what dpmix.grant_access() gave, and SELECT on the table''s facades; what was charged stays charged. A '
    'NOTICE says so where the role had no grant of its own. For the owner and superusers.\n'
    'Errors: PV005 no such role; PV006 not protected; 42501 not the owner.';

CREATE FUNCTION dpmix.grant_audit(relation regclass, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_grant_audit';
COMMENT ON FUNCTION dpmix.grant_audit(regclass, regrole) IS
    E'lets a role and its members read the record of a table and nothing else: all that its owner sees of it in '
    'dpmix.budget, role_budget, ledger, audit, budget_history, blocks, forecast, explain_charge, budget_svg, report '
    'and '
    'metrics. They read no row, ask nothing and spend nothing. For the owner and superusers.\n'
    'Errors: PV005 no such role; PV006 not protected; 42501 not the owner.\n'
    'See also: dpmix.revoke_audit, dpmix.report, dpmix.metrics, docs/guide/report.md.';

CREATE FUNCTION dpmix.revoke_audit(relation regclass, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_revoke_audit';
COMMENT ON FUNCTION dpmix.revoke_audit(regclass, regrole) IS
    E'takes back what dpmix.grant_audit() gave. A NOTICE says so where the role had no such grant. For the owner and '
    'superusers.\n'
    'Errors: PV005 no such role; PV006 not protected; 42501 not the owner.';

-- Records and their names -------------------------------------------------------------------------

CREATE FUNCTION dpmix.records(OUT record text, OUT owner name, OUT relation regclass, OUT protected boolean,
                              OUT charges bigint, OUT left_by regclass[])
    RETURNS SETOF record LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'dpmix_records';
COMMENT ON FUNCTION dpmix.records() IS
    E'the records of the current user''s roles; for superusers all. A record belongs to a name and its owner, and keeps '
    'all charges under that name. A table that leaves its name leaves the record behind, vacant, with all that was '
    'declared; the next table of the owner that takes the name is attached to it.\n'
    'record: the name\n'
    'owner: whose it is; of a role that is gone its last name\n'
    'relation: the table that has the name and the record; NULL: the record is vacant\n'
    'protected: whether it can be asked\n'
    'charges: number of charges under this name\n'
    'left_by: tables that left the name and still exist. They cannot be protected under another one\n'
    'See also: dpmix.replace_table, dpmix.move_record, dpmix.hand_over, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.move_record(record text, relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_move_record';
COMMENT ON FUNCTION dpmix.move_record(text, regclass) IS
    E'lets a vacant record follow a table that left its name: with all charges, and protected as it was. The old name keeps a record of the same account: what is protected under it later shares the budget. For '
    'those who own the record and the table, and superusers.\n'
    'record: the name that the table left\n'
    'relation: the table, under the name that it has now\n'
    'Errors: PV005 a table that did not leave this name, or whose columns are others by now, or a record that is not '
    'vacant; PV006 no such record of yours; 42501 not the owner of the table.\n'
    'See also: dpmix.records, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.replace_table(record text, relation regclass, keep_as name DEFAULT NULL)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_replace_table';
COMMENT ON FUNCTION dpmix.replace_table(text, regclass, name) IS
    E'lets a table take the place of the one that has a record, as a load does by renaming both: with everything that '
    'was declared, granted and exposed. Or attaches the table that has a vacant name. It fails where that only warns. '
    'For those who own the record and the tables, and superusers.\n'
    'record: the name, of a table that is protected, or was when it left the name\n'
    'relation: the table that gets the name, of the record''s owner\n'
    'keep_as: the name that the old table gets; NULL: its own with _old\n'
    'Errors: PV005 columns, a kind of table or privileges that do not suit, or a record that is not protected; PV006 no '
    'such record of yours; 42501 not the owner of a table.\n'
    'See also: dpmix.records, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.unprotect_name(record text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_unprotect_name';
COMMENT ON FUNCTION dpmix.unprotect_name(text) IS
    E'ends that a vacant name waits for a table, as dpmix.unprotect() does for a table: the next one that takes the name '
    'is not protected, and who may ask and audit is forgotten. The charges stay on record and resume with the next '
    'dpmix.protect(). For those who own the record, and superusers.\n'
    'record: the name\n'
    'Errors: PV005 a table has the record, or it waits for none; PV006 no such record of yours.\n'
    'See also: dpmix.unprotect, dpmix.records, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.hand_over(record text, role regrole)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_hand_over';
COMMENT ON FUNCTION dpmix.hand_over(text, regrole) IS
    E'gives a vacant record to another role, which may then protect a table of this name: with all charges, of which '
    'it sees the whole record. Who may ask and audit is forgotten, and no table is attached by itself, unless the caller '
    'has the rights of that role: then everything stays, and a table of the role that has the name is attached. (A table that has its record gives it along: ALTER TABLE OWNER.) For those who own the '
    'record, and superusers.\n'
    'record: the name\n'
    'role: the owner from now on\n'
    'Errors: PV005 no such role, or a record that is not vacant; PV006 no such record of yours.\n'
    'See also: dpmix.records, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.join_records(record text, into_record text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_join_records';
COMMENT ON FUNCTION dpmix.join_records(text, text) IS
    E'makes two records one account, for ever: the charges of both count against the budget of the second, which may '
    'then be overspent. For tables about the same people that changed places while no trigger of dpmix could see it; '
    'dpmix.check() finds them. For superusers.\n'
    'record: the name of a record that is in no population, and without blocks\n'
    'into_record: the name of the other, with the same accountant, order, adjacency and unit\n'
    'Errors: PV005 records of one account, or with other terms; PV006 no such record; 42501 no superuser.\n'
    'See also: dpmix.records, docs/guide/ledger.md.';

CREATE FUNCTION dpmix.adopt_ledger(reason text)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_adopt_ledger';
COMMENT ON FUNCTION dpmix.adopt_ledger(text) IS
    E'continues the ledger in this restored, copied or promoted database, on record in dpmix.ledger_adoptions. Says '
    'how many charges it found, and warns of charges or tables that are missing. The other copy must charge no more: '
    'both together would overspend. Running totals end: it may have made their next steps. For superusers, and the '
    'database owner if it has the rights of the owners of all protected tables.\n'
    'reason: any text that is not blank\n'
    'Errors: PV004 on a standby; PV005 no reason; 42501 not the owner of the database, or no rights of a table''s owner.\n'
    'See also: docs/guide/ledger.md.';

-- Public tables -----------------------------------------------------------------------------------

-- Tables whose content is public, by their owner's word: what a private query may join a protected
-- table with. A row is recognised by oid and name together, as in dpmix.protected_table; it goes when
-- the table is dropped.
CREATE TABLE dpmix.public_table (
    relation    oid  NOT NULL,
    schema_name name NOT NULL,
    table_name  name NOT NULL,
    role        name NOT NULL,
    at          timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    PRIMARY KEY (schema_name, table_name)
);
COMMENT ON TABLE dpmix.public_table IS 'tables declared public by their owners';

DO $$
BEGIN
    PERFORM pg_catalog.pg_extension_config_dump('dpmix.public_table'::regclass, '');
END $$;

CREATE FUNCTION dpmix.declare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_declare_public';
COMMENT ON FUNCTION dpmix.declare_public(regclass) IS
    E'states that everything in a table is public, now and later, so that private queries may join it; who joins it '
    'still needs SELECT on it. For its owner and superusers.\n'
    'relation: an ordinary or partitioned table without row-level security\n'
    'Errors: PV005 another kind of relation, or one that shares rows with a protected or charged table; PV006 no such '
    'table; 42501 not the owner.\n'
    'See also: dpmix.public_tables, docs/guide/query.md.';

CREATE FUNCTION dpmix.undeclare_public(relation regclass)
    RETURNS void LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_undeclare_public';
COMMENT ON FUNCTION dpmix.undeclare_public(regclass) IS
    E'takes dpmix.declare_public() back, for queries from now on. For the table''s owner and superusers.\n'
    'Errors: PV006 not declared public; 42501 not the owner.';

CREATE VIEW dpmix_internal.seen_public_table AS
    SELECT p.relation::regclass AS relation, p.role, p.at
    FROM dpmix.public_table p
    JOIN pg_catalog.pg_class c ON c.oid = p.relation AND c.relname = p.table_name
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name;
COMMENT ON VIEW dpmix_internal.seen_public_table IS 'dpmix.public_tables';
CREATE FUNCTION dpmix_internal.public_tables() RETURNS SETOF dpmix_internal.seen_public_table
    LANGUAGE c STABLE PARALLEL UNSAFE ROWS 10 COST 1000 AS 'MODULE_PATHNAME', 'dpmix_record';
COMMENT ON FUNCTION dpmix_internal.public_tables() IS 'rows of dpmix.public_tables';
CREATE VIEW dpmix.public_tables AS SELECT * FROM dpmix_internal.public_tables();
COMMENT ON VIEW dpmix.public_tables IS 'tables that private queries may join a protected table with';
COMMENT ON COLUMN dpmix.public_tables.relation IS 'the table';
COMMENT ON COLUMN dpmix.public_tables.role IS 'current_user who declared it public';
COMMENT ON COLUMN dpmix.public_tables.at IS 'server''s clock when it was declared';
GRANT SELECT ON dpmix.public_tables TO PUBLIC;

-- What follows DDL --------------------------------------------------------------------------------

-- The catalog follows DDL: renames of schemas, tables and columns, drops, changed types; and a
-- partition tree never gets two budgets.
CREATE FUNCTION dpmix_internal.follow_ddl() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_ddl';
COMMENT ON FUNCTION dpmix_internal.follow_ddl() IS 'event trigger: keeps the catalog in step with ALTER. PV002: '
    'an attachment would put one protected table inside another';
CREATE FUNCTION dpmix_internal.follow_drop() RETURNS event_trigger LANGUAGE c AS 'MODULE_PATHNAME', 'dpmix_follow_drop';
COMMENT ON FUNCTION dpmix_internal.follow_drop() IS
    'event trigger: ends the protection of dropped tables; charges stay';

CREATE FUNCTION dpmix_internal.follow_owners() RETURNS event_trigger LANGUAGE c
    AS 'MODULE_PATHNAME', 'dpmix_follow_owners';
COMMENT ON FUNCTION dpmix_internal.follow_owners() IS
    'event trigger: before a table is dropped, its record becomes that of the owner whom the table was given to';

CREATE EVENT TRIGGER dpmix_follow_ddl ON ddl_command_end EXECUTE FUNCTION dpmix_internal.follow_ddl();
CREATE EVENT TRIGGER dpmix_follow_drop ON sql_drop EXECUTE FUNCTION dpmix_internal.follow_drop();

-- Also under session_replication_role = replica: a rename that is not followed would lose a record.
ALTER EVENT TRIGGER dpmix_follow_ddl ENABLE ALWAYS;
ALTER EVENT TRIGGER dpmix_follow_drop ENABLE ALWAYS;

CREATE EVENT TRIGGER dpmix_follow_owners ON ddl_command_start WHEN TAG IN ('DROP TABLE', 'DROP SCHEMA', 'DROP OWNED')
    EXECUTE FUNCTION dpmix_internal.follow_owners();
ALTER EVENT TRIGGER dpmix_follow_owners ENABLE ALWAYS;

CREATE FUNCTION dpmix_internal.announce_drop() RETURNS event_trigger LANGUAGE c
    AS 'MODULE_PATHNAME', 'dpmix_announce_drop';
COMMENT ON FUNCTION dpmix_internal.announce_drop() IS
    'event trigger: warns that the record of all charges goes with the extension';
CREATE EVENT TRIGGER dpmix_announce_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION', 'DROP OWNED')
    EXECUTE FUNCTION dpmix_internal.announce_drop();
ALTER EVENT TRIGGER dpmix_announce_drop ENABLE ALWAYS;
