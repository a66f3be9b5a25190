#include "pg/border/entropy.hpp"

#include "pg/border/context_object.hpp"
#include "pg/border/replay.hpp"

namespace dpmix::pg {

void fresh_key(RandomStream::Key& key) {
  if (DPMIX_REPLAY_KEY(key)) return;
  if (!pg_strong_random(key.data(), key.size())) {
    refuse(ERRCODE_INTERNAL_ERROR, "could not generate random noise", NULL,
           "The operating system's entropy source failed; nothing was released.");
  }
}

RandomStream* random_stream() {
  RandomStream::Key key;
  fresh_key(key);
  auto* random = context_object<RandomStream>([&] { return new RandomStream(key); });
  explicit_bzero(key.data(), key.size());
  return random;
}

}  // namespace dpmix::pg
