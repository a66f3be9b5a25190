#include "pg/comparison/attachment.hpp"

#include "pg/border/value.hpp"
#include "pg/process/worker.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

ArrayType* get_features(StringInfo in) {
  const int size = (int)pq_getmsgint(in, 4);
  return (ArrayType*)memcpy(palloc(size), pq_getmsgbytes(in, size), size);
}

}  // namespace

StringInfoData attachment_of(const CompareCall* call, const CompareScan* scan,
                             const CompareStates* states) {
  StringInfoData out;
  initStringInfo(&out);
  const int features = label_column(call->columns);
  const char** names = (const char**)palloc(Max(features, 1) * sizeof(char*));
  for (int i = 0; i < features; i++) names[i] = column_name(call->columns, i);
  const ArrayType* array = DatumGetArrayTypeP(name_array(names, features).datum);
  pq_sendint32(&out, VARSIZE(array));
  appendBinaryStringInfo(&out, (const char*)array, VARSIZE(array));
  put_states(&out, scan, call->synthetic, states);
  return out;
}

ArrayType* attached_features() {
  StringInfoData in = order_attachment();
  return get_features(&in);
}

CompareStates* attached_states(const CompareCall* call, const CompareScan* scan) {
  StringInfoData in = order_attachment();
  (void)get_features(&in);
  return get_states(&in, scan, call->synthetic);
}

}  // namespace dpmix::pg
