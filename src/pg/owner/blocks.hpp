// What protect() declares about blocks: the column that a row's block follows from, and the guard
// that keeps rows in theirs.
#pragma once

#include "pg/border/statement.hpp"
#include "pg/catalog/block_column.hpp"

namespace dpmix::pg {

struct BlockDeclaration {
  const char* column;  // NULL: the table has no blocks
  const char* width;   // NULL: 1 day, or 1
  const char* first;   // NULL: 2000-01-01, or 0
  BlockColumn read;    // what these say
};

// How long a text says, in days, microseconds or whole numbers; 0: that it is none, or has months.
int64 span_of(Oid type, const char* text);
// A value of a block column, in UTC whatever the session's time zone is. False: not finite.
bool place_of_text(Oid type, const char* text, int64* place);

// The blocks of a population, in microseconds; width NULL: it has none. PV005.
BlockGrid blocks_of_time(const char* width, const char* first);
// The same blocks of a column of this type; false: it is of days, and they are not.
bool grid_for(Oid type, const BlockGrid& of_time, BlockGrid* grid);
// PV005. With the relation locked.
void require_blocks(Oid relation, BlockDeclaration* declaration);
// Charges name blocks of one grid: PV005 where another one is on record for this table and it was
// charged; else the declaration goes on record. Inside as_catalog_owner().
void record_blocks(int64 table_id, const BlockDeclaration& declaration, bool charged);
// Whether this is on record. Inside as_catalog_owner().
bool are_recorded_blocks(int64 table_id, const BlockDeclaration& declaration);
// Whether a table has blocks on record. Inside as_catalog_owner().
bool has_recorded_blocks(int64 table_id);
// The blocks as they are on record; column NULL: the table has none. Inside as_catalog_owner().
BlockDeclaration recorded_declaration(int64 table_id);
// Finds the columns by their names, in a database where their numbers may be others. Inside
// as_catalog_owner().
void adopt_blocks();
// Categories of a column are declared anew; of one whose categories are blocks PV005 unless they
// only grow. Inside as_catalog_owner().
void number_categories(int64 table_id, const char* column, Value categories);
// Installs, as the table's owner, the guard: no UPDATE moves a row out of its block. Drops an older
// one.
void install_guard(Oid relation, const BlockDeclaration& declaration);

// A column has another name: its guard is told. With what is inside as_catalog_owner().
void rename_block_column(const char* from, const char* to);

}  // namespace dpmix::pg
