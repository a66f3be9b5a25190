#include "pg/query/safe/category_number.hpp"

#include "pg/query/read/sources.hpp"

namespace dpmix::pg {

DeclaredNumber declared_number(const RowScope* scope, const Var* column) {
  const ColumnDomain domain = categories_of(scope, column);
  const Datum* category = category_values(domain, column);
  return {category_number((const Expr*)column, category, domain.categories), domain.categories};
}

}  // namespace dpmix::pg
