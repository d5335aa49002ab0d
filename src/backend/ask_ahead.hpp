#pragma once

#include <cstdint>

/// Lines of the cache that kernels ask for before they come to them; no address here is that of an object.
namespace upsweep {

/// Where a stream comes to a little later, perhaps beyond its end: no address of an object.
[[nodiscard]] inline const void* ahead_of(const void* at, std::uintptr_t bytes) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(at) + bytes);
}
inline constexpr std::uintptr_t kAhead = 2048;  // bytes

/// Asks for what a stream that is read comes to: left to themselves, processors read several streams from memory at a
/// half to a quarter of the speed. Inlined at once: a function that does nothing else has no effect, to GCC, and calls
/// of it are left out.
[[gnu::always_inline]] inline void ask_ahead(const void* at, std::uintptr_t bytes = kAhead) {
  __builtin_prefetch(ahead_of(at, bytes));
}

/// The same of a stream that is written: its lines for this worker alone. Those that others have read since are
/// otherwise asked for twice, to be read and to be written.
[[gnu::always_inline]] inline void ask_ahead_to_write(void* at) {
#if defined(__x86_64__) && defined(__GNUC__)
  // What compilers write for processors that are said to have it; the others take it for no operation.
  asm volatile("prefetchw (%0)" : : "r"(ahead_of(at, kAhead)));
#else
  __builtin_prefetch(ahead_of(at, kAhead), 1);
#endif
}

}  // namespace upsweep
