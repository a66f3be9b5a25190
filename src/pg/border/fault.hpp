// Places where tests break the ledger on purpose. Nothing of it is compiled unless DPMIX_FAULTS is
// defined, which no build that is installed does (test/server/faults/lib.sh makes its own).
#pragma once

#ifdef DPMIX_FAULTS
#include <cstddef>

namespace dpmix::pg {
// Does what the tests asked for at this place, if anything: an error, a wait, a crash.
void fault(const char* place);
// Changes a message, if the tests asked for it.
void garble(const char* place, char* kind, const char** bytes, size_t* size);
}  // namespace dpmix::pg
#define DPMIX_FAULT(place) ::dpmix::pg::fault(place)
#define DPMIX_GARBLE(place, kind, bytes, size) ::dpmix::pg::garble(place, kind, bytes, size)
#else
#define DPMIX_FAULT(place) ((void)0)
#define DPMIX_GARBLE(place, kind, bytes, size) ((void)0)
#endif
