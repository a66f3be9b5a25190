#include "pg/cube/named.hpp"

#include <algorithm>
#include <bit>

#include "pg/border/guard.hpp"
#include "pg/border/texts.hpp"
#include "pg/cube/request.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {
namespace {

int find(const char* const* names, int count, const char* name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return i;
  }
  return -1;
}

}  // namespace

const char* list_of(const char* const* names, int count) {
  StringInfoData list;
  initStringInfo(&list);
  for (int i = 0; i < count; i++) appendStringInfo(&list, "%s%s", i > 0 ? ", " : "", names[i]);
  return list.data;
}

int key_in(const StoredCube& cube, const char* name) {
  const int key = find(cube.key, cube.groups->keys, name);
  if (key >= 0) return key;
  refuse_argument(psprintf("%s is no key of the cube", quoted_prefix(name)),
                  psprintf("Its keys are %s.", list_of(cube.key, cube.groups->keys)),
                  "Name one of them.");
}

int measure_in(const StoredCube& cube, const char* written) {
  const int measure = find(cube.measure, cube.shape->aggregates, measure_name(written));
  if (measure >= 0) return measure;
  refuse_argument(psprintf("the cube has no measure %s", quoted_prefix(written)),
                  psprintf("It has %s.", list_of(cube.measure, cube.shape->aggregates)),
                  "Release a cube that has it.");
}

int table_of(const StoredCube& cube, KeySet keys) {
  const QuerySets* sets = cube.shape->sets;
  const KeySet* found = std::find(sets->keys, sets->keys + sets->count, keys);
  if (found != sets->keys + sets->count) return (int)(found - sets->keys);
  refuse_argument("the cube has no table of so many keys",
                  psprintf("%d were named; dpmix.cube() lists its tables.", std::popcount(keys)),
                  "Name fewer keys, or release a cube with a larger up_to.");
}

}  // namespace dpmix::pg
