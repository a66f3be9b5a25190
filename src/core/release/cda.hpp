// DP-CDA: synthetic rows, each the noisy sum of a few random records of one class.
//
// Enters: records as integer vectors on a lattice made of public bounds, each coordinate in
// [-half_steps, half_steps]; what the caller asks for. Leaves: synthetic rows in half widths of the
// bounds, 0 in the middle.
// Guaranteed: noisy counts and rows together are (epsilon, delta)-DP, and cost at most
// CdaPlan::own, both known before any record is seen (docs/proofs/cda.md).
// Source: Saha, Tonoy, Imtiaz, "DP-CDA" (2024), Algorithm 1, with Poisson mixing, public scaling
// and the accounting of docs/proofs/cda.md in place of its Theorem 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/accounting/accountant.hpp"
#include "core/adjacency.hpp"
#include "core/input/lattice.hpp"
#include "core/random/geometric.hpp"
#include "core/random/stream.hpp"
#include "core/release/cda_accountant.hpp"

namespace dpmix {

enum class Demix { none, per_class, tied };
std::optional<Demix> demix_of(std::string_view name);

struct CdaRequest {
  int classes, features;  // >= 1
  std::int64_t rows;      // synthetic, over all classes
  double epsilon, delta;
  Adjacency adjacency;
  Accounting accounting;  // of the table
  int mix;                // records per row on average; 0: chosen from public numbers
  Demix demix;
};

struct CdaPlan {
  CdaRequest asked;
  double count_epsilon;  // of all noisy class counts together
  RowTarget rows;
  double mu;  // Gaussian-DP parameter that the rows' epsilon and delta allow
  Cost own;   // as the table adds up
};

// Throws Error PV005 unless 1 <= rows <= 10^9, rows >= classes, mix <= 10^4, epsilon and delta in
// the range of calibrate() with delta > 0, adjacency not `label`.
CdaPlan plan_cda(const CdaRequest& request);

// Steps from the middle of a feature's bounds to either bound: the coordinates of a record.
constexpr std::int64_t half_steps = 1 << 20;
Lattice feature_lattice(double lower, double upper);
// The largest Euclidean norm of a record, in steps; rounded up.
double record_norm(int features);

std::int64_t noisy_class_count(RandomStream& random, const CdaPlan& plan, std::int64_t count);

// Everything about a class's synthetic rows; public once the noisy counts are.
struct MixedClass {
  std::int64_t first, rows;  // its place among the release's rows
  int mix;                   // sums are divided by it
  double exponent;           // a record stays out of a row with probability e^-exponent, exactly
  double rate;               // 1 - e^-exponent, rounded up
  double multiplier;         // deviation of the noise on a sum / record_norm

  // Deviation of the noise on one coordinate of a synthetic row, in half widths.
  double noise(int features) const;
};
std::vector<MixedClass> plan_classes(const CdaPlan& plan, std::span<const std::int64_t> counts);

// A block of the release's synthetic rows while records are scattered into them: memory is
// 8 * features bytes a row, whatever the number of records.
class RowMixer {
 public:
  RowMixer(std::span<const MixedClass> classes, int features, std::int64_t first,
           std::int64_t rows);

  // One record of class k joins each of the class's rows in this block independently.
  void add(RandomStream& random, int k, const std::int64_t* record);
  // Row `row` of the release: its sum plus noise, over mix. Once per row.
  void finish(RandomStream& random, int k, std::int64_t row, double* half_widths) const;

 private:
  std::span<const MixedClass> classes_;
  std::size_t features_;
  std::int64_t first_, rows_;
  std::vector<std::optional<Geometric>> gaps_;  // by class; none where every record joins
  std::vector<std::int64_t> sums_;
};

}  // namespace dpmix
