// What synthetic rows of DP-CDA cost: a planning tool. Pure functions of public numbers.
//
// Enters: how rows are mixed and how much noise they get, in any units of the features. Leaves: an
// epsilon. Guaranteed: all rows of the class (for a changed label, of both classes) are together
// (epsilon, delta)-DP; `published` guarantees nothing. Proofs: docs/proofs/synthetic_epsilon.md.
// Source: privacy-loss distributions (docs/proofs/loss_distribution.md) of the pairs of cda_pairs;
// Saha, Tonoy, Imtiaz, "DP-CDA" (2024), Theorem 1, for comparison.
#pragma once

#include <optional>
#include <string_view>

#include "core/synthetic/dominating_pairs.hpp"

namespace dpmix {

// pld: tight. rdp: the best of many Renyi orders. published: the paper's theorem, not a guarantee.
enum class CdaAccountant { pld, rdp, published };
std::optional<CdaAccountant> cda_accountant_of(std::string_view name);

// delta: 1e-20..0.5; the rest as check_mixed_rows has it; for pld, where mix < class_rows, clip at
// most 30 mix scale. Else Error PV005.
double cda_epsilon(const MixedRows& rows, double delta, CdaAccountant accountant);

}  // namespace dpmix
