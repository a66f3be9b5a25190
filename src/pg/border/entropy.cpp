#include "pg/border/entropy.hpp"

#include "pg/border/postgres.hpp"

namespace dpmix::pg {

void fresh_key(RandomStream::Key& key) {
  if (!pg_strong_random(key.data(), key.size())) {
    ereport(ERROR,
            (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random noise"),
             errhint("The operating system's entropy source failed; nothing was released.")));
  }
}

}  // namespace dpmix::pg
