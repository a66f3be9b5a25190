// dpmix.cda.
#include "pg/border/arguments.hpp"
#include "pg/border/texts.hpp"
#include "pg/release/run.hpp"
#include "pg/synthetic/cda/make_rows.hpp"

extern "C" {
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpmix_cda);
PG_FUNCTION_INFO_V1(dpmix_rows_of_name);
}

using namespace dpmix::pg;

Datum dpmix_cda(PG_FUNCTION_ARGS) {
  return Runner::rows<CdaKind>(fcinfo, put_cda_rows);
}

// cda('cps', ...): the name of a table gives the result no columns.
Datum dpmix_rows_of_name(PG_FUNCTION_ARGS) {
  const char* name = text_argument(fcinfo, 0, "the_table");
  const char* function = get_func_name(fcinfo->flinfo->fn_oid);
  refuse_argument(psprintf("the first argument of %s is a row type, not a name", function),
                  "It gives the result the columns of the table.",
                  psprintf("Write NULL::%s.", quoted_prefix(name)));
}
