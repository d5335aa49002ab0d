#include "upsweep/grid/constraint.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

enum class StepKind { number, path, add, subtract, multiply, divide };

/// A step of a sum in postfix order: numbers and paths are put on a stack, operations take two from it.
struct Step {
  StepKind kind = StepKind::number;
  double number = 0;
  std::string path = {};
};

/// In postfix order, since a tree of a long sum is as deep as the sum is long.
using Sum = std::vector<Step>;

enum class Comparison { at_most, below, at_least, above, equal, unequal };

struct Word {
  std::string_view text;
  Comparison comparison;
};

/// Longer ones first, so that "<=" is not taken for "<".
constexpr std::array<Word, 6> kComparisons = {{{"<=", Comparison::at_most},
                                               {">=", Comparison::at_least},
                                               {"==", Comparison::equal},
                                               {"!=", Comparison::unequal},
                                               {"<", Comparison::below},
                                               {">", Comparison::above}}};

/// Parentheses within each other.
constexpr int kDeepest = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_path(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '[' || c == ']'; }

/// Recursive descent over the text of a constraint; one function for each rule of its grammar.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { skip_blanks(); }

  Sum side() {
    Sum sum;
    add_side(sum);
    return sum;
  }

  Comparison comparison() {
    for (const Word& word : kComparisons) {
      if (take(word.text)) return word.comparison;
    }
    fail("<=, <, >=, >, == or !=");
  }

  void end() const {
    if (at_ < text_.size()) fail("+, -, *, / or the end");
  }

 private:
  void add_side(Sum& sum) {
    add_term(sum);
    while (true) {
      const bool is_sum = take("+");
      if (!is_sum && !take("-")) return;
      add_term(sum);
      sum.push_back({is_sum ? StepKind::add : StepKind::subtract});
    }
  }

  void add_term(Sum& sum) {
    add_factor(sum);
    while (true) {
      const bool is_product = take("*");
      if (!is_product && !take("/")) return;
      add_factor(sum);
      sum.push_back({is_product ? StepKind::multiply : StepKind::divide});
    }
  }

  void add_factor(Sum& sum) {
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(next) || next == '.') {
      sum.push_back({StepKind::number, number()});
    } else if (is_letter(next)) {
      sum.push_back({StepKind::path, 0, path()});
    } else if (depth_ < kDeepest && take("(")) {
      ++depth_;
      add_side(sum);
      --depth_;
      if (!take(")")) fail("+, -, *, / or )");
    } else {
      fail(next == '(' ? "fewer parentheses" : "a number, a path or (");
    }
  }

  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_blanks();
    return value;
  }

  std::string path() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_of_path(text_[at_])) ++at_;
    std::string found(text_.substr(start, at_ - start));
    skip_blanks();
    return found;
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  [[noreturn]] void fail(const char* accepted) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, kExcerpt)) : std::string("the end");
    throw std::invalid_argument(
        fmt::format("the constraint '{}' has {} at column {}, accepted is {}", text_, found, at_ + 1, accepted));
  }

  static constexpr std::size_t kExcerpt = 12;  // characters of the text in an error

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

double applied(StepKind kind, double left, double right) {
  switch (kind) {
    case StepKind::add:
      return left + right;
    case StepKind::subtract:
      return left - right;
    case StepKind::multiply:
      return left * right;
    case StepKind::divide:
      return right == 0 ? std::numeric_limits<double>::quiet_NaN() : left / right;
    case StepKind::number:
    case StepKind::path:
      break;
  }
  throw std::logic_error("not an operation of two numbers");
}

/// NaN where something is divided by 0.
double value_of(const Sum& sum, const NumberAt& number_at, const std::string& text) {
  std::vector<double> stack;
  for (const Step& step : sum) {
    if (step.kind == StepKind::number) {
      stack.push_back(step.number);
    } else if (step.kind == StepKind::path) {
      const std::optional<double> number = number_at(step.path);
      if (!number) {
        throw std::invalid_argument(
            fmt::format("the constraint '{}' needs a number at '{}', and there is none", text, step.path));
      }
      stack.push_back(*number);
    } else {
      const double right = stack.back();
      stack.pop_back();
      stack.back() = applied(step.kind, stack.back(), right);
    }
  }
  return stack.back();
}

bool compare(double left, Comparison comparison, double right) {
  switch (comparison) {
    case Comparison::at_most:
      return left <= right;
    case Comparison::below:
      return left < right;
    case Comparison::at_least:
      return left >= right;
    case Comparison::above:
      return left > right;
    case Comparison::equal:
      return left == right;
    case Comparison::unequal:
      return left != right;
  }
  throw std::logic_error("unknown comparison");
}

}  // namespace

struct Constraint::Sides {
  Sum left;
  Comparison comparison;
  Sum right;
};

Constraint::Constraint(const std::string& text) : text_(text) {
  Parser parser(text);
  Sides sides;
  sides.left = parser.side();
  sides.comparison = parser.comparison();
  sides.right = parser.side();
  parser.end();
  sides_ = std::make_shared<const Sides>(std::move(sides));
}

bool Constraint::holds(const NumberAt& number_at) const {
  const double left = value_of(sides_->left, number_at, text_);
  const double right = value_of(sides_->right, number_at, text_);
  return !std::isnan(left) && !std::isnan(right) && compare(left, sides_->comparison, right);
}

}  // namespace upsweep
