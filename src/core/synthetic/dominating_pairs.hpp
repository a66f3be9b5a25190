// The pairs of laws that dominate synthetic rows of DP-CDA on neighbouring tables, each proved in
// docs/proofs/synthetic_epsilon.md: their privacy-loss distributions, Renyi divergences, and the
// plain Gaussian noise that shows no less.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/accounting/losses/loss_composition.hpp"
#include "core/base/adjacency.hpp"

namespace dpmix {

// poisson: each record of the class joins a row with probability mix / class_rows, independently;
// without_replacement: a uniform choice of mix records. Both: the sum is divided by mix.
enum class CdaSampler { poisson, without_replacement };
std::optional<CdaSampler> cda_sampler_of(std::string_view name);

struct MixedRows {
  std::int64_t class_rows;  // poisson: sets the rate; without_replacement: the least class that can
                            // be, counted with the record that joins or leaves
  std::int64_t mix;
  std::int64_t rows;  // synthetic, of each class that a neighbour changes
  double clip;        // largest norm of a record
  double scale;       // deviation of the Gaussian noise on each coordinate of a mean
  Adjacency adjacency;
  CdaSampler sampler;
};

// class_rows 1..2^53, mix 1..2^31 - 1, rows 1..2^30, clip and scale 1e-150..1e150;
// without_replacement: mix < class_rows. Else Error PV005.
void check_mixed_rows(const MixedRows& rows);

// One way in which neighbours differ.
struct CdaPair {
  enum class Change {
    leaves,         // the record is there, or is not
    joins,          // the other way round
    moves,          // it leaves one class and joins another
    replaced,       // another takes its place, poisson
    replaced_apart  // the same, without_replacement
  };
  Change change;
  double rate;  // the rate at which a record joins a row, rounded up
  double mu;    // shift of the mean by one record, over the noise's deviation, rounded up
  std::int64_t rows;

  // The mu of Gaussian noise that shows no less: what all rows at rate 1 are together.
  double plain_mu() const;
  // tail: as in loss_distribution.hpp. mu at most 64.
  LossComposition losses(double step, double tail) const;
  // The Renyi divergence of all rows, at one order.
  double renyi(double order) const;
  // The largest loss of one row, about, that is not left to `tail`.
  double largest_loss(double tail) const;
};
// All there are for the adjacency: a guarantee holds when it holds for each.
std::vector<CdaPair> cda_pairs(const MixedRows& rows);

}  // namespace dpmix
