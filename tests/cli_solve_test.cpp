#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_solve_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

/// Four layers of tanh, fp64, on two inputs.
const std::string kSmall =
    "input: [6]\ndtype: fp64\nweights: {init: he_normal, seed: 3}\nsample: {count: 2, seed: 1}\noperators:\n"
    "  - linear: {name: w1, out_features: 5}\n  - tanh: {name: f1}\n"
    "  - linear: {name: w2, out_features: 5}\n  - tanh: {name: f2}\n"
    "  - linear: {name: w3, out_features: 5}\n  - tanh: {name: f3}\n"
    "  - linear: {name: w4, out_features: 4}\n";

class Solve : public ::testing::Test {
 protected:
  /// A run on the small model.
  std::vector<std::string> small(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"solve", folder_.write("small.yaml", kSmall)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(Solve, PrintsTheObjectOfTheContract) {
  const Json report = json_of(small());
  EXPECT_TRUE(has_keys(report, {"model", "pattern", "input", "warm_start", "loss", "tolerance", "workers", "batch",
                                "system", "methods", "forward", "formulas", "verdicts"}));
  EXPECT_EQ(report["system"]["couplings"], 3);
  EXPECT_EQ(report["system"]["unknowns"], 5 + 5 + 5 + 4);
  EXPECT_EQ(report["system"]["flops"], 2 * (25 + 25 + 20 + 3 * 5));
  EXPECT_EQ(report["system"]["blocks"][0]["operator"], "w1");
  EXPECT_EQ(report["workers"], 3) << "one for each coupling";
  ASSERT_EQ(report["methods"].size(), 5U);
  EXPECT_EQ(report["methods"][0]["name"], "substitution");
  EXPECT_EQ(report["methods"][0]["flops"], report["system"]["flops"]);
  for (const Json& method : report["methods"]) {
    EXPECT_TRUE(method["converged"].get<bool>()) << method;
    EXPECT_LE(method["residual"].get<double>(), 1e-6) << method["name"];
    EXPECT_LE(method["error"].get<double>(), 1e-3) << method["name"];
  }
  const Json& jacobi = report["methods"][1];
  EXPECT_TRUE(has_keys(jacobi, {"iterations", "bound", "flops_per_iteration", "flops", "flops_to_substitution",
                                "makespan", "makespan_to_substitution", "vectors", "vector_bytes", "history"}));
  EXPECT_EQ(jacobi["bound"], 3);
  EXPECT_EQ(jacobi["usable_from"], 3);
  EXPECT_EQ(jacobi["history"][0]["iteration"], 0);
  EXPECT_EQ(jacobi["history"].back()["block_errors"].size(), 4U);
  EXPECT_TRUE(report["forward"].is_null());
  EXPECT_TRUE(report["formulas"].is_null());
}

TEST_F(Solve, ShowsErrorsByIterationAndAVerdictFromThem) {
  const Finished run = upsweep(small({"--method", "jacobi"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "") << "no progress where nobody watches";
  EXPECT_THAT(run.out, HasSubstr("jacobi needs 3 of at most 3 iterations for 1e-06; 1 iteration leaves 100 % error in "
                                 "the first layer's gradient, and 2 of 4 layers within 1 %; "));
  EXPECT_THAT(run.out, HasSubstr("no truncation helps:\nfewer than 3 products"));
  EXPECT_THAT(run.out,
              HasSubstr("eta < l = 3 (iterations, layers; for layers of one size): does not hold for jacobi (3)"));
  EXPECT_THAT(run.out, HasSubstr("None of these takes less time than substitution: jacobi takes "));
  EXPECT_THAT(run.out, HasSubstr("r >= n: does not hold (1 against 5;"));
}

TEST_F(Solve, ListsTheMethodsOfAConditionInOneLine) {
  const std::string out = upsweep(small()).out;
  const std::size_t line = out.find("\neta < l = 3 ");
  ASSERT_NE(line, std::string::npos) << out;
  EXPECT_EQ(out.find("\neta < l", line + 1), std::string::npos);
  const std::string text = out.substr(line + 1, out.find('\n', line + 1) - line);
  EXPECT_THAT(text, HasSubstr("jacobi (3)"));
  EXPECT_THAT(text, HasSubstr("bicgstab ("));
  EXPECT_THAT(text, Not(HasSubstr("richardson"))) << "the same iteration as jacobi's";
  EXPECT_THAT(out, HasSubstr("richardson with omega 1 is jacobi's iteration."));
  EXPECT_THAT(upsweep(small({"--method", "richardson"})).out, HasSubstr("richardson needs 3 of at most 3"))
      << "nothing to repeat";
}

TEST_F(Solve, SaysWhereAVanishingGradientHidesInTheResidual) {
  const std::string text =
      "input: [4]\ndtype: fp64\nweights: {init: he_normal, seed: 3}\noperators:\n  - linear: {name: w0, out_features: "
      "4}\n  - leaky_relu: {name: f1, negative_slope: 1.0e-9}\n  - linear: {name: w1, out_features: 4}\n"
      "  - sigmoid: {name: g}\n  - sigmoid: {name: h}\n  - linear: {name: out, out_features: 2}\n";
  const Finished run =
      upsweep({"solve", folder_.write("vanish.yaml", text), "--method", "jacobi", "--tolerance", "0.5"});
  EXPECT_THAT(run.out, HasSubstr("gradients of layers are still off by up to 100 % at the end")) << run.err;
}

TEST_F(Solve, StartsFromTheGradientsOfAnotherInput) {
  const Json cold = json_of(small());
  const Json warm = json_of(small({"--warm-start", "1"}));
  EXPECT_TRUE(cold["warm_start"].is_null());
  EXPECT_EQ(warm["warm_start"], 1);
  for (std::size_t m = 1; m < warm["methods"].size(); ++m) {
    const Json& method = warm["methods"][m];
    ASSERT_TRUE(method["converged"].get<bool>()) << method["failed"];
    const double first = method["history"][0]["first_error"].get<double>();
    EXPECT_EQ(cold["methods"][m]["history"][0]["first_error"], 1) << method["name"];
    EXPECT_NE(first, 1) << method["name"];
    EXPECT_GT(first, 1e-3) << "tanh has other derivatives at another input";
    EXPECT_EQ(method["history"][0]["block_errors"][3], 0) << "the loss gradient is the same";
    EXPECT_LE(method["error"].get<double>(), 1e-3) << method["name"];
  }
  EXPECT_EQ(warm["methods"][1]["bound"], 3);
  const std::string out = upsweep(small({"--warm-start", "1"})).out;
  EXPECT_THAT(out, HasSubstr("Start from the gradients of input 1: off by "));
  EXPECT_THAT(out, Not(HasSubstr("no truncation helps")));
}

TEST_F(Solve, NeedsNoIterationToOnePercentWhereJacobiansHardlyDependOnTheInput) {
  const std::string file = folder_.write(
      "similar.yaml",
      "input: [6]\ndtype: fp64\nweights: {init: he_normal, seed: 3}\nsample: {count: 2, seed: 1}\noperators:\n"
      "  - linear: {name: w1, out_features: 5}\n  - leaky_relu: {name: f1, negative_slope: 0.9999}\n"
      "  - linear: {name: w2, out_features: 5}\n  - leaky_relu: {name: f2, negative_slope: 0.9999}\n"
      "  - linear: {name: w3, out_features: 4}\n");
  const Json report = json_of({"solve", file, "--method", "jacobi", "--warm-start", "1"});
  EXPECT_EQ(report["methods"][1]["usable_from"], 0);
  EXPECT_EQ(json_of({"solve", file, "--method", "jacobi"})["methods"][1]["usable_from"], 2);
  EXPECT_THAT(upsweep({"solve", file, "--method", "jacobi", "--warm-start", "1"}).out,
              HasSubstr("; from the start on all layers are within 1 %;"));
}

TEST_F(Solve, HasNoIterationToSpareInTheUnitFormEither) {
  const Json report = json_of(small({"--form", "unit", "--method", "jacobi,hybrid:3"}));
  EXPECT_EQ(report["system"]["couplings"], 6);
  EXPECT_EQ(report["methods"][1]["iterations"], 6);
  EXPECT_EQ(report["methods"][2]["name"], "hybrid:3 jacobi");
  EXPECT_EQ(report["methods"][2]["iterations"], 2);
}

TEST_F(Solve, CountsForAllRightSides) {
  const Json one = json_of(small({"--method", "jacobi"}));
  const Json many = json_of(small({"--method", "jacobi", "--batch", "16"}));
  for (std::size_t m : {0U, 1U}) {
    EXPECT_EQ(many["methods"][m]["flops"].get<int>(), 16 * one["methods"][m]["flops"].get<int>());
  }
  EXPECT_TRUE(many["verdicts"][0]["holds"].get<bool>()) << "r = 16 >= n = 5";
}

TEST_F(Solve, ReportsADivergingMethodWithItsNormsAndGoesOn) {
  const std::vector<std::string> arguments = small({"--method", "richardson,jacobi", "--omega", "5"});
  const Finished run = upsweep(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("No solution: richardson: diverged"));
  EXPECT_THAT(run.out, HasSubstr("residuals by iteration: 0: "));
  EXPECT_THAT(run.out, HasSubstr("jacobi needs 3 of"));
  const Json report = json_of(arguments);
  EXPECT_FALSE(report["methods"][1]["converged"].get<bool>());
  EXPECT_TRUE(report["methods"][1]["flops"].is_null());
  EXPECT_GT(report["methods"][1]["history"].size(), 2U);
}

TEST_F(Solve, FailsWhereNoMethodHasASolution) {
  const Finished run = upsweep(small({"--method", "richardson", "--omega", "5", "--format", "json"}));
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_THAT(run.err, HasSubstr("no method has a solution: richardson: diverged"));
  EXPECT_EQ(Json::parse(run.out)["methods"].size(), 2U) << "the report comes first";
}

TEST_F(Solve, SweepsForwardToTheExactPass) {
  const Json unit = json_of(small({"--method", "jacobi", "--forward"}))["forward"];
  EXPECT_EQ(unit["bound"], 4) << "three activations";
  EXPECT_EQ(unit["sweeps"].size(), 4U);
  EXPECT_LT(unit["sweeps"][3]["error"].get<double>(), 1e-12);
  EXPECT_GT(unit["sweeps"][0]["error"].get<double>(), 1e-6);
  EXPECT_EQ(unit["flops_per_sweep"], 2 * (30 + 25 + 25 + 20 + 15));
  const Json earlier = json_of(small({"--method", "jacobi", "--earlier", "1"}))["forward"];
  EXPECT_THAT(earlier["start"].get<std::string>(), HasSubstr("input 1"));
  const Json same = json_of(small({"--method", "jacobi", "--earlier", "0"}))["forward"];
  EXPECT_EQ(same["needed"], 1);
  EXPECT_THAT(upsweep(small({"--forward"})).out, HasSubstr("of at most 4 sweeps stay within 1e-06"));
}

TEST_F(Solve, ShowsFormulasBesideExactCounts) {
  const Json report = json_of(small({"--method", "jacobi", "--formulas"}));
  ASSERT_EQ(report["formulas"].size(), 8U);
  const Json& work = report["formulas"][0];
  EXPECT_EQ(work["equation"], "42");
  EXPECT_EQ(work["formula"], 25 + 25 + 20 + 5 + 5 + 4);
  EXPECT_EQ(work["exact"], 25 + 25 + 20 + 5 + 5 + 5);
  EXPECT_NEAR(work["difference"].get<double>(), 84.0 / 85 - 1, 1e-12);
  EXPECT_EQ(report["verdicts"].size(), 2U + 2 + 2);
  EXPECT_THAT(upsweep(small({"--formulas"})).out, HasSubstr("formula/exact"));
}

TEST_F(Solve, PrintsOneCsvLineForEachMethod) {
  const Finished csv = upsweep(small({"--format", "csv"}));
  EXPECT_THAT(csv.out, StartsWith("name,group,omega,converged,failed,iterations,bound,"));
  EXPECT_EQ(lines(csv.out), 1 + 5);
}

TEST_F(Solve, OfLenetHasTheGradientsOfPlainBackPropagation) {
  for (const char* pattern : {"guaranteed", "sample"}) {
    const Json report = json_of({"solve", kModels + "lenet5.yaml", "--pattern", pattern, "--input", "2", "--method",
                                 "jacobi,richardson,hybrid:3"});
    for (const Json& method : report["methods"]) {
      EXPECT_TRUE(method["converged"].get<bool>()) << method["name"];
      EXPECT_LT(method["error"].get<double>(), 1e-4) << method["name"] << ", fp32";
    }
  }
}

TEST_F(Solve, TakesABlockOfBranchesAsOneCoupling) {
  const std::string file = folder_.write(
      "residual.yaml",
      "input: [6]\ndtype: fp64\nweights: {init: he_normal, seed: 3}\noperators:\n"
      "  - linear: {name: w0, out_features: 5}\n  - linear: {name: w1, out_features: 5}\n  - tanh: {name: f1}\n"
      "  - add: {name: sum, inputs: [w0, f1]}\n  - linear: {name: out, out_features: 3}\n");
  const Json report = json_of({"solve", file, "--forward"});
  EXPECT_EQ(report["system"]["couplings"], 2);
  EXPECT_EQ(report["system"]["blocks"][1]["operator"], "sum");
  for (const Json& method : report["methods"]) EXPECT_LT(method["error"].get<double>(), 1e-6) << method["name"];
  EXPECT_EQ(report["forward"]["needed"], 2);
  EXPECT_EQ(report["forward"]["sweeps"][0]["operator_errors"].size(), 5U);
}

TEST_F(Solve, RefusesWhatTheModelDoesNotHave) {
  const auto refused = [&](const std::vector<std::string>& more, int code, const std::string& text) {
    const Finished run = upsweep(small(more));
    EXPECT_EQ(run.exit_code, code) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_THAT(run.err, HasSubstr("accepted"));
    EXPECT_EQ(run.out, "");
  };
  refused({"--input", "2"}, 3, "--input is 2, accepted are 0 to 1");
  refused({"--warm-start", "2"}, 3, "--warm-start is 2, accepted are 0 to 1");
  refused({"--warm-start", "0"}, 3, "--warm-start is 0, the same input as --input: its gradients are the solution");
  refused({"--earlier", "2"}, 3, "--earlier is 2, accepted are 0 to 1");
  refused({"--label", "4"}, 3, "--label is 4, accepted are 0 to 3");
  refused({"--batch", "9223372036854775807"}, 3, "a count exceeds 64 bits");
  refused({"--tolerance", "1e-17"}, 3, "--tolerance is 1e-17, accepted is at least");
}

TEST_F(Solve, RefusesWrongOptions) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
    const Finished run = upsweep(small(more));
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  };
  refused({"--method", "newton"}, "--method has 'newton', accepted are");
  refused({"--method", "jacobi,"}, "--method has ''");
  refused({"--method", "hybrid:0"}, "hybrid is '0'");
  refused({"--tolerance", "0"}, "--tolerance is '0', accepted are positive numbers");
  refused({"--tolerance", "nan"}, "--tolerance is 'nan'");
  refused({"--omega", "x"}, "--omega is 'x', accepted are finite numbers");
  refused({"--warm-start", "x"}, "--warm-start is 'x'");
  refused({"--batch", "0"}, "--batch is '0'");
  refused({"--workers", "-1"}, "--workers is '-1'");
}

TEST_F(Solve, RefusesModelsWithoutASystem) {
  const Finished recurrent = upsweep({"solve", kModels + "rnn-bitstream.yaml"});
  EXPECT_EQ(recurrent.exit_code, 3);
  EXPECT_THAT(recurrent.err, HasSubstr("a recurrent model, accepted by solve are networks of operators"));
  const Finished single =
      upsweep({"solve", folder_.write("one.yaml", "input: [3]\noperators: [{linear: {out_features: 2}}]\n")});
  EXPECT_EQ(single.exit_code, 3);
  EXPECT_THAT(single.err, HasSubstr("its backward system has one block"));
  EXPECT_THAT(single.err, Not(HasSubstr("--input")));
}

TEST_F(Solve, NamesTheOperatorWhereForwardPropagationBreaksDown) {
  const std::string file =
      folder_.write("zero.yaml",
                    "input: [3]\nweights: {init: he_normal, seed: 1}\noperators:\n  - relu: {name: half}\n"
                    "  - sigmoid: {name: gate}\n  - linear: {name: w, out_features: 2}\n  - tanh: {name: f}\n"
                    "  - linear: {name: out, out_features: 2}\n");
  // One negative input is enough: relu turns it into 0, from the second sweep on.
  const Finished run = upsweep({"solve", file, "--method", "jacobi", "--forward"});
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("sigmoid 'gate': element"));
  EXPECT_THAT(run.err, HasSubstr("has y = 0 and f(y) = 0.5"));
}

}  // namespace
}  // namespace upsweep::testing::cli_solve_test
