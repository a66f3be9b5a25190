#include "pg/owner/owned_column.hpp"

#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/owner/owned.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {

OwnedColumn owned_column(int64 table_id, Oid relation, const char* name) {
  OwnedColumn column = {};
  column.table_id = table_id;
  column.table = qualified_name(relation);
  column.name = name;
  column.attnum = get_attnum(relation, name);
  if (column.attnum <= 0) {
    refuse_argument(psprintf("%s has no column \"%s\"", column.table, column.name),
                    "Bounds, categories and time quanta belong to columns of the table.",
                    "Name an existing column, as it is spelt in the table.");
  }
  Oid type;
  get_atttypetypmodcoll(relation, column.attnum, &type, &column.typmod, &column.collation);
  column.type = getBaseTypeAndTypmod(type, &column.typmod);
  return column;
}

OwnedColumn open_column(FunctionCallInfo fcinfo) {
  const Oid relation = PG_GETARG_OID(0);
  const int64 table_id = open_owned(relation, ShareUpdateExclusiveLock)->id;
  return owned_column(table_id, relation, name_argument(fcinfo, 1));
}

bool is_in_time(const OwnedColumn* column) {
  return column->type == DATEOID || column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID;
}

bool is_text(const OwnedColumn* column) {
  return column->type == TEXTOID || column->type == VARCHAROID || column->type == BPCHAROID;
}

void refuse_type(const OwnedColumn* column, const char* what, const char* valid) {
  refuse_argument(psprintf("column \"%s\" of %s cannot have %s", column->name, column->table, what),
                  psprintf("Its type is %s.", format_type_be(column->type)),
                  psprintf("Valid are %s.", valid));
}

}  // namespace dpmix::pg
