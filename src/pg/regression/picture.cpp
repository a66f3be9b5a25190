#include "pg/regression/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/normal_reach.hpp"
#include "core/drawing/intervals.hpp"
#include "core/regression/ranges.hpp"
#include "core/regression/told.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/regression/coefficients.hpp"

namespace dpmix::pg {
namespace {

constexpr Size kMostRows = 300;
constexpr double kMostRanges = 3;  // of the target: longer intervals have arrows

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

// An end of an exact set that says little is as far off as infinity.
double drawn_end(double end, double most) {
  if (std::fabs(end) <= most) return end;
  return std::copysign(std::numeric_limits<double>::infinity(), end);
}

// Inside guard(). A coefficient without an interval has no place: its estimate says little.
IntervalRow row_of(const ToldCoefficient& c, double range, double most, const char* note) {
  IntervalRow row;
  if (std::isnan(c.low)) {
    row.words = note;
    return row;
  }
  row.answer = c.estimate * range;
  row.low = drawn_end(c.low * range, most);
  row.high = drawn_end(c.high * range, most);
  row.inner_low = drawn_end(c.noise_low * range, most);
  row.inner_high = drawn_end(c.noise_high * range, most);
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
  // No effect exceeds the target's range by much.
  const double most = linear ? kMostRanges * 2 * model.design.target_half()
                             : std::numeric_limits<double>::infinity();
  for (Size k = 0; k < model.classes.size(); k++) {
    const std::vector<ToldCoefficient> all = told_coefficients(model, k, reach);
    for (Size i = 1; i < all.size(); i++) {
      if (picture.rows.size() == kMostRows) {
        picture.rows_left++;
        continue;
      }
      IntervalRow row = row_of(all[i], ranges[i], most, names.note[k * all.size() + i]);
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
