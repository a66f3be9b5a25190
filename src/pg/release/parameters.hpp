// The parameters that the ledger keeps of a release: a JSON object as it is written.
#pragma once

#include "pg/catalog/protected_table.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

// An element of the array "statistics": how far a neighbour moves one number of it, and the
// deviation of its noise. Its comma is written where it is not the first.
void append_statistic(StringInfo json, const char* statistic, double sensitivity, double scale);
// Bytes that are left for columns, the last of its members: made rows leave some for their source.
int room_for_columns(const StringInfoData* json, const ProtectedTable* table);

}  // namespace dpmix::pg
