#include "upsweep/base/memory.hpp"

#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace upsweep {

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

void return_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace upsweep
