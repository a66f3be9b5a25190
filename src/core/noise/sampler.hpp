// Exact draws of a law's noise, rounded to the lattice; what depends on the law alone is done once.
// Proof: docs/proofs/lattice.md; the samplers: docs/proofs/samplers.md.
#pragma once

#include <variant>

#include "core/base/int128.hpp"
#include "core/noise/law.hpp"
#include "core/random/geometric.hpp"
#include "core/random/rounded_normal.hpp"
#include "core/random/stream.hpp"

namespace dpmix {

class NoiseSampler {
 public:
  // The law is in lattice units (step 1), its sensitivity a positive integer for all but gaussian.
  // Calibrate in these units: dividing a certified scale by a step would round it.
  explicit NoiseSampler(const NoiseLaw& law_in_lattice_units);

  Int128 operator()(RandomStream& random) const {
    return std::visit([&](const auto& law) { return law(random); }, law_);
  }

  // Its law, as it is drawn from.
  template <class See>
  auto visit(const See& see) const {
    return std::visit(see, law_);
  }

 private:
  struct Mixture {
    Int128 sensitivity;
    TruncatedTwoSidedGeometric component;
    RoundedNormal normal;

    // The centres are on the lattice, so only the normal part is rounded.
    Int128 operator()(RandomStream& random) const {
      const Int128 centre = sensitivity * component(random);
      return centre + normal(random);
    }
  };
  struct Other {
    NoiseLaw law;

    Int128 operator()(RandomStream& random) const;
  };
  using Law = std::variant<RoundedNormal, Mixture, TwoSidedGeometric, Other>;

  static Law prepare(const NoiseLaw& law);

  Law law_;
};

}  // namespace dpmix
