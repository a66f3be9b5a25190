// What dpmix.preview and EXPLAIN show of a release of any kind: a row for each noisy statistic.
#pragma once

#include <optional>

#include "pg/border/result_rows.hpp"
#include "pg/ledger/balance.hpp"

extern "C" {
#include "nodes/pg_list.h"
}

namespace dpmix::pg {

struct PreviewTexts {
  List* lines;
  Outlook outlook;  // of the whole call
};
struct PreviewRows {
  ResultRows rows;
  bool details;                // candidates, and all digits of numbers; else six
  PreviewTexts* texts = NULL;  // in place of rows
};

// A noisy statistic; what is left out is NULL.
struct Previewed {
  const char* output = NULL;
  const char *statistic, *mechanism;
  std::optional<double> sensitivity = std::nullopt, epsilon = std::nullopt, delta = std::nullopt;
  std::optional<double> stddev = std::nullopt, error = std::nullopt, half_width = std::nullopt;
  const char* candidates = NULL;  // JSON
  const char* memory = NULL;
  std::optional<double> mu = std::nullopt;
};
// outlook: of the whole call.
void add_previewed(const PreviewRows& out, const Previewed& row, const Outlook& outlook);

}  // namespace dpmix::pg
