// Values as texts that mean the same in any session: settings that change how they are printed are
// put at fixed values.
#pragma once

namespace dpmix::pg {

// The level to end with AtEOXact_GUC(false, level); an error ends it with its transaction.
int begin_portable_text();

}  // namespace dpmix::pg
