// C++ objects that end with a memory context, whether or not an error comes in between.
#pragma once

#include <memory>

#include "pg/border/guard.hpp"

extern "C" {
#include "utils/palloc.h"
}

namespace dpmix::pg {

// Inside guard().
template <class T>
T* end_with(MemoryContext context, std::unique_ptr<T> object) {
  MemoryContextCallback* gone = NULL;
  postgres([&] {
    gone = static_cast<MemoryContextCallback*>(MemoryContextAllocZero(context, sizeof *gone));
  });
  gone->func = [](void* ended) { delete static_cast<T*>(ended); };
  gone->arg = object.get();
  MemoryContextRegisterResetCallback(context, gone);
  return object.release();
}

// With the current one. make() returns a new T*, inside guard().
template <class T, class Make>
T* context_object(const Make& make) {
  auto* gone = static_cast<MemoryContextCallback*>(palloc0(sizeof(MemoryContextCallback)));
  T* made = guard([&] { return make(); });
  gone->func = [](void* object) { delete static_cast<T*>(object); };
  gone->arg = made;
  MemoryContextRegisterResetCallback(CurrentMemoryContext, gone);
  return made;
}

}  // namespace dpmix::pg
