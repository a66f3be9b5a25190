#include "pg/report/facts.hpp"

#include "pg/border/guard.hpp"
#include "pg/ledger/sums_before.hpp"
#include "pg/border/drawn_text.hpp"
#include "pg/catalog/readers.hpp"
#include "pg/report/statements.hpp"
#include "pg/border/settings.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/timestamp.h"
}

namespace dpmix::pg {
namespace {

// A column (from 1) of a row of the result, in the caller's memory; empty for NULL.
struct Cells {
  MemoryContext context;
  uint64 row;

  std::string_view text(int column) const {
    char* found = result_text(row, column);
    if (found == NULL) return {};
    MemoryContext old = MemoryContextSwitchTo(context);
    const char* shown = as_utf8(found);
    MemoryContextSwitchTo(old);
    return shown;
  }
  double number(int column) const {
    bool null;
    const Datum datum = result_datum(row, column, &null);
    return null ? 0 : DatumGetFloat8(datum);
  }
  int64 count(int column) const {
    bool null;
    const Datum datum = result_datum(row, column, &null);
    return null ? 0 : DatumGetInt64(datum);
  }
  bool truth(int column) const {
    bool null;
    const Datum datum = result_datum(row, column, &null);
    return !null && DatumGetBool(datum);
  }
};

template <class Row>
std::span<const Row> list_rows(MemoryContext context, uint64 count,
                               void (*fill)(Row* row, const Cells& cells)) {
  Row* rows = (Row*)MemoryContextAllocHuge(context, sizeof(Row) * Max(count, 1));
  for (uint64 i = 0; i < count; i++) {
    CHECK_FOR_INTERRUPTS();
    rows[i] = {};
    fill(&rows[i], {context, i});
  }
  return {rows, count};
}

// The last column has the number of all rows, of which LIMIT left some out.
int64 left_out(uint64 count, int column) {
  bool null;
  return count == 0 ? 0 : DatumGetInt64(result_datum(0, column, &null)) - (int64)count;
}

void fill_budget(ReportedBudget* budget, const Cells& cells) {
  *budget = {cells.text(1), cells.text(2), cells.text(3), cells.text(4), cells.text(5)};
}

void fill_grant(ReportedGrant* grant, const Cells& cells) {
  grant->role = cells.text(1);
  grant->owner = grant->role.empty();
  grant->active = grant->owner || cells.truth(2);
  grant->cap = cells.text(3);
  grant->charges = cells.count(4);
  grant->epsilon = cells.number(5);
  grant->delta = cells.number(6);
  grant->last_charge = cells.text(7);
  grant->charged_by = cells.text(8);
}

// Pairs of a statistic and its scale.
std::span<const ReportedNoise> noise_of(const Cells& cells, int column) {
  bool null;
  const Datum list = result_datum(cells.row, column, &null);
  if (null) return {};
  MemoryContext old = MemoryContextSwitchTo(cells.context);
  Datum* element;
  bool* missing;
  int count;
  deconstruct_array(DatumGetArrayTypePCopy(list), TEXTOID, -1, false, TYPALIGN_INT, &element,
                    &missing, &count);
  const auto item = [&](int i) -> std::string_view {
    return missing[i] ? std::string_view() : as_utf8(TextDatumGetCString(element[i]));
  };
  ReportedNoise* noise = (ReportedNoise*)palloc(sizeof(ReportedNoise) * (count / 2 + 1));
  for (int i = 0; i < count / 2; i++) noise[i] = {item(2 * i), item(2 * i + 1)};
  MemoryContextSwitchTo(old);
  return {noise, (size_t)(count / 2)};
}

void fill_charge(ReportedCharge* charge, const Cells& cells) {
  charge->id = cells.count(1);
  std::string_view* text[] = {&charge->at,   &charge->role,      &charge->granted_to,
                              &charge->kind, &charge->mechanism, &charge->release,
                              &charge->text};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 2);
  charge->epsilon = cells.number(9);
  charge->delta = cells.number(10);
  charge->noise = noise_of(cells, 11);
}

void fill_month(ReportedMonth* month, const Cells& cells) {
  *month = {cells.text(1),  cells.count(2), cells.count(3),  cells.count(4),
            cells.count(5), cells.count(6), cells.number(7), cells.number(8)};
}

void fill_model(ReportedModel* model, const Cells& cells) {
  std::string_view* text[] = {&model->name,     &model->at,    &model->maker,  &model->method,
                              &model->features, &model->label, &model->quality};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 1);
  model->components = cells.count(8);
  model->epsilon = cells.number(9);
  model->delta = cells.number(10);
}

void fill_column(ReportedColumn* column, const Cells& cells) {
  *column = {cells.text(1), cells.text(2), cells.text(3),
             cells.text(4), cells.text(5), cells.count(6)};
}

void fill_schedule(ReportedSchedule* schedule, const Cells& cells) {
  std::string_view* text[] = {&schedule->name,      &schedule->owner,  &schedule->kind,
                              &schedule->period,    &schedule->result, &schedule->last_due,
                              &schedule->last_state};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 1);
  schedule->epsilon = cells.number(8);
  schedule->delta = cells.number(9);
  schedule->stored = cells.count(10);
  schedule->spent = cells.count(11);
  schedule->active = cells.truth(12);
}

void fill_adoption(ReportedAdoption* adoption, const Cells& cells) {
  *adoption = {cells.text(1), cells.text(2), cells.text(3)};
}

void read_header(FactsRead* read, MemoryContext context) {
  ReportFacts* facts = &read->facts;
  const CatalogRow* row = read->row;
  Datum values[] = {Int64GetDatum(row->id), TimestampTzGetDatum(read->made),
                    TimestampTzGetDatum(read->until)};
  read_rows(report_header, values);
  const Cells cells = {context, 0};
  facts->made_at = cells.text(1);
  facts->time_zone = cells.text(2);
  facts->database = cells.text(3);
  facts->version = cells.text(4);
  facts->since = cells.text(5);
  facts->largest_epsilon = cells.number(6);
  facts->largest_delta = cells.number(7);
  facts->past = read->until != DT_NOEND;
  facts->active = row->active;
  facts->adjacency = row->adjacency;
  facts->accountant = row->accountant;
  facts->privacy_unit = row->privacy_unit != NULL ? as_utf8(row->privacy_unit) : "";
  facts->label = row->label != NULL ? as_utf8(row->label) : "";
  facts->rows_per_unit = row->max_rows_per_unit;
}

// The caller's come back at the end of as_catalog_owner().
void set_formats() {
  set_for_now({"IntervalStyle", "postgres"});
  set_for_now({"extra_float_digits", "1"});
}

}  // namespace

void read_facts(void* arg) {
  FactsRead* read = (FactsRead*)arg;
  set_formats();
  ReportFacts* facts = &read->facts;
  MemoryContext context = MemoryContextGetParent(CurrentMemoryContext);
  const int64 end =
      read->until == DT_NOEND ? PG_INT64_MAX : first_charge_after(read->row->id, read->until);
  Datum values[] = {Int64GetDatum(read->row->id), Int64GetDatum(end),
                    TimestampTzGetDatum(read->until), Int32GetDatum(read->newest)};
  const TableSums sums = sums_before(read->row->id, end);
  facts->charges = sums.charges;
  for (int i = 0; i < 4; i++) read->sum[i] = sums.sum[i];
  read_header(read, context);

  uint64 rows = read_rows(report_budgets, values);
  facts->budgets = list_rows(context, rows, fill_budget);
  facts->budgets_left = left_out(rows, 6);
  if (rows > 0) {
    read->epsilon = result_text(0, 2);
    read->delta = result_text(0, 3);
  }
  rows = read_rows(report_grants, values);
  facts->grants = list_rows(context, rows, fill_grant);
  facts->grants_left = left_out(rows, 9);
  rows = read_rows(report_models, values);
  facts->models = list_rows(context, rows, fill_model);
  facts->models_left = left_out(rows, 11);
  rows = read_rows(report_schedules, values);
  facts->schedules = list_rows(context, rows, fill_schedule);
  facts->schedules_left = left_out(rows, 13);
  rows = read_rows(report_charges, values);
  facts->newest = list_rows(context, rows, fill_charge);
  if (rows > 0 && (int64)rows < sums.charges) {
    values[1] = Int64GetDatum(facts->newest.back().id);
    facts->months = list_rows(context, read_rows(report_months, values), fill_month);
  } else if (rows == 0 && sums.charges > 0) {  // none was to be listed
    facts->months = list_rows(context, read_rows(report_months, values), fill_month);
  }
  values[0] = Int64GetDatum(read->row->id);
  values[1] = ObjectIdGetDatum(read->row->relation);
  rows = read_rows(report_columns, values);
  facts->columns = list_rows(context, rows, fill_column);
  facts->columns_left = left_out(rows, 7);
  const char* readers = readers_of(read->row->relation);
  if (readers != NULL) facts->readers = as_utf8(readers);
}

void read_facts_of_caller(FactsRead* read) {
  MemoryContext context = CurrentMemoryContext;
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
  Datum value = TimestampTzGetDatum(read->until);
  const uint64 rows = read_rows(report_adoptions, &value);
  read->facts.adoptions = list_rows(context, rows, fill_adoption);
  read->facts.adoptions_left = left_out(rows, 4);
  SPI_finish();
}

}  // namespace dpmix::pg
