#include "pg/portable_text.hpp"

#include "pg/postgres.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace dpmix::pg {

int begin_portable_text() {
  constexpr const char* kPortable[][2] = {
      {"DateStyle", "ISO, YMD"}, {"IntervalStyle", "postgres"}, {"extra_float_digits", "1"}};
  const int level = NewGUCNestLevel();
  for (const auto& setting : kPortable) {
    (void)set_config_option(setting[0], setting[1], PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                            true, 0, false);
  }
  return level;
}

}  // namespace dpmix::pg
