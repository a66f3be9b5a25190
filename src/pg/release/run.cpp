#include "pg/release/run.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {

Datum Runner::number(FunctionCallInfo fcinfo, int32 (*make)(const InProcess&, FunctionCallInfo),
                     Datum (*ask)(FunctionCallInfo)) {
  if (!in_release_process()) return ask(fcinfo);
  StringInfoData bytes;
  initStringInfo(&bytes);
  pq_sendint32(&bytes, (uint32)make(InProcess(), fcinfo));
  return return_bytes(bytes);
}

int32 Runner::receive_number(FunctionCallInfo fcinfo) {
  StringInfoData bytes = release_bytes(fcinfo);
  return (int32)pq_getmsgint(&bytes, 4);
}

Datum Runner::return_model(const MadeModel& model) {
  StringInfoData bytes;
  initStringInfo(&bytes);
  put_model(&bytes, model);
  return return_bytes(bytes);
}

MadeModel Runner::take_model(FunctionCallInfo fcinfo, const Terms& terms) {
  require_primary();
  reserve_release(terms);
  StringInfoData bytes = release_bytes(fcinfo);
  return get_model(&bytes);
}

}  // namespace dpmix::pg
