// Conditions on a key alone: which of its public values they admit.
#pragma once

#include "pg/query/recall/kept_cube.hpp"

namespace dpmix::pg {

// Takes from `admitted` the values of a column for which a safe condition over that column alone is
// not true. false: rows with other values, as far as there can be any, may meet it, too.
bool filter_values(const Node* condition, Var* column, const KeptKey& key, const Datum* values,
                   bool* admitted);

}  // namespace dpmix::pg
