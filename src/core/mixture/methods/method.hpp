// A release of a mixture as passes over the rows. What a pass looks at depends on public numbers
// and on what the passes before released, never on rows; the noise of all passes together is
// mu-Gaussian-DP.
//
//   auto mechanism = start_gmm(request);
//   while (auto pass = mechanism->next()) mechanism->take(random, exact statistics of *pass);
//   GmmFit fit = mechanism->fit(objective);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/adjacency.hpp"
#include "core/mixture/fit/gmm_fit.hpp"
#include "core/mixture/fit/moments.hpp"
#include "core/random/stream.hpp"
#include "core/stats/pass.hpp"

namespace dpmix {

enum class GmmMethod { staged, one_shot, label_only, em, kmeans };
std::string_view name(GmmMethod method);
std::optional<GmmMethod> gmm_method_of(std::string_view name);

inline constexpr int most_components = 100;  // without a label

// Public numbers only.
struct GmmRequest {
  std::vector<double> lower, upper;  // one per feature
  int classes = 0;                   // of the label; 0: there is no label
  std::optional<int> components;     // without a label: how many; nullopt: chosen privately
  // nullopt: staged picks the best, other methods take the full one.
  std::optional<CovarianceShape> shape = CovarianceShape::full;
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
  // The deviation of the noise in a component's number of rows. Public: known before any row is
  // read.
  virtual double count_stddev() const = 0;
  // When done. Always valid, whatever the rows were.
  virtual GmmFit fit(GmmObjective objective) const = 0;
};

// Whether a method is for such a release: without a label (0 classes), with one, or with one that
// is all that the table protects. label_only keeps its guarantee under adjacency label alone.
bool fits(GmmMethod method, int classes, Adjacency adjacency);
std::string fitting_methods(int classes, Adjacency adjacency);  // their names, to be read

}  // namespace dpmix
