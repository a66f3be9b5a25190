#include "pg/border/message.hpp"

extern "C" {
#include "libpq/pqformat.h"
}

namespace dpmix::pg {

void put_varlena(StringInfo out, const void* value) {
  pq_sendint32(out, (uint32)VARSIZE(value));
  appendBinaryStringInfo(out, (const char*)value, (int)VARSIZE(value));
}

struct varlena* get_varlena(StringInfo in) {
  const int size = (int)pq_getmsgint(in, 4);
  const char* bytes = pq_getmsgbytes(in, size);
  if (size < VARHDRSZ) elog(ERROR, "a value that is cut short");
  struct varlena* value = (struct varlena*)memcpy(palloc((Size)size), bytes, (Size)size);
  if (!VARATT_IS_4B_U(value) || VARSIZE(value) != (Size)size) {
    elog(ERROR, "a value of another length");
  }
  return value;
}

}  // namespace dpmix::pg
