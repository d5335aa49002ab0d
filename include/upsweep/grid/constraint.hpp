#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace upsweep {

/// The number at a path ("workers", "model.chain.length") at a point, or nothing where there is none.
using NumberAt = std::function<std::optional<double>(const std::string& path)>;

/// A condition on the points of a grid: two sums of products compared, "workers * 2 <= model.chain.length + 1".
///
/// Grammar: side (<= | < | >= | > | == | !=) side; side: terms joined by + and -; term: factors joined by * and /;
/// factor: a number, a path, or a side in parentheses. A path is letters, digits, _ . [ ] and begins with a letter.
class Constraint {
 public:
  /// Throws std::invalid_argument, in a sentence for users, with the place of what it does not accept.
  explicit Constraint(const std::string& text);

  /// As it was written.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Whether it holds. Throws std::invalid_argument naming the path where a number is missing; a division by 0 does not
  /// hold.
  [[nodiscard]] bool holds(const NumberAt& number_at) const;

 private:
  struct Sides;

  std::string text_;
  std::shared_ptr<const Sides> sides_;
};

}  // namespace upsweep
