// The noise and the price of one query, from public numbers alone.
//
// Enters: how far neighbours move each statistic, the guarantee asked for the whole call, and the
// table's filter. Leaves: a noise law in lattice units for each statistic, and what the joint
// release of all statistics of all groups guarantees and costs. Where groups are to be found, their
// search is part of the release.
// Guaranteed: that release is (plan.epsilon, plan.delta)-DP, and has plan.own where has_own.
// What that needs of the shifts: docs/proofs/query.md.
#pragma once

#include <span>

#include "core/accounting/filter.hpp"
#include "core/input/lattice.hpp"
#include "core/query/auto_choice.hpp"
#include "core/query/search_plan.hpp"

namespace dpmix {

constexpr Lattice kCountLattice{0, 1, 0, 1};  // each row counted adds 1

// Error PV005: epsilon or delta out of range, or too small to be shared by so many statistics;
// delta = 0 for a family or a search that needs one; bounds too wide for a step family.
// other: what `auto` left for its price.
QueryPlan plan_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics, std::span<StatisticNoise> noise,
                     Calibrator calibrate = calibrate_on_lattice, Candidates* explanation = nullptr,
                     std::optional<MoreAccurate>* other = nullptr);
// What that would charge.
Spending price_query(const QueryRequest& request, const Filter& filter,
                     std::span<const StatisticShift> statistics,
                     Calibrator calibrate = calibrate_on_lattice);
// The charge of a plan, as the ledger makes it.
Spending charge_of(const QueryPlan& plan, const Filter& filter);

}  // namespace dpmix
