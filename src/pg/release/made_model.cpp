#include "pg/release/made_model.hpp"

#include <algorithm>

#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {
namespace {

Statement store = {
    "UPDATE dpmix.release SET charge_id = $2, adjacency = $3, quality = $4, row_counts = $5, "
    "    feature_types = $6, model = $7, texts = $8, count_stddev = $9, dimensions = $10, "
    "    covariance = $11, objective = $12, weights = $13, means = $14, covariances = $15 "
    "WHERE name = $1 AND charge_id = 0"};

void put_text(StringInfo out, const char* text) {
  appendBinaryStringInfo(out, text, (int)strlen(text) + 1);
}

void put_numbers(StringInfo out, const PlainNumbers& numbers) {
  pq_sendint32(out, numbers.count);
  appendBinaryStringInfo(out, (const char*)numbers.number, numbers.count * (int)sizeof(double));
}

// The number of things that follow, each of which takes so many bytes.
int get_count(StringInfo in, int bytes) {
  const int count = (int)pq_getmsgint(in, 4);
  if (count < 0 || count > (in->len - in->cursor) / bytes) elog(ERROR, "a model out of its bounds");
  return count;
}

PlainNumbers get_numbers(StringInfo in) {
  const int count = get_count(in, sizeof(double));
  const Size size = (Size)count * sizeof(double);
  double* number = (double*)palloc(size);
  memcpy(number, pq_getmsgbytes(in, (int)size), size);
  return {number, count};
}

}  // namespace

PlainNumbers plain_numbers(const std::vector<double>& numbers) {
  PlainNumbers plain = {NULL, (int)numbers.size()};
  postgres([&] {
    plain.number = (double*)MemoryContextAllocHuge(
        CurrentMemoryContext, Max((Size)plain.count, (Size)1) * sizeof(double));
  });
  std::copy(numbers.begin(), numbers.end(), plain.number);
  return plain;
}

void put_model(StringInfo out, const MadeModel& model) {
  pq_sendint64(out, model.charge);
  pq_sendint32(out, model.fact);
  put_text(out, model.quality);
  put_numbers(out, model.rows);
  put_numbers(out, model.numbers);
  pq_sendint32(out, model.texts.count);
  for (int i = 0; i < model.texts.count; i++) put_text(out, model.texts.text[i]);
}

MadeModel get_model(StringInfo in) {
  MadeModel model = {};
  model.charge = pq_getmsgint64(in);
  model.fact = (int)pq_getmsgint(in, 4);
  model.quality = pstrdup(pq_getmsgrawstring(in));
  model.rows = get_numbers(in);
  model.numbers = get_numbers(in);
  model.texts.count = get_count(in, 1);
  model.texts.text = (const char**)palloc(sizeof(char*) * (Size)model.texts.count);
  for (int i = 0; i < model.texts.count; i++) model.texts.text[i] = pstrdup(pq_getmsgrawstring(in));
  return model;
}

ModelRecord packed_record(const ModelColumns* columns, const MadeModel& model,
                          const PlainTexts& texts) {
  return {.rows = float8_array(model.rows.number, model.rows.count),
          .types = oid_array(columns->type, columns->features, REGTYPEOID),
          .model = float8_array(model.numbers.number, model.numbers.count),
          .texts = text_array(texts.text, texts.count)};
}

double sum_of(const PlainNumbers& numbers) {
  double sum = 0;
  for (int i = 0; i < numbers.count; i++) sum += numbers.number[i];
  return sum;
}

void store_model(const Terms& terms, const MadeModel& model, const ModelRecord& record) {
  const Adjacency adjacency = record.adjacency.value_or(terms.table->adjacency);
  as_catalog_owner([&] {
    (void)write_rows(store, {terms.name, model.charge, name(adjacency).data(), model.quality,
                             record.rows, record.types, record.model, record.texts,
                             record.count_stddev, record.dimensions, record.covariance,
                             record.objective, record.weights, record.means, record.covariances});
  });
  DPMIX_FAULT(psprintf("%s.stored", terms.kind));
}

}  // namespace dpmix::pg
