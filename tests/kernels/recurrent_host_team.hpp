#pragma once

#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

/// Teams of kernels/recurrent_walk_program.hpp on a CPU.
namespace upsweep::testing {

/// One of kThreads threads; no barrier is left out, so that ThreadSanitizer sees what a GPU would do. Of one thread it
/// is a plain loop over the lanes.
template <unsigned kThreads>
class HostTeam {
 public:
  static constexpr unsigned kSize = kThreads;
  static constexpr unsigned kFirst = kThreads > 1 ? kThreads / 2 : 1;

  /// What the threads of a team share.
  struct State {
    std::barrier<> all{kThreads};
    std::barrier<> first{kFirst};
    std::vector<double> terms = std::vector<double>(kThreads);
  };

  HostTeam(State& state, unsigned rank) : state_(&state), rank_(rank) {}

  [[nodiscard]] unsigned rank() const { return rank_; }
  void sync() const { state_->all.arrive_and_wait(); }
  void sync_first() const { state_->first.arrive_and_wait(); }

  template <unsigned kParts, class T, std::size_t kItems>
  void sum_parts(T (&values)[kItems]) const {
    static_assert(kThreads == 1 ? kItems % kParts == 0 : kThreads % kParts == 0);
    if constexpr (kThreads == 1) {
      for (std::size_t group = 0; group < kItems; group += kParts) {
        T sum = 0;
        for (std::size_t i = group; i < group + kParts; ++i) sum += values[i];
        for (std::size_t i = group; i < group + kParts; ++i) values[i] = sum;
      }
    } else if constexpr (kParts > 1) {
      for (T& value : values) {
        state_->terms[rank_] = value;
        sync();
        T sum = 0;
        const unsigned group = rank_ / kParts * kParts;
        for (unsigned other = group; other < group + kParts; ++other) sum += static_cast<T>(state_->terms[other]);
        value = sum;
        sync();
      }
    }
  }

 private:
  State* state_;
  unsigned rank_;
};

/// Calls body(team) in every thread of a team.
template <unsigned kThreads, class Body>
void run_host_team(const Body& body) {
  typename HostTeam<kThreads>::State state;
  std::vector<std::jthread> others;
  for (unsigned rank = 1; rank < kThreads; ++rank) {
    others.emplace_back([&body, &state, rank] { body(HostTeam<kThreads>(state, rank)); });
  }
  body(HostTeam<kThreads>(state, 0));
}

}  // namespace upsweep::testing
