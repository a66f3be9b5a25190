#include "pg/owner/unit_notices.hpp"

#include "pg/catalog/relation.hpp"

extern "C" {
#include "utils/builtins.h"
}

namespace dpmix::pg {
namespace {

// The units that are promised something are smaller than one may think.
void notice_block_units(const ProtectedUnits& units) {
  const char* column = units.block_column;
  ereport(
      NOTICE,
      (errmsg("%s of %s is promised epsilon and delta for each block of \"%s\"",
              units.label != NULL          ? "the label of each row"
              : units.privacy_unit == NULL ? "each row"
                                           : psprintf("each value of \"%s\"", units.privacy_unit),
              units.name, column),
       units.privacy_unit == NULL
           ? errdetail("A row lies in one block. Somebody with rows in k blocks is promised "
                       "less: at most k times epsilon.")
           : errdetail("It is the unit's rows of one block that are protected together. "
                       "Somebody with rows in k blocks is promised less: at most k times "
                       "epsilon."),
       errhint("dpmix.report(%s) has the numbers for 30 blocks.", quote_literal_cstr(units.name))));
}

// Says of a table of a population with blocks what is promised over several of them.
void notice_population_blocks(const ProtectedUnits& units) {
  if (units.block_column != NULL) {
    ereport(NOTICE,
            (errmsg("a row of %s lies in the block of \"%s\", and each person and block has the "
                    "budget of the population",
                    units.name, units.block_column),
             errdetail("Somebody who is there in k blocks is promised k budgets, composed, and one "
                       "more for what is in no block."),
             errhint("dpmix.report(population => ...) has the numbers.")));
  } else {
    ereport(NOTICE,
            (errmsg("%s has no blocks: each release that reads it is charged to one budget for "
                    "ever, beside the blocks that it reads of other tables",
                    units.name),
             errhint("If its rows have a time, unprotect it before anything is charged, and "
                     "protect it with blocks => 'column'.")));
  }
}

void notice_link(const ProtectedUnits& units) {
  const UnitLink& link = units.link.read;
  const char* target = qualified_name(link.target);
  const char* key = column_list(link.target, link.target_column, link.columns);
  ereport(
      NOTICE,
      (errmsg("each row of %s belongs to the unit of the row of %s that it names", units.name,
              target),
       errdetail("It names it by %s, a key there is %s. A row that names none, or one without a "
                 "unit, is nobody's, and no release uses it. A row that concerns two people is "
                 "protected for the one found this way alone.",
                 column_list(units.relation, link.column, link.columns), key),
       errhint("An UPDATE of these columns, or of the unit of %s, moves rows between people, who "
               "may have spent the budget on them before; guard_unit => true refuses it here.",
               target)));
}

}  // namespace

// Rows as units need no notice under adjacency label: that is what was asked for.
void notice_units(const ProtectedUnits& units) {
  if (OidIsValid(units.link.target)) return notice_link(units);
  if (units.population_blocks) return notice_population_blocks(units);
  if (units.block_column != NULL) return notice_block_units(units);
  if (units.privacy_unit != NULL || units.label != NULL) return;
  ereport(NOTICE,
          (errmsg("each row of %s is a privacy unit of its own", units.name),
           errdetail("Somebody with k rows is promised k times epsilon."),
           errhint("If somebody may have several, name the column that says whose row it is: "
                   "unprotect the table, and protect it with privacy_unit => 'column'.")));
}

}  // namespace dpmix::pg
