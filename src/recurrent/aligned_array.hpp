#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace upsweep {

/// Bytes of the widest vector that a kernel reads; rows of padded matrices are multiples of it.
inline constexpr std::size_t kVectorBytes = 64;

/// `count` rounded up to whole vectors.
template <class T>
[[nodiscard]] constexpr std::size_t padded(std::size_t count) {
  constexpr std::size_t kLanes = kVectorBytes / sizeof(T);
  return (count + kLanes - 1) / kLanes * kLanes;
}

/// Zeros that start at a vector's boundary, with a vector to spare behind them: kernels read whole vectors.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : data_(new (kAlignment) T[size + kVectorBytes / sizeof(T)]()), size_(size) {}

  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::align_val_t kAlignment{kVectorBytes};
  struct Free {
    void operator()(T* memory) const { ::operator delete[](memory, kAlignment); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace upsweep
