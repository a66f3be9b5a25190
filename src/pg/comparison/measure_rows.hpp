// The measures of a comparison, and the rows that tell them. Inside guard().
#pragma once

#include <optional>
#include <vector>

#include "core/comparison/private_statistics.hpp"
#include "pg/border/result_rows.hpp"
#include "pg/comparison/count.hpp"

namespace dpmix::pg {

TableStatistics statistics_of(const CompareScan* scan, const CompareStates* states,
                              const ComparedColumns& columns,
                              const std::vector<Marginal>& marginals);
std::optional<GaussianModel> model_of(const ComparedColumns& columns, const TableStatistics& table);
// bounds: NULL for exact measures, which are marked as not private instead.
void put_all(const ResultRows& rows, const CompareColumns* columns,
             const std::vector<Measure>& measures, const std::vector<double>* bounds);

}  // namespace dpmix::pg
