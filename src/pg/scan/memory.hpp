// dpmix.scan_memory: how much memory a release may take for what it keeps of protected rows. By it,
// and by how many rows a table has for everybody to see, a scan is cut into shares.
#pragma once

namespace dpmix::pg {

void scan_memory_init();  // of _PG_init
double scan_memory_bytes();

}  // namespace dpmix::pg
