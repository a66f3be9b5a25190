// expose, hide: a table's owner makes and drops the views through which it, or a view over it, is
// asked in plain SQL.
#include <cmath>

#include "core/base/refuse_parameter.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/facade/preload.hpp"
#include "pg/facade/synthetic_looks.hpp"
#include "pg/owner/facade_columns.hpp"
#include "pg/owner/facade_view.hpp"
#include "pg/owner/facades.hpp"
#include "pg/owner/grant_view.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "commands/comment.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(dpmix_expose);
PG_FUNCTION_INFO_V1(dpmix_hide);
}

namespace dpmix::pg {
namespace {

constexpr const char* kDefaultSchema = "private";

Statement find_facade = {
    "SELECT f.id, f.table_id, quote_ident(f.of_schema) || '.' || quote_ident(f.of_view) "
    "FROM dpmix.facade f WHERE f.view = $1 AND f.schema_name = $2 AND f.view_name = $3"};

Statement upsert_facade = {
    "INSERT INTO dpmix.facade (view, schema_name, view_name, table_id, default_epsilon, "
    "  default_delta, max_epsilon_per_query, comments, rows, rows_schema, rows_name, of_schema, "
    "  of_view) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) "
    "ON CONFLICT (schema_name, view_name) DO UPDATE SET view = excluded.view, "
    "  table_id = excluded.table_id, of_schema = excluded.of_schema, of_view = excluded.of_view, "
    "  default_epsilon = excluded.default_epsilon, "
    "  default_delta = excluded.default_delta, "
    "  max_epsilon_per_query = excluded.max_epsilon_per_query, comments = excluded.comments, "
    "  rows = excluded.rows, rows_schema = excluded.rows_schema, rows_name = excluded.rows_name "
    "RETURNING id"};

Statement set_view = {"UPDATE dpmix.facade SET view = $2 WHERE id = $1"};

Statement delete_facade = {"DELETE FROM dpmix.facade WHERE id = $1"};

// The roles that SELECT was granted to by hand, as GRANT takes them.
Statement grantees = {
    "SELECT string_agg(CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, ', ')"
    "FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee "
    "WHERE c.oid = $1 AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner "
    "AND (a.grantee = 0 OR r.rolname IS NOT NULL)"};

struct FacadeName {
  const char *schema, *view, *quoted;
};

// What a facade stands for.
struct Shown {
  Oid relation;
  int64 table_id;  // 0: a view, by its name
};

struct Limits {  // NULL: not declared
  std::optional<double> epsilon, delta, most;
};

FacadeName name_of_view(FunctionCallInfo fcinfo, Oid relation) {
  FacadeName name = {kDefaultSchema, get_rel_name(relation), NULL};
  if (!PG_ARGISNULL(1)) {
    const List* parts = textToQualifiedNameList(PG_GETARG_TEXT_PP(1));
    if (list_length(parts) > 2) {
      refuse_argument("the name of a facade has two parts at most", NULL,
                      "Write schema.name, or a name for one in schema private.");
    }
    if (list_length(parts) == 2) name.schema = strVal(linitial(parts));
    name.view = strVal(llast(parts));
  }
  name.quoted = quote_qualified_identifier(name.schema, name.view);
  return name;
}

// Inside guard().
void require_limit(const std::optional<double>& limit, const char* name, double least,
                   double most) {
  if (!limit) return;
  require_in_range(*limit >= least && *limit <= most, name, *limit,
                   shortest(least) + " to " + shortest(most));
}

Limits limits_of(FunctionCallInfo fcinfo) {
  const Limits limits = {float8_argument(fcinfo, 2), float8_argument(fcinfo, 3),
                         float8_argument(fcinfo, 4)};
  guard([&] {
    require_limit(limits.epsilon, "default_epsilon", 1e-6, 1e7);
    require_limit(limits.delta, "default_delta", 0, .5);
    require_limit(limits.most, "max_epsilon_per_query", 1e-6, 1e7);
  });
  if (limits.epsilon && limits.most && *limits.epsilon > *limits.most) {
    refuse_argument("default_epsilon is above max_epsilon_per_query",
                    psprintf("They are %g and %g.", *limits.epsilon, *limits.most),
                    "The default is what a query without an epsilon of its own asks for.");
  }
  return limits;
}

// What a look at the columns gets (column_looks.hpp).
const char* rows_argument(FunctionCallInfo fcinfo, int place) {
  const char* word = text_to_cstring(PG_GETARG_TEXT_PP(place));
  if (strcmp(word, "empty") != 0 && strcmp(word, "refuse") != 0 && strcmp(word, "synthetic") != 0) {
    refuse_word("rows", word, "empty, refuse or synthetic");
  }
  return word;
}

// InvalidOid: the facade has none.
Oid synthetic_rows(FunctionCallInfo fcinfo, const char* rows, int place, Oid owner) {
  const bool wanted = strcmp(rows, "synthetic") == 0;
  if (wanted == PG_ARGISNULL(place)) {
    refuse_argument(
        wanted ? "rows_from is missing" : "rows_from has nothing to show",
        psprintf("rows is '%s'.", rows),
        "Pass both: rows => 'synthetic', rows_from => 'a table of dpmix.synthesize()''s rows'.");
  }
  if (!wanted) return InvalidOid;
  const Oid table = PG_GETARG_OID(place);
  const char* defect = synthetic_table_defect(table, owner);
  if (defect == NULL) return table;
  refuse_argument(psprintf("%s cannot be shown as synthetic rows", qualified_name(table)), defect,
                  "Make it by CREATE TABLE ... AS SELECT * FROM dpmix.synthesize(...), and declare "
                  "it public.");
}

Value limit_value(const std::optional<double>& limit) {
  return value_if(limit.has_value(), limit.value_or(0));
}

Oid owner_of_database() {
  HeapTuple tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
  if (!HeapTupleIsValid(tuple)) return InvalidOid;
  const Oid owner = ((Form_pg_database)GETSTRUCT(tuple))->datdba;
  ReleaseSysCache(tuple);
  return owner;
}

// Who owns a schema could put another view where the facade was.
void require_own_schema(const char* name, Oid schema, Oid owner) {
  Oid holder = schema_owner(schema);
  if (holder == ROLE_PG_DATABASE_OWNER) holder = owner_of_database();
  if (holder == owner || superuser_arg(holder)) return;
  const char* other = GetUserNameFromId(holder, true);
  refuse_argument(psprintf("schema \"%s\" belongs to another role", name),
                  psprintf("Its owner \"%s\" could replace the facade by a view of its own.",
                           other != NULL ? other : "?"),
                  "Name a schema of the table's owner or of a superuser: view => 'schema.name'.");
}

// The default schema is made where it is not there.
Oid open_schema(const char* name, Oid maker, Oid owner) {
  Oid schema = get_namespace_oid(name, strcmp(name, kDefaultSchema) == 0);
  if (!OidIsValid(schema)) {
    const Datum may =
        DirectFunctionCall3(has_database_privilege_id_id, ObjectIdGetDatum(maker),
                            ObjectIdGetDatum(MyDatabaseId), CStringGetTextDatum("CREATE"));
    if (!DatumGetBool(may)) {
      refuse(ERRCODE_INSUFFICIENT_PRIVILEGE, psprintf("there is no schema \"%s\"", name),
             "The table's owner may not create schemas in this database.",
             "Name a schema of its own: view => 'schema.name'. Or a superuser writes CREATE SCHEMA "
             "private, and GRANT CREATE on it to the owners of tables.");
    }
    run_command(maker, psprintf("CREATE SCHEMA %s", quote_identifier(name)));
    if (maker != owner) {
      run_command(maker, psprintf("GRANT USAGE ON SCHEMA %s TO %s", quote_identifier(name),
                                  quote_identifier(GetUserNameFromId(owner, false))));
    }
    schema = get_namespace_oid(name, false);
  }
  require_own_schema(name, schema, owner);
  return schema;
}

bool stands_for(const Shown& shown, const ResultRow& row) {
  if (shown.table_id != 0) return row.int8(2) == shown.table_id;
  return row.is_null(2) && strcmp(row.text(3), qualified_name(shown.relation)) == 0;
}

// 0: none is recognised there, or of something else. NULL: of whatever.
int64 id_of_facade(Oid view, const FacadeName& name, const Shown* shown) {
  int64 id = 0;
  as_catalog_owner([&] {
    if (read_rows(find_facade, {view, name_value(name.schema), name_value(name.view)}) == 0) return;
    if (shown == NULL || stands_for(*shown, ResultRow{})) id = ResultRow{}.int8(1);
  });
  return id;
}

// Locked, so that the name stays this view's.
void open_view(Oid view, Oid schema, const FacadeName& name, const Shown& shown) {
  if (id_of_facade(view, name, &shown) != 0) {
    lock_owned(view, ShareUpdateExclusiveLock);
    if (get_relname_relid(name.view, schema) == view) return;
  }
  refuse_argument(psprintf("%s is there already", name.quoted),
                  psprintf("It is something else than a facade of this %s.",
                           shown.table_id != 0 ? "table" : "view"),
                  "Choose another name: view => 'schema.name'.");
}

// NULL: nobody.
const char* drop_view(Oid view, const FacadeName& name) {
  const char* seen_by = NULL;
  as_catalog_owner([&] {
    if (read_rows(grantees, {view}) > 0) seen_by = ResultRow{}.text(1);
  });
  run_command(catalog_owner(), psprintf("DROP VIEW %s", name.quoted));
  return seen_by;
}

// Of a relation's schema and name; NULLs: of none.
Value schema_value(Oid relation) {
  return name_value(OidIsValid(relation) ? get_namespace_name(get_rel_namespace(relation)) : NULL);
}

Value relation_value(Oid relation) {
  return name_value(OidIsValid(relation) ? get_rel_name(relation) : NULL);
}

int64 record_facade(Oid view, const FacadeName& name, const Shown& shown, const Limits& limits,
                    bool comments, const char* rows, Oid synthetic) {
  const Oid of_view = shown.table_id == 0 ? shown.relation : InvalidOid;
  int64 id = 0;
  as_catalog_owner([&] {
    (void)write_rows(upsert_facade,
                     {view, name_value(name.schema), name_value(name.view),
                      value_if(shown.table_id != 0, shown.table_id), limit_value(limits.epsilon),
                      limit_value(limits.delta), limit_value(limits.most), comments, rows,
                      schema_value(synthetic), relation_value(synthetic), schema_value(of_view),
                      relation_value(of_view)});
    id = ResultRow{}.int8(1);
  });
  return id;
}

// A superuser may have made it, or somebody have had it since.
void give_view(Oid view, const FacadeName& name, Oid owner) {
  if (relation_owner(view) == owner) return;
  run_command(catalog_owner(), psprintf("ALTER VIEW %s OWNER TO %s", name.quoted,
                                        quote_identifier(GetUserNameFromId(owner, false))));
}

void show_to_roles_with_access(const FacadeView& facade, const Shown& shown) {
  Roles roles = {};
  as_catalog_owner([&] {
    roles = shown.table_id != 0 ? roles_with_access(shown.table_id)
                                : roles_with_access_to_view(shown.relation);
  });
  FacadeView one = facade;
  for (uint64 i = 0; i < roles.count; i++) show_facades({&one, 1}, roles.list[i]);
}

// What tools show of the view as a whole. Comments of others stay.
constexpr const char* kIntervals =
    "dpmix: answers are noisy. dpmix.low(count(*)) and dpmix.high(count(*)) are the ends of the "
    "95% interval around an aggregate, or around a ratio or difference of aggregates; SET "
    "dpmix.intervals = on adds them as columns. SET dpmix.suppress = 0.5 leaves out cells whose "
    "interval is wider than half of their size.";

void comment_view(Oid view, const FacadeName& name, bool intervals) {
  const char* present = GetComment(view, RelationRelationId, 0);
  const bool ours = present != NULL && strncmp(present, "dpmix: ", 7) == 0;
  if (intervals ? ours : !ours) return;
  run_command(catalog_owner(), psprintf("COMMENT ON VIEW %s IS %s", name.quoted,
                                        intervals ? quote_literal_cstr(kIntervals) : "NULL"));
}

void notice_missing_preload() {
  if (is_preloaded()) return;
  ereport(NOTICE, (errmsg("sessions do not load dpmix when they begin"),
                   errdetail("The first statement on a facade is then refused, and loads it."),
                   errhint("%s Or for the roles that ask: ALTER ROLE.", how_to_preload())));
}

// A protected table, or a view of its owner's, of the caller.
Shown open_shown(Oid relation) {
  const List* tables = tables_below(relation);
  if (tables != NIL) {
    require_owned_view(relation, tables);
    return {relation, 0};
  }
  const CatalogRow* row = open_owned(relation, ShareUpdateExclusiveLock);
  if (row->label != NULL) {
    refuse_argument(psprintf("%s takes no queries", qualified_name(relation)),
                    "Under adjacency label a table takes models and synthetic tables alone.",
                    "Only tables that take queries have facades.");
  }
  return {relation, row->id};
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_expose(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  require_argument(fcinfo, 5);
  require_argument(fcinfo, 6);
  require_argument(fcinfo, 7);
  require_argument(fcinfo, 8);
  const Oid relation = PG_GETARG_OID(0);
  const Shown shown = open_shown(relation);
  const Limits limits = limits_of(fcinfo);
  const FacadeName name = name_of_view(fcinfo, relation);
  const bool comments = PG_GETARG_BOOL(6);
  const char* rows = rows_argument(fcinfo, 8);
  const Oid owner = relation_owner(relation), maker = superuser() ? GetUserId() : owner;
  const Oid synthetic = synthetic_rows(fcinfo, rows, 9, owner);
  const Oid schema = open_schema(name.schema, maker, owner);

  Oid view = get_relname_relid(name.view, schema);
  const bool there = OidIsValid(view);
  const char* seen_by = NULL;
  if (there) {
    open_view(view, schema, name, shown);
    if (PG_GETARG_BOOL(5)) {
      seen_by = drop_view(view, name);
      view = InvalidOid;
    }
  }
  const int64 id = record_facade(view, name, shown, limits, comments, rows, synthetic);
  // Who may change a facade need not have CREATE on its schema any more.
  make_facade_view(OidIsValid(view) ? catalog_owner() : maker, name.quoted, id, relation, view);
  view = get_relname_relid(name.view, schema);
  as_catalog_owner([&] { (void)write_rows(set_view, {id, view}); });
  give_view(view, name, owner);
  if (!there) notice_missing_preload();
  if (!there && shown.table_id == 0) tell_of_public_text(relation);
  if (seen_by != NULL) {
    run_command(catalog_owner(), psprintf("GRANT SELECT ON %s TO %s", name.quoted, seen_by));
  }
  const FacadeView facade = {id, view, relation, comments};
  show_to_roles_with_access(facade, shown);
  comment_columns(catalog_owner(), facade);
  comment_view(view, name, PG_GETARG_BOOL(7));
  PG_RETURN_OID(view);
}

Datum dpmix_hide(PG_FUNCTION_ARGS) {
  require_arguments(fcinfo, 1);
  const Oid view = PG_GETARG_OID(0);
  lock_owned(view, AccessExclusiveLock);
  const char* schema = get_namespace_name(get_rel_namespace(view));
  const char* view_name = get_rel_name(view);
  const FacadeName name = {schema, view_name, quote_qualified_identifier(schema, view_name)};
  const int64 id = id_of_facade(view, name, NULL);
  if (id == 0 || get_rel_relkind(view) != RELKIND_VIEW) {
    refuse_argument(psprintf("%s is no facade", name.quoted),
                    "Facades are made by dpmix.expose(); after a restore they are known again once "
                    "dpmix.adopt_ledger() was called.",
                    "Name a facade, as psql's \\dv lists them.");
  }
  run_command(catalog_owner(), psprintf("DROP VIEW %s", name.quoted));
  as_catalog_owner([&] { (void)write_rows(delete_facade, {id}); });
  PG_RETURN_VOID();
}
