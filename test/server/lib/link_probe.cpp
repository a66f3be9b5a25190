// What a release that finds units through links opens: for the tests of links. Built and installed
// by them in a throwaway server; no part of dpmix.
#include "pg/catalog/open_protected.hpp"
#include "pg/catalog/unit_link.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "utils/lsyscache.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(link_probe);
PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  load_file("$libdir/dpmix", false);
}

// link_probe(relation regclass) returns text: the tables, and the columns that lead from each to
// the next; last the unit
Datum link_probe(PG_FUNCTION_ARGS) {
  StringInfoData out;
  initStringInfo(&out);
  for (Oid relation = PG_GETARG_OID(0); OidIsValid(relation);) {
    const dpmix::pg::ProtectedTable* table = dpmix::pg::open_linked(relation);
    const dpmix::pg::UnitLink* link = dpmix::pg::unit_link(table);
    appendStringInfoString(&out, get_rel_name(relation));
    if (link == NULL) {
      appendStringInfo(&out, ".%s", get_attname(relation, table->unit, false));
      break;
    }
    for (int i = 0; i < link->columns; i++) {
      appendStringInfo(&out, "%s%s=%s", i == 0 ? " " : ",",
                       get_attname(relation, link->column[i], false),
                       get_attname(link->target, link->target_column[i], false));
    }
    appendStringInfoString(&out, " ");
    relation = link->target;
  }
  PG_RETURN_TEXT_P(cstring_to_text(out.data));
}
}
