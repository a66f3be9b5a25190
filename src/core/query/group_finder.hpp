// Which groups come back, one after the other, where their names are not public.
//
// Enters: the search of a plan, and the number of units of a group that has some. Leaves: whether
// it comes back, and its noisy number of units where that decides.
// Guaranteed: what search.epsilon and search.delta say. Proof: docs/proofs/partition_selection.md.
#pragma once

#include <cstdint>
#include <optional>

#include "core/noise/partition_selection.hpp"
#include "core/noise/sampler.hpp"
#include "core/query/group_discovery.hpp"

namespace dpmix {

class GroupFinder {
 public:
  // counted: the law of the statistic that is the number of units; read where there is one.
  GroupFinder(const GroupSearch& search, const NoiseLaw* counted);

  // units: in 2^-weight_bits of the search. None: the group does not come back. Of coins the number
  // is 0 and means nothing.
  std::optional<Int128> find(RandomStream& random, std::uint64_t units) const;

 private:
  Int128 shown_from_;
  std::optional<PartitionSelection> coin_;
  std::optional<NoiseSampler> noise_;
};

}  // namespace dpmix
