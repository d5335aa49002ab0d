#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "upsweep/search/image_formula.hpp"

namespace upsweep {

/// Sizes of a line, ascending, all different and of one residue.
struct SizesOnLine {
  ImageLineKind kind = ImageLineKind::ratio;
  std::vector<ImageSize> sizes;
};

/// Of the lines through `size` the one with most of the sizes that have its residue modulo `step`; nothing where each
/// has too few for formulas to save work.
[[nodiscard]] std::optional<SizesOnLine> line_through(ImageSize size, std::span<const ImageSize> all,
                                                      std::uint64_t step);

/// A network under schedules on images of many sizes that lie on a line and have one residue: counted at a few, the
/// first of them and the largest; at the others by formulas.
///
/// Each count's polynomial goes through three neighbouring sizes and equals the counts at all larger ones that were
/// counted, kLeastChecks at least, the largest of the line among them: it is used between, from the first size on from
/// which this holds for all counts; one in the middle is among them. Where there is none (bytes have a bend where
/// offsets become wider) the line is halved, and each half is one of its own. Thread-safe; threads that ask for sizes
/// count together until there are formulas.
class ImageLine {
 public:
  /// Counts at a size. What it throws means that the size is none to count.
  using Count = std::function<Analysis(ImageSize size)>;

  /// What is known of a size.
  struct Found {
    std::shared_ptr<const Analysis> analysis;  ///< null: it is to be counted by itself
    bool is_by_formula = false;
  };

  explicit ImageLine(SizesOnLine line);

  /// Counts, or waits for those that do, until the analysis at `size` is known. `count` is for any size of the line.
  [[nodiscard]] Found at(ImageSize size, const Count& count);

  /// Sizes for which counting along a line is no more work than counting each: below, a line gives nothing.
  static constexpr std::size_t kLeastSizes = 4 + kLeastChecks;

 private:
  struct Formulas {
    std::vector<ImagePolynomial> of_count;  // in the order of for_each_count()
    std::shared_ptr<const Analysis> like;   // but for its counts
  };
  /// Neighbouring sizes, by their places, on which formulas hold; not yet, or none.
  struct Part {
    std::size_t first = 0;
    std::size_t end = 0;
    std::shared_ptr<const Formulas> formulas;  // null: none yet
    std::size_t from = 0;                      // the place from which they hold
    bool is_given_up = false;
  };
  struct Counted {
    std::shared_ptr<const Analysis> analysis;
    std::vector<std::uint64_t> counts;  // in the order of for_each_count()
  };

  [[nodiscard]] std::shared_ptr<const Analysis> handed_out(std::size_t place, const Part& part);
  [[nodiscard]] static Found by_formula(const Formulas& formulas, ImageSize size);
  [[nodiscard]] const Part& part_of(std::size_t place) const;
  [[nodiscard]] std::optional<std::size_t> largest(const Part& part) const;
  [[nodiscard]] std::optional<std::size_t> next_to_count(const Part& part) const;
  void count_one(std::size_t place, const Count& count, std::unique_lock<std::mutex>& lock);
  void look_for_formulas(std::size_t number);
  [[nodiscard]] std::vector<ImagePolynomial> polynomials_from(std::size_t first, const Part& part) const;

  ImageLineKind kind_;
  std::vector<ImageSize> sizes_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<Part> parts_;                 // ascending, without gaps
  std::map<std::size_t, Counted> counted_;  // by place
  std::set<std::size_t> under_way_;
  std::set<std::size_t> refused_;  // those that cannot be counted, or are not kept any more
};

}  // namespace upsweep
