#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep {

/// Physical memory of this machine, bytes.
[[nodiscard]] std::uint64_t machine_memory();

/// Asks for large pages behind memory that was not written yet; where there are none, nothing happens.
///
/// Streaming through gigabytes in pages of 4 KiB spends a third of the time on address translation.
void advise_huge_pages(void* begin, std::size_t bytes);

/// A vector of `count` elements that stand for 0, on large pages where there are some.
template <class T>
[[nodiscard]] std::vector<T> huge_vector(std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  advise_huge_pages(values.data(), count * sizeof(T));
  values.resize(count);
  return values;
}

}  // namespace upsweep
