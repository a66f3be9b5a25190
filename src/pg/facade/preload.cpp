#include "pg/facade/preload.hpp"

#include <unistd.h>

#include "pg/border/postgres.hpp"

extern "C" {
#include "commands/dbcommands.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
}

namespace dpmix::pg {
namespace {

bool is_named_in(const char* setting) {
  const char* libraries = GetConfigOption(setting, true, false);
  return libraries != NULL && strstr(libraries, "dpmix") != NULL;
}

bool is_plugin() {
  return access(psprintf("%s/plugins/dpmix%s", pkglib_path, DLSUFFIX), R_OK) == 0;
}

}  // namespace

bool is_preloaded() {
  return is_named_in("shared_preload_libraries") || is_named_in("session_preload_libraries") ||
         is_named_in("local_preload_libraries");
}

const char* how_to_preload() {
  const bool plugin = is_plugin();
  return psprintf("%s: ALTER DATABASE %s SET %s = 'dpmix'.",
                  plugin ? "The database's owner" : "A superuser",
                  quote_identifier(get_database_name(MyDatabaseId)),
                  plugin ? "local_preload_libraries" : "session_preload_libraries");
}

}  // namespace dpmix::pg
