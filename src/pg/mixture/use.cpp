// What can be done with a stored mixture: read it, compare two, drop it (rows: sample.cpp, density:
// density.cpp, pictures: picture.cpp). Free: all of it is post-processing.
#include <algorithm>
#include <vector>

#include "core/mixture/divergence.hpp"
#include "core/mixture/gaussian_mixture.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/mixture/store.hpp"
#include "pg/release/stored.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_gmm);
PG_FUNCTION_INFO_V1(dpmix_gmm_kl);
PG_FUNCTION_INFO_V1(dpmix_gmm_kl_estimate);
PG_FUNCTION_INFO_V1(dpmix_drop_release);
}

namespace dpmix::pg {
namespace {

constexpr int kLeastDraws = 1000, kMostDraws = 100000000, kDraws = 100000;

void require_same_features(const StoredGmm* a, const StoredGmm* b) {
  bool same = a->features == b->features;
  for (int i = 0; same && i < a->features; i++) same = strcmp(a->feature[i], b->feature[i]) == 0;
  if (same) return;
  refuse_argument(
      "the mixtures cannot be compared",
      psprintf("Releases \"%s\" and \"%s\" differ in their features.", a->name, b->name),
      "Compare mixtures of the same features, in the same order.");
}

// The component of b that has the label of each one of a; NULL unless all of both have such labels.
int* match_labels(const StoredGmm* a, const StoredGmm* b) {
  if (a->labels == NULL || b->labels == NULL || a->components != b->components) return NULL;
  int* match = (int*)palloc(Max(a->components, 1) * sizeof(int));
  for (int k = 0; k < a->components; k++) {
    match[k] = 0;
    while (match[k] < b->components && strcmp(a->labels[k], b->labels[match[k]]) != 0) match[k]++;
    if (match[k] == b->components) return NULL;
  }
  return match;
}

// The same draws every time: the same question has the same answer.
KlEstimate estimated_kl(const StoredGmm* a, const StoredGmm* b, int64 draws) {
  return guard([&] {
    RandomStream random(RandomStream::Key{});
    return estimate_kl(mixture_of(a), mixture_of(b), draws, random);
  });
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_gmm(PG_FUNCTION_ARGS) {
  const StoredGmm* gmm = load_gmm(release_argument(fcinfo, 0));
  const ResultRows rows = begin_rows(fcinfo);
  for (int k = 0; k < gmm->components; k++) {
    add_row(rows, {k + 1, gmm->labels != NULL ? gmm->labels[k] : (const char*)NULL, gmm->weights[k],
                   mean_value(gmm, k), covariance_value(gmm, k)});
  }
  return (Datum)0;
}

Datum dpmix_gmm_kl(PG_FUNCTION_ARGS) {
  const StoredGmm* a = load_gmm(release_argument(fcinfo, 0));
  const StoredGmm* b = load_gmm(release_argument(fcinfo, 1));
  require_same_features(a, b);
  const int* match = match_labels(a, b);
  if (match == NULL) PG_RETURN_FLOAT8(estimated_kl(a, b, kDraws).kl);
  PG_RETURN_FLOAT8(guard([&] {
    return gmm_kl(mixture_of(a), mixture_of(b), {match, match + a->components});
  }));
}

Datum dpmix_gmm_kl_estimate(PG_FUNCTION_ARGS) {
  const StoredGmm* a = load_gmm(release_argument(fcinfo, 0));
  const StoredGmm* b = load_gmm(release_argument(fcinfo, 1));
  require_argument(fcinfo, 2);
  const int draws = PG_GETARG_INT32(2);
  require_range(fcinfo, 2, draws, kLeastDraws, kMostDraws, "Leave it out for 100000.");
  require_same_features(a, b);
  const KlEstimate estimate = estimated_kl(a, b, draws);
  return row_datum(fcinfo, {estimate.kl, estimate.error_bound});
}

Datum dpmix_drop_release(PG_FUNCTION_ARGS) {
  drop_release(release_argument(fcinfo, 0));
  PG_RETURN_VOID();
}
