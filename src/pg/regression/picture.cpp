#include "pg/regression/picture.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/normal_reach.hpp"
#include "core/drawing/intervals.hpp"
#include "core/regression/ranges.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/regression/coefficients.hpp"

namespace dpmix::pg {
namespace {

constexpr Size kMostRows = 300;

// Names in UTF-8, made from the database's encoding before guard().
struct Names {
  const char *release, *target;
  const char **coefficient, **note, **label;  // note: class by class
};

Names names_of(const StoredRegression& stored, const char* release) {
  const RegressionModel& model = *stored.model;
  const int coefficients = model.design.columns() + 1, classes = (int)model.classes.size();
  Names names = {as_utf8(release), as_utf8(stored.target), coefficient_names(stored), NULL, NULL};
  for (int i = 0; i < coefficients; i++) names.coefficient[i] = as_utf8(names.coefficient[i]);
  names.note = (const char**)palloc((Size)classes * (Size)coefficients * sizeof(char*));
  names.label = (const char**)palloc((Size)classes * sizeof(char*));
  for (int k = 0; k < classes; k++) {
    names.label[k] = stored.row.label != NULL ? as_utf8(stored.row.labels[k]) : NULL;
    std::fill_n(names.note + k * coefficients, coefficients, note_of(stored, (Size)k));
  }
  return names;
}

// Inside guard(). A coefficient without an interval has no place: its estimate says little.
IntervalRow row_of(const Coefficient& c, double range, double reach, const char* note) {
  IntervalRow row;
  if (note != NULL) {
    row.words = note;
    return row;
  }
  const double estimate = c.estimate * range;
  row.answer = estimate;
  row.low = estimate - reach * c.stddev * range;
  row.high = estimate + reach * c.stddev * range;
  row.inner_low = estimate - reach * c.noise_stddev * range;
  row.inner_high = estimate + reach * c.noise_stddev * range;
  return row;
}

// Inside guard().
IntervalPicture picture_of(const RegressionModel& model, const Names& names, double level) {
  const std::vector<double> ranges = coefficient_ranges(model.design);
  const double reach = normal_reach(level);
  const bool linear = model.kind == RegressionKind::linear;
  IntervalPicture picture;
  picture.noun = "coefficient";
  picture.title =
      std::string(names.release) + ": effect on " + (linear ? "" : "log-odds of ") + names.target;
  picture.remark = "over a term's bounds, or from the first category; dark: privacy noise alone";
  for (Size k = 0; k < model.classes.size(); k++) {
    const std::vector<Coefficient>& all = model.classes[k].coefficients;
    for (Size i = 1; i < all.size(); i++) {
      if (picture.rows.size() == kMostRows) {
        picture.rows_left++;
        continue;
      }
      IntervalRow row = row_of(all[i], ranges[i], reach, names.note[k * all.size() + i]);
      row.label = names.label[k] != NULL ? std::string(names.label[k]) + ": " : std::string();
      *row.label += names.coefficient[i];
      picture.rows.push_back(row);
    }
  }
  return picture;
}

}  // namespace

text* regression_picture(const FoundRelease& found, double level) {
  const StoredRegression stored = load_regression(found);
  const Names names = names_of(stored, found.name);
  return guard([&] { return text_of(draw_intervals(picture_of(*stored.model, names, level))); });
}

}  // namespace dpmix::pg
