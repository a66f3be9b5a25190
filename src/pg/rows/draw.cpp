// dpmix_internal.row_draw: the random number by which the rows of a privacy unit are chosen.
#include "pg/border/entropy.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_row_draw);
}

namespace dpmix::pg {
namespace {

// One for each place in a plan and each process that runs it, gone with the run.
RandomStream* stream_of(FmgrInfo* site) {
  if (site->fn_extra == NULL) {
    MemoryContext outer = MemoryContextSwitchTo(site->fn_mcxt);
    site->fn_extra = random_stream();
    MemoryContextSwitchTo(outer);
  }
  return (RandomStream*)site->fn_extra;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_row_draw(PG_FUNCTION_ARGS) {
  dpmix::RandomStream* stream = stream_of(fcinfo->flinfo);
  PG_RETURN_INT64(guard([&] { return (int64)stream->next64(); }));
}
