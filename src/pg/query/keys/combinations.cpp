#include "pg/query/keys/combinations.hpp"

#include <algorithm>

#include "pg/query/keys/branches.hpp"
#include "pg/query/keys/calendar.hpp"
#include "pg/query/keys/column_values.hpp"
#include "pg/query/keys/computed_facts.hpp"
#include "pg/query/keys/coverage.hpp"
#include "pg/query/keys/fact_probes.hpp"
#include "pg/query/keys/null_keys.hpp"
#include "pg/query/keys/probe.hpp"
#include "pg/query/keys/public_rows.hpp"
#include "pg/query/keys/samples.hpp"
#include "pg/query/keys/sorted_values.hpp"
#include "pg/query/read/group_limit.hpp"
#include "pg/query/safe/facts.hpp"
#include "pg/trees/nodes.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace dpmix::pg {
namespace {

constexpr int kMostColumns = 32;  // columns of a public table

struct Part {  // keys whose values come together
  int keys;
  int* key;
  int64 count;
  int64* product;  // the combinations of these keys that can be; NULL: all
  bool in_time;    // rows that have no public value of one key have none of any
};

struct Columns {
  int count;
  Var** column;
  int* values;
  Datum** value;
  bool* nullable;
};

// The values of a part's keys at one point, as one number; -1: some key has none of its values.
class Tuple {
 public:
  Tuple(const KeyColumns& of, const Part& part, int columns, Var* const* column)
      : of_(of), part_(part) {
    probe_ = (KeyProbe**)palloc(sizeof(KeyProbe*) * part.keys);
    sorted_ = (SortedValues*)palloc(sizeof(SortedValues) * part.keys);
    for (int i = 0; i < part.keys; i++) {
      const KeyColumn* key = &of.key[part.key[i]];
      probe_[i] = probe_of(key->expression, columns, column);
      sorted_[i] = sorted_values(key);
    }
  }
  void end() const {
    for (int i = 0; i < part_.keys; i++) end_probe(probe_[i]);
  }
  int64 at(const Datum* value, const bool* missing) const {
    int64 product = 0;
    for (int i = 0; i < part_.keys; i++) {
      bool null;
      const Datum made = evaluate_probe(probe_[i], value, missing, &null);
      const KeyColumn& key = of_.key[part_.key[i]];
      const int of_null = key.has_null ? key.null_place() : -1;
      const int number = null ? of_null : find_value(sorted_[i], made);
      if (number < 0) return -1;
      product = product * key.places() + number;
    }
    return product;
  }

 private:
  const KeyColumns& of_;
  const Part& part_;
  KeyProbe** probe_;
  SortedValues* sorted_;
};

void keep_distinct(Part* part) {
  std::sort(part->product, part->product + part->count);
  part->count = std::unique(part->product, part->product + part->count) - part->product;
}

void visit_time(const KeyColumns& of, int64 step, const List* asked, Part* part) {
  const KeyColumn* first = &of.key[part->key[0]];
  Var* column = (Var*)first->cut;
  const Tuple tuple(of, *part, 1, &column);
  FactProbes* facts = facts_about(asked, 1, &column);
  part->product = (int64*)palloc(sizeof(int64) * (kMaxGroups + 1));
  visit_places(first->ranges, step, [&](int64 at) {
    const Datum place = value_at_place(column->vartype, at);
    if (!may_hold(facts, &place, NULL)) return;
    const int64 product = tuple.at(&place, NULL);
    if (product >= 0) part->product[part->count++] = product;
  });
  const Datum no_value = 0;
  const bool missing = true;
  if (first->has_null && may_hold(facts, &no_value, &missing)) {  // buckets of NULL are NULL
    const int64 product = tuple.at(&no_value, &missing);
    if (product >= 0) part->product[part->count++] = product;
  }
  tuple.end();
  end_facts(facts);
  keep_distinct(part);
  part->in_time = true;
}

// Its values are constants of the text, whether or not a row can reach them.
bool is_choice(const KeyColumn* key) {
  return !IsA(key->expression, Var) && key->cut == NULL &&
         (IsA(key->expression, CaseExpr) || key->type == BOOLOID);
}

// Constants and truth values that a row may reach by a value that is not declared are not narrowed.
bool may_be_reached(const RowScope* scope, const KeyColumn* key) {
  if (open_branches(scope, key->expression) != NIL) return true;
  if (!is_choice(key)) return false;
  const ListCell* cell;
  foreach (cell, columns_of((Node*)key->expression)) {
    if (!has_no_others(scope, (const Var*)lfirst(cell))) return true;
  }
  return false;
}

// The columns of a part's keys with their values, NULL as one more; false: they are not public, or
// too many together.
bool read_columns(const RowScope* scope, const KeyColumns& of, const Part& part, Columns* columns) {
  List* all = NIL;
  for (int i = 0; i < part.keys; i++) {
    const KeyColumn* key = &of.key[part.key[i]];
    if (key->others || (key->cut != NULL && !IsA(key->expression, Var))) return false;
    if (may_be_reached(scope, key)) return false;
    all = list_concat_unique(all, columns_of((Node*)key->expression));
  }
  const int count = list_length(all);
  *columns = {
      count, (Var**)palloc(sizeof(Var*) * (count + 1)), (int*)palloc(sizeof(int) * (count + 1)),
      (Datum**)palloc(sizeof(Datum*) * (count + 1)), (bool*)palloc(sizeof(bool) * (count + 1))};
  double points = 1;
  for (int i = 0; i < count; i++) {
    columns->column[i] = (Var*)list_nth(all, i);
    const Values known = column_values(scope, columns->column[i]);
    columns->values[i] = known.count;
    columns->value[i] = known.value;
    points *= columns->values[i] + 1;
    if (columns->values[i] == 0 || points > kMaxGroups) return false;
    columns->nullable[i] = may_be_null(scope, columns->column[i]);
  }
  return true;
}

void visit_columns(const RowScope* scope, const KeyColumns& of, const Columns& columns,
                   Part* part) {
  const Tuple tuple(of, *part, columns.count, columns.column);
  FactProbes* facts = facts_about(scope->facts, columns.count, columns.column);
  Datum* chosen = (Datum*)palloc(sizeof(Datum) * (columns.count + 1));
  bool* missing = (bool*)palloc(sizeof(bool) * (columns.count + 1));
  int64 points = 1;
  for (int i = 0; i < columns.count; i++) points *= columns.values[i] + 1;
  part->product = (int64*)palloc(sizeof(int64) * points);
  for (int64 n = 0; n < points; n++) {
    CHECK_FOR_INTERRUPTS();
    int64 rest = n;
    bool possible = true;
    for (int i = 0; i < columns.count; i++) {
      const int choice = (int)(rest % (columns.values[i] + 1));
      missing[i] = choice == columns.values[i];
      possible = possible && (!missing[i] || columns.nullable[i]);
      chosen[i] = missing[i] ? (Datum)0 : columns.value[i][choice];
      rest /= columns.values[i] + 1;
    }
    if (!possible || !may_hold(facts, chosen, missing)) continue;
    const int64 product = tuple.at(chosen, missing);
    if (product >= 0) part->product[part->count++] = product;
  }
  end_facts(facts);
  tuple.end();
  keep_distinct(part);
}

// The columns of a part's keys, and those of one public table that say what they can be.
struct PublicColumns {
  int count;
  Var **column, **read;
  const RowScope* scope;  // where these are read
  bool missing;
};

bool is_same_table(const PublicColumn& one, const PublicColumn& other) {
  return one.scope == other.scope && one.column->varno == other.column->varno;
}

// False: there is no such table.
bool find_public(const RowScope* scope, const KeyColumns& of, const Part& part,
                 PublicColumns* columns) {
  *columns = {0, (Var**)palloc(sizeof(Var*) * kMostColumns),
              (Var**)palloc(sizeof(Var*) * kMostColumns), NULL, false};
  PublicColumn first = {};
  for (int i = 0; i < part.keys; i++) {
    const ListCell* cell;
    foreach (cell, columns_of((Node*)of.key[part.key[i]].expression)) {
      Var* column = lfirst_node(Var, cell);
      const PublicColumn found = public_column_below(scope, column);
      if (columns->count == 0) first = found;
      if (found.column == NULL || columns->count == kMostColumns || !is_same_table(found, first)) {
        return false;
      }
      columns->missing = columns->missing || found.missing;
      columns->column[columns->count] = column;
      columns->read[columns->count++] = found.column;
    }
  }
  columns->scope = first.scope;
  return columns->count > 0;
}

void add_product(Part* part, int64* room, int64 product) {
  if (product < 0) return;
  if (part->count == *room) {
    keep_distinct(part);
    if (part->count > *room / 2) *room *= 2;
    part->product = (int64*)repalloc(part->product, sizeof(int64) * *room);
  }
  part->product[part->count++] = product;
}

// False: there are too many rows.
bool visit_rows(const KeyColumns& of, const PublicColumns& columns, Part* part) {
  const Tuple tuple(of, *part, columns.count, columns.column);
  int64 room = 1024;
  part->product = (int64*)palloc(sizeof(int64) * room);
  const bool all = visit_public_rows(columns.scope, columns.count, columns.read,
                                     [&](const Datum* value, const bool* null) {
                                       add_product(part, &room, tuple.at(value, null));
                                     });
  if (columns.missing) {
    Datum* value = (Datum*)palloc0(sizeof(Datum) * columns.count);
    bool* null = (bool*)palloc(columns.count);
    for (int i = 0; i < columns.count; i++) null[i] = true;
    add_product(part, &room, tuple.at(value, null));
  }
  tuple.end();
  if (all) {
    keep_distinct(part);
  } else {
    part->product = NULL;
  }
  return all;
}

// The step in which all keys of a part can be visited along one column; 0: they cannot.
int64 step_along(const KeyColumns& of, const Part& part) {
  const KeyColumn* first = &of.key[part.key[0]];
  int64 step = first->step;
  for (int i = 1; i < part.keys; i++) {
    const KeyColumn* key = &of.key[part.key[i]];
    if (!equal(key->cut, first->cut)) return 0;
    step = Min(step, key->step);
  }
  return step;
}

// Crosses what cannot be visited.
void cross(const KeyColumns& of, Part* part) {
  part->count = 1;
  for (int i = 0; i < part->keys; i++) {
    part->count = Min(part->count * of.key[part->key[i]].places(), (int64)PG_INT32_MAX);
  }
}

void find_part(const RowScope* scope, const KeyColumns& of, Part* part) {
  Columns columns;
  const KeyColumn* first = &of.key[part->key[0]];
  const bool together = part->keys > 1 || is_choice(first);
  PublicColumns in_public;
  if ((together || !IsA(first->expression, Var)) && find_public(scope, of, *part, &in_public) &&
      visit_rows(of, in_public, part)) {
    return;
  }
  const int64 step = step_along(of, *part);
  int64 finer = step;
  const List* asked = step == 0 ? NIL : facts_at_places(scope->facts, first->cut, &finer);
  if (asked != NIL && can_visit(first->ranges, finer)) {
    visit_time(of, finer, asked, part);
    return;
  }
  if (together) {
    if (can_visit(first->ranges, step)) {
      visit_time(of, step, NIL, part);
      return;
    }
    if (read_columns(scope, of, *part, &columns)) {
      visit_columns(scope, of, columns, part);
      return;
    }
  }
  cross(of, part);
}

// Columns that one public table says the values of, together.
List* beside_in_public(const RowScope* scope, const List* columns, Var* column) {
  const PublicColumn of = public_column_below(scope, column);
  List* found = NIL;
  const ListCell* cell;
  foreach (cell, of.column == NULL ? NIL : columns) {
    const PublicColumn other = public_column_below(scope, lfirst_node(Var, cell));
    if (other.column != NULL && is_same_table(other, of)) found = lappend(found, lfirst(cell));
  }
  return found;
}

// The place of the first key with which each key shares a column, a public table, or a fact that
// compares both.
int* first_together(const RowScope* scope, const KeyColumns& of) {
  int* first = (int*)palloc(sizeof(int) * (of.keys + 1));
  List** columns = (List**)palloc(sizeof(List*) * (of.keys + 1));
  List* all = NIL;
  for (int k = 0; k < of.keys; k++) {
    first[k] = k;
    columns[k] = columns_of((Node*)of.key[k].expression);
    all = list_concat_unique(all, columns[k]);
  }
  const auto join = [&](const List* with) {
    int least = -1;
    for (int k = 0; k < of.keys; k++) {
      if (list_intersection(columns[k], with) == NIL) continue;
      if (least < 0) least = first[k];
      const int from = Max(first[k], least), to = Min(first[k], least);
      for (int other = 0; other < of.keys; other++) {
        if (first[other] == from) first[other] = to;
      }
      least = to;
    }
  };
  for (int k = 0; k < of.keys; k++) join(columns[k]);
  const ListCell* cell;
  foreach (cell, all) join(beside_in_public(scope, all, lfirst_node(Var, cell)));
  foreach (cell, scope->facts) {
    const List* compared = columns_of((Node*)lfirst(cell));
    if (list_length(compared) > 1 && list_difference(compared, all) == NIL) join(compared);
  }
  return first;
}

Part part_of(const int* first, int keys, int which) {
  Part part = {0, (int*)palloc(sizeof(int) * keys), 0, NULL, false};
  for (int k = 0; k < keys; k++) {
    if (first[k] == which) part.key[part.keys++] = k;
  }
  return part;
}

double scanned_of(const KeyColumns& of, const Part& part) {
  if (part.in_time) return (double)part.count + 1;
  double all = 1;
  for (int i = 0; i < part.keys; i++) all *= of.key[part.key[i]].places() + 1;
  return all;
}

// What a combination of a part's keys adds to the number among all combinations.
int64 spread(const KeyColumns& of, const Part& part, int64 number) {
  int64 rest = part.product == NULL ? number : part.product[number], sum = 0;
  for (int i = part.keys - 1; i >= 0; i--) {
    int64 weight = 1;
    for (int k = part.key[i] + 1; k < of.keys; k++) weight *= of.key[k].places();
    sum += rest % of.key[part.key[i]].places() * weight;
    rest /= of.key[part.key[i]].places();
  }
  return sum;
}

// All parts, crossed. False: more than kMaxGroups.
bool cross_parts(const RowScope* scope, const KeyColumns& of, Combinations* found) {
  const int* first = first_together(scope, of);
  Part* part = (Part*)palloc(sizeof(Part) * (of.keys + 1));
  int parts = 0;
  double count = 1, scanned = 1;
  bool all = true;
  for (int k = 0; k < of.keys; k++) {
    if (first[k] != k) continue;
    part[parts] = part_of(first, of.keys, k);
    find_part(scope, of, &part[parts]);
    all = all && part[parts].product == NULL;
    scanned *= scanned_of(of, part[parts]);
    count *= (double)part[parts++].count;
    if (count > kMaxGroups) return false;
  }
  *found = {(int)count, NULL, scanned};
  if (all) return true;
  int64* product = (int64*)palloc(sizeof(int64) * ((Size)count + 1));
  for (int64 n = 0; n < found->count; n++) {
    int64 rest = n, sum = 0;
    for (int i = parts - 1; i >= 0; i--) {
      sum += spread(of, part[i], rest % part[i].count);
      rest /= part[i].count;
    }
    product[n] = sum;
  }
  std::sort(product, product + found->count);
  found->product = product;
  return true;
}

}  // namespace

bool find_combinations(const RowScope* scope, const KeyColumns& of, Combinations* found) {
  if (!cross_parts(scope, of, found)) return false;
  found->count = leave_out(scope, of, found->count, &found->product);
  return true;
}

}  // namespace dpmix::pg
