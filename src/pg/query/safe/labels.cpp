#include "pg/query/safe/labels.hpp"

#include <algorithm>

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "utils/catcache.h"
#include "utils/syscache.h"
}

namespace dpmix::pg {

EnumLabels labels_of(Oid type) {
  CatCList* list = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
  const int count = list->n_members;
  const auto** row =
      (const FormData_pg_enum**)palloc(sizeof(FormData_pg_enum*) * (Size)Max(count, 1));
  for (int i = 0; i < count; i++) {
    row[i] = (const FormData_pg_enum*)GETSTRUCT(&list->members[i]->tuple);
  }
  std::sort(row, row + count,
            [](const auto* a, const auto* b) { return a->enumsortorder < b->enumsortorder; });
  EnumLabels labels = {count, (Datum*)palloc(sizeof(Datum) * (Size)Max(count, 1)),
                       (const char**)palloc(sizeof(char*) * (Size)Max(count, 1))};
  for (int i = 0; i < count; i++) {
    labels.value[i] = ObjectIdGetDatum(row[i]->oid);
    labels.text[i] = pstrdup(NameStr(row[i]->enumlabel));
  }
  ReleaseSysCacheList(list);
  return labels;
}

}  // namespace dpmix::pg
