// What a private comparison does in its process.
#pragma once

#include "pg/comparison/kind.hpp"
#include "pg/release/passes.hpp"

namespace dpmix::pg {

// Charges, reads the protected table, and puts the measures.
void put_private_measures(const InProcess& process, const CompareKind::Call& call);

}  // namespace dpmix::pg
