#include "pg/owner/facade_columns.hpp"

#include "pg/border/settings.hpp"
#include "pg/border/statement.hpp"
#include "pg/border/subtransaction.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/facade_view.hpp"

extern "C" {
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

#define DPMIX_STALE "no longer a column of the table, or of another type"

// The comments that are not as they should be: name, text, whether it marks. Comments that are
// neither marks nor wanted are the owner's own. Of a column's categories the first fifty.
Statement wrong_comments = {
    "SELECT * FROM ("
    "  SELECT s.attname, s.attnum, CASE "
    "    WHEN a.attname IS NULL THEN '" DPMIX_STALE
    "' "
    "    WHEN NOT $3 THEN NULL "
    "    WHEN d.categories IS NOT NULL THEN 'one of: ' || array_to_string(d.categories[1:50], ', ')"
    "         || CASE WHEN cardinality(d.categories) > 50 THEN ', ...' ELSE '' END "
    "    WHEN t.max_rows_per_unit > 1 THEN 'privacy unit: at most ' || t.max_rows_per_unit || "
    "         ' of its rows count in full; totals and their intervals are bounded by that' "
    "    WHEN d.lower IS NULL THEN "
    "         CASE WHEN f.of_view IS NULL THEN 'no bounds or categories declared' END "
    "    WHEN a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN "
    "         'length from ' || d.lower || ' to ' || d.upper || ' characters' "
    "    WHEN a.atttypid = 'date'::regtype AND greatest(-d.lower, d.upper) < 5e5 THEN "
    "         to_char('2000-01-01'::date + d.lower::int, '\"from\" YYYY-MM-DD') || "
    "         to_char('2000-01-01'::date + d.upper::int, '\" to\" YYYY-MM-DD') "
    "    WHEN a.atttypid IN ('timestamp'::regtype, 'timestamptz'::regtype) "
    "         AND greatest(-d.lower, d.upper) < 5e10 THEN "
    "         to_char('2000-01-01'::timestamp + make_interval(secs => d.lower), "
    "                 '\"from\" YYYY-MM-DD HH24:MI:SS') || "
    "         to_char('2000-01-01'::timestamp + make_interval(secs => d.upper), "
    "                 '\" to\" YYYY-MM-DD HH24:MI:SS') || "
    "         CASE WHEN a.atttypid = 'timestamptz'::regtype THEN ' UTC' ELSE '' END "
    "    ELSE 'from ' || d.lower || ' to ' || d.upper END AS wanted, "
    "    a.attname IS NULL AS stale, col_description(s.attrelid, s.attnum) AS present "
    "  FROM dpmix.facade f JOIN pg_attribute s ON s.attrelid = $1 "
    "  LEFT JOIN pg_attribute a ON a.attrelid = $2 AND a.attname = s.attname "
    "    AND a.attnum > 0 AND NOT a.attisdropped AND (a.atttypid, a.atttypmod, a.attcollation) "
    "      = (s.atttypid, s.atttypmod, s.attcollation) "
    "  LEFT JOIN LATERAL ("
    "    SELECT lower, upper, categories FROM dpmix.column_domain "
    "    WHERE table_id = f.table_id AND column_name = a.attname "
    "    UNION ALL SELECT lower, upper, categories FROM dpmix.view_column "
    "    WHERE (schema_name, view_name, column_name) = (f.of_schema, f.of_view, a.attname)) d ON "
    "true "
    "  LEFT JOIN dpmix.protected_table t ON t.privacy_unit = a.attname AND t.id = f.table_id "
    "  WHERE f.id = $4 AND s.attnum > 0 AND NOT s.attisdropped) c "
    "WHERE wanted IS DISTINCT FROM present AND (wanted IS NOT NULL OR present = '" DPMIX_STALE
    "') ORDER BY attnum"};

Statement missing_columns = {
    "SELECT FROM pg_attribute a WHERE a.attrelid = $2 AND a.attnum > 0 AND NOT a.attisdropped "
    "AND NOT EXISTS (SELECT FROM pg_attribute s WHERE s.attrelid = $1 AND s.attname = a.attname)"};

// It states all of them anew.
Statement settings = {
    "SELECT concat(', default_epsilon => ' || default_epsilon, ', default_delta => ' || "
    "  default_delta, ', max_epsilon_per_query => ' || max_epsilon_per_query, "
    "  CASE WHEN comments THEN ', comments => true' END, "
    "  CASE WHEN obj_description(view, 'pg_class') LIKE 'dpmix: %' THEN ', intervals => true' END, "
    "  CASE WHEN rows <> 'empty' THEN format(', rows => %L', rows) END) "
    "FROM dpmix.facade WHERE id = $1"};

struct Comment {
  const char *column, *text;
  bool stale;
};

const char* call_of_expose(const FacadeView& facade, const char* others) {
  const char* present = "";
  as_catalog_owner([&] {
    if (read_rows(settings, {facade.id}) > 0) present = ResultRow{}.text(1);
  });
  return psprintf("SELECT dpmix.expose(%s, %s%s%s)",
                  quote_literal_cstr(qualified_name(facade.relation)),
                  quote_literal_cstr(qualified_name(facade.view)), present, others);
}

bool lacks_columns(const FacadeView& facade) {
  bool lacks = false;
  as_catalog_owner([&] { lacks = read_rows(missing_columns, {facade.view, facade.relation}) > 0; });
  return lacks;
}

bool is_rename(const FacadeView& facade, const char* from, const char* to) {
  return from != NULL && get_attnum(facade.view, from) > 0 && get_attnum(facade.view, to) <= 0 &&
         get_attnum(facade.relation, from) <= 0 && get_attnum(facade.relation, to) > 0;
}

// Runs commands as the catalog's owner: the view's may lack CREATE on its schema by now. Only where
// something changed, for they wait for whoever uses the view, though never for long.
void follow_table(const FacadeView& facade, const char* from, const char* to) {
  LockRelationOid(facade.view, ShareUpdateExclusiveLock);  // so that the name stays this view's
  const Oid role = catalog_owner();
  const char* name = qualified_name(facade.view);
  const Oid owner = relation_owner(facade.relation);
  if (!has_privs_of_role(relation_owner(facade.view), owner)) {
    run_command(role, psprintf("ALTER VIEW %s OWNER TO %s", name,
                               quote_identifier(GetUserNameFromId(owner, false))));
  }
  if (is_rename(facade, from, to)) {
    run_command(role, psprintf("ALTER VIEW %s RENAME COLUMN %s TO %s", name, quote_identifier(from),
                               quote_identifier(to)));
  }
  if (lacks_columns(facade)) {
    make_facade_view(role, name, facade.id, facade.relation, facade.view);
  }
  comment_columns(role, facade);
}

// An error undoes what was done, and is a WARNING.
void try_on(const FacadeView& facade, Action body) {
  ErrorData* error = error_of([&] {
    const int level = NewGUCNestLevel();
    set_for_now({"lock_timeout", "500ms"});
    body();
    AtEOXact_GUC(false, level);
  });
  if (error == NULL) return;
  if (error->sqlerrcode == ERRCODE_QUERY_CANCELED) ReThrowError(error);
  ereport(WARNING, (errmsg("facade %s does not follow its table", qualified_name(facade.view)),
                    errdetail("%s.", error->message),
                    errhint("Make up for it: %s", call_of_expose(facade, ""))));
}

bool may_change(const FacadeView& facade) {
  return has_privs_of_role(GetUserId(), relation_owner(facade.view));
}

}  // namespace

namespace {

void follow_in(const FacadeViews& views, const char* from, const char* to) {
  for (uint64 i = 0; i < views.count; i++) {
    const FacadeView& facade = views.list[i];
    if (!may_change(facade)) {
      ereport(WARNING, (errmsg("facade %s belongs to another role and does not follow its table",
                               qualified_name(facade.view)),
                        errhint("A superuser writes: %s", call_of_expose(facade, ""))));
      continue;
    }
    try_on(facade, [&] { follow_table(facade, from, to); });
  }
}

}  // namespace

void follow_columns(const char* from, const char* to) {
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_command(); });
  follow_in(views, from, to);
}

void follow_view_columns(const char* from, const char* to) {
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_view_command(); });
  follow_in(views, from, to);
}

void follow_facades_of(int64 table_id) {
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_table(table_id); });
  for (uint64 i = 0; i < views.count; i++) {
    const FacadeView& facade = views.list[i];
    CacheInvalidateRelcacheByRelid(facade.view);  // what was planned while the name was vacant
    try_on(facade, [&] { follow_table(facade, NULL, NULL); });
  }
}

void comment_columns(Oid role, const FacadeView& facade) {
  Comment* comments = NULL;
  uint64 count = 0;
  as_catalog_owner([&] {
    count = read_rows(wrong_comments, {facade.view, facade.relation, facade.comments, facade.id});
    comments = (Comment*)SPI_palloc(Max(count, 1) * sizeof(Comment));
    for (uint64 i = 0; i < count; i++) {
      const ResultRow row = {i};
      comments[i] = {row.text(1), row.text(3), row.truth(4)};
    }
  });
  const char* name = qualified_name(facade.view);
  for (uint64 i = 0; i < count; i++) {
    const Comment& comment = comments[i];
    const char* text = comment.text == NULL ? "NULL" : quote_literal_cstr(comment.text);
    run_command(role, psprintf("COMMENT ON COLUMN %s.%s IS %s", name,
                               quote_identifier(comment.column), text));
    if (!comment.stale) continue;
    ereport(
        NOTICE,
        (errmsg("facade %s keeps column \"%s\", which answers no more", name, comment.column),
         errdetail("It is " DPMIX_STALE "."),
         errhint("Where no views hang on it: %s", call_of_expose(facade, ", replace => true"))));
  }
}

namespace {

void comment_in(const FacadeViews& views) {
  for (uint64 i = 0; i < views.count; i++) {
    const FacadeView& facade = views.list[i];
    if (!facade.comments || !may_change(facade)) continue;
    try_on(facade, [&] { comment_columns(catalog_owner(), facade); });
  }
}

}  // namespace

void comment_facades(int64 table_id) {
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_table(table_id); });
  comment_in(views);
}

void comment_facades_of_view(Oid view) {
  FacadeViews views = {};
  as_catalog_owner([&] { views = facades_of_view(view); });
  comment_in(views);
}

}  // namespace dpmix::pg
