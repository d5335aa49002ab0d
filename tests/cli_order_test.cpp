#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_order_test {
namespace {

using ::testing::HasSubstr;

/// Rows 4,0 and 4,1 of the tables published with arXiv 2505.06056; the second says that 2 machines need longer.
const std::string kTable =
    "length,id,sizes,edges,best,proven\n"
    "4,0,12 20 8 45 12,3444 7564 9724 3694,196560 108496 88536 83264,1 1 1 1\n"
    "4,1,32 37 31 47 33,8758 2789 4068 6845,707173 400000 333434 322344,1 0 1 1\n";

class Order : public ::testing::Test {
 protected:
  std::vector<std::string> order(const std::vector<std::string>& more, const std::string& table = kTable) {
    std::vector<std::string> arguments = {"order", folder_.write("chains.csv", table)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(Order, GivesMakespansBoundsAndASchedule) {
  const Json report = json_of(order({"--machines", "2"}));
  EXPECT_EQ(report["solved"], 2);
  EXPECT_EQ(report["proven"], 2);
  EXPECT_EQ(report["published"]["equal"], 1);
  EXPECT_EQ(report["published"]["shorter_here"], 1);
  EXPECT_EQ(report["published"]["contradicted"], 0) << "it was not said to be the shortest";
  const Json& first = report["instances"][0];
  EXPECT_EQ(first["length"], 4);
  EXPECT_EQ(first["id"], 0);
  EXPECT_EQ(first["makespan"], 108496);
  EXPECT_EQ(first["bound"], 108496);
  EXPECT_EQ(first["proven"], true);
  EXPECT_EQ(first["tree"], "((1<2) (3>4))");
  // 2, 1<2, 3, 3>4, and the product: 8 * 7564, 8 * 3444, 8 * 9724, 8 * 3694, 12 * 8 * 12.
  EXPECT_EQ(first["starts"], Json({0, 60512, 0, 77792, 107344}));
  EXPECT_EQ(first["one_machine"], 196560);
  EXPECT_EQ(report["instances"][1]["makespan"], 390693);
}

TEST_F(Order, SaysWhatWasProven) {
  const std::string text = upsweep(order({"--machines", "2"})).out;
  EXPECT_THAT(text, HasSubstr("2 chains on 2 machines: each makespan is proven to be the shortest."));
  EXPECT_THAT(text, HasSubstr("Beside the published makespans (2): 1 equal, 1 shorter here, 0 longer here."));
}

TEST_F(Order, IsRefusedWithoutMachinesOrChains) {
  EXPECT_EQ(upsweep(order({"--machines", "0"})).exit_code, 2);
  EXPECT_EQ(upsweep(order({"--seconds", "0"})).exit_code, 2);
  EXPECT_EQ(upsweep(order({"--machines", "2"}, "sizes,edges\n1 2 3,4\n")).exit_code, 3);
}

}  // namespace
}  // namespace upsweep::testing::cli_order_test
