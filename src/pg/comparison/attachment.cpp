#include "pg/comparison/attachment.hpp"

#include "pg/border/message.hpp"
#include "pg/border/value.hpp"
#include "pg/process/worker.hpp"

namespace dpmix::pg {
StringInfoData attachment_of(const CompareCall* call, const CompareScan* scan,
                             const CompareStates* states) {
  StringInfoData out;
  initStringInfo(&out);
  const int features = label_column(call->columns);
  const char** names = (const char**)palloc(Max(features, 1) * sizeof(char*));
  for (int i = 0; i < features; i++) names[i] = column_name(call->columns, i);
  const ArrayType* array = DatumGetArrayTypeP(name_array(names, features).datum);
  put_varlena(&out, array);
  put_states(&out, scan, call->synthetic, states);
  return out;
}

ArrayType* attached_features() {
  StringInfoData in = order_attachment();
  return (ArrayType*)get_varlena(&in);
}

CompareStates* attached_states(const CompareCall* call, const CompareScan* scan) {
  StringInfoData in = order_attachment();
  (void)get_varlena(&in);  // the features
  return get_states(&in, scan, call->synthetic);
}

}  // namespace dpmix::pg
