#include "pg/query/answer/value_errors.hpp"

#include "pg/border/subtransaction.hpp"

namespace dpmix::pg {
namespace {

// elog texts are not translated.
bool is_huge_allocation(const ErrorData* error) {
  constexpr const char begin[] = "invalid memory alloc request size";
  return error->sqlerrcode == ERRCODE_INTERNAL_ERROR && error->message != NULL &&
         strncmp(error->message, begin, sizeof(begin) - 1) == 0;
}

bool is_value_error(const ErrorData* error) {
  const int sqlstate = error->sqlerrcode;
  return ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_DATA_EXCEPTION ||
         sqlstate == ERRCODE_FEATURE_NOT_SUPPORTED || sqlstate == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
         sqlstate == ERRCODE_STATEMENT_TOO_COMPLEX || is_huge_allocation(error);
}

}  // namespace

bool without_value_errors(Action body) {
  ErrorData* error = error_of(body);
  if (error == NULL) return true;
  if (!is_value_error(error)) ReThrowError(error);
  FreeErrorData(error);
  return false;
}

}  // namespace dpmix::pg
