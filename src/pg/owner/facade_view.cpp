#include "pg/owner/facade_view.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/run_as.hpp"
#include "pg/border/settings.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/relation.hpp"

extern "C" {
#include "access/relation.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
}

namespace dpmix::pg {
namespace {

struct Columns {
  StringInfoData names, definitions;
  int count;
};

void add_columns(Columns* columns, Oid relation, Oid others_than) {
  Relation rel = relation_open(relation, AccessShareLock);
  const TupleDesc desc = RelationGetDescr(rel);
  for (int i = 0; i < desc->natts; i++) {
    const Form_pg_attribute column = TupleDescAttr(desc, i);
    if (column->attisdropped) continue;
    if (OidIsValid(others_than) && get_attnum(others_than, NameStr(column->attname)) > 0) continue;
    const char* comma = columns->count++ > 0 ? ", " : "";
    const char* name = quote_identifier(NameStr(column->attname));
    appendStringInfo(&columns->names, "%sg.%s", comma, name);
    appendStringInfo(&columns->definitions, "%s%s %s", comma, name,
                     format_type_extended(column->atttypid, column->atttypmod,
                                          FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
    if (column->attcollation != get_typcollation(column->atttypid)) {
      appendStringInfo(&columns->definitions, " COLLATE %s",
                       generate_collation_name(column->attcollation));
    }
  }
  relation_close(rel, AccessShareLock);
}

}  // namespace

void run_command(Oid role, const char* command) {
  const int level = NewGUCNestLevel();
  set_for_now_if_known(
      {"citus.enable_ddl_propagation", "off"});  // facades are of this node, as the ledger
  run_as(role, true, [&] {
    SPI_connect();
    run_text(command, SPI_OK_UTILITY);
    SPI_finish();
  });
  AtEOXact_GUC(false, level);
}

void make_facade_view(Oid role, const char* name, int64 id, Oid relation, Oid view) {
  Columns columns = {};
  initStringInfo(&columns.names);
  initStringInfo(&columns.definitions);
  under_own_path([&] {  // what is printed is read under it, too
    if (OidIsValid(view)) add_columns(&columns, view, InvalidOid);
    add_columns(&columns, relation, view);
  });
  if (columns.count == 0) {
    refuse_argument(psprintf("%s has no columns", qualified_name(relation)),
                    "A facade shows the columns of its table.", "Ask with dpmix.query().");
  }
  run_command(role, psprintf("CREATE OR REPLACE VIEW %s AS SELECT %s FROM "
                             "dpmix_internal.facade_guard('" INT64_FORMAT "') AS g(%s)",
                             name, columns.names.data, id, columns.definitions.data));
}

}  // namespace dpmix::pg
