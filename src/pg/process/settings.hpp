// The settings of a release process: its own, whatever the caller, his role or the database set.
// How rows are read and how much memory that takes follows from them and from public sizes alone.
#pragma once

namespace dpmix::pg {

// Once, when the process has its database.
void begin_process_settings();

}  // namespace dpmix::pg
