#include "pg/release/parameters.hpp"

namespace dpmix::pg {

void append_statistic(StringInfo json, const char* statistic, double sensitivity, double scale) {
  appendStringInfo(json, "%s{\"statistic\": \"%s\", \"sensitivity\": %.9g, \"scale\": %.9g}",
                   json->data[json->len - 1] == '[' ? "" : ", ", statistic, sensitivity, scale);
}

}  // namespace dpmix::pg
