#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "kernels/recurrent_host_team.hpp"
#include "recurrent/support.hpp"
#include "recurrent_block_ranges.hpp"
#include "recurrent_level_lists.hpp"
#include "recurrent_reduce_program.hpp"
#include "recurrent_sizes.hpp"
#include "recurrent_walk_program.hpp"
#include "upsweep/recurrent/block_bounds.hpp"

namespace upsweep::testing {

/// The kernels of a backward pass on this processor: the programs that a GPU runs, one team after the other, each of
/// kThreads threads. Kernels follow on each other as the launches of kernels/recurrent_*_work.cpp.
template <class T, unsigned kThreads>
class HostDevice {
 public:
  explicit HostDevice(const RecurrentCase<T>& test) : shape_(test.weights.shape), steps_(test.states.steps) {
    const std::size_t h = shape_.hidden;
    width_ = kernels::padded_row(static_cast<std::uint32_t>(h));
    w_hh_.resize(shape_.gates() * h * width_ / kPack + 1);
    for (std::size_t i = 0; i < test.weights.w_hh.size(); ++i) w_hh()[i / h * width_ + i % h] = test.weights.w_hh[i];
    gradients_.assign(test.states.hidden.size(), std::numeric_limits<T>::quiet_NaN());
    const std::vector<T>& last = test.head.hidden_gradient;
    std::copy(last.begin(), last.end(), gradients_.end() - static_cast<std::ptrdiff_t>(last.size()));
    const ForwardStates<T>& states = test.states;
    cell_ = {w_hh(),
             states.hidden.data(),
             states.r.data(),
             states.z.data(),
             states.n.data(),
             states.m.data(),
             gradients_.data(),
             states.batch,
             static_cast<std::uint32_t>(h),
             shape_.kind == CellKind::rnn && shape_.nonlinearity == Nonlinearity::relu};
  }

  [[nodiscard]] const std::vector<T>& gradients() const { return gradients_; }

  void run_sequential() { walk({kernels::StepRange{steps_, 0}}); }

  void run_blocked(const BlockOptions& options) {
    const kernels::BlockRanges ranges = kernels::block_ranges(block_times(steps_, options));
    take_matrices(ranges.products.size());
    reduce(ranges.products);
    walk({ranges.vectors.front()});
    fold(ranges.chain);
    walk({ranges.vectors.begin() + 1, ranges.vectors.end()});
  }

  void run_levels(std::uint32_t depth) {
    const kernels::LevelLists lists = kernels::level_lists(shape_, steps_, cell_.batch, depth);
    take_matrices(lists.slots);
    form(lists.element_slots);
    for (const kernels::LevelLaunch& launch : lists.launches) {
      if (launch.is_chain) {
        fold(std::span(lists.chains).subspan(launch.begin, launch.count));
      } else {
        level(std::span(lists.levels).subspan(launch.begin, launch.count));
      }
    }
    walk({kernels::StepRange{1, 0}});
  }

 private:
  static constexpr std::size_t kPack = kernels::kPack<T>;
  using Pack = kernels::Pack<T, kernels::kPack<T>>;
  template <CellKind kKind>
  using Kind = std::integral_constant<CellKind, kKind>;
  template <unsigned kHidden>
  using Hidden = std::integral_constant<unsigned, kHidden>;

  T* w_hh() { return reinterpret_cast<T*>(w_hh_.data()); }
  T* matrices() { return reinterpret_cast<T*>(matrices_.data()); }

  void take_matrices(std::size_t count) {
    Pack nothing;
    for (T& number : nothing.x) number = std::numeric_limits<T>::quiet_NaN();
    matrices_.assign(count * cell_.batch * shape_.hidden * width_ / kPack, nothing);
  }

  /// Calls body(hidden) with the size that the kernels are compiled for; fewer of them in double precision and of
  /// several threads, since each takes its time to compile.
  template <class Body>
  void with_size(const Body& body) {
    if constexpr (kThreads == 1 && std::is_same_v<T, float>) {
      kernels::with_hidden_class(shape_.hidden, body);
    } else if (shape_.hidden <= 8) {
      body(Hidden<8>());
    } else if (shape_.hidden > 32 && shape_.hidden <= 48) {
      body(Hidden<48>());
    } else if constexpr (kThreads == 1) {
      if (shape_.hidden <= 20) return body(Hidden<20>());
      body(Hidden<64>());
    } else {
      throw std::logic_error("no such size");
    }
  }

  /// Calls body(kind, hidden) with constants, for every item and sample.
  template <class Body>
  void for_each_team(std::size_t items, const Body& body) {
    for (std::size_t team = 0; team < items * cell_.batch; ++team) {
      kernels::with_cell_kind(shape_.kind, [&](auto kind) {
        if (shape_.hidden > kernels::kMostSmallHidden) {
          body(kind, Hidden<0>(), team / cell_.batch, team % cell_.batch);
        } else {
          with_size([&](auto hidden) { body(kind, hidden, team / cell_.batch, team % cell_.batch); });
        }
      });
    }
  }

  void walk(const std::vector<kernels::StepRange>& ranges) {
    for_each_team(ranges.size(),
                  [&]<CellKind kKind, unsigned kHidden>(Kind<kKind>, Hidden<kHidden>, std::size_t item, std::size_t b) {
                    if constexpr (kHidden == 0) {
                      std::vector<T> shared(kernels::wide_walk_numbers(shape_.hidden, shape_.kind));
                      run_host_team<kThreads>([&](const auto& team) {
                        kernels::wide_walk_program<kKind>(team, cell_, b, ranges[item], shared.data());
                      });
                    } else {
                      using Shape = kernels::WalkShape<T, kKind, kHidden>;
                      const auto shared = std::make_unique<kernels::WalkScratch<Shape>>();
                      run_host_team<kThreads>([&](const auto& team) {
                        kernels::WalkProgram<Shape, HostTeam<kThreads>>(team, cell_, *shared).run(b, ranges[item]);
                      });
                    }
                  });
  }

  void reduce(const std::vector<kernels::StepRange>& ranges) {
    for_each_team(ranges.size(), [&]<CellKind kKind, unsigned kHidden>(Kind<kKind>, Hidden<kHidden>, std::size_t item,
                                                                       std::size_t b) {
      if constexpr (kHidden > 0) {
        using Program = kernels::ReduceProgram<kKind, kernels::TileShape<T, kHidden>, HostTeam<kThreads>>;
        const auto shared = std::make_unique<typename Program::Scratch>();
        T* const to = matrices() + (item * cell_.batch + b) * shape_.hidden * width_;
        run_host_team<kThreads>([&](const auto& team) { Program(team, cell_, *shared).run(b, ranges[item], to); });
      }
    });
  }

  void fold(std::span<const kernels::FoldStep> chain) {
    const kernels::FoldView<T> view{chain.data(),      chain.size(), matrices(),
                                    gradients_.data(), cell_.batch,  cell_.hidden};
    for_each_team(1, [&]<unsigned kHidden>(auto, Hidden<kHidden>, std::size_t, std::size_t b) {
      if constexpr (kHidden > 0) {
        using Shape = kernels::FoldShape<T, kHidden>;
        const auto shared = std::make_unique<kernels::FoldScratch<Shape>>();
        run_host_team<kThreads>(
            [&](const auto& team) { kernels::FoldProgram<Shape, HostTeam<kThreads>>(team, view, *shared).run(b); });
      }
    });
  }

  void form(const std::vector<std::uint32_t>& slots) {
    for_each_team(slots.size() - 1, [&]<CellKind kKind>(Kind<kKind>, auto, std::size_t item, std::size_t b) {
      const std::uint32_t slot = slots[item + 1];
      if (slot == ~std::uint32_t{0}) return;
      T* const to = matrices() + (slot * cell_.batch + b) * shape_.hidden * width_;
      run_host_team<kThreads>(
          [&](const auto& team) { kernels::jacobian_program<kKind>(team, cell_, slots.size() - 1 - item, b, to); });
    });
  }

  void level(std::span<const kernels::LevelStep> steps) {
    const kernels::LevelView<T> view{steps.data(),      steps.size(), matrices(),
                                     gradients_.data(), cell_.batch,  cell_.hidden};
    for_each_team(steps.size(), [&]<unsigned kHidden>(auto, Hidden<kHidden>, std::size_t item, std::size_t b) {
      if constexpr (kHidden > 0) {
        const auto shared = std::make_unique<kernels::LevelScratch<T, kHidden>>();
        run_host_team<kThreads>([&](const auto& team) {
          kernels::level_program<kernels::TileShape<T, kHidden>>(team, view, steps[item], b, *shared);
        });
      }
    });
  }

  CellShape shape_;
  std::size_t steps_;
  std::size_t width_ = 0;
  std::vector<Pack> w_hh_;
  std::vector<Pack> matrices_;
  std::vector<T> gradients_;
  kernels::CellView<T> cell_;
};

}  // namespace upsweep::testing
