#pragma once

#include "recurrent_cell_view.hpp"

/// Vectors through a chain of stored matrices. Teams as in recurrent_walk_program.hpp.
namespace upsweep::kernels {

/// One product of a chain: g of time `target` = g of time `earlier` · matrix, as rows.
struct FoldStep {
  std::uint64_t earlier = 0;
  std::uint64_t target = 0;
  std::uint64_t matrix = 0;  ///< its number
};

/// A chain of products, the same for every sample. Owns nothing.
template <class T>
struct FoldView {
  const FoldStep* steps = nullptr;  ///< length count
  std::uint64_t count = 0;
  const T* matrices = nullptr;  ///< [matrix][b][row][padded_row(hidden)], not transposed
  T* gradients = nullptr;       ///< [t][b][hidden]
  std::uint64_t batch = 0;
  std::uint32_t hidden = 0;
};

/// How a team goes through a chain: all threads fetch the next matrices into registers while the first ones multiply by
/// those in shared memory.
template <class T, unsigned kHiddenClass>
struct FoldShape {
  using Number = T;
  static constexpr unsigned kHidden = kHiddenClass;
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kMatrixPacks = kHidden * kHidden / kPack<T>;
  static constexpr unsigned kSharedPacks = 2048;  ///< 32 KiB
  static constexpr unsigned kBatch = kMatrixPacks >= kSharedPacks       ? 1
                                     : kSharedPacks / kMatrixPacks < 16 ? kSharedPacks / kMatrixPacks
                                                                        : 16;  ///< matrices at a time
};

template <class Shape>
struct FoldScratch {
  using Number = typename Shape::Number;
  Pack<Number, kPack<Number>> matrices[Shape::kBatch * Shape::kMatrixPacks];  ///< rows of kHidden
  Pack<Number, kPack<Number>> vectors[2][Shape::kHidden / kPack<Number>];
};

/// Goes through a chain for sample b.
template <class Shape, class Team>
class FoldProgram {
 public:
  using T = typename Shape::Number;

  UPSWEEP_HOST_DEVICE FoldProgram(const Team& team, const FoldView<T>& view, FoldScratch<Shape>& shared)
      : team_(team), view_(view), shared_(shared) {}

  /// Bound: reading the matrices, hidden² numbers per product, kBatch products ahead; or, since one warp multiplies,
  /// its chain of latencies: shared memory, hidden multiply-adds in 4 chains, shared memory. 2 · hidden² FLOPs per
  /// product.
  UPSWEEP_HOST_DEVICE void run(std::uint64_t b) {
    fetch(0, b);
    std::uint64_t at_time = ~std::uint64_t{0};  // of the vector that is in shared memory
    unsigned half = 0;
    for (std::uint64_t begin = 0; begin < view_.count; begin += Shape::kBatch) {
      UPSWEEP_UNROLL
      for (unsigned i = 0; i < kItems; ++i) {
        const unsigned at = team_.rank() + i * Team::kSize;
        if (at < kAllPacks) shared_.matrices[at] = fetched_[i];
      }
      team_.sync();
      fetch(begin + Shape::kBatch, b);
      if (team_.rank() < Team::kFirst) multiply(begin, b, at_time, half);
      team_.sync();
    }
  }

 private:
  static constexpr unsigned kAllPacks = Shape::kBatch * Shape::kMatrixPacks;
  static constexpr unsigned kItems = (kAllPacks + Team::kSize - 1) / Team::kSize;
  static constexpr unsigned kColumns = (Shape::kHidden + Team::kFirst - 1) / Team::kFirst;  // of a first thread
  static constexpr unsigned kWide = kPack<T>;

  /// Reads this thread's share of the matrices from step `begin` of the chain on; zeros where there are none.
  UPSWEEP_HOST_DEVICE void fetch(std::uint64_t begin, std::uint64_t b) {
    const unsigned width = padded_row(view_.hidden);
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned at = team_.rank() + i * Team::kSize;
      const std::uint64_t step = begin + at / Shape::kMatrixPacks;
      const unsigned number = at % Shape::kMatrixPacks * kWide;
      const unsigned row = number / Shape::kHidden;
      const unsigned col = number % Shape::kHidden;
      fetched_[i] = {};
      if (at >= kAllPacks || step >= view_.count || row >= view_.hidden || col >= width) continue;
      const std::uint64_t matrix = view_.steps[step].matrix * view_.batch + b;
      fetched_[i] = load_pack<kWide>(view_.matrices + (matrix * view_.hidden + row) * width + col);
    }
  }

  /// The products with the matrices in shared memory, by the first threads.
  UPSWEEP_HOST_DEVICE void multiply(std::uint64_t begin, std::uint64_t b, std::uint64_t& at_time, unsigned& half) {
    for (unsigned k = 0; k < Shape::kBatch && begin + k < view_.count; ++k) {
      const FoldStep step = view_.steps[begin + k];
      if (step.earlier != at_time) {
        read_vector(step.earlier, b, half);
        team_.sync_first();
      }
      const auto* const matrix = reinterpret_cast<const T*>(shared_.matrices + k * Shape::kMatrixPacks);
      const auto* const from = shared_.vectors[half];
      half ^= 1U;
      UPSWEEP_UNROLL
      for (unsigned c = 0; c < kColumns; ++c) {
        const unsigned col = team_.rank() + c * Team::kFirst;
        if (col >= Shape::kHidden) continue;
        T sums[4] = {};
        UPSWEEP_UNROLL
        for (unsigned i = 0; i < Shape::kHidden; i += kWide) {
          const auto pack = from[i / kWide];
          UPSWEEP_UNROLL
          for (unsigned v = 0; v < kWide; ++v) sums[(i + v) % 4] += pack.x[v] * matrix[(i + v) * Shape::kHidden + col];
        }
        const T sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        shared_.vectors[half][col / kWide].x[col % kWide] = sum;
        if (col < view_.hidden) view_.gradients[(step.target * view_.batch + b) * view_.hidden + col] = sum;
      }
      at_time = step.target;
      team_.sync_first();
    }
  }

  UPSWEEP_HOST_DEVICE void read_vector(std::uint64_t time, std::uint64_t b, unsigned half) const {
    const T* const from = view_.gradients + (time * view_.batch + b) * view_.hidden;
    for (unsigned i = team_.rank(); i < Shape::kHidden; i += Team::kFirst) {
      shared_.vectors[half][i / kWide].x[i % kWide] = i < view_.hidden ? from[i] : T(0);
    }
  }

  const Team& team_;
  const FoldView<T>& view_;
  FoldScratch<Shape>& shared_;
  Pack<T, kWide> fetched_[kItems];
};

}  // namespace upsweep::kernels
