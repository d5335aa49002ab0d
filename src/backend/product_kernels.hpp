#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "adding_order.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep {

/// A product with its numbers; refers to memory that lives elsewhere.
template <class T>
struct ProductTask {
  ProductForm form = ProductForm::vector;
  const Layout* x = nullptr;
  const Layout* y = nullptr;           ///< null for a vector
  const Layout* c = nullptr;           ///< null for a vector
  const AddingOrder* order = nullptr;  ///< of the forms general and single_columns
  const T* x_values = nullptr;
  const T* y_values = nullptr;
  T* c_values = nullptr;

  /// Units that may be computed independently: teams of X, or its rows where the product scales
  /// (a vector too, where X has at most one entry per row).
  [[nodiscard]] std::size_t units() const;
  /// Cost of the units [0, i), up to a factor: work that balances parts. Shape: units() + 1, ascending from 0.
  [[nodiscard]] std::vector<std::uint64_t> unit_costs() const;
};

/// One worker's accumulators; all zero between calls.
template <class T>
class Scratch {
 public:
  /// At least `count` zeros, aligned for vectors of kTeamRows numbers.
  T* zeros(std::size_t count) {
    if (size_ < count) {
      zeros_.reset(new (kAlignment) T[count]());
      size_ = count;
    }
    return zeros_.get();
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* memory) const { ::operator delete[](memory, kAlignment); }
  };
  std::unique_ptr<T[], Free> zeros_;
  std::size_t size_ = 0;
};

/// Numbers of scratch that a task needs.
template <class T>
[[nodiscard]] std::size_t scratch_size(const ProductTask<T>& task);

/// Computes the units [begin, end) of a product. Rows of X without entries are the caller's: clear_untouched().
///
/// Cost: one multiply-add per matched pair, one pass over the structure per team.
template <class T>
void compute_units(const ProductTask<T>& task, std::size_t begin, std::size_t end, Scratch<T>& scratch);

/// Sets the rows of a vector result to 0 that no unit reaches. Other results have no such entries.
template <class T>
void clear_untouched(const ProductTask<T>& task);

}  // namespace upsweep
