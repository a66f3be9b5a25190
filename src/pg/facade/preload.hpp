// A facade is replaced while a statement is planned, so sessions load the library as they begin.
#pragma once

namespace dpmix::pg {

// Whether sessions do, by the settings of this one, which are most often those of its database.
bool is_preloaded();

// Who writes what for that: "The database's owner: ALTER DATABASE ...". Where the package has put a
// link among the plugins, which sessions of any role may load, it takes no superuser.
const char* how_to_preload();

}  // namespace dpmix::pg
