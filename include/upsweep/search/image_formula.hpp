#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// Height and width of an image.
struct ImageSize {
  std::uint64_t height = 0;
  std::uint64_t width = 0;

  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// A count as a polynomial: (c[0] + c[1] · height + c[2] · width + c[3] · height · width) / divisor.
struct ImagePolynomial {
  std::array<std::int64_t, 4> c{};
  std::int64_t divisor = 1;  ///< positive; no factor is common to all

  /// Its value, where that is a whole number of 64 bits that is not negative.
  [[nodiscard]] std::optional<std::uint64_t> at(ImageSize size) const;

  friend bool operator==(const ImagePolynomial&, const ImagePolynomial&) = default;
};

/// The polynomial through counts[a][b] at sizes {first.height + a · step, first.width + b · step}, a, b = 0, 1, by
/// exact interpolation. Nothing where its coefficients leave 64 bits.
[[nodiscard]] std::optional<ImagePolynomial> polynomial_through(
    const std::array<std::array<std::uint64_t, 2>, 2>& counts, ImageSize first, std::uint64_t step);

/// Sizes of images that lie on a line: all of one width, all of one height, or all of one ratio of both.
enum class ImageLineKind { width, height, ratio };

/// A count at a size.
struct CountAtSize {
  ImageSize size;
  std::uint64_t count = 0;
};

/// The polynomial through counts at three sizes of a line, of which no two are equal, by exact interpolation: of degree
/// 2 in the size where the ratio is fixed (no term in width alone, which height stands for), of degree 1 elsewhere.
/// Nothing where there is none, or where its coefficients leave 64 bits.
[[nodiscard]] std::optional<ImagePolynomial> polynomial_through(const std::array<CountAtSize, 3>& counts,
                                                                ImageLineKind kind);

/// A count of a network.
struct ImageCount {
  std::string of;    ///< the name of an operator or schedule, "op 3", "network"
  std::string what;  ///< "nnz", "flops", ...
  std::uint64_t value = 0;
};

/// A count as a formula.
struct ImageFormula {
  std::string of;  ///< as in ImageCount
  std::string what;
  std::optional<ImagePolynomial> polynomial = {};  ///< nothing where none was found
  /// It equals the counts at all sizes from these on that were counted: four that it is made from, and `checks` others.
  ImageSize from = {};
  std::size_t checks = 0;
  /// A critical path, a maximum of polynomials: made from those of the combines, from where on one path is longest at
  /// all larger sizes; it equals the counts at `checks` sizes, which may be none.
  bool is_derived = false;
};

/// Formulas of a network for images of one residue.
struct ImageFormulas {
  std::uint64_t step = 1;  ///< accumulated_stride(): sizes of the residue are so far apart
  ImageSize residue = {};
  ImageSize smallest = {};  ///< of the residue that the network takes
  ImageSize largest = {};   ///< that was counted
  std::size_t sizes = 0;    ///< that were counted
  std::string schedule;
  std::vector<ImageFormula> formulas;
};

/// What formulas are asked of, and how far is looked.
struct FormulaSettings {
  std::function<Schedule(std::size_t length)> schedule;
  ImageSize residue = {};          ///< modulo accumulated_stride()
  std::uint64_t most_size = 4096;  ///< no height and no width is larger
  CountLimits limits = {};
  std::function<void(ImageSize size)> progress = {};  ///< before a size is counted
};

/// Counts that a polynomial was not made from and has to meet.
inline constexpr std::size_t kLeastChecks = 3;

/// The accumulated stride of a network over images: the least common multiple over its operators of the products of
/// strides from the input on; an adaptive pooling counts with its output size. Throws OperatorError past 4096.
[[nodiscard]] std::uint64_t accumulated_stride(const Network& network);

/// The network on images of another size. Throws OperatorError where an operator does not take them, or where its
/// weights belong to one size (a linear with masks behind flatten); std::invalid_argument where it takes no images.
[[nodiscard]] Network on_image(const Network& network, const NetworkWeights& weights, ImageSize size);

/// What formulas are of, counted at one size by the guaranteed pattern: operators (nnz, FLOPs of dense
/// back-propagation), forming blocks (FLOPs), ops (nnz, FLOPs), the schedule (FLOPs, critical paths), the network.
[[nodiscard]] std::vector<ImageCount> image_counts(const NetworkView& view, const FormulaSettings& settings,
                                                   ImageSize size);

/// The same as polynomials of height and width.
///
/// Counts are made from the smallest size on, a step apart, near the diagonal. Of each count the polynomial through
/// four is taken from the smallest size from which it meets all others, kLeastChecks at least; sizes are added until
/// all counts have one and a size twice as far meets them, too. Critical paths are derived from them. Throws what
/// image_counts() throws; OperatorError where no image of the residue is taken.
[[nodiscard]] ImageFormulas image_formulas(const NetworkView& view, const FormulaSettings& settings);

}  // namespace upsweep
