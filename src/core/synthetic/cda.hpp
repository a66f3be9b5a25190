// DP-CDA: synthetic rows, each the noisy sum of a few random records of one class.
//
// Enters: what the caller asks for; then the noisy counts of the classes. Leaves: what it costs;
// then how many rows each class gets, of how many records each, with how much noise. The rows
// themselves: row_mixer.hpp. Guaranteed: noisy counts and rows together are (epsilon, delta)-DP,
// and cost at most CdaPlan::own, both known before any record is seen (docs/proofs/synthetic.md).
// Source: Saha, Tonoy, Imtiaz, "DP-CDA" (2024), Algorithm 1, with Poisson mixing, public scaling
// and the accounting of docs/proofs/synthetic.md in place of its Theorem 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/accounting/accountant.hpp"
#include "core/base/adjacency.hpp"
#include "core/random/stream.hpp"
#include "core/synthetic/row_target.hpp"

namespace dpmix {

constexpr int most_mixed = 10'000;  // records in a synthetic row

enum class Demix { none, per_class, tied };
std::optional<Demix> demix_of(std::string_view name);

// How many rows classes have: all alike, or in proportion to their noisy counts.
enum class ClassRows { balanced, proportional };
std::optional<ClassRows> class_rows_of(std::string_view name);

struct CdaRequest {
  int classes;        // >= 1
  double norm;        // largest of a record, in steps (RecordCode::norm)
  std::int64_t rows;  // synthetic, over all classes
  double epsilon, delta;
  Adjacency adjacency;
  Accounting accounting;  // of the table
  int mix;                // records per row on average, fewer in a smaller class; 0: chosen
  Demix demix;
  ClassRows class_rows;
};

struct CdaPlan {
  CdaRequest asked;
  double count_rate;     // of the noise of each class count: it is (count_rate, 0)-DP
  double count_epsilon;  // of all noisy class counts together
  RowTarget rows;
  double mu;  // Gaussian-DP parameter of the rows, but for their slack
  Cost own;   // in what the table's accountant adds up
};

// Throws Error PV005 unless 1 <= rows <= 10^9, rows >= classes where they are balanced, mix <=
// 10^4, epsilon and delta in the range of calibrate() with delta > 0.
CdaPlan plan_cda(const CdaRequest& request);

std::int64_t noisy_class_count(RandomStream& random, const CdaPlan& plan, std::int64_t count);
double count_stddev(const CdaPlan& plan);  // of the noise in noisy_class_count()

}  // namespace dpmix
