#include "pg/query/layers/marks.hpp"

#include "pg/catalog/unit_link.hpp"
#include "pg/trees/refusal.hpp"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_inherits.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"
}

#include "pg/catalog/relation.hpp"

namespace dpmix::pg {
namespace {

Mark* mark_of(Oid target, AttrNumber column, const UnitLink* key, const LayerItem* row) {
  Mark* mark = (Mark*)palloc(sizeof(Mark));
  *mark = {target, column, key, row};
  return mark;
}

void add_marks(List** marks, const UnitLink* link, const LayerItem* row, AttrNumber column) {
  const ProtectedTable* table = row->table;
  for (int i = 0; i < link->columns; i++) {
    const bool names = link == table->link && link->column[i] == column;
    const bool is_key = link->target == table->relation && link->target_column[i] == column;
    if (!names && !is_key) continue;
    *marks = lappend(*marks, mark_of(link->target, link->target_column[i], link, row));
  }
}

List* marks_in_table(const LayerTables* all, const LayerItem* row, AttrNumber column) {
  const ProtectedTable* table = row->table;
  List* marks = NIL;
  if (table->unit != InvalidAttrNumber && table->unit == column) {
    marks = lappend(marks, mark_of(InvalidOid, 0, NULL, row));
  }
  const ListCell* cell;
  foreach (cell, all->tables) {
    const ProtectedTable* other = (const ProtectedTable*)lfirst(cell);
    if (other != NULL && other->link != NULL) add_marks(&marks, other->link, row, column);
  }
  foreach (cell, all->keys) add_marks(&marks, (const UnitLink*)lfirst(cell), row, column);
  return marks;
}

// Rows without a unit are not read; nor are those that name none.
bool never_null(const ProtectedTable* table, AttrNumber column) {
  if (table->unit == column) return true;
  for (int i = 0; table->link != NULL && i < table->link->columns; i++) {
    if (table->link->column[i] == column) return true;
  }
  return !has_subclass(table->relation) && keeps_out_nulls(table->relation, column);
}

const LayerQuery* level_of(const LayerQuery* level, const Var* column) {
  for (Index found = column->varlevelsup; found > 0 && level != NULL; found--) {
    level = level->around;
  }
  return level;
}

struct Part {  // part of a key that was met
  const Mark* mark;
  const LayerItem* equals;  // the row whose part it equals; NULL: none is asked for
};

void add_part(List** parts, const Mark* mark, const LayerItem* equals) {
  Part* part = (Part*)palloc(sizeof(Part));
  *part = {mark, equals};
  *parts = lappend(*parts, part);
}

bool is_met(const List* parts, const Part* one, AttrNumber column) {
  const ListCell* cell;
  foreach (cell, parts) {
    const Part* part = (const Part*)lfirst(cell);
    if (part->mark->target == one->mark->target && part->mark->column == column &&
        part->mark->row == one->mark->row && part->equals == one->equals) {
      return true;
    }
  }
  return false;
}

bool is_complete(const List* parts, const Part* one) {
  const UnitLink* key = one->mark->key;
  for (int i = 0; key != NULL && i < key->columns; i++) {
    if (!is_met(parts, one, key->target_column[i])) return false;
  }
  return true;
}

// Whether a key is whole: its parts are of one row, and what they equal is of one row, too.
bool has_whole_key(const List* parts) {
  const ListCell* cell;
  foreach (cell, parts) {
    if (is_complete(parts, (const Part*)lfirst(cell))) return true;
  }
  return false;
}

bool is_plain_equality(const OpExpr* clause) {
  const Oid type = exprType((const Node*)linitial(clause->args));
  const Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
  return get_op_opfamily_strategy(clause->opno, family) == BTEqualStrategyNumber;
}

// The marks that both sides of an equality have.
void add_common(const LayerQuery* level, const Var* ours, const Var* theirs, List** parts) {
  const List* others = known_of(level, theirs).marks;
  const ListCell* cell;
  foreach (cell, known_of(level, ours).marks) {
    const Mark* mark = (const Mark*)lfirst(cell);
    const ListCell* other;
    foreach (other, others) {
      const Mark* same = (const Mark*)lfirst(other);
      if (same_mark(mark, same)) add_part(parts, mark, same->row);
    }
  }
}

bool is_of(const Var* column, Index varno, Index up = 0) {
  return column != NULL && column->varlevelsup == up && (Index)column->varno == varno;
}

// Whether columns of a part of FROM equal, where it is present, the whole key of a row of another
// part, of this query or, as many levels up, of one around; without a part, of any around.
bool shares_key(const LayerQuery* level, const LayerItem* item, const LayerItem* other,
                Index up = 0) {
  List* parts = NIL;
  const ListCell* cell;
  foreach (cell, level->join.conditions) {
    const JoinCondition* condition = (const JoinCondition*)lfirst(cell);
    if (!bms_is_member((int)item->varno, condition->holds)) continue;
    if (!is_plain_equality(condition->clause)) continue;
    for (int side = 0; side < 2; side++) {
      const List* sides = condition->clause->args;
      const Var* ours = bare_column((const Node*)list_nth(sides, side));
      const Var* theirs = bare_column((const Node*)list_nth(sides, 1 - side));
      if (!is_of(ours, item->varno) || theirs == NULL) continue;
      const bool meant = other != NULL ? is_of(theirs, other->varno, up) : theirs->varlevelsup > 0;
      if (meant) add_common(level, ours, theirs, &parts);
    }
  }
  return has_whole_key(parts);
}

}  // namespace

bool same_mark(const Mark* a, const Mark* b) {
  return a->target == b->target && a->column == b->column;
}

bool is_whole(const Mark* mark) {
  return mark->key == NULL || mark->key->columns == 1;
}

ColumnMarks known_of(const LayerQuery* level, const Var* column) {
  const LayerQuery* found = level_of(level, column);
  const LayerItem* item = found != NULL ? item_of(found, (Index)column->varno) : NULL;
  if (item == NULL || column->varattno <= 0) return {NIL, true};
  const bool missing = bms_is_member((int)item->varno, found->join.missing);
  if (item->below != NULL) {
    const ColumnMarks& below = item->below->column[column->varattno - 1];
    return {below.marks, below.nullable || missing};
  }
  if (!item->is_private) return {NIL, true};
  return {marks_in_table(level->all, item, column->varattno),
          missing || !never_null(item->table, column->varattno)};
}

bool is_unit(const LayerQuery* level, const Node* expression) {
  const Var* column = bare_column(expression);
  if (column == NULL || column->varlevelsup != 0) return false;
  const ColumnMarks known = known_of(level, column);
  const ListCell* cell;
  foreach (cell, known.marks) {
    if (!OidIsValid(((const Mark*)lfirst(cell))->target)) return !known.nullable;
  }
  return false;
}

bool determine_unit(const LayerQuery* level, const List* expressions) {
  List* parts = NIL;
  const ListCell* cell;
  foreach (cell, expressions) {
    const Var* column = bare_column((const Node*)lfirst(cell));
    if (column == NULL || column->varlevelsup != 0) continue;
    const ColumnMarks known = known_of(level, column);
    const ListCell* mark;
    foreach (mark, known.nullable ? NIL : known.marks) {
      add_part(&parts, (const Mark*)lfirst(mark), NULL);
    }
  }
  return has_whole_key(parts);
}

bool follows_unit_around(const LayerQuery* level) {
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || bms_is_member((int)item->varno, level->join.missing)) continue;
    if (shares_key(level, item, NULL)) return true;
  }
  return false;
}

Bitmapset* parts_followed(const LayerQuery* level) {
  Bitmapset* followed = NULL;
  const LayerQuery* around = level->around;
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || bms_is_member((int)item->varno, level->join.missing)) continue;
    for (int j = 0; around != NULL && j < around->items; j++) {
      const LayerItem* other = &around->item[j];
      if (!shares_key(level, item, other, 1)) continue;
      followed = bms_add_member(followed, (int)other->varno);
    }
  }
  return followed;
}

void require_one_unit(const LayerQuery* level) {
  Bitmapset* linked = NULL;
  const LayerItem* first = NULL;
  for (int i = 0; i < level->items && first == NULL; i++) {
    if (level->item[i].is_private) first = &level->item[i];
  }
  if (first == NULL) return;
  linked = bms_make_singleton((int)first->varno);
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < level->items; i++) {
      const LayerItem* item = &level->item[i];
      if (!item->is_private || bms_is_member((int)item->varno, linked)) continue;
      if (bms_overlap(item->follows, linked)) {
        linked = bms_add_member(linked, (int)item->varno);
        more = true;
        continue;
      }
      for (int j = 0; j < level->items; j++) {
        const LayerItem* other = &level->item[j];
        if (!bms_is_member((int)other->varno, linked)) continue;
        if (!shares_key(level, item, other) && !shares_key(level, other, item)) continue;
        linked = bms_add_member(linked, (int)item->varno);
        more = true;
        break;
      }
    }
  }
  for (int i = 0; i < level->items; i++) {
    const LayerItem* item = &level->item[i];
    if (!item->is_private || bms_is_member((int)item->varno, linked)) continue;
    refuse_construct("joining rows of people otherwise than by person is",
                     "Add the equality of their privacy units to ON or WHERE, joined to other "
                     "conditions by AND.");
  }
}

}  // namespace dpmix::pg
