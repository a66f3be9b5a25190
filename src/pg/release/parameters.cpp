#include "pg/release/parameters.hpp"

#include "pg/ledger/request.hpp"

namespace dpmix::pg {

void append_statistic(StringInfo json, const char* statistic, double sensitivity, double scale) {
  appendStringInfo(json, "%s{\"statistic\": \"%s\", \"sensitivity\": %.9g, \"scale\": %.9g}",
                   json->data[json->len - 1] == '[' ? "" : ", ", statistic, sensitivity, scale);
}

int room_for_columns(const StringInfoData* json, const ProtectedTable* table) {
  constexpr int kSourceBytes = 550;
  const int left = (int)kParameterBytes - json->len - 1;
  return table->made != NULL ? left - kSourceBytes : left;
}

}  // namespace dpmix::pg
