// What the release of a mixture does in its process, for dpmix.release_gmm, which stores it, and
// for who does not.
#pragma once

#include <string>

#include "core/mixture/fit/gmm_fit.hpp"
#include "pg/mixture/kind.hpp"
#include "pg/release/passes.hpp"

namespace dpmix::pg {

// What the fit says of itself, classes by their names. Inside guard().
std::string quality_of(const GmmFit& fit, const ModelColumns* columns);

// Charges, and reads the rows: packed_gmm(). Its fact: the CovarianceShape.
MadeModel make_gmm(const InProcess& process, const GmmCall& call, const GmmPlan& plan);

}  // namespace dpmix::pg
