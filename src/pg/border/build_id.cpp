#include "pg/border/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace dpmix::pg {
namespace {

struct Found {
  const unsigned char* bytes;
  std::size_t size;
};

constexpr std::size_t aligned(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

Found build_id_in(const char* notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name = aligned(head.n_namesz), content = aligned(head.n_descsz);
    if (name + content > size - sizeof head) break;
    const char* const text = notes + sizeof head;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(text, "GNU", 4) == 0) {
      return {reinterpret_cast<const unsigned char*>(text + name), head.n_descsz};
    }
    notes = text + name + content;
    size -= sizeof head + name + content;
  }
  return {nullptr, 0};
}

// Called for each loaded object: finds the build ID of the one that this very code came from.
int look_into(dl_phdr_info* object, std::size_t, void* result) {
  const auto here = reinterpret_cast<ElfW(Addr)>(&look_into);
  Found found{nullptr, 0};
  bool mine = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
    mine = mine || (part.p_type == PT_LOAD && here >= start && here - start < part.p_memsz);
    if (part.p_type == PT_NOTE && part.p_align <= 4 && found.bytes == nullptr) {
      found = build_id_in(reinterpret_cast<const char*>(start), part.p_memsz);
    }
  }
  if (mine) *static_cast<Found*>(result) = found;
  return mine ? 1 : 0;
}

}  // namespace

bool build_id(char* text, std::size_t size) {
  Found found{nullptr, 0};
  dl_iterate_phdr(look_into, &found);
  std::size_t digits = 0;
  for (std::size_t i = 0; i < found.size && digits + 2 < size; ++i) {
    text[digits++] = "0123456789abcdef"[found.bytes[i] >> 4];
    text[digits++] = "0123456789abcdef"[found.bytes[i] & 15];
  }
  text[digits] = '\0';
  return digits > 0;
}

}  // namespace dpmix::pg
