// Survival curves as rows of dpmix.release: the noisy counts, and what they are called.
#pragma once

#include "core/survival/model.hpp"
#include "pg/release/stored.hpp"

namespace dpmix::pg {

struct StoredSurvival {
  FoundRelease row;
  const SurvivalModel* model;  // lives as long as the current memory context
  char** kinds;                // kinds of events
  char** groups;               // NULL: one, of everybody
};
StoredSurvival load_survival(const FoundRelease& row);
inline StoredSurvival load_survival(const char* name) {
  return load_survival(usable_release(name, "survival"));
}

}  // namespace dpmix::pg
