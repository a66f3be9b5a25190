// Curves of a table of counts, without a word on noise: product limits (Kaplan and Meier 1958) and
// cumulative incidences (Aalen and Johansen 1978), at the ends of bins.
//
// Within a bin nobody knows who left first. With all events first, each factor is as large as it
// can be, with all censorings first as small; the curve of the very times lies between, whatever
// they are (docs/proofs/survival.md). Half and half is what actuaries do.
#pragma once

#include "core/survival/table.hpp"

namespace dpmix {

enum class Order { events_first, half, censored_first };

// ln S at the end of each of the first `bins` bins, told_bins() at most.
std::vector<double> log_survival(const SurvivalTable& table, Order order, int bins);

// The chance of an event of a kind by the end of each of these bins. events_first and
// censored_first are bounds of what is between them: the least, and the most.
std::vector<double> incidence(const SurvivalTable& table, int kind, Order order, int bins);

// The area below S up to the end of the bin, for bins of this width: the time that is lived of it,
// on average. events_first is the most, censored_first the least.
std::vector<double> mean_time(const SurvivalTable& table, Order order, double width, int bins);

}  // namespace dpmix
