// How many groups a query can have.
#pragma once

namespace dpmix::pg {

constexpr int kMaxGroups = 100000;
// PV005. detail: a sentence.
[[noreturn]] void refuse_many_groups(const char* detail);

}  // namespace dpmix::pg
