#include "pg/owner/facades.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/command_tree.hpp"
#include "pg/owner/facade_view.hpp"

extern "C" {
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

// w: the view that one of a view stands for.
#define DPMIX_FACADES                                                                  \
  "SELECT f.id, f.view, coalesce(p.relation::oid, w.oid, 0), f.comments "              \
  "FROM dpmix.facade f LEFT JOIN dpmix.protected_table p ON p.id = f.table_id "        \
  "LEFT JOIN pg_namespace wn ON wn.nspname = f.of_schema "                             \
  "LEFT JOIN pg_class w ON w.relnamespace = wn.oid AND w.relname = f.of_view "         \
  "  AND w.relkind = 'v' "                                                             \
  "JOIN pg_class v ON v.oid = f.view AND v.relname = f.view_name AND v.relkind = 'v' " \
  "JOIN pg_namespace vn ON vn.oid = v.relnamespace AND vn.nspname = f.schema_name "

Statement of_table = {DPMIX_FACADES "WHERE f.table_id = $1 ORDER BY f.id"};

Statement of_command = {
    DPMIX_COMMAND_TREE DPMIX_FACADES
    "JOIN pg_class c ON c.oid = p.relation AND c.relname = p.table_name "
    "JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = p.schema_name "
    "WHERE p.relation IN (SELECT relation FROM tree) ORDER BY f.id"};

Statement of_view = {DPMIX_FACADES "WHERE w.oid = $1 ORDER BY f.id"};

Statement of_view_command = {DPMIX_FACADES
                             "WHERE w.oid IN (SELECT c.oid FROM " DPMIX_COMMAND_TABLE
                             "  WHERE d.classid = 'pg_class'::regclass) "
                             "AND pg_has_role(v.relowner, w.relowner, 'USAGE') ORDER BY f.id"};

Statement with_access_to_view = {
    "SELECT DISTINCT r.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN dpmix.granted_view g ON g.schema_name = n.nspname AND g.view_name = c.relname "
    "JOIN dpmix_internal.bound_role r ON r.number = g.role WHERE c.oid = $1"};

Statement all = {DPMIX_FACADES};

Statement with_access = {
    "SELECT r.oid FROM dpmix.access a JOIN dpmix_internal.bound_role r ON r.number = a.role "
    "WHERE a.table_id = $1 AND NOT a.confined"};

Statement drop_homonyms_of_schema = {
    "DELETE FROM dpmix.facade q USING dpmix.facade f "
    "WHERE f.schema_name = $1 AND q.schema_name = $2 AND q.view_name = f.view_name"};

Statement rename_schema = {"UPDATE dpmix.facade SET schema_name = $2 WHERE schema_name = $1"};

Statement drop_homonyms = {"DELETE FROM dpmix.facade q USING " DPMIX_COMMAND_TABLE
                           "WHERE d.classid = 'pg_class'::regclass AND q.view <> c.oid "
                           "AND q.schema_name = n.nspname AND q.view_name = c.relname"};

Statement rename_view = {
    "UPDATE dpmix.facade f SET schema_name = n.nspname, view_name = c.relname "
    "FROM " DPMIX_COMMAND_TABLE
    "WHERE d.classid = 'pg_class'::regclass AND f.view = c.oid AND f.view_name = $1"};

Statement forget_dropped = {
    "DELETE FROM dpmix.facade f USING pg_event_trigger_dropped_objects() o "
    "WHERE o.classid = 'pg_class'::regclass AND o.objsubid = 0 AND f.view = o.objid "
    "AND f.schema_name = o.schema_name AND f.view_name = o.object_name"};

Statement adopt_views = {
    "UPDATE dpmix.facade SET "
    "  view = coalesce(to_regclass(format('%I.%I', schema_name, view_name))::oid, 0)"};

FacadeViews read_views(uint64 count) {
  FacadeViews views = {(FacadeView*)SPI_palloc(Max(count, 1) * sizeof(FacadeView)), count};
  for (uint64 i = 0; i < count; i++) {
    const ResultRow row = {i};
    views.list[i] = {row.int8(1), row.oid(2), row.oid(3), row.truth(4)};
  }
  return views;
}

const char* name_of_role(Oid role) {  // quoted; NULL: it is gone
  const char* name = GetUserNameFromId(role, true);
  return name == NULL ? NULL : quote_identifier(name);
}

bool may_use(Oid role, Oid schema) {
  return DatumGetBool(DirectFunctionCall3(has_schema_privilege_id_id, ObjectIdGetDatum(role),
                                          ObjectIdGetDatum(schema), CStringGetTextDatum("USAGE")));
}

// Runs the command as the catalog's owner, which PostgreSQL takes for the object's: that one may
// lack USAGE of the schema. Only where the current user has the rights of the object's owner.
void run_for(Oid owner, const char* what, const char* command) {
  if (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner)) {
    run_command(catalog_owner(), command);
    return;
  }
  ereport(WARNING, (errmsg("%s belongs to another role, which decides who sees it", what),
                    errhint("Its owner or a superuser writes: %s", command)));
}

const char* locked_name(Oid view) {  // stays this view's
  LockRelationOid(view, AccessShareLock);
  return qualified_name(view);
}

}  // namespace

FacadeViews facades_of_table(int64 table_id) {
  return read_views(read_rows(of_table, {table_id}));
}

FacadeViews facades_of_view(Oid view) {
  return read_views(read_rows(of_view, {view}));
}

namespace {

Roles read_roles(uint64 count) {
  const Roles roles = {(Oid*)SPI_palloc(Max(count, 1) * sizeof(Oid)), count};
  for (uint64 i = 0; i < count; i++) roles.list[i] = ResultRow{i}.oid(1);
  return roles;
}

}  // namespace

Roles roles_with_access(int64 table_id) {
  return read_roles(read_rows(with_access, {table_id}));
}

Roles roles_with_access_to_view(Oid view) {
  return read_roles(read_rows(with_access_to_view, {view}));
}

FacadeViews facades_of_command() {
  return read_views(read_rows(of_command));
}

FacadeViews facades_of_view_command() {
  return read_views(read_rows(of_view_command));
}

void show_facades(const FacadeViews& views, Oid role) {
  const char* role_name = name_of_role(role);
  for (uint64 i = 0; role_name != NULL && i < views.count; i++) {
    const Oid view = views.list[i].view, schema = get_rel_namespace(view);
    const char* name = locked_name(view);
    run_for(relation_owner(view), name, psprintf("GRANT SELECT ON %s TO %s", name, role_name));
    if (may_use(role, schema)) continue;
    const char* schema_name = quote_identifier(get_namespace_name(schema));
    run_for(schema_owner(schema), psprintf("schema %s", schema_name),
            psprintf("GRANT USAGE ON SCHEMA %s TO %s", schema_name, role_name));
  }
}

void conceal_facades(const FacadeViews& views, Oid role) {
  const char* role_name = name_of_role(role);
  for (uint64 i = 0; role_name != NULL && i < views.count; i++) {
    const char* name = locked_name(views.list[i].view);
    run_for(relation_owner(views.list[i].view), name,
            psprintf("REVOKE SELECT ON %s FROM %s", name, role_name));
  }
}

// First what was left behind while nobody followed: its views are gone.
void rename_facade_schema(const char* from, const char* to) {
  (void)write_rows(drop_homonyms_of_schema, {name_value(from), name_value(to)});
  (void)write_rows(rename_schema, {name_value(from), name_value(to)});
}

void rename_facade(const char* from) {
  (void)write_rows(drop_homonyms);
  (void)write_rows(rename_view, {name_value(from)});
}

void forget_facades() {
  (void)write_rows(forget_dropped);
}

void adopt_facades() {
  (void)write_rows(adopt_views);
}

void let_facades_go(Oid extension) {
  const FacadeViews views = read_views(read_rows(all));
  for (uint64 i = 0; i < views.count; i++) {
    ObjectAddress view, owner;
    ObjectAddressSet(view, RelationRelationId, views.list[i].view);
    ObjectAddressSet(owner, ExtensionRelationId, extension);
    recordDependencyOn(&view, &owner, DEPENDENCY_AUTO);
  }
}

}  // namespace dpmix::pg
