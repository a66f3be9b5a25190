// dpmix_internal.whole: a value with what of it is stored out of line.
#include "pg/border/postgres.hpp"

extern "C" {
#include "access/detoast.h"
PG_FUNCTION_INFO_V1(dpmix_whole);
}

Datum dpmix_whole(PG_FUNCTION_ARGS) {
  struct varlena* value = (struct varlena*)PG_GETARG_POINTER(0);
  PG_RETURN_POINTER(VARATT_IS_EXTERNAL(value) ? detoast_external_attr(value) : value);
}
