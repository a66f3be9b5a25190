#include "pg/release/model_use.hpp"

#include "core/release/kinds.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace dpmix::pg {
namespace {

// Rows are made when the library is loaded, file after file: this is there before.
constinit const ModelUse* first = NULL;

const ModelUse* use_of(const char* kind) {
  for (const ModelUse* use = first; use != NULL; use = use->next) {
    if (strcmp(use->kind, kind) == 0) return use;
  }
  return NULL;
}

}  // namespace

ModelUse::ModelUse(const ModelUseRow& row) : ModelUseRow(row), next(first) {
  first = this;
}

const ModelUse* required_use(const FoundRelease& found, HasUse has) {
  const ModelUse* use = use_of(found.kind);
  if (use == NULL || !has(*use)) refuse_kind(found, kinds_with(has));
  return use;
}

const char* kinds_with(HasUse has) {
  List* words = NIL;
  for (const ReleaseKind& kind : release_kinds()) {
    const ModelUse* use = use_of(kind.word.data());
    if (use != NULL && has(*use)) words = lappend(words, (void*)use->kind);
  }
  StringInfoData out;
  initStringInfo(&out);
  const int count = list_length(words);
  for (int i = 0; i < count; i++) {
    const char* between = i == 0 ? "" : i == count - 1 ? " or " : ", ";
    appendStringInfo(&out, "%s%s", between, (const char*)list_nth(words, i));
  }
  return out.data;
}

}  // namespace dpmix::pg
