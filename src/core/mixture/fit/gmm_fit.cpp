#include "core/mixture/fit/gmm_fit.hpp"

#include <algorithm>
#include <cstdio>

namespace dpmix {

std::optional<GmmObjective> gmm_objective_of(std::string_view name) {
  if (name == "balanced") return GmmObjective::balanced;
  if (name == "forward_kl") return GmmObjective::forward_kl;
  return std::nullopt;
}

std::string quality_note(const GmmFit& fit, const std::vector<std::string>& labels) {
  constexpr int most = 10;  // names in a list
  const auto list = [&](ComponentQuality quality) {
    std::string names;
    int count = 0;
    for (std::size_t k = 0; k < fit.quality.size(); ++k) {
      if (fit.quality[k] != quality || ++count > most) continue;
      names += names.empty() ? "" : ", ";
      names += labels.empty() ? "component " + std::to_string(k + 1) : labels[k];
    }
    if (count > most) names += " and " + std::to_string(count - most) + " more";
    return names;
  };
  const std::string few = list(ComponentQuality::too_few_rows);
  const std::string rough = list(ComponentQuality::rough_covariance);
  std::string note;
  if (!few.empty()) note = "too few rows for a mean: " + few;
  if (!rough.empty()) {
    double widest = 0;
    for (std::size_t k = 0; k < fit.hidden.size(); ++k) {
      if (fit.quality[k] == ComponentQuality::rough_covariance)
        widest = std::max(widest, fit.hidden[k]);
    }
    char times[60] = "";
    if (widest > 1) std::snprintf(times, sizeof times, " (up to %.2g times its variances)", widest);
    note += (note.empty() ? "" : "; ") +
            ("covariance mostly noise" + std::string(times) + ": " + rough);
  }
  return note.empty() ? "all components usable" : note;
}

}  // namespace dpmix
