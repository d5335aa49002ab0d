#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/calibrate/synthetic.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Stencils of one kind for a family.
struct Stencil {
  Index channels;
  Index reach;
  double kept;
  Index columns = 0;    ///< of Y, where it is no stencil
  Index most_rows = 0;  ///< 0: as many as activations have
  Index entries = 0;    ///< of a row of Y, where they are random

  /// Entries of a row, about.
  [[nodiscard]] double row_entries() const {
    return std::max(1.0, channels * (2.0 * reach + 1) * (2.0 * reach + 1) * kept);
  }
  /// Entries of a row of the product of two of them, about: as many of the places within twice the reach as so many
  /// random products hit.
  [[nodiscard]] double product_row_entries() const {
    const double within = channels * (4.0 * reach + 1) * (4.0 * reach + 1);
    return within * (1 - std::exp(-row_entries() * row_entries() / within));
  }
};

/// Chooses the side so that the product stays in the cache, or leaves it far behind; adds nothing where no side does.
/// Sides of several channels are powers of two, as those of images mostly are: columns of neighbouring channels then
/// compete for the same lines of a cache, which costs more than any other size. A single one has any even side out of
/// the cache: powers of two may all be too small or too large.
class SetBuilder {
 public:
  SetBuilder(std::uint64_t cache_bytes, unsigned value_bytes)
      : cache_(static_cast<double>(cache_bytes)), entry_bytes_(value_bytes + 4), row_bytes_(4 + 2 * value_bytes) {}

  void add(Family family, const char* text, const Stencil& stencil, bool teams, bool in_cache) {
    const std::optional<Index> side = side_of(family, stencil, teams, in_cache);
    if (!side) return;
    SyntheticProduct product{"",           family, stencil.channels, *side,           stencil.reach,
                             stencil.kept, teams,  in_cache,         stencil.columns, stencil.entries};
    product.name = fmt::format("{}, {} channels of {} x {}, reach {}, {:.0f} % kept{}{}", text, stencil.channels, *side,
                               *side, stencil.reach, stencil.kept * 100, y_text(stencil), teams ? ", teams" : "");
    set_.push_back(std::move(product));
  }
  [[nodiscard]] std::vector<SyntheticProduct> finish() { return std::move(set_); }

 private:
  [[nodiscard]] static std::string y_text(const Stencil& stencil) {
    if (stencil.columns == 0) return "";
    const std::string columns = fmt::format("{} columns", stencil.columns);
    return stencil.entries == 0 ? ", " + columns : fmt::format(", rows of {} in {}", stencil.entries, columns);
  }
  [[nodiscard]] std::optional<Index> side_of(Family family, const Stencil& stencil, bool teams, bool in_cache) const {
    const bool adds_up = family == Family::general || family == Family::single_columns || family == Family::runs;
    double row_entries = stencil.row_entries();
    if (stencil.entries > 0) {
      row_entries += stencil.entries + std::min<double>(stencil.columns, row_entries * stencil.entries);
    } else if (family == Family::general) {
      row_entries += stencil.product_row_entries();
    }
    if (family == Family::runs) row_entries += 2 * stencil.columns;
    if (family == Family::scale_columns || family == Family::scale_rows) row_entries *= 2;
    if (family == Family::vector) row_entries += row_bytes_ / entry_bytes_;
    const double row_bytes = row_entries * entry_bytes_;
    // Several channels are as large as activations are. A cache of hundreds of MiB needs more than that to be left.
    const double usual_cache = 1 << 26;
    const double cache = in_cache ? std::min(cache_, kMostInCache) : cache_;
    const double larger = std::max(1.0, cache / usual_cache);
    const double most_rows =
        stencil.channels == 1 ? kMostMade * (teams ? kTeamRows : 1.0) : larger * (adds_up ? 1 << 15 : 1 << 17);
    const double most = stencil.most_rows > 0 && in_cache ? stencil.most_rows : most_rows;
    // A single channel is streamed through, so that its length does not matter. Teams divide an even side.
    if (!in_cache && stencil.channels == 1) {
      const double rows = kTimesCache * cache_ / row_bytes;
      return rows <= most_rows ? std::optional(2 * static_cast<Index>(std::ceil(std::sqrt(rows) / 2))) : std::nullopt;
    }
    std::optional<Index> fitting;
    for (Index side = 4; side <= 4096; side *= 2) {
      const double rows = static_cast<double>(stencil.channels) * side * side;
      const double bytes = rows * row_bytes;
      if (rows > most) break;
      if (!in_cache && bytes >= kTimesCache * cache_) return bytes <= 16 * cache_ ? std::optional(side) : std::nullopt;
      if (in_cache && bytes <= (adds_up ? 0.8 : 0.35) * cache) fitting = side;
    }
    return fitting;
  }

  /// Products in a larger cache are as large as those in one of this size, bytes: making larger ones takes minutes.
  static constexpr double kMostInCache = 1 << 27;
  /// What leaves the cache far behind.
  static constexpr double kTimesCache = 4;
  /// Distinct rows of a single channel, of which more take longer to make and to plan than a calibration should. Picked
  /// vectors out of a cache of more than 84 MB (fp32; 134 MB, fp64) then have teams alone, of more than 335 (537) MB
  /// none.
  static constexpr double kMostMade = 1 << 24;

  double cache_;
  double entry_bytes_;
  double row_bytes_;  ///< of a row besides its entries: where it begins, an element of the vector and of the result
  std::vector<SyntheticProduct> set_;
};

}  // namespace

std::vector<SyntheticProduct> synthetic_products(std::uint64_t cache_bytes, unsigned value_bytes, MachineKind kind) {
  const Stencil streams[] = {{1, 0, 1},    {1, 1, 1},    {8, 1, 0.3},    {64, 1, 0.03},  {16, 2, 0.5}, {128, 1, 0.3},
                             {64, 1, 0.8}, {64, 1, 0.1}, {256, 1, 0.15}, {512, 1, 0.15}, {256, 1, 1},  {512, 1, 1}};
  const Stencil sums[] = {{4, 1, 0.5},   {16, 1, 0.3}, {32, 1, 0.05},  {64, 1, 0.03},  {64, 1, 0.1}, {16, 2, 0.3},
                          {128, 1, 0.1}, {32, 1, 0.5}, {256, 1, 0.06}, {128, 1, 0.03}, {64, 1, 0.3}, {32, 2, 0.1}};
  // Sums of a row that fit the first cache, whatever Y takes.
  const Stencil narrow[] = {{4, 2, 1, 0, 1024},    {6, 2, 1, 0, 1536},     {16, 2, 1, 0, 1024},
                            {32, 2, 0.7, 0, 2048}, {64, 1, 0.35, 0, 1024}, {128, 2, 0.8, 0, 2048}};
  SetBuilder set(cache_bytes, value_bytes);
  for (const bool in_cache : {true, false}) {
    for (const Stencil& stencil : streams) {
      set.add(Family::scale_columns, "scale columns", stencil, false, in_cache);
      for (const bool teams : {false, true}) {
        if (stencil.channels > 1) set.add(Family::scale_rows, "scale rows", stencil, teams, in_cache);
        set.add(Family::vector, "matrix times vector", stencil, teams, in_cache);
        if (stencil.channels > 1) set.add(Family::single_columns, "single columns", stencil, teams, in_cache);
      }
    }
    for (const Stencil& stencil : sums) {
      for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, in_cache);
    }
  }
  if (kind == MachineKind::cpu) {
    for (const Stencil& stencil : narrow) {
      for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, true);
    }
    // Y in the near cache of a worker, in the last one, and out of it.
    const Stencil runs[] = {{4, 1, 1, 16, 1024}, {16, 2, 0.3, 84, 1024}, {64, 1, 0.1, 10, 4096}, {16, 1, 1, 120, 1024},
                            {4, 1, 0.5, 1024},   {16, 2, 0.3, 400},      {64, 1, 0.1, 800},      {256, 1, 0.03, 100}};
    for (const Stencil& stencil : runs) {
      for (const bool teams : {false, true}) set.add(Family::runs, "runs", stencil, teams, true);
    }
    for (const Stencil& stencil : {Stencil{4, 1, 0.5, 4000}, Stencil{16, 0, 0.5, 4000}}) {
      for (const bool teams : {false, true}) set.add(Family::runs, "runs", stencil, teams, false);
    }
    // Y is walked here and there: in rows of 16 to 500, out of near caches of 2 MiB where the last one has 65 MB; under
    // sums of a row that leave the first one; and from memory.
    const Stencil scattered[] = {{512, 0, 0.1, 100, 0, 16},     {256, 0, 0.3, 200, 0, 50},
                                 {256, 0, 0.3, 200, 0, 120},    {64, 0, 0.5, 1000, 0, 500},
                                 {32, 2, 0.8, 12288, 512, 200}, {32, 2, 0.8, 8192, 512, 100}};
    for (const Stencil& stencil : scattered) {
      for (const bool teams : {false, true}) set.add(Family::general, "scattered", stencil, teams, true);
    }
    for (const Stencil& stencil : {Stencil{64, 0, 0.25, 4000, 0, 2000}, Stencil{32, 0, 0.5, 2000, 0, 1000}}) {
      for (const bool teams : {false, true}) set.add(Family::general, "scattered", stencil, teams, false);
    }
  }
  if (kind == MachineKind::gpu) {
    for (const bool in_cache : {true, false}) {
      for (const Stencil& stencil : {Stencil{512, 0, 0.5}, Stencil{1024, 0, 0.5}, Stencil{2048, 0, 0.2}}) {
        for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, in_cache);
      }
    }
  }
  return set.finish();
}

}  // namespace upsweep
