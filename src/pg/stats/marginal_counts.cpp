// marginal_counts(class, x, tables).
#include "core/stats/marginal_tables.hpp"
#include "pg/border/context_object.hpp"
#include "pg/stats/count_state.hpp"
#include "pg/stats/packed_argument.hpp"

extern "C" {
PG_FUNCTION_INFO_V1(dpmix_marginal_counts_add);
}

namespace dpmix::pg {
namespace {

struct Tables {
  const MarginalTables* tables;  // lives as long as the context
  uint64 fingerprint;
};

void make_tables(std::span<const double> packed, MemoryContext context, Tables* made) {
  MarginalTables tables = MarginalTables::unpack(packed);
  postgres([&] {
    MemoryContext outer = MemoryContextSwitchTo(context);
    made->tables =
        context_object<MarginalTables>([&] { return new MarginalTables(std::move(tables)); });
    MemoryContextSwitchTo(outer);
  });
  made->fingerprint = fingerprint(packed);
}

}  // namespace
}  // namespace dpmix::pg

using namespace dpmix;
using namespace dpmix::pg;

extern "C" Datum dpmix_marginal_counts_add(PG_FUNCTION_ARGS) {  // strict
  CountState* state = own_count_state(fcinfo);
  const auto* made = packed_argument<Tables>(fcinfo, 3, "marginal_counts", make_tables);
  const MarginalTables& tables = *made->tables;
  state = of_shape(state, 1, tables.cells(), made->fingerprint);
  const double* x = row_features(PG_GETARG_ARRAYTYPE_P(2), tables.columns());
  const int32 k = PG_GETARG_INT32(1);
  if (x != nullptr && k >= 0 && k < tables.classes()) {
    tables.add(k, {x, static_cast<std::size_t>(tables.columns())},
               reinterpret_cast<std::int64_t*>(state->counts));
  }
  PG_RETURN_POINTER(state);
}
