#include "pg/catalog/opened_tables.hpp"

#include "pg/catalog/epoch.hpp"
#include "pg/catalog/unit_link.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace dpmix::pg {
namespace {

struct Opened {
  Oid user;
  ProtectedTable* table;
};

constexpr int kMostOpened = 16;
MemoryContext context = NULL;
Opened opened[kMostOpened];
int count = 0;
uint64 kept_epoch = 0;  // of all that is kept

ProtectedTable* copied(const ProtectedTable* table) {
  ProtectedTable* copy = (ProtectedTable*)palloc(sizeof(ProtectedTable));
  *copy = *table;
  copy->name = pstrdup(table->name);
  copy->epsilon = pstrdup(table->epsilon);
  copy->delta = pstrdup(table->delta);
  if (table->link != NULL) {
    UnitLink* link = (UnitLink*)palloc(sizeof(UnitLink));
    *link = *table->link;
    copy->link = link;
  }
  return copy;
}

void forget_opened() {
  count = 0;
  if (context != NULL) MemoryContextReset(context);
}

}  // namespace

ProtectedTable* find_opened(Oid relation, Oid user, uint64 epoch) {
  if (epoch == 0 || epoch != kept_epoch) return NULL;
  for (int i = 0; i < count; i++) {
    if (opened[i].user == user && opened[i].table->relation == relation) {
      return copied(opened[i].table);
    }
  }
  return NULL;
}

void keep_opened(const ProtectedTable* table, Oid user, uint64 epoch) {
  if (epoch == 0 || catalog_epoch() != epoch) return;
  if (epoch != kept_epoch || count == kMostOpened) forget_opened();
  if (context == NULL) {
    context = AllocSetContextCreate(TopMemoryContext, "dpmix tables", ALLOCSET_SMALL_SIZES);
  }
  kept_epoch = epoch;
  MemoryContext old = MemoryContextSwitchTo(context);
  opened[count].table = copied(table);
  opened[count].user = user;
  count++;
  MemoryContextSwitchTo(old);
}

}  // namespace dpmix::pg
