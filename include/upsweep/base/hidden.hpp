#pragma once

#include <memory>
#include <utility>

namespace upsweep {

/// Deletes where the type was known when the object was made.
template <class T>
struct HiddenDelete {
  void (*of_type)(T*) = nullptr;
  void operator()(T* part) const { of_type(part); }
};

/// Owns a part of an object that only one source file knows: what holds it needs no destructor and no moves of its own.
template <class T>
using Hidden = std::unique_ptr<T, HiddenDelete<T>>;

/// Makes it, where T is known.
template <class T, class... Args>
[[nodiscard]] Hidden<T> make_hidden(Args&&... args) {
  return Hidden<T>(new T(std::forward<Args>(args)...), {[](T* part) { delete part; }});
}

}  // namespace upsweep
