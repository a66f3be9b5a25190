// Where noise gets its key: pg_strong_random, fresh for every call, hence never shared by forked
// backends and never kept. There is no other way to make a stream in the server, and no setting
// that fixes the key.
#pragma once

#include <strings.h>

#include "core/random/stream.hpp"
#include "pg/border/guard.hpp"

namespace dpmix::pg {

// Fills key or raises ERRCODE_INTERNAL_ERROR. Call it before guard() and erase the key after.
void fresh_key(RandomStream::Key& key);

// guard([&] { body(random); }) with a stream of its own.
template <class Body>
void guard_with_random(const Body& body) {
  RandomStream::Key key;
  fresh_key(key);
  guard([&] {
    RandomStream random(key);
    explicit_bzero(key.data(), key.size());
    body(random);
  });
}

// A stream that ends, and erases its key, with the current memory context. Outside guard().
RandomStream* random_stream();

}  // namespace dpmix::pg
