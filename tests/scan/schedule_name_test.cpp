#include "upsweep/scan/schedule_name.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

TEST(ScheduleRequest, NamesTheScheduleThatIsMade) {
  const std::vector<std::pair<std::string, Schedule>> cases = {
      {"linear", linear_schedule(22)},
      {"substitution", linear_schedule(22)},
      {"blelloch", blelloch_schedule(22)},
      {"hybrid:2", hybrid_schedule(22, 2)},
      {"hybrid:99", blelloch_schedule(22)},
      {"kogge-stone", kogge_stone_schedule(22)},
      {"sklansky", sklansky_schedule(22)},
      {"brent-kung", brent_kung_schedule(22)},
      {"recursive-doubling", recursive_doubling_schedule(22)},
      {"cyclic-reduction", cyclic_reduction_schedule(22)},
      {"blocked:4", blocked_schedule(22, 4)},
      {"blocked:18446744073709551615", blocked_schedule(22, 21)}};
  for (const auto& [text, wanted] : cases) {
    const ScheduleRequest request = parse_schedule(text);
    const Schedule made = make_schedule(request, 22);
    EXPECT_EQ(request.text, text);
    EXPECT_EQ(made.name, wanted.name) << text;
    EXPECT_EQ(made.combines, wanted.combines) << text;
    EXPECT_EQ(made.hybrid_depth(), wanted.hybrid_depth()) << text;
  }
}

TEST(ScheduleRequest, HasOneCanonicalNameForAllThatMeanTheSame) {
  for (const std::string name : {"linear", "blelloch", "hybrid:3", "kogge-stone", "blocked:7", "cyclic-reduction"})
    EXPECT_EQ(canonical_name(parse_schedule(name)), name);
  EXPECT_EQ(canonical_name(parse_schedule("substitution")), "linear");
  EXPECT_EQ(canonical_name(parse_schedule("hybrid:0")), "linear");
  EXPECT_EQ(canonical_name(parse_schedule("hybrid:03")), "hybrid:3");
  EXPECT_EQ(canonical_name(parse_schedule("hybrid:4294967295")), "blelloch");
  EXPECT_EQ(canonical_name(ScheduleRequest{}), ScheduleRequest{}.text);
}

TEST(ScheduleRequest, ListsWhatIsAcceptedWhereATextIsNot) {
  for (const std::string text : {"", "Linear", "hybrid", "hybrid:", "hybrid:-1", "hybrid:1x", "hybrid:4294967296",
                                 "blocked", "blocked:0", "blocked:-1", "blocked:4:2", "kogge", "sklansky:2"}) {
    try {
      static_cast<void>(parse_schedule(text));
      FAIL() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith("'" + text + "' is no schedule"));
      EXPECT_THAT(error.what(), ::testing::EndsWith(", accepted are " + accepted_schedules()));
    }
  }
}

TEST(ScheduleRequest, NamesTheNearestWhereATextIsNone) {
  const std::string accepted = ", accepted are " + accepted_schedules();
  EXPECT_EQ(accepted_schedules("Linear"), ": did you mean linear?" + accepted);
  EXPECT_EQ(accepted_schedules("hybird:3"), ": did you mean hybrid:3?" + accepted);
  EXPECT_EQ(accepted_schedules("blocked:0"), accepted);
  EXPECT_EQ(accepted_schedules("kogge"), ": did you mean kogge-stone?" + accepted);
  EXPECT_EQ(accepted_schedules("zigzag"), accepted);
  for (const char* text : {"hybrid", "hybrid:", "hybird"})
    EXPECT_EQ(accepted_schedules(text), ": did you mean hybrid:2?" + accepted) << "with a depth";
  EXPECT_EQ(accepted_schedules("bset", {"best", "any"}),
            ": did you mean best?, accepted are best, any, " + accepted_schedules());
}

}  // namespace
}  // namespace upsweep
