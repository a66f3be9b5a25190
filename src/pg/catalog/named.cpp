#include "pg/catalog/named.hpp"

#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/catalog/record.hpp"

namespace dpmix::pg {
namespace {

bool is_exact(uint64 row) {
  return ResultRow{row}.truth(3);
}

// The makers of rows that have this very name; NULL: it is clear which one is meant.
const char* other_makers(uint64 rows) {
  if (rows < 2 || !is_exact(1) || ResultRow{}.truth(4)) return NULL;
  StringInfoData makers;
  initStringInfo(&makers);
  for (uint64 i = 0; i < rows && is_exact(i); i++) {
    appendStringInfo(&makers, "%s%s", i == 0 ? "" : ", ", ResultRow{i}.text(2));
  }
  return strcpy((char*)SPI_palloc(makers.len + 1), makers.data);
}

}  // namespace

int64 find_named(Statement& shown, const char* kind, const char* name) {
  int64 id = 0;
  const char* makers = NULL;
  as_viewer([&] {
    const uint64 rows = read_rows(shown, {name});
    if (rows == 0) return;
    id = ResultRow{}.int8(1);
    makers = other_makers(rows);
  });
  if (makers != NULL) {
    refuse_argument(psprintf("several roles have a %s named \"%s\"", kind, quoted_prefix(name)),
                    psprintf("You may use those of %s.", makers),
                    "Put the role before the name: 'role.name'.");
  }
  return id;
}

}  // namespace dpmix::pg
