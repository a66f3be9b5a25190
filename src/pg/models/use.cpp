// What is done with a stored model, whatever its kind: rows drawn from it, rows told apart by it,
// its picture. Free: post-processing.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/mixture/density.hpp"
#include "pg/mixture/picture.hpp"
#include "pg/mixture/sample.hpp"
#include "pg/regression/picture.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/survival/picture.hpp"
#include "pg/tree_model/density.hpp"
#include "pg/tree_model/picture.hpp"
#include "pg/tree_model/sample.hpp"

extern "C" {
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dpmix_sample);
PG_FUNCTION_INFO_V1(dpmix_classify);
PG_FUNCTION_INFO_V1(dpmix_draw);
}

namespace dpmix::pg {
namespace {

bool is_of(const FoundRelease& found, const char* kind) {
  return strcmp(found.kind, kind) == 0;
}

struct Classifier {  // one of them
  LoadedGmm* gmm;
  LoadedTree* tree;
};

void load(const char* name, Classifier* classifier) {
  const FoundRelease found = shown_release(name);
  *classifier = {};
  if (is_of(found, "gmm")) {
    classifier->gmm = loaded_gmm(found);
  } else if (is_of(found, "tree")) {
    classifier->tree = loaded_tree(found);
  } else {
    refuse_kind(found, "gmm or tree");
  }
}

// What is of pictures of other kinds. kinds: those, in words.
void require_unstated(FunctionCallInfo fcinfo, int n, const FoundRelease& found, bool is_theirs,
                      const char* kinds) {
  if (PG_ARGISNULL(n) || is_theirs) return;
  refuse_argument(psprintf("%s is of pictures of kind %s", parameter_name(fcinfo, n), kinds),
                  psprintf("Release \"%s\" is of kind %s.", found.name, found.kind),
                  "Leave it out.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_sample(PG_FUNCTION_ARGS) {
  const FoundRelease found = shown_release(release_argument(fcinfo, 0));
  const bool gmm = is_of(found, "gmm");
  if (!gmm && !is_of(found, "tree")) refuse_kind(found, "gmm or tree");
  require_argument(fcinfo, 2);
  const int64 wanted = PG_GETARG_INT64(2);
  require_range(fcinfo, 2, wanted, 1, kMostRowsMade, "Sampling is free: ask again for more.");
  RowBuilder* rows = row_builder(fcinfo, 1);
  if (gmm) {
    put_gmm_sample(found, rows, wanted);
  } else {
    put_tree_sample(found, rows, wanted);
  }
  return (Datum)0;
}

Datum dpmix_classify(PG_FUNCTION_ARGS) {
  const Classifier* classifier = loaded_model<Classifier>(fcinfo, load);
  const HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
  const char* name = classifier->gmm != NULL ? class_by_gmm(classifier->gmm, row)
                                             : class_by_tree(classifier->tree, row);
  if (name == NULL) PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(name));
}

Datum dpmix_draw(PG_FUNCTION_ARGS) {
  const FoundRelease found = shown_release(release_argument(fcinfo, 0));
  const bool has_level = is_of(found, "regression") || is_of(found, "survival");
  require_unstated(fcinfo, 1, found, is_of(found, "gmm"), "gmm");
  require_unstated(fcinfo, 2, found, has_level, "regression or survival");
  if (is_of(found, "gmm")) PG_RETURN_TEXT_P(gmm_picture(found, name_argument(fcinfo, 1)));
  if (is_of(found, "tree")) PG_RETURN_TEXT_P(tree_picture(found));
  if (!has_level) refuse_kind(found, "gmm, tree, regression or survival");
  constexpr double usual_level = 0.95;
  const double level = checked_level(float8_argument(fcinfo, 2).value_or(usual_level));
  PG_RETURN_TEXT_P(is_of(found, "regression") ? regression_picture(found, level)
                                              : survival_picture(found, level));
}
