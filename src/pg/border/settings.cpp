#include "pg/border/settings.hpp"

#include "pg/border/compat.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace dpmix::pg {

void set_for_now(const Setting& setting, GucContext context) {
  (void)set_config_option(setting.name, setting.value, context, PGC_S_SESSION, GUC_ACTION_SAVE,
                          true, 0, false);
}

void set_for_now_if_known(const Setting& setting) {
  const char* now = GetConfigOption(setting.name, true, false);
  if (now == NULL || strcmp(now, setting.value) == 0) return;
  set_for_now(setting, PGC_SUSET);
}

bool counts_for_current_user(const char* name) {
  const config_generic* setting = setting_named(name);
  if (setting == NULL || setting->source <= PGC_S_DATABASE) return true;
  // ALTER ROLE is of the role that logged in.
  if (setting->source < PGC_S_CLIENT) return GetSessionUserId() == GetUserId();
  return setting->srole == GetUserId();
}

}  // namespace dpmix::pg
