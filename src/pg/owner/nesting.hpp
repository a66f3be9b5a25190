// No two budgets over the same rows: tables of one tree of inheritance or partitions.
#pragma once

namespace dpmix::pg {

// PV002 when one table with a budget lies inside another that is protected or was charged, or
// shares rows with a public one. Inside as_catalog_owner().
void refuse_nesting();

}  // namespace dpmix::pg
