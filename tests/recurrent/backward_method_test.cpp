#include "upsweep/recurrent/backward_method.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace upsweep {
namespace {

TEST(BackwardMethodNames, AreReadAsTheyArePrinted) {
  for (const char* text : {"bptt", "linear", "hybrid:1", "hybrid:17", "blelloch", "blocked:1", "blocked:8",
                           "blocked:3:20", "blocked:3:1.25", "blocked:18446744073709551615"}) {
    EXPECT_EQ(to_string(parse_backward_method(text)), text);
  }
  EXPECT_EQ(to_string(parse_backward_method("hybrid:0")), "linear");
  EXPECT_EQ(to_string(parse_backward_method("blocked:3:1.0")), "blocked:3");
  for (const double first : {1.0, 4.0 / 3, 1e15 / 7, 1e300, std::numeric_limits<double>::max()}) {
    const BackwardMethod method{BackwardKind::blocked, 0, {7, first, false}};
    EXPECT_EQ(parse_backward_method(to_string(method)), method);
  }
  const BackwardMethod full = parse_backward_method("blelloch");
  EXPECT_EQ(full.kind, BackwardKind::levels);
  EXPECT_EQ(full.depth, BackwardMethod::kFullDepth);
}

TEST(BackwardMethodNames, OthersAreRefusedWithThoseAccepted) {
  try {
    static_cast<void>(parse_backward_method("brent-kung"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "'brent-kung' is no backward method, accepted are bptt, linear, hybrid:L with an integer L of at least 0, "
        "blelloch, blocked:P with an integer P of at least 1, and blocked:P:F with a decimal F of at least 1");
  }
  for (const char* text : {"",
                           "BPTT",
                           "bptt ",
                           "hybrid",
                           "hybrid:",
                           "hybrid:-1",
                           "hybrid:1.5",
                           "hybrid:4294967296",
                           "hybrid:1:2",
                           "blocked",
                           "blocked:",
                           "blocked:0",
                           "blocked:-2",
                           "blocked:2:",
                           "blocked:2:0.5",
                           "blocked:2:nan",
                           "blocked:2:inf",
                           "blocked:2:1e3",
                           "blocked:2:3:4",
                           "blocked: 2"}) {
    EXPECT_THROW(static_cast<void>(parse_backward_method(text)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace upsweep
