#include "pg/border/portable_text.hpp"

#include "pg/border/settings.hpp"

namespace dpmix::pg {

int begin_portable_text() {
  constexpr Setting kPortable[] = {
      {"DateStyle", "ISO, YMD"}, {"IntervalStyle", "postgres"}, {"extra_float_digits", "1"}};
  const int level = NewGUCNestLevel();
  for (const Setting& setting : kPortable) set_for_now(setting);
  return level;
}

}  // namespace dpmix::pg
