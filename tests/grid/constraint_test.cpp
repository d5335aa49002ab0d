#include "upsweep/grid/constraint.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "support/random.hpp"

namespace upsweep::constraint_test {
namespace {

using ::testing::HasSubstr;

std::optional<double> number_at(const std::string& path) {
  static const std::map<std::string, double> kNumbers = {
      {"workers", 16}, {"model.chain.length", 100}, {"model.input[1]", 32}, {"zero", 0}};
  const auto found = kNumbers.find(path);
  return found == kNumbers.end() ? std::nullopt : std::optional<double>(found->second);
}

bool holds(const std::string& text) { return Constraint(text).holds(number_at); }

/// What a constraint throws when it is read or asked.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(holds(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Constraint, ComparesInSixWays) {
  for (int left = 1; left <= 3; ++left) {
    EXPECT_EQ(holds(fmt::format("{} <= 2", left)), left <= 2);
    EXPECT_EQ(holds(fmt::format("{} < 2", left)), left < 2);
    EXPECT_EQ(holds(fmt::format("{} >= 2", left)), left >= 2);
    EXPECT_EQ(holds(fmt::format("{} > 2", left)), left > 2);
    EXPECT_EQ(holds(fmt::format("{} == 2", left)), left == 2);
    EXPECT_EQ(holds(fmt::format("{} != 2", left)), left != 2);
  }
}

TEST(Constraint, ReadsPathsNumbersAndBlanks) {
  EXPECT_TRUE(holds("workers<=model.chain.length"));
  EXPECT_FALSE(holds("  workers * 8\t<= model.chain.length  "));
  EXPECT_TRUE(holds("model.input[1] == 32"));
  EXPECT_TRUE(holds("1.5e1 + .5 < workers"));
  EXPECT_EQ(Constraint(" workers < 3").text(), " workers < 3");
}

TEST(Constraint, BindsProductsTighterThanSumsAndBothFromTheLeft) {
  EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
  EXPECT_TRUE(holds("(1 + 2) * 3 == 9"));
  EXPECT_TRUE(holds("10 - 3 - 2 == 5"));
  EXPECT_TRUE(holds("10 - (3 - 2) == 9"));
  EXPECT_TRUE(holds("24 / 4 / 2 == 3"));
  EXPECT_TRUE(holds("24 / (4 / 2) == 12"));
  EXPECT_TRUE(holds("2 * (3 + (4 - 1)) == 48 / 4"));
}

TEST(Constraint, DoesNotHoldWhereSomethingIsDividedByZero) {
  for (const char* comparison : {"<=", "<", ">=", ">", "==", "!="}) {
    EXPECT_FALSE(holds(fmt::format("workers / zero {} 1", comparison)));
    EXPECT_FALSE(holds(fmt::format("1 {} 0 * (1 / (workers - 16))", comparison)));
  }
}

TEST(Constraint, NamesThePathThatHasNoNumber) {
  EXPECT_EQ(refusal("workers < model.depth"),
            "the constraint 'workers < model.depth' needs a number at 'model.depth', and there is none");
}

TEST(Constraint, SaysWhereItCannotBeRead) {
  EXPECT_EQ(refusal(""), "the constraint '' has the end at column 1, accepted is a number, a path or (");
  EXPECT_EQ(refusal("workers"), "the constraint 'workers' has the end at column 8, accepted is <=, <, >=, >, == or !=");
  EXPECT_EQ(refusal("workers = 3"),
            "the constraint 'workers = 3' has '= 3' at column 9, accepted is <=, <, >=, >, == or !=");
  EXPECT_THAT(refusal("1 < 2 < 3"), HasSubstr("has '< 3' at column 7, accepted is +, -, *, / or the end"));
  EXPECT_THAT(refusal("1 + < 3"), HasSubstr("has '< 3' at column 5, accepted is a number, a path or ("));
  EXPECT_THAT(refusal("(1 + 2 < 3"), HasSubstr("has '< 3' at column 8, accepted is +, -, *, / or )"));
  EXPECT_THAT(refusal("2workers < 3"), HasSubstr("has 'workers < 3' at column 2"));
  EXPECT_THAT(refusal("1 < 1e999"), HasSubstr("at column 5, accepted is a number"));
  EXPECT_THAT(refusal("1 < ."), HasSubstr("at column 5, accepted is a number"));
  EXPECT_THAT(refusal("workers & 1 < 3"), HasSubstr("has '& 1 < 3' at column 9"));
  EXPECT_THAT(refusal("_workers < 3"), HasSubstr("at column 1"));
}

TEST(Constraint, TakesLongSumsButNotEndlessParentheses) {
  std::string sum = "0";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_TRUE(holds(sum + " == 100000"));
  EXPECT_TRUE(holds(std::string(100, '(') + "1" + std::string(100, ')') + " == 1"));
  EXPECT_THAT(refusal(std::string(100'000, '(')), HasSubstr("at column 101, accepted is fewer parentheses"));
}

/// A random sum with its value, which no rule of precedence had a part in.
class RandomConstraint : public testing::SeededTest {
 protected:
  struct Sum {
    std::string text;
    double value;
  };

  Sum factor(int depth) {
    if (depth == 0 || chance(0.4)) {
      const auto number = static_cast<double>(between(0, 9));
      return {fmt::format("{}", number), number};
    }
    const Sum inner = sum(depth - 1);
    return {fmt::format("({})", inner.text), inner.value};
  }

  Sum term(int depth) {
    Sum result = factor(depth);
    for (std::uint64_t more = between(0, 2); more > 0; --more) {
      const Sum next = factor(depth);
      result = {fmt::format("{}*{}", result.text, next.text), result.value * next.value};
    }
    return result;
  }

  Sum sum(int depth) {
    Sum result = term(depth);
    for (std::uint64_t more = between(0, 2); more > 0; --more) {
      const Sum next = term(depth);
      const bool adds = chance(0.5);
      result = {fmt::format("{} {} {}", result.text, adds ? '+' : '-', next.text),
                adds ? result.value + next.value : result.value - next.value};
    }
    return result;
  }
};

TEST_F(RandomConstraint, HasTheValueThatItWasMadeWith) {
  for (int i = 0; i < 300; ++i) {
    const Sum made = sum(3);
    const Constraint difference(fmt::format("value == {}", made.text));
    const auto at = [&made](const std::string&) { return std::optional(made.value); };
    const auto beside = [&made](const std::string&) { return std::optional(made.value * 1.5 + 1); };
    EXPECT_TRUE(difference.holds(at)) << made.text;
    EXPECT_EQ(difference.holds(beside), made.value == -2) << made.text;
  }
}

}  // namespace
}  // namespace upsweep::constraint_test
