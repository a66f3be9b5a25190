// Tables of tests as the rows that the published mechanisms take.
#pragma once

#include "core/published/gmm.hpp"
#include "tables/mixture_tables.hpp"

namespace dpmix::test {

inline LabelledRows labelled_rows(const Table& table) {
  LabelledRows rows{table.features, table.classes, table.label, {}};
  for (const auto& x : table.row) rows.value.insert(rows.value.end(), x.begin(), x.end());
  return rows;
}

inline std::vector<int> same_order(int classes) {
  std::vector<int> same(static_cast<std::size_t>(classes));
  for (int k = 0; k < classes; ++k) same[static_cast<std::size_t>(k)] = k;
  return same;
}

}  // namespace dpmix::test
