// A release of a mixture as passes over the rows. What a pass looks at depends on public numbers
// and on what the passes before released, never on rows; the noise of all passes together is
// mu-Gaussian-DP.
//
//   auto mechanism = start_gmm(request);
//   while (auto pass = mechanism->next()) mechanism->take(random, exact statistics of *pass);
//   GmmFit fit = mechanism->fit(objective);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/adjacency.hpp"
#include "core/input/moment_frame.hpp"
#include "core/random/stream.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/stats/bin_counts.hpp"
#include "core/stats/class_moments.hpp"
#include "core/stats/weighted_points.hpp"

namespace dpmix {

// Each is one aggregate over the rows (src/sql/10_stats.sql), <kind>(x, argument), with the row's
// class first where the label is looked at. The last two are class_moments and class_distances with
// every row in class 0, whatever its label.
enum class PassKind {
  class_moments,    // by class: count, sums, products of placed rows -> MomentTotals
  class_distances,  // by class: rows by distance; extra: edges, squared, in steps -> BinCounts
  class_clusters,   // by class: rows by most likely component; extra: ClusterFrame -> BinCounts
  soft_moments,     // by component: moments of shares; extra: MixtureFrame -> MomentTotals
  cells,            // rows by cell of a grid of placed rows -> BinCounts
  feature_sample,   // distinct rows of least hash, counted; extra: SampleFrame -> WeightedPoints
  row_moments,      // as class_moments and class_distances, but of all rows in one class, whatever
  row_distances,    // their label
};
inline constexpr int pass_kinds = 8;
std::string_view name(PassKind kind);

struct Pass {
  PassKind kind;
  MomentFrame frame;
  std::vector<double> extra;  // what else the aggregate must know

  std::vector<double> pack() const;  // the aggregate's constant argument: frame, then extra
};

// Blank (no classes) when no row was seen.
using PassStatistics = std::variant<MomentTotals, BinCounts, WeightedPoints>;

enum class GmmMethod { staged, one_shot, label_only, em, kmeans };
std::string_view name(GmmMethod method);
std::optional<GmmMethod> gmm_method_of(std::string_view name);

inline constexpr int most_components = 100;  // without a label

// Public numbers only.
struct GmmRequest {
  std::vector<double> lower, upper;  // one per feature
  int classes = 0;                   // of the label; 0: there is no label
  std::optional<int> components;     // without a label: how many; nullopt: chosen privately
  CovarianceShape shape = CovarianceShape::full;
  Adjacency adjacency = Adjacency::add_remove;
  double mu = 0;                    // > 0
  std::optional<GmmMethod> method;  // nullopt: the best there is
  std::optional<int> dimensions;    // of the space in which components are looked for
};

class GmmMechanism {
 public:
  virtual ~GmmMechanism() = default;
  virtual GmmMethod method() const = 0;
  // All that it may ever ask for, known before the charge.
  virtual std::vector<PassKind> kinds() const = 0;
  // nullopt: done.
  virtual std::optional<Pass> next() const = 0;
  // The exact statistics of next(); noise is added here.
  virtual void take(RandomStream& random, const PassStatistics& exact) = 0;
  // Of the noise in a component's number of rows. Public: known before any row is read.
  virtual double count_stddev() const = 0;
  // When done. Always valid, whatever the rows were.
  virtual GmmFit fit(GmmObjective objective) const = 0;
};

// Whether a method is for such a release: without a label (0 classes), with one, or with one that
// is all that the table protects. label_only keeps its guarantee under adjacency label alone.
bool fits(GmmMethod method, int classes, Adjacency adjacency);
std::string fitting_methods(int classes, Adjacency adjacency);  // their names, to be read

// Error PV005: a method that does not fit the request, dimensions that are not 1 to features - 1,
// or more than MomentFrame allows.
std::unique_ptr<GmmMechanism> start_gmm(const GmmRequest& request);

}  // namespace dpmix
