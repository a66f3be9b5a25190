// Components that a start put in the wrong place: two that share what is one, one that covers what
// are two. Post-processing of released moments; docs/proofs/mixture_em.md ("Split and merge").
#pragma once

#include <vector>

#include "core/mixture/methods/em_component.hpp"

namespace dpmix {

// Joins two components and cuts another in two, as long as that makes the rows likelier by more
// than noise and the shape of components explain. Their number stays.
void split_and_merge(std::vector<GmmComponent>& components);

}  // namespace dpmix
