// Rows of a scan, packed into parts: one for each share of the units, whose turn is still to come.
// So one reading of a table serves all shares. Each part gives its rows back in the order in
// which they came, and as often as it is asked.
#pragma once

#include "pg/border/callable.hpp"
#include "pg/border/postgres.hpp"

namespace dpmix::pg {

struct KeptRows;

struct KeptColumn {  // as in pg_type
  int16 length;
  bool by_value;
  char align;
};

// They end with the current memory context. bytes: that a part takes, as public numbers say.
KeptRows* keep_no_rows(int columns, const KeptColumn* column, int parts, double bytes);
// No value is out of line; one that is compressed stays so.
void keep_row(KeptRows* kept, int part, const Datum* values, const bool* nulls);
// receive runs in a per-row memory context; values last as long as the rows are kept.
void give_kept_rows(const KeptRows* kept, int part, RowReceiver receive);

// That a row takes, but for values of any length; and, for those, more than they take in a table.
double bytes_of_kept_row(int columns, const KeptColumn* column);
// That parts take besides their rows, of so many bytes each.
double spare_bytes_of_kept(int parts, double bytes);

}  // namespace dpmix::pg
