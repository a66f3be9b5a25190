#include "pg/release/terms.hpp"

namespace dpmix::pg {

ChargeRequest charge_request(const Terms& terms) {
  return {.table = terms.table,
          .kind = terms.kind,
          .mechanism = terms.mechanism,
          .epsilon = terms.epsilon,
          .delta = terms.delta,
          .own = terms.own ? &*terms.own : NULL,
          .parameters = NULL,
          .blocks = terms.blocks.range,
          .block_count = terms.blocks.count};
}

}  // namespace dpmix::pg
