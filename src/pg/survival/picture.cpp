#include "pg/survival/picture.hpp"

#include "core/drawing/survival.hpp"
#include "core/survival/drawn_curve.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/survival/store.hpp"

namespace dpmix::pg {
namespace {

// Names in UTF-8, made from the database's encoding before guard().
struct Names {
  const char *release, *time, *event, *by;
  const char** group;
};

// Where a line goes down: of bins of one time at that time, otherwise at the end.
SurvivalPicture::Curve curve_of(const SurvivalModel& model, Size group, double level) {
  const Band band = survival_band(model.groups[group], level);
  const std::vector<double> left = drawn_curve(band);
  SurvivalPicture::Curve curve;
  for (Size i = 0; i < band.size(); i++) {
    curve.points.push_back({.time = model.time((int)i),
                            .left = left[i],
                            .noise_low = band[i].noise.low,
                            .noise_high = band[i].noise.high,
                            .low = band[i].all.low,
                            .high = band[i].all.high});
  }
  return curve;
}

}  // namespace

text* survival_picture(const FoundRelease& found, double level) {
  const StoredSurvival stored = load_survival(found);
  const Size groups = stored.model->groups.size();
  Names names = {as_utf8(found.name), as_utf8(found.feature[0]), as_utf8(found.feature[1]),
                 stored.groups != NULL ? as_utf8(found.feature[2]) : "",
                 (const char**)palloc(groups * sizeof(char*))};
  for (Size g = 0; g < groups; g++) {
    names.group[g] = stored.groups != NULL ? as_utf8(stored.groups[g]) : "";
  }
  return guard([&] {
    SurvivalPicture picture;
    picture.release = names.release;
    picture.time = names.time;
    picture.event = names.event;
    picture.by = names.by;
    picture.until = stored.model->until;
    for (Size g = 0; g < groups; g++) {
      picture.curves.push_back(curve_of(*stored.model, g, level));
      picture.curves.back().name = names.group[g];
    }
    return text_of(draw_survival(picture));
  });
}

}  // namespace dpmix::pg
