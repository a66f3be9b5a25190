// What a stored mixture knows of correlations, and of how one feature depends on the others. Free:
// post-processing.
#include <vector>

#include "core/mixture/linear.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/stored.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_gmm_correlation);
PG_FUNCTION_INFO_V1(dpmix_gmm_regression);
}

namespace dpmix::pg {
namespace {

// Numbers about a whole mixture and, if it has labels, about each class: `numbers` each, in plain
// memory.
struct Statements {
  int laws;
  double* number;
};

const char* label_of(const StoredGmm* gmm, int law) {
  return law == 0 ? NULL : gmm->labels[law - 1];
}

// say(moments, at): writes the numbers of one law.
template <class Say>
Statements of_each_law(const StoredGmm* gmm, int numbers, const Say& say) {
  const int laws = 1 + (gmm->labels != NULL ? gmm->components : 0);
  Statements said = {laws, (double*)palloc(Max(1, (Size)laws * numbers) * sizeof(double))};
  guard([&] {
    const GaussianMixture mixture = mixture_of(gmm);
    for (int law = 0; law < laws; law++) {
      say(law == 0 ? moments_of(mixture) : moments_of(mixture.components[(Size)law - 1]),
          said.number + (Size)law * numbers);
    }
  });
  return said;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm_correlation(PG_FUNCTION_ARGS) {
  const StoredGmm* gmm = load_gmm(release_argument(fcinfo, 0));
  const int d = gmm->features;
  const Statements said = of_each_law(gmm, d * d, [&](const LinearMoments& moments, double* at) {
    Eigen::Map<Matrix>(at, d, d) = correlations_of(moments);
  });
  const ResultRows rows = begin_rows(fcinfo);
  for (int law = 0; law < said.laws; law++) {
    for (int i = 0; i < d; i++) {
      for (int j = i + 1; j < d; j++) {
        add_row(rows, {label_of(gmm, law), name_value(gmm->feature[i]), name_value(gmm->feature[j]),
                       said.number[((Size)law * d + i) * d + j]});
      }
    }
  }
  return (Datum)0;
}

Datum dpmix_gmm_regression(PG_FUNCTION_ARGS) {
  const StoredGmm* gmm = load_gmm(release_argument(fcinfo, 0));
  const int target = feature_argument(fcinfo, 1, gmm), d = gmm->features;
  const Statements said = of_each_law(gmm, d, [&](const LinearMoments& moments, double* at) {
    Eigen::Map<Vector>(at, d) = linear_prediction(moments, target);
  });
  const ResultRows rows = begin_rows(fcinfo);
  for (int law = 0; law < said.laws; law++) {
    const double* number = said.number + (Size)law * d;
    add_row(rows, {label_of(gmm, law), "(intercept)", *number++});
    for (int i = 0; i < d; i++) {
      if (i != target) add_row(rows, {label_of(gmm, law), gmm->feature[i], *number++});
    }
  }
  return (Datum)0;
}
