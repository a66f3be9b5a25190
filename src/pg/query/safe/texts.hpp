// Functions of texts in row expressions. PostgreSQL's own, where no text can make them raise:
// - lengths are constants, and patterns are read before a row is;
// - a text is at most 1 MB long (dpmix_internal.short_text gives NULL for a longer one), and no
//   result can be longer than 128 MB, so that buffers of several times the text stay below a
//   value's 1 GB;
// - all that a query computes of one row's texts stays below dpmix.row_memory, by the lengths that
//   they may have; each process of the release has that much before the first row;
// - what changes case converts characters, which fails for some of a multi-byte encoding other than
//   UTF-8: it is on the list where the encoding or the collation rules that out;
// - what searches refuses a collation that is not deterministic, before 18, at the first row.
#pragma once

#include "pg/query/safe/parts.hpp"

namespace dpmix::pg {

bool safe_text_function(const SafeCall* call, SafePart* made);

// What comparisons of texts take of a row; other types take nothing. Where a table has texts out of
// line, one of more than 1 MB is NULL to a comparison that would have to look at it.
void compare_texts(const RowScope* scope, Oid function, SafePart* left, SafePart* right);
void compare_with_texts(const RowScope* scope, Oid function, SafePart* text, const Const* texts);
void order_texts(const RowScope* scope, SafePart* part, int count);
// A value that is hashed: NULL in place of a text of more than 1 MB, where there may be one.
Expr* comparable_text(const RowScope* scope, Expr* value);
// A text that is kept for each group: at most so many bytes, and at most kLongestKey; NULL in place
// of a longer one. What it may take stands in the tree: longest_text() finds it, or 0.
inline constexpr double kLongestKey = 1024;
Expr* key_text(Expr* value, double bytes);
double longest_text(const Node* tree);
// What hashing it takes of a row.
inline constexpr double kHashedText = 2 * 255. * BLCKSZ;

}  // namespace dpmix::pg
