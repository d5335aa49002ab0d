#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace upsweep {

/// A vector of at most N elements that live in the object itself: no memory from the heap, and a copy costs no more
/// than the elements that are there.
template <class T, std::size_t N>
class InlineVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  using const_iterator = const T*;

  // Written out so that {} does not clear memory that no element uses.
  InlineVector() {}  // NOLINT(modernize-use-equals-default)
  InlineVector(const InlineVector& other) { append(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      size_ = 0;
      append(other);
    }
    return *this;
  }
  ~InlineVector() = default;

  /// Appends an element and hands it out; there are less than N.
  T& push_back(const T& item) {
    assert(size_ < N);
    return *std::construct_at(storage_.items + size_++, item);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return storage_.items[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return storage_.items[i]; }
  [[nodiscard]] const T& front() const { return storage_.items[0]; }
  [[nodiscard]] const T& back() const { return storage_.items[size_ - 1]; }
  [[nodiscard]] T* begin() { return storage_.items; }
  [[nodiscard]] T* end() { return storage_.items + size_; }
  [[nodiscard]] const T* begin() const { return storage_.items; }
  [[nodiscard]] const T* end() const { return storage_.items + size_; }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void append(const InlineVector& other) {
    for (const T& item : other) push_back(item);
  }

  /// Memory of N elements, of which none is made with it.
  union Storage {
    Storage() {}  // NOLINT(modernize-use-equals-default): deleted where it is defaulted
    T items[N];
  };

  Storage storage_;
  std::size_t size_ = 0;
};

}  // namespace upsweep
