// dpmix_internal.array_agg: all statistics aggregates as one, which computes on a shard what the
// aggregate does that its last argument names.
#pragma once

namespace dpmix::pg {

bool has_shard_form(const char* aggregate);

}  // namespace dpmix::pg
