#include "pg/catalog/person_table.hpp"

#include "pg/border/statement.hpp"
#include "pg/catalog/as_owner.hpp"

namespace dpmix::pg {
namespace {

Statement person_tables = {
    "SELECT 1 FROM dpmix.protected_table WHERE active AND account = $1 AND max_rows_per_unit = 1 "
    "AND privacy_unit IS NOT NULL"};

}  // namespace

bool has_person_table(const ProtectedTable* table) {
  bool found = false;
  as_catalog_owner([&] { found = read_rows(person_tables, {table->account}) > 0; });
  return found;
}

}  // namespace dpmix::pg
