#include "pg/query/read/aggregate.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
}

namespace dpmix::pg {
namespace {

// Rows are made when the library is loaded, file after file: this is there before.
constinit const Aggregate* first = NULL;

const char* arguments_text(Takes takes) {
  switch (takes) {
    case Takes::rows:
      return "*";
    case Takes::value:
    case Takes::distinct:
    case Takes::number:
      return "x";
    case Takes::pair:
      return "x, y";
    case Takes::line:
      return "y, x";
    case Takes::share:
      return "x, p";
    case Takes::edges:
      return "x, edges";
  }
  return "";
}

bool is_in(const List* texts, const char* text) {
  const ListCell* cell;
  foreach (cell, texts) {
    if (strcmp((const char*)lfirst(cell), text) == 0) return true;
  }
  return false;
}

}  // namespace

bool AggregateRow::counts() const {
  return type == INT8OID || type == INT8ARRAYOID;
}

Aggregate::Aggregate(const AggregateRow& row) : AggregateRow(row), next(first) {
  if (first == NULL || stored < first->stored) {
    first = this;
    return;
  }
  Aggregate* before = const_cast<Aggregate*>(first);
  while (before->next != NULL && before->next->stored < stored) {
    before = const_cast<Aggregate*>(before->next);
  }
  next = before->next;
  before->next = this;
}

const Aggregate* first_aggregate() {
  return first;
}

const Aggregate* aggregate_named(const char* name, bool rows) {
  for (const Aggregate* row = first; row != NULL; row = row->next) {
    if ((row->takes == Takes::rows) == rows && strcmp(row->name, name) == 0) return row;
  }
  return NULL;
}

const Aggregate* aggregate_stored_as(int number) {
  for (const Aggregate* row = first; row != NULL; row = row->next) {
    if (row->stored == number) return row;
  }
  return NULL;
}

PlainAggregate private_version(const char* plain) {
  for (const Aggregate* row = first; row != NULL; row = row->next) {
    for (const PlainName& name : row->plain) {
      if (strcmp(name.name, plain) == 0) return {row, name};
    }
  }
  return {NULL, {}};
}

const char* call_text(const Aggregate* aggregate) {
  return psprintf("%s(%s)", aggregate->name.given, arguments_text(aggregate->takes));
}

const char* listed_texts(const List* texts, const char* last) {
  List* once = NIL;
  const ListCell* cell;
  foreach (cell, texts) {
    if (!is_in(once, (const char*)lfirst(cell))) once = lappend(once, lfirst(cell));
  }
  StringInfoData out;
  initStringInfo(&out);
  const int count = list_length(once);
  for (int i = 0; i < count; i++) {
    appendStringInfo(&out, "%s%s",
                     i == 0           ? ""
                     : i == count - 1 ? last
                                      : ", ",
                     (const char*)list_nth(once, i));
  }
  return out.data;
}

const char* listed_names(bool (*such)(const Aggregate& row), const char* last) {
  List* names = NIL;
  for (const Aggregate* row = first; row != NULL; row = row->next) {
    if (such(*row)) names = lappend(names, (void*)row->name.given);
  }
  return listed_texts(names, last);
}

}  // namespace dpmix::pg
