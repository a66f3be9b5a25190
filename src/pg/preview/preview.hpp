// What a call of a release would charge and add as noise. Nothing is made.
#pragma once

#include <optional>

#include "pg/ledger/previewed.hpp"
#include "pg/preview/call.hpp"

namespace dpmix::pg {

// group_rows: of a query, as preview_query() takes it. Refused as the call is.
void preview_call(const ReleaseCall& call, std::optional<int64> group_rows, const PreviewRows& out);

}  // namespace dpmix::pg
