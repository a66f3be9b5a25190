#include "pg/tree_model/sample.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tree_model/sampler.hpp"
#include "pg/border/entropy.hpp"
#include "pg/rows/rules.hpp"
#include "pg/tree_model/store.hpp"

namespace dpmix::pg {
namespace {

constexpr int kBatch = 256;  // rows read before they are put

// Numbers and categories, each in the order of their columns, the label last.
void declare_columns(RowBuilder* rows, const StoredTree& tree) {
  const FoundRelease& row = tree.row;
  for (int i = 0; i < row.features; i++) {
    const CutColumn* column = tree.column(i);
    if (column == NULL || column->ordered()) {
      number_column(rows, row.feature[i], row.lower[i], row.upper[i], row.types[i]);
    } else {
      category_column(rows, row.feature[i], column->values.categories, tree.categories(i));
    }
    if (tree.may_be_missing(i)) may_be_null(rows, row.feature[i]);
  }
  check_ruled_rows(rows, tree.rules(), row.lower, row.upper, [&](const char* name) {
    int i = 0;
    while (strcmp(row.feature[i], name) != 0) i++;
    return i;
  });
  // Rows without the label's column are rows of the features alone.
  if (row.label != NULL && has_column(rows, row.label)) {
    category_column(rows, row.label, row.label_count, row.labels);
  }
  start_rows(rows);
}

}  // namespace

void put_drawn_rows(RandomStream& random, RowBuilder* rows, BlockSampler& sampler, int64 wanted) {
  std::vector<int> number_columns, category_columns;
  for (int i = 0; i < sampler.columns(); ++i) {
    (sampler.ordered(i) ? number_columns : category_columns).push_back(i);
  }
  const std::size_t numbers_each = number_columns.size(),
                    categories_each = category_columns.size() + 1;
  std::vector<double> numbers(kBatch * numbers_each);
  std::vector<int> categories(kBatch * categories_each);
  std::vector<double> value(static_cast<std::size_t>(sampler.columns()));
  for (int64 left = wanted; left > 0; left -= sampler.most_rows()) {
    const int block = static_cast<int>(std::min<int64>(left, sampler.most_rows()));
    sampler.draw(random, block);
    for (int first = 0; first < block; first += kBatch) {
      const int count = std::min(kBatch, block - first);
      double* number = numbers.data();
      int* category = categories.data();
      for (int r = first; r < first + count; ++r) {
        sampler.values(random, r, value);
        for (const int i : number_columns) *number++ = value[static_cast<std::size_t>(i)];
        for (const int i : category_columns) {
          const double x = value[static_cast<std::size_t>(i)];
          *category++ = std::isnan(x) ? -1 : static_cast<int>(x);
        }
        *category++ = sampler.label(r);
      }
      const double* x = numbers.data();
      const int* c = categories.data();
      postgres([&] {
        CHECK_FOR_INTERRUPTS();
        for (int r = 0; r < count; r++)
          put_row(rows, x + r * numbers_each, c + r * categories_each);
      });
    }
  }
}

void put_tree_sample(const FoundRelease& found, RowBuilder* rows, int64 wanted) {
  const StoredTree tree = load_tree(found);
  declare_columns(rows, tree);
  guard_with_random([&](RandomStream& random) {
    TreeSampler sampler(*tree.model);
    put_drawn_rows(random, rows, sampler, wanted);
  });
}

}  // namespace dpmix::pg
