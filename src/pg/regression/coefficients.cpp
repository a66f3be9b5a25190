// What a stored regression says: its coefficients, with intervals. Free: post-processing.
#include "pg/regression/coefficients.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/normal_reach.hpp"
#include "core/regression/told.hpp"
#include "pg/border/arguments.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/result_rows.hpp"

extern "C" {
#include "utils/builtins.h"
PG_FUNCTION_INFO_V1(dpmix_regression);
}

namespace dpmix::pg {
namespace {

Value value_unless_nan(double number) {  // ends of exact sets may be infinite
  return value_if(!std::isnan(number), number);
}

void add_class(const ResultRows& rows, const StoredRegression& stored, Size k, double reach,
               const char** names) {
  const char* label = stored.row.label != NULL ? stored.row.labels[k] : NULL;
  const Size count = stored.model->classes[k].coefficients.size();
  ToldCoefficient* told = (ToldCoefficient*)palloc(count * sizeof(ToldCoefficient));
  guard([&] { std::ranges::copy(told_coefficients(*stored.model, k, reach), told); });
  for (Size i = 0; i < count; i++) {
    const ToldCoefficient& c = told[i];
    add_row(rows, {label, names[i], c.estimate, value_unless_nan(c.noise_low),
                   value_unless_nan(c.noise_high), value_unless_nan(c.low),
                   value_unless_nan(c.high), value_unless_nan(c.p_value), note_of(stored, k)});
  }
}

}  // namespace

const char** coefficient_names(const StoredRegression& stored) {
  const std::vector<DesignTerm>& terms = stored.model->design.terms;
  const char** names =
      (const char**)palloc((1 + stored.model->design.columns()) * sizeof(const char*));
  int count = 0;
  names[count++] = "(intercept)";
  for (Size i = 0; i < terms.size(); i++) {
    if (terms[i].kind != TermKind::category) names[count++] = stored.name[i];
    for (int k = 1; k < terms[i].categories; k++) {
      names[count++] =
          psprintf("%s = %s", stored.name[i], quote_literal_cstr(stored.category[i][k]));
    }
  }
  return names;
}

const char* note_of(const StoredRegression& stored, Size k) {
  const RegressionModel::Class& of = stored.model->classes[k];
  if (of.sums) return "collinear";
  if (!std::isnan(of.coefficients[0].stddev)) return NULL;
  if (stored.model->coordinate) return "coordinate";
  if (stored.model->kind == RegressionKind::logistic) return "hidden";
  return "ridge";
}

}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

Datum dpmix_regression(PG_FUNCTION_ARGS) {
  const StoredRegression stored = load_regression(release_argument(fcinfo, 0));
  require_argument(fcinfo, 1);
  const double level = checked_level(PG_GETARG_FLOAT8(1));
  const ResultRows rows = begin_rows(fcinfo);
  const double reach = normal_reach(level);
  const char** names = coefficient_names(stored);
  for (Size k = 0; k < stored.model->classes.size(); k++) {
    add_class(rows, stored, k, reach, names);
  }
  return (Datum)0;
}
