#pragma once

#include <cstddef>
#include <span>

#include "upsweep/solve/backward_system.hpp"

namespace upsweep {

/// The map v → M v + c of a system whose groups of blocks are solved directly: c - A v with the block diagonal of the
/// groups divided out, so that M is nilpotent.
///
/// Groups are counted from the loss on; the last block stands alone, M has nothing but zeros in its rows.
template <class T>
class GroupedProduct {
 public:
  /// `system` must outlive this object; `group` is at least 1.
  GroupedProduct(const BackwardSystem<T>& system, std::size_t group) : system_(system), group_(group) {}

  [[nodiscard]] const BackwardSystem<T>& system() const { return system_; }
  [[nodiscard]] std::size_t group() const { return group_; }

  /// Writes M v + c into `next`, another vector of unknowns. Blocks of a group come one after the other.
  void sweep(std::span<const T> v, std::span<T> next) const {
    const std::size_t last = system_.couplings();
    system_.solve_row(last, {}, system_.block(next, last));
    solve_groups(v, next);
  }

  /// Writes M v into `next`.
  void product(std::span<const T> v, std::span<T> next) const {
    for (T& number : system_.block(next, system_.couplings())) number = T{0};
    solve_groups(v, next);
  }

 private:
  void solve_groups(std::span<const T> v, std::span<T> next) const {
    const std::size_t last = system_.couplings();
    for (std::size_t j = 0; j < last; ++j) {
      const std::size_t k = last - 1 - j;
      const bool begins_group = j % group_ == 0;
      const std::span<const T> source = begins_group ? v : std::span<const T>(next);
      system_.solve_row(k, system_.block(source, k + 1), system_.block(next, k));
    }
  }

  const BackwardSystem<T>& system_;
  std::size_t group_;
};

}  // namespace upsweep
