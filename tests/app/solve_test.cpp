#include "upsweep/app/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/app.hpp"
#include "support/files.hpp"
#include "support/rendered.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_solve_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Three layers of tanh, fp64, on two inputs.
const std::string kSmall =
    "input: [6]\ndtype: fp64\nweights: {init: he_normal, seed: 3}\nsample: {count: 2, seed: 1}\noperators:\n"
    "  - linear: {name: w1, out_features: 5}\n  - tanh: {name: f1}\n"
    "  - linear: {name: w2, out_features: 5}\n  - tanh: {name: f2}\n"
    "  - linear: {name: w3, out_features: 4}\n";

class SolveRequests : public ::testing::Test {
 protected:
  SolveRequests() { request_.model = folder_.write("small.yaml", kSmall); }

  TemporaryFolder folder_;
  SolveRequest request_;
};

TEST_F(SolveRequests, HaveAnOutcomeThatOutlivesThem) {
  request_.methods = {{SolveMethod::jacobi, 1}, {SolveMethod::bicgstab, 1}};
  Said said;
  const SolveOutcome outcome = run_quietly(request_, said.watch());
  EXPECT_EQ(outcome.shape.couplings(), 2U);
  EXPECT_EQ(outcome.workers, 2U) << "one for each coupling";
  ASSERT_EQ(outcome.runs.size(), 3U) << "substitution first";
  for (const SolveRun& run : outcome.runs) EXPECT_TRUE(run.converged()) << run.name;
  EXPECT_EQ(outcome.mismatch, std::nullopt);
  EXPECT_THAT(said.doing, ElementsAre("solving by substitution", "solving by jacobi", "solving by bicgstab", ""));
  EXPECT_EQ(to_json(outcome.report())["methods"].size(), 3U);
}

TEST_F(SolveRequests, NameTheFieldThatIsWrong) {
  SolveRequest wrong = request_;
  wrong.workers = 0;
  EXPECT_EQ(wrong_field(wrong), "workers");
  wrong = request_;
  wrong.tolerance = -1;
  EXPECT_EQ(wrong_field(wrong), "tolerance");
  wrong = request_;
  wrong.input = 2;
  EXPECT_THAT(refusal<InputError>(wrong), HasSubstr("small.yaml: `input` is 2, accepted are 0 to 1"));
}

TEST_F(SolveRequests, CanBeStopped) { EXPECT_TRUE(is_interrupted(request_)); }

}  // namespace
}  // namespace upsweep::testing::app_solve_test
