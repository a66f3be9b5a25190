// What is done with a stored model, whatever its kind: rows drawn from it, rows told apart by it,
// its picture. Free: post-processing.
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/release/loaded_model.hpp"
#include "pg/release/model_use.hpp"

extern "C" {
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dpmix_sample);
PG_FUNCTION_INFO_V1(dpmix_classify);
PG_FUNCTION_INFO_V1(dpmix_draw);
}

namespace dpmix::pg {
namespace {

bool has_sample(const ModelUse& use) {
  return use.sample != NULL;
}
bool has_classes(const ModelUse& use) {
  return use.class_of != NULL;
}
bool has_picture(const ModelUse& use) {
  return use.draw != NULL;
}
bool draws_feature(const ModelUse& use) {
  return use.draws_feature;
}
bool draws_level(const ModelUse& use) {
  return use.draws_level;
}

struct Classifier {
  const ModelUse* use;
  void* loaded;
};

void load(const char* name, Classifier* classifier) {
  const FoundRelease found = shown_release(name);
  classifier->use = required_use(found, has_classes);
  classifier->loaded = classifier->use->load_classes(found);
}

// What is of pictures of other kinds.
void require_unstated(FunctionCallInfo fcinfo, int n, const FoundRelease& found, bool is_theirs,
                      HasUse has) {
  if (PG_ARGISNULL(n) || is_theirs) return;
  refuse_argument(
      psprintf("%s is of pictures of kind %s", parameter_name(fcinfo, n), kinds_with(has)),
      psprintf("Release \"%s\" is of kind %s.", found.name, found.kind), "Leave it out.");
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_sample(PG_FUNCTION_ARGS) {
  const FoundRelease found = shown_release(release_argument(fcinfo, 0));
  const ModelUse* use = required_use(found, has_sample);
  require_argument(fcinfo, 2);
  const int64 wanted = PG_GETARG_INT64(2);
  require_range(fcinfo, 2, wanted, 1, kMostRowsMade, "Sampling is free: ask again for more.");
  use->sample(found, row_builder(fcinfo, 1), wanted);
  return (Datum)0;
}

Datum dpmix_classify(PG_FUNCTION_ARGS) {
  const Classifier* classifier = loaded_model<Classifier>(fcinfo, load);
  const char* name = classifier->use->class_of(classifier->loaded, PG_GETARG_HEAPTUPLEHEADER(1));
  if (name == NULL) PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(name));
}

Datum dpmix_draw(PG_FUNCTION_ARGS) {
  const FoundRelease found = shown_release(release_argument(fcinfo, 0));
  const ModelUse* use = required_use(found, has_picture);
  require_unstated(fcinfo, 1, found, use->draws_feature, draws_feature);
  require_unstated(fcinfo, 2, found, use->draws_level, draws_level);
  constexpr double usual_level = 0.95;
  const double level = checked_level(float8_argument(fcinfo, 2).value_or(usual_level));
  PG_RETURN_TEXT_P(use->draw(found, {name_argument(fcinfo, 1), level}));
}
