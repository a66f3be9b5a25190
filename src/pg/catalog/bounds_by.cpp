#include "pg/catalog/bounds_by.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
}

namespace dpmix::pg {

bool can_decide_bounds(Oid type, Oid collation) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      return true;
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
      return !OidIsValid(collation) || get_collation_isdeterministic(collation);
    default:
      return get_typtype(type) == TYPTYPE_ENUM;
  }
}

// Blanks at the end of char(n) are no part of its value.
char* deciding_text(Oid type, Datum value) {
  Oid function;
  bool varlena;
  getTypeOutputInfo(type, &function, &varlena);
  char* text = OidOutputFunctionCall(function, value);
  for (Size length = strlen(text); type == BPCHAROID && length > 0 && text[length - 1] == ' ';) {
    text[--length] = '\0';
  }
  return text;
}

int category_of_bounds(const BoundsBy* by, const char* text) {
  for (int i = 0; i < by->categories; i++) {
    if (strcmp(by->category[i], text) == 0) return i;
  }
  return -1;
}

}  // namespace dpmix::pg
