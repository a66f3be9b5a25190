#include "pg/scan/state_of_scan.hpp"

#include "pg/border/value.hpp"

namespace dpmix::pg {

Datum state_of_scan(const SilentScan* scan, MemoryContext context, const double* numbers, int size,
                    Action before) {
  Datum state = (Datum)0;
  MemoryContext outer = MemoryContextSwitchTo(context);
  run_scan(
      scan,
      [&](const Datum* values, const bool*) {
        MemoryContext row = MemoryContextSwitchTo(context);
        state = PointerGetDatum(PG_DETOAST_DATUM_COPY(values[0]));
        MemoryContextSwitchTo(row);
      },
      float8_array(numbers, size).datum, before);
  MemoryContextSwitchTo(outer);
  return state;
}

}  // namespace dpmix::pg
