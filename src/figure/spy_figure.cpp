#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plot_axis.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostPictures = 24;
constexpr std::size_t kLeastProducts = 6;        // of them, where there are so many
constexpr std::size_t kMostPathBytes = 150'000;  // of all pictures together
constexpr double kMostAspect = 4;                // of a picture's sides

/// From which share of a cell (of 255) on it has shade 1, 2, ...
constexpr std::array<unsigned, 6> kShadeFrom = {1, 4, 14, 52, 128, 230};

/// Cells of a picture, blocks of `block` by `block` of which are drawn as one, at their mean: as stored where it is 1.
class SpyCells {
 public:
  SpyCells(const StoredPicture& picture, std::uint32_t block) : picture_(picture), block_(block) {}

  [[nodiscard]] std::uint32_t rows() const { return (picture_.grid_rows + block_ - 1) / block_; }
  [[nodiscard]] std::uint32_t cols() const { return (picture_.grid_cols + block_ - 1) / block_; }
  /// ceil of the mean, so that a block with any entry is not 0.
  [[nodiscard]] unsigned value(std::uint32_t row, std::uint32_t col) const {
    unsigned sum = 0;
    unsigned count = 0;
    for (std::uint32_t y = row * block_; y < std::min((row + 1) * block_, picture_.grid_rows); ++y) {
      for (std::uint32_t x = col * block_; x < std::min((col + 1) * block_, picture_.grid_cols); ++x, ++count)
        sum += picture_.cells[std::size_t{y} * picture_.grid_cols + x];
    }
    return (sum + count - 1) / count;
  }

  /// An SVG path in cells of the stored grid over all cells of at least a value; empty where there are none.
  [[nodiscard]] std::string path(unsigned least) const {
    std::string path;
    std::int64_t pen_x = 0;
    std::int64_t pen_y = 0;
    for (std::uint32_t row = 0; row < rows(); ++row) {
      for (std::uint32_t col = 0; col < cols(); ++col) {
        if (value(row, col) < least) continue;
        const std::uint32_t first = col;
        while (col < cols() && value(row, col) >= least) ++col;
        const std::int64_t x = std::int64_t{first} * block_;
        const std::int64_t y = std::int64_t{row} * block_;
        const std::int64_t width = std::min<std::int64_t>(std::int64_t{col} * block_, picture_.grid_cols) - x;
        const std::int64_t height = std::min<std::int64_t>(block_, picture_.grid_rows - y);
        path += fmt::format("m{} {}h{}v{}h-{}v-{}", x - pen_x, y - pen_y, width, height, width, height);
        pen_x = x;  // where the part began: drawn back to, as Vega loses its way after a "z"
        pen_y = y;
      }
    }
    return path;
  }

 private:
  const StoredPicture& picture_;
  std::uint32_t block_;
};

/// Paths by shade, each over all cells of that shade or a darker one: drawn from the palest on, no seams show.
struct SpyPaths {
  std::array<std::string, kShadeFrom.size()> paths;
  std::uint32_t block = 1;

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const std::string& path : paths) sum += path.size();
    return sum;
  }
};

/// The picture in at most so many bytes, or in one cell: at half, a quarter, ... of its detail where it takes that.
SpyPaths spy_paths(const StoredPicture& picture, std::size_t most) {
  SpyPaths made;
  for (;; made.block *= 2) {
    const SpyCells cells(picture, made.block);
    for (std::size_t shade = 0; shade < kShadeFrom.size(); ++shade) made.paths[shade] = cells.path(kShadeFrom[shade]);
    if (made.bytes() <= most || cells.rows() * cells.cols() == 1) return made;
  }
}

bool is_whole(const StoredPicture& picture) {
  return picture.rows > 0 && picture.cols > 0 && picture.grid_rows > 0 && picture.grid_cols > 0 &&
         picture.cells.size() == std::size_t{picture.grid_rows} * picture.grid_cols;
}

/// At most kMostPictures: every Jacobian as far as there is room beside kLeastProducts products, then products.
struct ShownPictures {
  std::vector<const StoredPicture*> shown;
  std::size_t jacobians = 0;  ///< those of `shown` that come first
  std::size_t all_jacobians = 0;
  std::size_t all_products = 0;

  explicit ShownPictures(std::span<const StoredPicture> pictures) {
    std::vector<const StoredPicture*> products;
    for (const StoredPicture& picture : pictures) {
      if (is_whole(picture)) (picture.first == picture.last ? shown : products).push_back(&picture);
    }
    all_jacobians = shown.size();
    all_products = products.size();
    jacobians = std::min(all_jacobians, kMostPictures - std::min(all_products, kLeastProducts));
    shown.resize(jacobians);
    products.resize(std::min(all_products, kMostPictures - jacobians));
    shown.insert(shown.end(), products.begin(), products.end());
  }

  [[nodiscard]] bool is_all() const { return shown.size() == all_jacobians + all_products; }
};

std::string block_text(std::uint64_t size, std::uint32_t grid, std::uint32_t block) {
  const double cells = static_cast<double>(size) * block / grid;
  const std::uint64_t whole = size * block / grid;
  return cells == static_cast<double>(whole) ? fmt::format("{:.0f}", cells) : fmt::format("about {:.4g}", cells);
}

void add_picture(Figure& figure, const StoredPicture& picture, const SpyPaths& paths) {
  FigureData& pictures = figure.tables["pictures"]["rows"];
  const std::size_t index = pictures.size();
  const double aspect =
      std::clamp(static_cast<double>(picture.rows) / static_cast<double>(picture.cols), 1 / kMostAspect, kMostAspect);
  const double width = std::min(1.0, 1 / aspect);  // of the longer side
  const double height = std::min(1.0, aspect);
  const std::string entries = short_count(static_cast<double>(picture.nnz));
  const double share =
      static_cast<double>(picture.nnz) / (static_cast<double>(picture.rows) * static_cast<double>(picture.cols));
  const std::string name =
      picture.name.empty() ? fmt::format("a[{}..{}]", picture.first, picture.last) : short_text(picture.name, 60);
  const std::string place = picture.first == picture.last ? fmt::format("a[{}]", picture.first)
                                                          : fmt::format("a[{}..{}]", picture.first, picture.last);
  pictures.push_back({index, rounded(width), rounded(height), name, fmt::format("{} × {}", picture.rows, picture.cols),
                      fmt::format("{}, {}", entries, percent(share)),
                      fmt::format("{}, {} of the scan array: {} × {}, {} entries, density {}; a cell is {} × {} places",
                                  name, place, picture.rows, picture.cols, entries, percent(share),
                                  block_text(picture.rows, picture.grid_rows, paths.block),
                                  block_text(picture.cols, picture.grid_cols, paths.block))});
  for (std::size_t shade = 0; shade < paths.paths.size(); ++shade) {
    if (paths.paths[shade].empty()) continue;
    figure.tables["shades"]["rows"].push_back({index, shade + 1, rounded(width / picture.grid_cols),
                                               rounded(height / picture.grid_rows), paths.paths[shade]});
  }
}

/// Texts of the shades: "0 to 1.2 %".
FigureData shade_labels() {
  FigureData labels = FigureData::array();
  for (std::size_t shade = 0; shade < kShadeFrom.size(); ++shade) {
    const double to = shade + 1 < kShadeFrom.size() ? (kShadeFrom[shade + 1] - 1) / 2.55 : 100;
    labels.push_back(shade == 0 ? fmt::format("up to {:.2g} %", to) : fmt::format("to {:.3g} %", to));
  }
  return labels;
}

}  // namespace

std::optional<Figure> spy_figure(std::span<const StoredPicture> pictures, std::string context) {
  const ShownPictures chosen(pictures);
  const std::vector<const StoredPicture*>& shown = chosen.shown;
  if (shown.empty()) return std::nullopt;
  Figure figure{.kind = "spy", .title = "Sparsity patterns", .caption = ""};
  figure.tables["pictures"] = figure_table({"index", "width", "height", "name", "shape", "entries", "about"});
  figure.tables["shades"] = figure_table({"index", "shade", "scale_x", "scale_y", "path"});
  figure.context = std::move(context);
  std::size_t coarse = 0;
  double highest = 0;
  for (const StoredPicture* picture : shown) {
    const SpyPaths paths = spy_paths(*picture, kMostPathBytes / shown.size());
    coarse += paths.block > 1 ? 1 : 0;
    add_picture(figure, *picture, paths);
    highest = std::max(highest, figure.tables["pictures"]["rows"].back()[2].get<double>());
  }
  figure.caption =
      "Transposed Jacobians and products of neighbours in the scan array. A cell is a block of rows × columns: it "
      "shows where there is any entry in it, darker the more of its places are entries. Below each name: rows × "
      "columns, then entries and density.";
  figure.caption += fmt::format(" Sides are true to scale up to {:.0f} : 1.", kMostAspect);
  if (coarse > 0) {
    figure.caption +=
        fmt::format(" {} drawn with larger cells than stored, to keep the page small.", counted(coarse, "picture"));
  }
  if (!chosen.is_all()) {
    figure.caption +=
        fmt::format(" The first {} of {} and {} of {}.", chosen.jacobians, counted(chosen.all_jacobians, "Jacobian"),
                    shown.size() - chosen.jacobians, counted(chosen.all_products, "product"));
  }
  figure.signals["count"] = shown.size();
  figure.signals["highest"] = highest;
  figure.signals["shade_labels"] = shade_labels();
  return figure;
}

}  // namespace upsweep
