#include "pg/border/settings.hpp"

namespace dpmix::pg {

void set_for_now(const Setting& setting, GucContext context) {
  (void)set_config_option(setting.name, setting.value, context, PGC_S_SESSION, GUC_ACTION_SAVE,
                          true, 0, false);
}

}  // namespace dpmix::pg
