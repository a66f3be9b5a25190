// When a protected table's budget runs out at the pace of some past span, from the catalog.
#pragma once

#include "pg/catalog/table_row.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace dpmix::pg {

struct TableForecast {
  TimestampTz since;  // when the span began: not before the table was protected
  int64 charges;      // those within the span
  double share_spent, share_per_day, epsilon_per_day;
  const char* limited_by;  // NULL: no pace
  int64 charges_left;
  double days_left;         // infinite: not at this pace
  TimestampTz runs_out_at;  // if ends
  bool ends;                // the budget ends within a thousand years
  const char* caution;      // NULL: nothing speaks against it
};

// PV005 unless it is a moment that has passed.
void require_past(TimestampTz at);
// A forecast from charges and budgets up to a time; NULL: from all there are, up to now. PV005 when
// the table was not protected then. A viewer who is not to see others' charges one by one
// (InvalidOid: none such) gets a span that begins where dpmix.audit tells that viewer a total.
TableForecast table_forecast(const CatalogRow* row, const Interval* past, const TimestampTz* at,
                             Oid viewer);

}  // namespace dpmix::pg
