// Which cells of a statement's result are too uncertain to be shown: dpmix.suppress, dpmix.shown.
//
// Beside each aggregate an answer has how wide its 95% interval is, as a share of its size. A cell
// is NULL where that is above dpmix.suppress (hidden_cells); dpmix.shown() is a text there. Both
// come after the noise. Proof: docs/proofs/plain_sql.md.
#pragma once

#include "pg/facade/calls.hpp"

namespace dpmix::pg {

List* with_widths(const List* keys, const List* aggregates);  // expressions of these types

// Whether a statement has dpmix.shown() anywhere: then answers have widths whatever is set.
bool has_shown_cells(Query* statement);
// Whether a node is dpmix.shown() of something over aggregates of a query so many levels up.
bool is_shown_of_aggregate(const Node* node, int depth);
// The aggregate of dpmix.shown(aggregate, otherwise, share); PV002: it is none.
Aggref* aggregate_of_shown(const FuncExpr* call);
// The same over an answer's columns of that aggregate and its width; its other arguments are over
// the answer already.
Expr* shown_cell(const FuncExpr* call, Var* cell, Var* width);

// PV002: what is left of low, high and shown over answers, whose error would come after the charge.
void refuse_placeholders(Node* node);
// A cell, NULL where its width is above dpmix.suppress.
Expr* unless_uncertain(Expr* cell, Var* width);

}  // namespace dpmix::pg
