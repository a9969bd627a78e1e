#include "analyzer/cache/digest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace lint {
namespace {

// The note that the linker writes into each file: a hash of what it linked.
std::string_view buildId(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* name = at + sizeof *note;
      const char* content = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && std::string_view(name, note->n_namesz) == std::string_view("GNU", 4)) return {content, note->n_descsz};
      at = content + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return {};
}

// A library without the note is known by its file.
std::string fileIdentity(const char* path) {
  struct stat status;
  if (stat(*path ? path : "/proc/self/exe", &status)) return path;
  return std::string(path) + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

int addObject(dl_phdr_info* object, size_t, void* text) {
  std::string_view id = buildId(*object);
  *static_cast<std::string*>(text) += (id.empty() ? fileIdentity(object->dlpi_name) : std::string(id)) + "\n";
  return 0;
}

}  // namespace

Digest digestOf(std::string_view bytes) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(bytes));
  return hash.final<sizeof(Digest)>();
}

std::string hex(const Digest& digest) { return llvm::toHex(digest, /*LowerCase=*/true); }

const Digest& programIdentity() {
  static const Digest identity = [] {
    std::string text = TORCH_TIDY_VERSION "\n";
    dl_iterate_phdr(addObject, &text);
    return digestOf(text);
  }();
  return identity;
}

}  // namespace lint
