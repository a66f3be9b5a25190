// The lists of the owner's page, in SQL, a row each of texts and numbers as they are shown. $1 are
// the ids of the tables that it is about (one, or all of a population: then $6 is true), $2 bounds
// ids of charges, $3 is the end of time, $4 how many charges, $5 the account: that of the
// population where the table has one. Included once, by facts.cpp, which knows the columns. Times
// are in the session's time zone.
#pragma once

#include "pg/border/statement.hpp"
#include "pg/ledger/sums.hpp"

namespace dpmix::pg {

#define DPMIX_TIME(at) "to_char(" at ", 'YYYY-MM-DD HH24:MI')"

inline Statement report_header = {"SELECT " DPMIX_TIME(
    "$2") ", current_setting('TimeZone'), current_database(), "
          "       (SELECT extversion FROM pg_extension WHERE extname = 'dpmix'), "
          "       to_char(min(h.at), 'YYYY-MM-DD'), max(h.epsilon)::float8, max(h.delta)::float8, "
          "       (SELECT count(*) FROM dpmix.unit_update u WHERE u.table_id = ANY ($1) AND u.at "
          "<= $3) "
          "FROM dpmix.budget_change h WHERE h.table_id = ANY ($1 || $4) AND h.at <= $3"};

inline Statement report_budgets = {"SELECT " DPMIX_TIME(
    "h.at") ", h.epsilon::text, h.delta::text, h.role, h.reason, "
            "       count(*) OVER () "
            "FROM dpmix.budget_change h WHERE h.table_id = $5 AND h.at <= $3 ORDER BY h.id DESC "
            "LIMIT 100"};

// The newest receipt of account $1 before charge $2, and its hash.
inline Statement report_receipt = {
    "SELECT g.id, dpmix_internal.receipt_hash(g.receipt) FROM dpmix.charge g "
    "WHERE g.table_id = " DPMIX_TABLES_OF("$1") " AND g.id < $2 ORDER BY g.id DESC LIMIT 1"};

// How a table's blocks are declared, and whether all charges were of Gaussian noise alone.
inline Statement report_blocks = {
    "SELECT coalesce(b.column_name, ''), "
    "       CASE WHEN q.width IS NOT NULL THEN dpmix_internal.width_text(q.width) || ' each' "
    "            WHEN b.in_order_of IS NULL THEN 'each category' "
    "            ELSE CASE WHEN b.width < 0 THEN (-b.width * interval '1 month')::text "
    "                      WHEN a.atttypid = 1082 THEN make_interval(days => b.width::int4)::text "
    "                      WHEN a.atttypid IN (1114, 1184) "
    "                      THEN (b.width * interval '1 microsecond')::text "
    "                      ELSE b.width::text END || ' each' END, "
    "       NOT EXISTS (SELECT FROM dpmix.charge g WHERE g.table_id = " DPMIX_TABLES_OF("$3") " "
    "                   AND g.id < $2 AND (g.mechanism <> 'gaussian' OR g.kind = 'tree' "
    "                                      OR g.cost_delta > 0 OR (g.parameters ->> 'coins')::int4 > 0)), "
    "       q.width IS NOT NULL "
    "FROM dpmix.protected_table p LEFT JOIN dpmix.block_column b ON b.table_id = p.id "
    "LEFT JOIN dpmix.population q ON q.id = p.account "
    "LEFT JOIN pg_attribute a ON a.attrelid = p.relation AND a.attnum = b.attnum "
    "WHERE p.id = $1"};

// NULL: without a grant, as owner or superuser. A grant of a role that was dropped is not in force.
inline Statement report_grants = {
    "WITH used AS MATERIALIZED ("
    "  SELECT n.first, n.name AS grantee, g.role, count(*) AS charges, sum(g.epsilon) AS epsilon, "
    "         sum(g.delta) AS delta, max(g.at) AS at "
    "  FROM dpmix.charge g LEFT JOIN dpmix_internal.named_role n ON n.number = g.granted_number "
    "  WHERE g.table_id = " DPMIX_TABLES_OF("$5") " AND g.id < $2 GROUP BY 1, 2, 3), "
    "busiest AS ("
    "  SELECT u.*, row_number() OVER (PARTITION BY u.first ORDER BY u.charges DESC, u.role) "
    "         AS place FROM used u), "
    "through AS ("
    "  SELECT u.first, sum(u.charges)::int8 AS charges, sum(u.epsilon) AS epsilon, "
    "         sum(u.delta) AS delta, max(u.at) AS at, "
    "         string_agg(format('%s (%s)', u.role, u.charges), ', ' ORDER BY u.place) "
    "           FILTER (WHERE u.place <= 6) "
    "         || CASE WHEN count(*) > 6 THEN format(' and %s more', count(*) - 6) ELSE '' END "
    "         AS roles, "
    "         count(*) = 1 AND bool_and(u.role = u.grantee) AS same "
    "  FROM busiest u GROUP BY u.first) "
    "SELECT w.name, b.number IS NOT NULL, "
    "       a.cap, t.charges, t.epsilon::float8, t.delta::float8, " DPMIX_TIME(
        "t.at") ", CASE WHEN NOT coalesce(t.same, false) THEN t.roles END, count(*) OVER (), a.limits "
                "FROM through t "
                "FULL JOIN (SELECT n.first, min(g.role) AS role, "
                "                  string_agg(l.about || g.epsilon, '; ' ORDER BY p.id) AS cap, "
                "                  string_agg(l.about || nullif(concat_ws(', ', "
                "                    'at most ' || trim_scale(100 * g.share) || ' % of the budget', "
                "                    (SELECT 'through ' || string_agg(format('%I.%I', v.schema_name, "
                "                       v.view_name), ', ') || ' alone' FROM dpmix.granted_view v "
                "                     WHERE v.table_id = g.table_id AND v.role = g.role), "
                "                    'at least ' || nullif(g.min_epsilon, 0) || ' a charge', "
                "                    'at most ' || g.max_charges_per_minute || ' charges a minute'), ''), "
                "                    '; ' ORDER BY p.id) AS limits "
                "           FROM dpmix.access g JOIN dpmix.protected_table p ON p.id = g.table_id "
                "           JOIN dpmix_internal.named_role n ON n.number = g.role "
                "           CROSS JOIN LATERAL (SELECT CASE WHEN $6 THEN p.table_name || ': ' "
                "                                           ELSE '' END AS about) l "
                "           WHERE g.table_id = ANY ($1) GROUP BY n.first) a ON a.first = t.first "
                "LEFT JOIN dpmix_internal.named_role w ON w.number = coalesce(a.first, t.first) "
                "LEFT JOIN dpmix_internal.bound_role b ON b.number = a.role "
                "ORDER BY w.name IS NULL DESC, t.epsilon DESC NULLS LAST, 1 "
                "LIMIT 200"};

// What a query asked; what other releases were made of; which other tables of a population. The
// noise of the first statistics.
inline Statement report_charges = {"SELECT g.id, " DPMIX_TIME(
    "g.at") ", g.role, g.granted_to, g.kind, g.mechanism, g.release, "
            "  CASE WHEN g.table_id <> ALL ($1) THEN 'about ' || g.relation "
            "       WHEN g.kind = 'query' THEN g.parameters ->> 'query' "
            "       ELSE concat_ws('; ', CASE WHEN $6 THEN 'of ' || g.relation END, "
            "                      'columns ' || f.names, 'by ' || (g.parameters ->> "
            "'label'), "
            "                      'method ' || (g.parameters ->> 'method'), "
            "                      (g.parameters ->> 'rows') || ' rows', "
            "                      'source ' || (g.parameters ->> 'source'), "
            "                      'compared with ' || (g.parameters ->> 'synthetic')) END, "
            "  g.epsilon::float8, g.delta::float8, "
            "  ARRAY(SELECT u.item FROM jsonb_array_elements("
            "          CASE WHEN jsonb_typeof(g.parameters -> 'statistics') = 'array' "
            "               THEN g.parameters -> 'statistics' END) WITH ORDINALITY AS s(noise, n), "
            "        unnest(ARRAY[s.noise ->> 'statistic', s.noise ->> 'scale']) WITH ORDINALITY "
            "AS u(item, m) "
            "        WHERE s.n <= 13 ORDER BY s.n, u.m) "
            "FROM (SELECT * FROM dpmix.charge WHERE table_id = ANY (ARRAY("
            "        SELECT n.table_id FROM dpmix_internal.table_account n WHERE n.account = $5)) "
            "      AND id < $2 ORDER BY id DESC LIMIT $4) g, "
            "LATERAL (SELECT CASE WHEN jsonb_typeof(g.parameters -> 'features') = 'array' "
            "                THEN (SELECT string_agg(e.name, ', ' ORDER BY e.n) FROM "
            "                      jsonb_array_elements_text(g.parameters -> 'features') "
            "                      WITH ORDINALITY AS e(name, n)) "
            "                ELSE g.parameters ->> 'features' END AS names) f "
            "ORDER BY g.id DESC"};

inline Statement report_months = {
    "SELECT to_char(m.month, 'YYYY-MM'), m.charges, m.queries, m.models, m.tables, "
    "       m.charges - m.queries - m.models - m.tables, m.epsilon::float8, m.delta::float8 "
    "FROM (SELECT date_trunc('month', g.at) AS month, count(*) AS charges, "
    "             count(*) FILTER (WHERE g.kind = 'query') AS queries, "
    "             count(*) FILTER (WHERE g.release IS NOT NULL) AS models, "
    "             count(*) FILTER (WHERE g.release IS NULL AND g.kind <> 'query' "
    "                                AND g.parameters ? 'rows') AS tables, "
    "             sum(g.epsilon) AS epsilon, sum(g.delta) AS delta "
    "      FROM dpmix.charge g WHERE g.table_id = " DPMIX_TABLES_OF("$5") " "
    "        AND g.id < $2 GROUP BY 1) m "
    "ORDER BY m.month DESC LIMIT 600"};

inline Statement report_models = {"SELECT r.name, " DPMIX_TIME(
    "r.at") ", n.name, "
            "       r.method || CASE WHEN $6 THEN ' of ' || p.table_name ELSE '' END, "
            "       array_to_string(r.features, ', '), "
            "       r.label, r.quality, cardinality(r.weights)::int8, r.epsilon, r.delta, count(*) "
            "OVER () "
            "FROM dpmix.release r JOIN dpmix_internal.named_role n ON n.number = r.maker "
            "JOIN dpmix.protected_table p ON p.id = r.table_id "
            "WHERE r.table_id = ANY ($1) AND r.at <= $3 "
            "ORDER BY r.charge_id DESC, r.name LIMIT 200"};

// Dates are days, times seconds since 2000-01-01.
#define DPMIX_BOUND(bound) \
  "CASE WHEN t.base = 1082 AND abs(" bound ") < 1e6 "                                           \
  "     THEN to_char(date '2000-01-01' + (" bound ")::int4, 'YYYY-MM-DD') "                     \
  "     WHEN t.base = 1114 AND abs(" bound ") < 1e11 "                                          \
  "     THEN " DPMIX_TIME("timestamp '2000-01-01' + (" bound ") * interval '1 s'") " "          \
  "     WHEN t.base = 1184 AND abs(" bound ") < 1e11 "                                          \
  "     THEN " DPMIX_TIME("timestamptz '2000-01-01 00:00+00' + (" bound ") * interval '1 s'") " " \
  "     ELSE (" bound ")::text END"
inline Statement
    report_columns = {"SELECT CASE WHEN $2 THEN o.table_name || '.' ELSE '' END || d.column_name, "
                      "       t.type, " DPMIX_BOUND("d.lower") ", " DPMIX_BOUND(
        "d.upper") ", "
                   "       array_to_string(d.categories[:12], ', ') "
                   "       || CASE WHEN cardinality(d.categories) > 12 THEN ', ...' ELSE '' END, "
                   "       cardinality(d.categories)::int8, "
                   "       justify_hours(d.quantum * interval '1 microsecond')::text, "
                   "       count(*) OVER () "
                   "FROM dpmix.column_domain d JOIN dpmix.protected_table o ON o.id = d.table_id "
                   "LEFT JOIN LATERAL ("
                   "  SELECT format_type(a.atttypid, a.atttypmod) AS type, "
                   "         coalesce(nullif(p.typbasetype, 0), p.oid) AS base "
                   "  FROM pg_attribute a JOIN pg_type p ON p.oid = a.atttypid "
                   "  WHERE a.attrelid = o.relation AND a.attnum = d.attnum AND NOT a.attisdropped) t "
                   "ON true "
                   "WHERE d.table_id = ANY ($1) AND num_nonnulls(d.lower, d.categories, d.quantum) > 0 "
                   "ORDER BY o.id, d.attnum, d.column_name LIMIT 500"};

// Those whose releases the table pays.
inline Statement report_schedules = {
    "SELECT s.name, o.name, s.kind, regexp_replace(s.period::text, '\\mmon', 'month'), "
    "       CASE WHEN s.result_table IS NOT NULL "
    "            THEN format('%I.%I', s.result_schema, s.result_table) END, "
    "       " DPMIX_TIME("l.due") ", l.state, s.epsilon, s.delta, r.stored, r.spent, s.active, "
    "       count(*) OVER () "
    "FROM dpmix.schedule s JOIN dpmix_internal.named_role o ON o.number = s.owner "
    "CROSS JOIN LATERAL ("
    "  SELECT count(DISTINCT r.period) FILTER (WHERE r.state = 'stored') AS stored, "
    "         count(*) FILTER (WHERE r.state = 'spent') AS spent "
    "  FROM dpmix.schedule_run r WHERE r.schedule_id = s.id AND r.started <= $3) r "
    "LEFT JOIN LATERAL ("
    "  SELECT r.due, r.state FROM dpmix.schedule_run r "
    "  WHERE r.schedule_id = s.id AND r.attempt > 0 AND r.started <= $3 "
    "  ORDER BY r.period DESC, r.attempt DESC LIMIT 1) l ON true "
    "WHERE $1 && s.table_ids AND s.created <= $3 ORDER BY s.id LIMIT 200"};

// $1: a population.
inline Statement report_tables = {
    "SELECT format('%I.%I', p.schema_name, p.table_name), p.privacy_unit, "
    "       (SELECT format('%I.%I', t.schema_name, t.table_name) FROM dpmix.protected_table t "
    "        WHERE t.id = p.unit_through), p.max_rows_per_unit::int8, "
    "       (SELECT count(*) FROM dpmix.charge g WHERE g.table_id = p.id AND g.id < $2), p.active "
    "FROM dpmix.protected_table p WHERE p.account = $1 ORDER BY p.id"};

// Run as the caller: the views decide.
inline Statement report_adoptions = {"SELECT pg_catalog." DPMIX_TIME(
    "a.at") ", a.role, a.reason, pg_catalog.count(*) OVER () "
            "FROM dpmix.ledger_adoptions a WHERE a.at OPERATOR(pg_catalog.<=) $1 ORDER BY a.id "
            "DESC LIMIT 50"};

}  // namespace dpmix::pg
