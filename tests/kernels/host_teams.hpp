#pragma once

#include <atomic>
#include <barrier>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "row_views.hpp"

/// Teams of kernels/row_programs.hpp on a CPU.
namespace upsweep::testing {

/// What the threads of a team share.
struct TeamState {
  explicit TeamState(std::size_t threads) : barrier(static_cast<std::ptrdiff_t>(threads)), terms(threads) {}

  std::barrier<> barrier;
  std::vector<double> terms;
};

/// One of several threads; no barrier and no atomic is left out, so that ThreadSanitizer sees what a GPU would do.
class ThreadTeam {
 public:
  ThreadTeam(TeamState& state, Index rank) : state_(&state), rank_(rank) {}

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(state_->terms.size()); }
  void sync() const { state_->barrier.arrive_and_wait(); }

  template <class T>
  [[nodiscard]] T sum(T value) const {
    state_->terms[rank_] = value;
    sync();
    double total = 0;
    for (const double term : state_->terms) total += term;
    sync();
    return static_cast<T>(total);
  }
  template <class T>
  static void add(T& target, T value) {
    std::atomic_ref<T>(target).fetch_add(value, std::memory_order_relaxed);
  }
  static void set_bits(std::uint32_t& word, std::uint32_t bits) {
    std::atomic_ref<std::uint32_t>(word).fetch_or(bits, std::memory_order_relaxed);
  }
  static Index count_bits(std::uint32_t word) { return static_cast<Index>(std::popcount(word)); }

 private:
  TeamState* state_;
  Index rank_;
};

/// Calls body(team) in every thread of a team of `threads`.
template <class Body>
void run_team(std::size_t threads, const Body& body) {
  TeamState state(threads);
  std::vector<std::jthread> others;
  for (Index rank = 1; rank < threads; ++rank) {
    others.emplace_back([&body, &state, rank] { body(ThreadTeam(state, rank)); });
  }
  body(ThreadTeam(state, 0));
}

}  // namespace upsweep::testing
