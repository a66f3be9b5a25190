// Charges travel as plain bytes, between processes: what they say of themselves is looked at before
// it is believed.
#pragma once

#include "pg/ledger/request_slots.hpp"

namespace dpmix::pg {

// Counts within their arrays, names of kinds among those that there are, texts that end, amounts
// that are numbers.
bool is_well_formed(const ChargeOrder& order);
bool is_well_formed(const ChargeReply& reply);

}  // namespace dpmix::pg
