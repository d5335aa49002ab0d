#include "upsweep/profile/pattern_picture.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// `size` > 0 places cut into `cells` <= size cells, as picture_of() states it.
struct PictureAxis {
  std::uint64_t size;
  std::uint64_t cells;

  [[nodiscard]] std::uint64_t begin(std::uint64_t cell) const { return cell * size / cells; }
  [[nodiscard]] std::uint64_t length(std::uint64_t cell) const { return begin(cell + 1) - begin(cell); }
  /// The cell of a place: the last one that begins at it or before.
  [[nodiscard]] std::uint64_t cell_of(std::uint64_t place) const { return ((place + 1) * cells - 1) / size; }
};

/// Set bits of words[begin, end), by number of bit.
std::uint64_t count_bits(const std::uint64_t* words, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = ~std::uint64_t{0} << begin % 64;
  const std::uint64_t to = end % 64 == 0 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} << end % 64);
  const std::uint64_t last = (end - 1) / 64;
  std::uint64_t count = 0;
  for (std::uint64_t w = begin / 64; w <= last; ++w) {
    const std::uint64_t mask = (w == begin / 64 ? from : ~std::uint64_t{0}) & (w == last ? to : ~std::uint64_t{0});
    count += static_cast<std::uint64_t>(std::popcount(words[w] & mask));
  }
  return count;
}

/// Entries of a row by cell.
class RowCells {
 public:
  explicit RowCells(PictureAxis columns) : columns_(columns), cell_of_(columns.size), counts_(columns.cells) {
    for (std::uint64_t c = 0; c < columns.size; ++c) cell_of_[c] = static_cast<std::uint32_t>(columns.cell_of(c));
  }

  /// Valid until the next call.
  std::span<const std::uint64_t> of(const Row& row) {
    if (row.is_bitmap()) {
      for (std::uint64_t x = 0; x < columns_.cells; ++x) {
        counts_[x] = count_bits(row.words(), columns_.begin(x), columns_.begin(x + 1));
      }
    } else {
      std::fill(counts_.begin(), counts_.end(), 0);
      for (const Index column : row.list()) ++counts_[cell_of_[column]];
    }
    return counts_;
  }

 private:
  PictureAxis columns_;
  std::vector<std::uint32_t> cell_of_;  // by column
  std::vector<std::uint64_t> counts_;   // by cell
};

/// Entries by cell, row by row. Equal rows are looked at once.
std::vector<std::uint64_t> cell_counts(const Pattern& pattern, PictureAxis rows, PictureAxis columns) {
  // A row that is stored once may stand at many places: they are brought together.
  struct Place {
    Index number;  // of the stored row
    Index row;
  };
  std::vector<Place> places;
  places.reserve(pattern.rows());
  for (Index r = 0; r < pattern.rows(); ++r) {
    if (const Index number = pattern.row_number(r); number != Pattern::kEmptyRow) places.push_back({number, r});
  }
  const auto by_number = [](const Place& a, const Place& b) { return a.number < b.number; };
  if (!std::is_sorted(places.begin(), places.end(), by_number)) std::sort(places.begin(), places.end(), by_number);
  std::vector<std::uint64_t> counts(rows.cells * columns.cells);
  RowCells row_cells(columns);
  std::span<const std::uint64_t> cells;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (p == 0 || places[p].number != places[p - 1].number) cells = row_cells.of(pattern.row(places[p].row));
    std::uint64_t* into = counts.data() + rows.cell_of(places[p].row) * columns.cells;
    for (std::size_t x = 0; x < cells.size(); ++x) into[x] += cells[x];
  }
  return counts;
}

/// ceil(255 · count / places).
std::uint8_t shade(std::uint64_t count, std::uint64_t places) {
  __extension__ using Wider = unsigned __int128;
  return static_cast<std::uint8_t>((Wider{255} * count + places - 1) / places);
}

/// The product later · earlier, where it costs at most `products` matched pairs, which it takes off; else nothing.
std::shared_ptr<const Pattern> affordable_product(const std::shared_ptr<const Pattern>& earlier,
                                                  const std::shared_ptr<const Pattern>& later,
                                                  std::uint64_t& products) {
  constexpr std::uint64_t kShareOfMemory = 8;
  try {
    const std::uint64_t cost = count_products(*later, *earlier).products;
    if (cost > products) return nullptr;
    const std::uint64_t as_lists = checked_mul(cost, sizeof(Index));
    const std::uint64_t as_bitmaps = RowSink::most_bytes(later->rows(), earlier->cols());
    if (std::min(as_lists, as_bitmaps) > machine_memory() / kShareOfMemory) return nullptr;
    products -= cost;
    return multiply(later, earlier, Keep::structure).pattern;
  } catch (const CountOverflow&) {
    return nullptr;
  }
}

}  // namespace

PatternPicture picture_of(const Pattern& pattern, std::uint32_t most) {
  PatternPicture picture{pattern.rows(), pattern.cols(), pattern.nnz(), 0, 0, {}};
  const std::uint64_t longer = std::max(picture.rows, picture.cols);
  if (picture.rows == 0 || picture.cols == 0) return picture;
  const std::uint64_t along = std::min<std::uint64_t>(most, longer);
  // The nearest to cells that are squares.
  const auto cells = [&](std::uint64_t size) {
    return std::clamp<std::uint64_t>((2 * size * along + longer) / (2 * longer), 1, size);
  };
  const PictureAxis rows{picture.rows, cells(picture.rows)};
  const PictureAxis columns{picture.cols, cells(picture.cols)};
  picture.grid_rows = static_cast<std::uint32_t>(rows.cells);
  picture.grid_cols = static_cast<std::uint32_t>(columns.cells);
  const std::vector<std::uint64_t> counts = cell_counts(pattern, rows, columns);
  picture.cells.reserve(counts.size());
  for (std::uint64_t y = 0; y < rows.cells; ++y) {
    for (std::uint64_t x = 0; x < columns.cells; ++x) {
      picture.cells.push_back(shade(counts[y * columns.cells + x], rows.length(y) * columns.length(x)));
    }
  }
  return picture;
}

std::vector<ChainPicture> chain_pictures(const JacobianChain& chain, const PictureLimits& limits) {
  std::vector<ChainPicture> pictures;
  // The array as the up-sweep leaves it; null: a vector, or not formed.
  std::vector<std::shared_ptr<const Pattern>> array{nullptr};
  const std::size_t most = std::max<std::size_t>(limits.most_jacobians, 1);
  const std::size_t every = std::max<std::size_t>((chain.jacobians.size() + most - 1) / most, 1);
  for (const auto& jacobian : chain.jacobians) {
    const auto place = static_cast<std::uint32_t>(array.size());
    if ((place - 1) % every == 0) pictures.push_back({place, place, picture_of(*jacobian, limits.cells)});
    array.push_back(jacobian);
  }
  const std::size_t most_pictures = pictures.size() + limits.most_products;
  const Schedule schedule = blelloch_schedule(chain.length());
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  std::uint64_t products = limits.products;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    if (combine.phase != Phase::up || pictures.size() >= most_pictures) break;
    const ValueRange range = ranges[schedule.value_of(id)];
    // What is read here is read by no later combine of the up-sweep: it goes.
    const std::shared_ptr<const Pattern> earlier = std::move(array[static_cast<std::size_t>(combine.left)]);
    std::shared_ptr<const Pattern>& target = array[static_cast<std::size_t>(combine.target)];
    const std::shared_ptr<const Pattern> later = std::move(target);
    target = earlier && later ? affordable_product(earlier, later, products) : nullptr;
    if (target) pictures.push_back({range.first, range.last, picture_of(*target, limits.cells)});
  }
  return pictures;
}

}  // namespace upsweep
