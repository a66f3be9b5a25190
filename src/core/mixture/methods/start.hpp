// Starts the mechanism that a request asks for.
#pragma once

#include <memory>

#include "core/mixture/methods/method.hpp"

namespace dpmix {

// Error PV005: a method that does not fit the request, dimensions that are not 1 to features - 1,
// or more than MomentFrame allows.
std::unique_ptr<GmmMechanism> start_gmm(const GmmRequest& request);

}  // namespace dpmix
