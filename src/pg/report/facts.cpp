#include "pg/report/facts.hpp"

#include "pg/border/settings.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/as_owner.hpp"
#include "pg/catalog/exposures.hpp"
#include "pg/catalog/readers.hpp"
#include "pg/catalog/relation.hpp"
#include "pg/report/statements.hpp"

namespace dpmix::pg {
namespace {

// A row of the result; texts as people see them, in the caller's memory, empty for NULL.
struct Cells : ResultRow {
  MemoryContext context;
  std::string_view shown(const char* found) const {
    if (found == NULL) return {};
    MemoryContext old = MemoryContextSwitchTo(context);
    const char* text = as_utf8(found);
    MemoryContextSwitchTo(old);
    return text;
  }
  std::string_view text(int column) const { return shown(ResultRow::text(column)); }
};

template <class Row>
std::span<const Row> list_rows(MemoryContext context, uint64 count,
                               void (*fill)(Row* row, const Cells& cells)) {
  Row* rows = (Row*)MemoryContextAllocHuge(context, sizeof(Row) * Max(count, 1));
  for (uint64 i = 0; i < count; i++) {
    CHECK_FOR_INTERRUPTS();
    rows[i] = {};
    fill(&rows[i], {{i}, context});
  }
  return {rows, count};
}

// The last column has the number of all rows, of which LIMIT left some out.
int64 left_out(uint64 count, int column) {
  return count == 0 ? 0 : ResultRow{}.int8(column) - (int64)count;
}

void fill_budget(ReportedBudget* budget, const Cells& cells) {
  *budget = {cells.text(1), cells.text(2), cells.text(3), cells.text(4), cells.text(5)};
}

void fill_grant(ReportedGrant* grant, const Cells& cells) {
  grant->role = cells.text(1);
  grant->owner = grant->role.empty();
  grant->active = grant->owner || cells.truth(2);
  grant->cap = cells.text(3);
  grant->charges = cells.int8(4);
  grant->epsilon = cells.float8(5);
  grant->delta = cells.float8(6);
  grant->last_charge = cells.text(7);
  grant->charged_by = cells.text(8);
  grant->limits = cells.text(10);
}

// Pairs of a statistic and its scale.
std::span<const ReportedNoise> noise_of(const Cells& cells, int column) {
  int count;
  char** item = cells.texts(column, &count);
  ReportedNoise* noise =
      (ReportedNoise*)MemoryContextAlloc(cells.context, sizeof(ReportedNoise) * (count / 2 + 1));
  for (int i = 0; i < count / 2; i++) {
    noise[i] = {cells.shown(item[2 * i]), cells.shown(item[2 * i + 1])};
  }
  return {noise, (size_t)(count / 2)};
}

void fill_charge(ReportedCharge* charge, const Cells& cells) {
  charge->id = cells.int8(1);
  std::string_view* text[] = {&charge->at,   &charge->role,      &charge->granted_to,
                              &charge->kind, &charge->mechanism, &charge->release,
                              &charge->text};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 2);
  charge->epsilon = cells.float8(9);
  charge->delta = cells.float8(10);
  charge->noise = noise_of(cells, 11);
}

void fill_month(ReportedMonth* month, const Cells& cells) {
  *month = {cells.text(1), cells.int8(2), cells.int8(3),   cells.int8(4),
            cells.int8(5), cells.int8(6), cells.float8(7), cells.float8(8)};
}

void fill_model(ReportedModel* model, const Cells& cells) {
  std::string_view* text[] = {&model->name,     &model->at,    &model->maker,  &model->method,
                              &model->features, &model->label, &model->quality};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 1);
  model->components = cells.int8(8);
  model->epsilon = cells.float8(9);
  model->delta = cells.float8(10);
}

void fill_column(ReportedColumn* column, const Cells& cells) {
  *column = {cells.text(1), cells.text(2), cells.text(3), cells.text(4),
             cells.text(5), cells.int8(6), cells.text(7)};
}

void fill_schedule(ReportedSchedule* schedule, const Cells& cells) {
  std::string_view* text[] = {&schedule->name,      &schedule->owner,  &schedule->kind,
                              &schedule->period,    &schedule->result, &schedule->last_due,
                              &schedule->last_state};
  for (int i = 0; i < (int)lengthof(text); i++) *text[i] = cells.text(i + 1);
  schedule->epsilon = cells.float8(8);
  schedule->delta = cells.float8(9);
  schedule->stored = cells.int8(10);
  schedule->spent = cells.int8(11);
  schedule->active = cells.truth(12);
}

void fill_table(ReportedTable* table, const Cells& cells) {
  table->name = cells.text(1);
  table->unit = cells.text(2);
  table->through = cells.text(3);
  table->rows_per_unit = cells.int8(4);
  table->charges = cells.int8(5);
  table->active = cells.truth(6);
}

void fill_adoption(ReportedAdoption* adoption, const Cells& cells) {
  *adoption = {cells.text(1), cells.text(2), cells.text(3)};
}

void read_header(FactsRead* read, MemoryContext context) {
  ReportFacts* facts = &read->facts;
  const CatalogRow* row = read->row;
  (void)read_rows(report_header, {int8_array(read->ids, read->tables), time_value(read->made),
                                  time_value(read->until), row->account});
  const Cells cells = {{}, context};
  facts->made_at = cells.text(1);
  facts->time_zone = cells.text(2);
  facts->database = cells.text(3);
  facts->version = cells.text(4);
  facts->since = cells.text(5);
  facts->largest_epsilon = cells.float8(6);
  facts->largest_delta = cells.float8(7);
  facts->unit_updates = cells.int8(8);
  facts->past = read->until != DT_NOEND;
  facts->active = row->active;
  facts->adjacency = row->adjacency;
  facts->order = row->order;
  facts->accountant = row->accountant;
  facts->privacy_unit = row->privacy_unit != NULL ? as_utf8(row->privacy_unit) : "";
  facts->unit_through = row->link != NULL ? as_utf8(row->link->through) : "";
  facts->population = row->population != NULL ? as_utf8(row->population) : "";
  facts->label = row->label != NULL ? as_utf8(row->label) : "";
  facts->rows_per_unit = row->max_rows_per_unit;
}

void read_receipt(FactsRead* read, MemoryContext context) {
  if (read_rows(report_receipt, {read->row->account, read->end}) == 0) return;
  const Cells cells = {{}, context};
  read->facts.newest_receipt = cells.int8(1);
  read->facts.receipt_hash = cells.text(2);
}

// The caller's come back at the end of as_catalog_owner().
void set_formats() {
  set_for_now({"IntervalStyle", "postgres"});
  set_for_now({"extra_float_digits", "1"});
}

void read_blocks(FactsRead* read, MemoryContext context) {
  read->blocks = read_declared_blocks(read->row->id);
  if (!read->blocks.any) return;
  ReportedBlocks* blocks = &read->facts.blocks;
  (void)read_rows(report_blocks, {read->row->id, read->end, read->row->account});
  const Cells cells = {{}, context};
  blocks->column = cells.text(1);
  blocks->width = cells.text(2);
  blocks->gaussian = cells.truth(3);
  blocks->of_population = cells.truth(4);
}

// Some time per charge: it reads all of the table's once or twice.
void read_lists(FactsRead* read) {
  set_formats();
  ReportFacts* facts = &read->facts;
  MemoryContext context = MemoryContextGetParent(CurrentMemoryContext);
  const int64 account = read->row->account;
  const Value tables = int8_array(read->ids, read->tables);
  const bool several = read->population != NULL;
  const Value until = time_value(read->until);
  const int64 end =
      read->until == DT_NOEND ? PG_INT64_MAX : first_charge_after(account, read->until);
  const auto read_list = [&](Statement& list, int64 before) {
    return read_rows(list, {tables, before, until, read->newest, account, several});
  };
  const AccountSums sums = sums_before(account, end);
  facts->charges = sums.charges;
  read->sums = sums.sums;
  read->end = end;
  read_blocks(read, context);
  read_header(read, context);
  read_receipt(read, context);
  uint64 rows = read_list(report_budgets, end);
  facts->budgets = list_rows(context, rows, fill_budget);
  facts->budgets_left = left_out(rows, 6);
  if (rows > 0) {
    read->epsilon = ResultRow{}.text(2);
    read->delta = ResultRow{}.text(3);
  }
  rows = read_list(report_grants, end);
  facts->grants = list_rows(context, rows, fill_grant);
  facts->grants_left = left_out(rows, 9);
  rows = read_list(report_models, end);
  facts->models = list_rows(context, rows, fill_model);
  facts->models_left = left_out(rows, 11);
  rows = read_list(report_schedules, end);
  facts->schedules = list_rows(context, rows, fill_schedule);
  facts->schedules_left = left_out(rows, 13);
  rows = read_list(report_charges, end);
  facts->newest = list_rows(context, rows, fill_charge);
  if ((int64)rows < sums.charges) {  // none may be listed one by one
    rows = read_list(report_months, rows > 0 ? facts->newest.back().id : end);
    facts->months = list_rows(context, rows, fill_month);
  }
  rows = read_rows(report_columns, {tables, several});
  facts->columns = list_rows(context, rows, fill_column);
  facts->columns_left = left_out(rows, 8);
  if (several) {
    rows = read_rows(report_tables, {account, end});
    facts->tables = list_rows(context, rows, fill_table);
    for (const ReportedTable& table : facts->tables) {
      facts->active = facts->active || table.active;
      facts->rows_per_unit = Max(facts->rows_per_unit, (int)table.rows_per_unit);
    }
  }
  const char* all_readers = NULL;
  for (int i = 0; i < read->present; i++) {
    const char* readers = readers_of(read->relations[i]).selecting;
    if (readers == NULL) continue;
    if (several) readers = psprintf("%s (%s)", readers, qualified_name(read->relations[i]));
    all_readers = all_readers == NULL ? readers : psprintf("%s; %s", all_readers, readers);
  }
  if (all_readers != NULL) {
    facts->readers = MemoryContextStrdup(context, as_utf8(all_readers));
  }
}

void list_exposures(FactsRead* read) {
  int count = 0;
  ReportedExposure* list = (ReportedExposure*)palloc(sizeof(*list));
  for (int i = 0; i < read->present; i++) {
    const Exposures found = exposures_of(read->relations[i]);
    list = (ReportedExposure*)repalloc(list, sizeof(*list) * (count + found.count + 1));
    for (uint64 e = 0; e < found.count; e++) {
      list[count++] = {as_utf8(found.list[e].what), as_utf8(found.list[e].shows)};
    }
  }
  read->facts.exposures = {list, (size_t)count};
}

}  // namespace

void list_facts(FactsRead* read) {
  as_catalog_owner([&] { read_lists(read); });
  list_exposures(read);
  SPI_connect();
  MemoryContext context = MemoryContextGetParent(CurrentMemoryContext);
  const uint64 rows = read_rows(report_adoptions, {time_value(read->until)});
  read->facts.adoptions = list_rows(context, rows, fill_adoption);
  read->facts.adoptions_left = left_out(rows, 4);
  SPI_finish();
}

}  // namespace dpmix::pg
