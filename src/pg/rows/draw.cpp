// dpmix.row_draw: the random number by which the rows of a privacy unit are chosen.
#include <new>

#include "core/random/stream.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/guard.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_row_draw);
}

namespace dpmix::pg {
namespace {

// One for each place in a plan and each process that runs it, gone with the run.
struct DrawStream {
  alignas(RandomStream) char stream[sizeof(RandomStream)];
  MemoryContextCallback gone;

  RandomStream& random() { return *std::launder(reinterpret_cast<RandomStream*>(stream)); }
};

void end_stream(void* arg) {
  static_cast<DrawStream*>(arg)->random().~RandomStream();  // erases its key
}

DrawStream* start_stream(FmgrInfo* site) {
  DrawStream* draws = (DrawStream*)MemoryContextAllocZero(site->fn_mcxt, sizeof(DrawStream));
  RandomStream::Key key;
  fresh_key(key);
  guard([&] { new (draws->stream) RandomStream(key); });
  explicit_bzero(key.data(), key.size());
  draws->gone.func = end_stream;
  draws->gone.arg = draws;
  MemoryContextRegisterResetCallback(site->fn_mcxt, &draws->gone);
  site->fn_extra = draws;
  return draws;
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix::pg;

Datum dpmix_row_draw(PG_FUNCTION_ARGS) {
  DrawStream* draws = (DrawStream*)fcinfo->flinfo->fn_extra;
  if (draws == NULL) draws = start_stream(fcinfo->flinfo);
  PG_RETURN_INT64(guard([&] { return (int64)draws->random().next64(); }));
}
