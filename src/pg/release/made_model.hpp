// A model on its way from the process that made it to the caller, whose it is, and into its row of
// dpmix.release.
#pragma once

#include <optional>
#include <vector>

#include "pg/border/value.hpp"
#include "pg/release/terms.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {

struct PlainNumbers {  // in plain memory
  double* number;
  int count;
};
PlainNumbers plain_numbers(const std::vector<double>& numbers);  // inside guard()
struct PlainTexts {
  const char** text;
  int count;
};

struct MadeModel {
  int64 charge;
  PlainNumbers numbers;  // as the core packs them
  PlainNumbers rows;     // noisy numbers of rows, one for each class
  PlainTexts texts;      // those that the call does not say
  int fact;              // a number that the kind has a use for
  const char* quality;
};
void put_model(StringInfo out, const MadeModel& model);
MadeModel get_model(StringInfo in);

// What is stored of it, beside what its name was taken with; of these those that its kind has.
struct ModelRecord {
  Value rows;   // noisy numbers of rows, one for each class
  Value types;  // the features'
  Value model = {FLOAT8ARRAYOID, (Datum)0, true}, texts = {TEXTARRAYOID, (Datum)0, true};
  Value count_stddev = {FLOAT8OID, (Datum)0, true};
  Value dimensions = {INT4OID, (Datum)0, true};
  Value covariance = (const char*)NULL, objective = (const char*)NULL;
  Value weights = float8_array(NULL, 0), means = weights, covariances = weights;
  std::optional<Adjacency> adjacency = std::nullopt;  // none: the table's
};
// The record of a model that its numbers and texts say all about.
ModelRecord packed_record(const ModelColumns* columns, const MadeModel& model,
                          const PlainTexts& texts);
double sum_of(const PlainNumbers& numbers);

void store_model(const Terms& terms, const MadeModel& model, const ModelRecord& record);

}  // namespace dpmix::pg
