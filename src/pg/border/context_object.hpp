// A C++ object that ends with the current memory context, whether or not an error comes in between.
#pragma once

#include "pg/border/guard.hpp"

extern "C" {
#include "utils/palloc.h"
}

namespace dpmix::pg {

// make() returns a new T*, inside guard().
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
