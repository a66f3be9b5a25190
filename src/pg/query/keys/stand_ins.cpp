#include "pg/query/keys/stand_ins.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

#include "pg/query/keys/column_values.hpp"
#include "pg/query/safe/labels.hpp"
#include "pg/query/safe/text_lengths.hpp"

namespace dpmix::pg {
namespace {

constexpr int kMost = 63;  // there is a bit for each

// Some value of a type; false: none is known.
bool some_value(Oid type, Datum* value) {
  if (get_typtype(type) == TYPTYPE_ENUM) {
    const EnumLabels labels = labels_of(type);
    if (labels.count > 0) *value = labels.value[0];
    return labels.count > 0;
  }
  const int16 length = get_typlen(type);
  if (type == NUMERICOID) {
    *value = whole_number(NUMERICOID, 0);
  } else if (is_text(type)) {
    *value = PointerGetDatum(cstring_to_text(""));
  } else if (get_typbyval(type)) {
    *value = (Datum)0;
  } else if (length > 0) {
    *value = PointerGetDatum(palloc0(length));
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool find_stand_ins(const KeyColumns& of) {
  bool any = false;
  for (int k = 0; k < of.keys; k++) {
    KeyColumn* key = &of.key[k];
    if (!key->found || !key->has_null) continue;
    key->has_null = k < kMost && some_value(key->type, &key->stand_in);
    any = any || key->has_null;
  }
  return any;
}

}  // namespace dpmix::pg
