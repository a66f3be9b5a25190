#include "pg/synthetic/cda/make_rows.hpp"

#include <algorithm>
#include <vector>

#include "core/base/poll.hpp"
#include "core/synthetic/category_shares.hpp"
#include "core/synthetic/class_mixing.hpp"
#include "core/synthetic/held_records.hpp"
#include "core/synthetic/row_mixer.hpp"
#include "core/synthetic/row_sums.hpp"
#include "pg/border/entropy.hpp"
#include "pg/border/fault.hpp"
#include "pg/border/guard.hpp"
#include "pg/border/replay.hpp"
#include "pg/catalog/open_protected.hpp"
#include "pg/process/row_needs.hpp"
#include "pg/scan/silent_scan.hpp"
#include "pg/scan/table_size.hpp"
#include "pg/synthetic/cda/demix.hpp"
#include "pg/synthetic/cda/progress.hpp"

namespace dpmix::pg {
namespace {

// What one pass over the records does with each complete one.
struct Pass {
  const RecordCode* code;
  double* numbers;
  int32* record;
  int64* counts;      // one for each class; NULL in a mixing pass
  HeldRecords* held;  // NULL: they are not
  RowMixer* mixer;    // NULL in a counting pass
  RandomStream* random;
};

void receive_record(Pass* pass, const Datum* values, const bool* nulls) {
  if (nulls[0]) return;
  const int k = DatumGetInt32(values[0]);
  if (pass->mixer != NULL && !pass->mixer->takes(k)) return;
  const int features = pass->code->features();
  for (int j = 0; j < features; j++) {
    if (nulls[j + 1]) return;
    pass->numbers[j] = DatumGetFloat8(values[j + 1]);
  }
  if (!pass->code->encode({pass->numbers, (Size)features}, pass->record)) return;
  if (pass->mixer != NULL) {
    guard([&] { pass->mixer->add(*pass->random, k, pass->record); });
    return;
  }
  pass->counts[k]++;
  if (pass->held == NULL) return;
  guard([&] { pass->held->add(k, pass->record); });
}

// How work_mem is shared out. Everything that grows with records or rows is in it.
struct Memory {
  std::size_t records;  // bytes for records, if they fit in
  std::int64_t rows;    // rows of a block, beside held records
  std::int64_t all;     // bytes

  explicit Memory(std::size_t coordinates) : all(static_cast<std::int64_t>(work_mem) * 1024) {
    // Sums of as many rows as a processor keeps near, beside a tile of records.
    const auto wide = static_cast<std::int64_t>(RowSums::wide_bytes(coordinates));
    const std::size_t near = HeldRecords::tile_bytes / RowSums::narrow_bytes(coordinates);
    rows = std::max<std::int64_t>(1, std::min(static_cast<std::int64_t>(near), all / 4 / wide));
    records = static_cast<std::size_t>(std::max<std::int64_t>(0, all - rows * wide));
  }

  // The rows of a block when records are not held, by the noisy counts: it, too, shows. A row is
  // wide from 2048 records on: below a mean of half as many it is with a probability below 1e-160
  // (Chernoff: (e/4)^1024).
  std::int64_t streamed_rows(std::size_t coordinates, const std::vector<MixedClass>& classes,
                             const std::vector<std::int64_t>& counts) const {
    bool wide = false;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (classes[k].rows == 0) continue;
      const auto records_of_class = static_cast<double>(counts[k]);
      wide |= classes[k].rate * records_of_class > RowSums::narrow_records / 2.;
    }
    const std::size_t row =
        wide ? RowSums::wide_bytes(coordinates) : RowSums::narrow_bytes(coordinates);
    return std::max<std::int64_t>(1, all / static_cast<std::int64_t>(row));
  }
};

// Rows on their way to the tuplestore: a batch each time that PostgreSQL is entered.
class RowsOut {
 public:
  RowsOut(const CdaCall* call, const RecordCode& code, CdaProgress* progress)
      : rows_(call->rows),
        progress_(progress),
        code_(code),
        numbers_per_row_(static_cast<std::size_t>(code.numbers())),
        categories_per_row_(static_cast<std::size_t>(code.groups()) + 1),
        batch_(std::clamp<std::size_t>(batch_bytes / (sizeof(double) * numbers_per_row_ + 1), 1,
                                       most_rows)),
        numbers_(batch_ * numbers_per_row_),
        categories_(batch_ * categories_per_row_) {}

  void add(int k, const double* half_widths) {
    int* categories = &categories_[waiting_ * categories_per_row_];
    code_.decode(half_widths, numbers_.data() + waiting_ * numbers_per_row_, categories);
    categories[categories_per_row_ - 1] = k;
    if (++waiting_ == batch_) flush();
  }

  void flush() {  // call it after the last row, too
    const double* numbers = numbers_.data();
    const int* categories = categories_.data();
    postgres([&] {
      for (std::size_t t = 0; t < waiting_; t++) {
        put_row(rows_, numbers + t * numbers_per_row_, categories + t * categories_per_row_);
      }
    });
    written_ += static_cast<std::int64_t>(waiting_);
    waiting_ = 0;
    report_cda_rows(progress_, written_);
  }

 private:
  static constexpr std::size_t batch_bytes = 1 << 14, most_rows = 256;

  RowBuilder* rows_;
  CdaProgress* progress_;
  const RecordCode& code_;
  std::size_t numbers_per_row_, categories_per_row_, batch_;
  std::vector<double> numbers_;
  std::vector<int> categories_;
  std::size_t waiting_ = 0;
  std::int64_t written_ = 0;
};

// Warns by noisy counts and public numbers alone. Where averages are noise, single rows are, too.
void warn_of_noise(const std::vector<MixedClass>& classes, int coordinates, Demix demix) {
  const UselessClasses useless = useless_classes(classes, coordinates, demix);
  if (useless.rows == 0) return;
  const bool raw = demix == Demix::none;
  postgres([&] {
    const char* single =
        raw ? psprintf("the noise exceeds the bounds in %d of %d classes", useless.rows, useless.of)
            : psprintf("the noise hides all spread in %d of %d classes", useless.rows, useless.of);
    const char* rows =
        raw ? "In such a class, the noise of a single value has a standard deviation "
              "above half the width of its column's bounds."
            : "In such a class, demixing cannot tell how far records vary.";
    const char* averages =
        useless.averages == 0
            ? "An average over all rows of the class has noise below half the width of the bounds."
            : psprintf(
                  "In %d, even an average over all rows has noise above half the width of the "
                  "bounds.",
                  useless.averages);
    ereport(WARNING, (errmsg("%s", single), errdetail("%s %s", rows, averages),
                      errhint("Ask for fewer rows, features or classes, a larger mix, or more "
                              "epsilon.")));
  });
}

// Says what memory records take, before the charge.
void need_records(const CdaCall* call) {
  const double coordinates = guard([&] { return record_code(call).coordinates(); });
  const double rows = most_rows_in(call->table->relation);
  constexpr double kSpare = 2;  // vectors that grow, and rows that are mixed
  need_own_memory(kSpare * Min(work_mem * 1024., rows * sizeof(int32) * (coordinates + 4)));
}

// Call inside guard(). table_rows: rows_in() the table.
void synthesise(const CdaCall* call, SilentScan* scan, double table_rows, const CdaPlan& plan,
                RandomStream& random, CdaProgress* progress) {
  DPMIX_REPLAY_HOOK(see_norm(plan.asked.norm));
  const RecordCode code = record_code(call);
  const auto coordinates = static_cast<std::size_t>(code.coordinates());
  const Memory memory(coordinates);
  std::vector<double> numbers(static_cast<std::size_t>(code.features()));
  std::vector<std::int32_t> record(coordinates);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(call->request.classes));
  HeldRecords held(call->request.classes, code.coordinates(), memory.records);
  // Whether records are held shows in how often the table is read. So it goes by how many rows
  // PostgreSQL shows everyone that it has, and not by how many there are, or how many count.
  const bool holds = table_rows <= static_cast<double>(held.sure());
  Pass pass = {&code, numbers.data(), record.data(), counts.data(), holds ? &held : NULL,
               NULL,  &random};
  const auto read_records = [&] {
    run_scan(scan,
             [&](const Datum* values, const bool* nulls) { receive_record(&pass, values, nulls); });
  };
  postgres(read_records);

  std::vector<std::int64_t> noisy(counts.size());
  std::transform(counts.begin(), counts.end(), noisy.begin(),
                 [&](std::int64_t count) { return noisy_class_count(random, plan, count); });
  const std::vector<MixedClass> classes = plan_classes(plan, noisy);
  warn_of_noise(classes, code.coordinates(), call->request.demix);

  // What does not fit is read again for each block of rows.
  const std::int64_t block = std::min(
      call->request.rows, holds ? memory.rows : memory.streamed_rows(coordinates, classes, noisy));
  RowsOut out(call, code, progress);
  CategoryShares shares(code.choices(), code.coordinates(),
                        [&](int k, const double* row) { out.add(k, row); });
  Demixer demixer(call->request.demix, classes, code.coordinates(),
                  [&](int k, const double* row) { shares.add(k, row); });
  std::vector<double> row(coordinates);
  RowMixer mixer(classes, code.coordinates(), 0, block);
  pass.mixer = &mixer;
  std::size_t k = 0;
  for (std::int64_t first = 0; first < call->request.rows; first += block) {
    const std::int64_t end = std::min(first + block, call->request.rows);
    if (first > 0) mixer.next_block(first, end - first);
    if (holds) {
      mixer.add_all(random, held);
    } else {
      postgres(read_records);
    }
    for (std::int64_t t = first; t < end; ++t) {
      poll();
      while (t == classes[k].first + classes[k].rows) ++k;  // classes may have no rows
      mixer.finish(random, static_cast<int>(k), t, row.data());
      demixer.add(static_cast<int>(k), row.data());
    }
  }
  held.drop();
  demixer.finish();
  shares.finish();
  out.flush();
}

struct CdaScan {
  SilentScan* scan;
  double table_rows;
};

struct CdaHalf {
  static CdaScan plan_scans(const CdaCall& call, const CdaPlan&) {
    const Oid relation = call.table->relation;
    SilentScan* scan = plan_scan(records_sql(call.table, call.columns), relation, call.table->owner,
                                 InvalidOid, scan_condition(call.table, call.blocks));
    require_planned_rows(call.table);
    const double table_rows = rows_in(relation);
    need_records(&call);
    return {scan, table_rows};
  }
  static const char* parameters(const CdaCall& call, const CdaPlan& plan) {
    return parameters_json(&call, plan);
  }
  static Cost cost_at(const CdaCall& call, double epsilon) {
    CdaRequest request = call.request;
    request.epsilon = epsilon;
    return plan_cda(request).own;
  }
  static void make(const Charged&, const CdaCall& call, const CdaPlan& plan, const CdaScan& scans) {
    CdaProgress* progress = begin_cda_progress(call.table->relation, plan.asked.rows);
    guard_with_random([&](RandomStream& random) {
      synthesise(&call, scans.scan, scans.table_rows, plan, random, progress);
    });
    end_cda_progress(progress);
    DPMIX_FAULT("cda.synthesised");
  }
};

}  // namespace

void put_cda_rows(const InProcess& process, const CdaCall& call) {
  const CdaPlan plan = CdaKind::plan(call);
  make_charged<CdaHalf>(process, CdaKind::terms(call, plan), call, plan);
}

}  // namespace dpmix::pg
