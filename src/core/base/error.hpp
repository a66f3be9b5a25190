// What core throws when a caller's parameter is wrong. Never carries a value read from a table.
// pg/border/guard.hpp turns it into an ereport with SQLSTATE PVnnn, DETAIL and HINT.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace dpmix {

enum class ErrorCode {  // the digits of the SQLSTATE
  budget_exhausted = 1,
  query_not_allowed = 2,
  domain_missing = 3,
  ledger_unavailable = 4,
  invalid_parameter = 5,
  not_protected = 6,
};

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message, std::string detail, std::string hint)
      : code(code), message(std::move(message)), detail(std::move(detail)), hint(std::move(hint)) {}
  const char* what() const noexcept override { return message.c_str(); }

  ErrorCode code;
  std::string message, detail, hint;
};

}  // namespace dpmix
