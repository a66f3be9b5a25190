// Which build of the library runs: what one build writes for another session to read is named after
// it, so that no other build ever takes it for its own.
#pragma once

#include <cstddef>

namespace dpmix::pg {

// Writes the linker's build id of the loaded library as hexadecimal digits, at most size - 1 of
// them and a zero. False: it has none. Plain C, raises nothing.
bool build_id(char* text, std::size_t size);

}  // namespace dpmix::pg
