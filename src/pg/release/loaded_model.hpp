// A stored model that a function uses for each row of a query: loaded, with the caller's rights
// checked, once.
#pragma once

#include "pg/border/postgres.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace dpmix::pg {

// When the catalog was read, and as whom: where two are equal, no transaction that was under way
// or not yet begun at the first had ended by the second, and the caller's own wrote nothing in
// between. A query has one; PL/pgSQL keeps a call's memory for many.
struct Moment {
  Oid user;
  TransactionId xmax;
  uint32 running, subtransactions;
  bool overflowed;
  CommandId command;

  bool operator==(const Moment&) const = default;
};

Moment present_moment();  // nobody's where there is no snapshot to tell by
bool is_present(const Moment& moment);
bool same_text(const text* a, const text* b);

// Kept by the call site, in its memory. Model needs no destructor but what the memory's end does.
template <class Model>
struct LoadedModel {
  MemoryContext memory;  // holds the rest; emptied when another model is loaded
  bool loaded;
  Moment moment;
  const text* name;
  Model model;
};

// The release that the first argument names. load(name, model) runs in the model's memory.
template <class Model, class Load>
Model* loaded_model(FunctionCallInfo fcinfo, const Load& load) {
  FmgrInfo* site = fcinfo->flinfo;
  auto* kept = static_cast<LoadedModel<Model>*>(site->fn_extra);
  if (kept == NULL) {
    kept = static_cast<LoadedModel<Model>*>(
        MemoryContextAllocZero(site->fn_mcxt, sizeof(LoadedModel<Model>)));
    kept->memory = AllocSetContextCreate(site->fn_mcxt, "dpmix model", ALLOCSET_DEFAULT_SIZES);
    site->fn_extra = kept;
  }
  const text* name = PG_GETARG_TEXT_PP(0);
  if (kept->loaded && same_text(name, kept->name) && is_present(kept->moment)) return &kept->model;
  kept->loaded = false;
  MemoryContextReset(kept->memory);
  MemoryContext outer = MemoryContextSwitchTo(kept->memory);
  kept->moment = present_moment();
  kept->name = reinterpret_cast<const text*>(PG_DETOAST_DATUM_COPY(PointerGetDatum(name)));
  load(text_to_cstring(name), &kept->model);
  MemoryContextSwitchTo(outer);
  kept->loaded = true;
  return &kept->model;
}

}  // namespace dpmix::pg
