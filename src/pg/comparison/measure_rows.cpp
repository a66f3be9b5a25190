#include "pg/comparison/measure_rows.hpp"

#include "pg/border/guard.hpp"

namespace dpmix::pg {

TableStatistics statistics_of(const CompareScan* scan, const CompareStates* states,
                              const ComparedColumns& columns,
                              const std::vector<Marginal>& marginals) {
  return exact_statistics(counts_of(scan, states), columns, marginals);
}

std::optional<GaussianModel> model_of(const ComparedColumns& columns,
                                      const TableStatistics& table) {
  if (columns.numbers() == 0 || columns.classes > 0) return std::nullopt;
  return GaussianModel::fit(table.moments, columns.box());
}

// Outside guard().
static void put_measures(const ResultRows& rows, const CompareColumns* columns,
                         const Measure* measures, std::size_t count, const double* bounds) {
  const auto named = [&](int column) {
    return name_value(column < 0 ? NULL : column_name(columns, column));
  };
  for (std::size_t i = 0; i < count; i++) {
    const Measure& m = measures[i];
    const char* category = NULL;
    if (m.category >= 0) category = category_name(columns, m.column, m.category);
    if (m.kind == MeasureKind::quantile) category = psprintf("%g", m.level);
    add_row(rows, {name(m.kind).data(), named(m.column), named(m.other), category,
                   finite_value(m.real), finite_value(m.synthetic), finite_value(m.difference),
                   bounds != NULL ? finite_value(bounds[i]) : Value(false)});
  }
}

void put_all(const ResultRows& rows, const CompareColumns* columns,
             const std::vector<Measure>& measures, const std::vector<double>* bounds) {
  const Measure* first = measures.data();
  const double* bound = bounds != NULL ? bounds->data() : NULL;
  const std::size_t count = measures.size();
  postgres([&] { put_measures(rows, columns, first, count, bound); });
}

}  // namespace dpmix::pg
