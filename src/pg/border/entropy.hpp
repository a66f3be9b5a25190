// Where noise gets its key: pg_strong_random, fresh for every call, hence never shared by forked
// backends and never kept. There is no other way to make a stream in the server, and no setting
// that fixes the key.
#pragma once

#include "core/random/stream.hpp"

namespace dpmix::pg {

// Fills key or raises ERRCODE_INTERNAL_ERROR. Call it before guard() and erase the key after.
void fresh_key(RandomStream::Key& key);

}  // namespace dpmix::pg
