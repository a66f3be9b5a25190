#include "pg/schedule/statement.hpp"

#include "pg/catalog/protected_table.hpp"

namespace dpmix::pg {
namespace {

struct Call {
  Statement* statement;
  const Datum* values;
  const char* nulls;
  bool read_only;
  StatementResult result;
};

void run(void* arg) {
  Call* call = (Call*)arg;
  StatementResult* result = &call->result;
  result->rows = call->read_only ? read_rows(*call->statement, call->values, call->nulls)
                                 : write_rows(*call->statement, call->values, call->nulls);
  if (SPI_tuptable == NULL || SPI_tuptable->numvals == 0) return;
  result->first = result_datum(0, 1, &result->null);
  result->text = result_text(0, 1);
}

StatementResult run_call(Statement* statement, const Datum* values, const char* nulls,
                         bool read_only) {
  Call call = {statement, values, nulls, read_only, {0, (Datum)0, true, NULL}};
  as_catalog_owner(run, &call);
  return call.result;
}

}  // namespace

StatementResult write_catalog(Statement* statement, const Datum* values, const char* nulls) {
  return run_call(statement, values, nulls, false);
}

StatementResult read_catalog(Statement* statement, const Datum* values) {
  return run_call(statement, values, NULL, true);
}

}  // namespace dpmix::pg
