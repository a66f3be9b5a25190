// Places where tests break the ledger on purpose. Nothing of it is compiled unless DPMIX_FAULTS is
// defined, which no build that is installed does (test/server/faults/lib.sh makes its own).
#pragma once

#ifdef DPMIX_FAULTS
namespace dpmix::pg {
// Does what the tests asked for at this place, if anything: an error, a wait, a crash.
void fault(const char* place);
}  // namespace dpmix::pg
#define DPMIX_FAULT(place) ::dpmix::pg::fault(place)
#else
#define DPMIX_FAULT(place) ((void)0)
#endif
