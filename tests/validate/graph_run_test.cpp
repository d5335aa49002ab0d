#include "upsweep/validate/graph_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/random_graph.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/graph_backprop.hpp"
#include "upsweep/validate/validate.hpp"

namespace upsweep::graph_run_test {
namespace {

using ::testing::HasSubstr;

using Vector = std::vector<double>;

/// in + tanh(f(in)), then a second stream from the input, which nothing cuts.
Network residual_and_stream(const std::vector<std::string>& summands) {
  return {{2},
          {{"in", Linear{3}, {}},
           {"f", Linear{3}, {}},
           {"act", Tanh{}, {}},
           {"sum", Add{}, {summands}},
           {"far", Linear{2}, {{"input"}}},
           {"all", Concat{}, {{"sum", "far"}}}}};
}

/// Images, with a pooling, and an output that three operators read.
Network images() {
  return {{2, 5, 5},
          {{"drop", Dropout{}, {}},
           {"stem", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"a", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"relu", Relu{}, {}},
           {"pool", MaxPool2d{{3, 3}, {1, 1}, {1, 1}}, {{"stem"}}},
           {"sum", Add{}, {{"stem", "relu", "pool", "stem"}}},
           {"flat", Flatten{}, {}},
           {"fc", Linear{4}, {}},
           {"late", Sigmoid{}, {}},
           {"early", AvgPool2d{{5, 5}, {5, 5}}, {{"drop"}}},
           {"early_flat", Flatten{}, {}},
           {"end", Concat{}, {{"late", "early_flat"}}}}};
}

class GraphRunTest : public testing::SeededTest {
 protected:
  /// A network at a random input, with its direct gradients.
  struct Case {
    Network network;
    NetworkWeights weights;
    SampleInputs x;
    std::vector<Vector> outputs;
    Vector loss;
    DirectGradients direct;

    [[nodiscard]] GraphAtInput at(PatternKind pattern = PatternKind::guaranteed) const {
      return {network, weights, x.at(0), outputs, loss, pattern};
    }
    [[nodiscard]] NetworkProfile profile(PatternKind pattern) const {
      return analyse({network, weights, &x}, pattern, {linear_schedule(network.links().size() + 1)}).network;
    }
    [[nodiscard]] double roundings() const { return direct_roundings(guaranteed_chain(network, weights)); }
    template <class T>
    [[nodiscard]] ValueComparison compare(const GraphAtInput& what, PatternKind pattern) const {
      GraphAtInput at{what.network, what.weights, what.x, what.outputs, what.loss_gradient, pattern};
      return compare_graph_run(run_graph_backprop<T>(at, {}), direct, roundings(), sizeof(T));
    }
  };

  testing::GraphRandom random() {
    return {[this](std::size_t low, std::size_t high) { return between(low, high); }, [this] { return normal(); }};
  }
  Vector normals(std::size_t count) {
    Vector numbers(count);
    for (double& number : numbers) number = normal();
    return numbers;
  }

  Case random_case(const Network& network) {
    return case_with(network, testing::random_graph_weights(random(), network));
  }

  /// With no weight near 0, and no activation so large that its derivative is: no gradient is lost on its way.
  Case dense_case(const Network& network) {
    NetworkWeights weights = testing::random_graph_weights(random(), network);
    for (OperatorWeights& mine : weights) {
      mine.kept.assign(mine.values.size(), 1);
      for (double& weight : mine.values) weight = (chance(0.5) ? 0.1 : -0.1) * static_cast<double>(between(3, 6));
      std::fill(mine.bias.begin(), mine.bias.end(), 0.1);
    }
    return case_with(network, std::move(weights));
  }

  Case case_with(const Network& network, NetworkWeights weights) {
    Case one{network, std::move(weights), {}, {}, {}, {}};
    const std::size_t length = elements(network.input());
    one.x = {1, length, normals(length)};
    one.outputs = activations(network, one.weights, one.x.at(0));
    one.loss = normals(one.outputs.back().size());
    one.direct = direct_backprop(network, one.weights, link_inputs(network, one.weights, one.x.at(0)), one.loss);
    return one;
  }

  /// FLOPs for the gradients that graph_backprop_tasks() leaves out.
  static std::uint64_t input_flops(const Network& network, const NetworkProfile& profile) {
    const std::vector<bool> needed = needs_gradient(network);
    std::vector<std::uint64_t> readers(network.operators().size() + 1);
    std::uint64_t flops = 0;
    for (std::size_t o = 0; o < network.operators().size(); ++o) {
      bool reads_unneeded = false;
      for (const std::size_t input : network.inputs_of(o)) {
        ++readers[std::min(input, network.operators().size())];
        reads_unneeded = reads_unneeded || input == kNetworkInput || !needed[input];
      }
      if (reads_unneeded) flops += 2 * profile.operators[o].nnz;  // 0 of joins
    }
    for (std::size_t o = 0; o < readers.size(); ++o) {
      const bool is_input = o == network.operators().size();
      if (readers[o] < 2 || (!is_input && needed[o])) continue;
      flops += (readers[o] - 1) * elements(is_input ? network.input() : network.shape_of(o));
    }
    return flops;
  }

  template <class T>
  static void expect_right(const Case& one, PatternKind pattern) {
    const NetworkProfile profile = one.profile(pattern);
    const GraphRun run = run_graph_backprop<T>(one.at(pattern), {});
    const auto counts = compare_graph_counts(run, one.network, profile);
    EXPECT_FALSE(counts.has_value()) << counts->what;
    EXPECT_EQ(run.input_flops, input_flops(one.network, profile));
    const ValueComparison values = compare_graph_run(run, one.direct, one.roundings(), sizeof(T));
    EXPECT_FALSE(values.mismatch.has_value()) << values.mismatch->what;
    std::size_t elements = 0;
    for (const Vector& gradient : one.direct.gradient) elements += gradient.size();
    EXPECT_EQ(values.elements, elements) << "the network's input and the loss gradient included";
  }
  static void expect_right(const Case& one) {
    for (const PatternKind pattern : {PatternKind::guaranteed, PatternKind::sample}) {
      expect_right<float>(one, pattern);
      expect_right<double>(one, pattern);
    }
  }
};

TEST_F(GraphRunTest, EqualsDirectBackPropagationAndTheCountedTasksOnRandomGraphs) {
  for (int round = 0; round < 25; ++round) {
    const std::size_t features = between(1, 4);
    const Network network({features}, testing::random_graph(random(), features, between(2, 12)));
    expect_right(random_case(network));
  }
}

TEST_F(GraphRunTest, EqualsThemOnImagesAndWhereNothingCutsTheGraph) {
  expect_right(random_case(images()));
  const Case uncut = random_case(residual_and_stream({"in", "act"}));
  ASSERT_EQ(uncut.network.links().size(), 1U);
  expect_right(uncut);
}

TEST_F(GraphRunTest, DoesTheWorkOfAResidualBlockThatOneCountsByHand) {
  const Case one = dense_case(residual_and_stream({"in", "act"}));
  const GraphRun run = run_graph_backprop<double>(one.at(), {});
  EXPECT_EQ(run.levels, 3U) << "tanh, f, and the sum at in";
  EXPECT_EQ(run.flops, 2U * 3 + 2 * 9 + 3);
  EXPECT_EQ(run.input_flops, 2U * 6 + 2 * 4 + 2) << "in, far, and the sum at the input";
  // Loss 1; tanh 1 + 1, f 1 + 3, the sum 1; in 1 + 3, the sum 1.
  EXPECT_EQ(run.roundings, (Vector{1 + 2 + 4 + 1 + 4 + 1, 1}));
  EXPECT_EQ(run.repetitions, 1U);
  EXPECT_GT(run.seconds, 0);
  EXPECT_GT(run.build_seconds, 0);
}

TEST_F(GraphRunTest, FindsAWrongNumberOfAnyJacobian) {
  const Case one = dense_case(residual_and_stream({"in", "act"}));
  NetworkWeights weights = one.weights;
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (std::size_t w = 0; w < weights[o].values.size(); ++w) {
      const double right = weights[o].values[w];
      weights[o].values[w] += 0.05 + 0.1 * std::fabs(right);
      const GraphAtInput at{one.network, weights, one.x.at(0), one.outputs, one.loss};
      const ValueComparison found = one.compare<double>(at, PatternKind::guaranteed);
      ASSERT_TRUE(found.mismatch.has_value()) << one.network.operators()[o].name << ", weight " << w;
      EXPECT_THAT(found.mismatch->what,
                  HasSubstr("plain BP over the graph, the gradient with respect to activation 0: element "));
      EXPECT_GT(found.worst_share, 1);
      weights[o].values[w] = right;
    }
  }
}

TEST_F(GraphRunTest, FindsABranchThatIsDropped) {
  const Case one = dense_case(residual_and_stream({"in", "act"}));
  EXPECT_FALSE(one.compare<double>(one.at(), PatternKind::guaranteed).mismatch.has_value());
  const Network wrong = residual_and_stream({"act", "act"});
  const GraphAtInput at{wrong, one.weights, one.x.at(0), one.outputs, one.loss};
  EXPECT_TRUE(one.compare<double>(at, PatternKind::guaranteed).mismatch.has_value());
}

TEST_F(GraphRunTest, FindsWrongCounts) {
  const Case one = random_case(images());
  const NetworkProfile profile = one.profile(PatternKind::guaranteed);
  GraphRun run = run_graph_backprop<float>(one.at(), {});
  --run.flops;
  EXPECT_THAT(compare_graph_counts(run, one.network, profile)->what, HasSubstr("plain BP over the graph: "));
  ++run.flops;
  ++run.levels;
  EXPECT_THAT(compare_graph_counts(run, one.network, profile)->what, HasSubstr(" levels, expected "));
}

TEST_F(GraphRunTest, DoesNotDependOnTheThreads) {
  std::vector<OperatorSpec> specs;
  std::vector<std::string> streams;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    specs.push_back({name, Linear{20}, {{kInputName}}});
    specs.push_back({std::string(name) + "2", Tanh{}, {}});
    streams.push_back(specs.back().name);
  }
  specs.push_back({"all", Concat{}, streams});
  specs.push_back({"again", Linear{120}, {}});
  specs.push_back({"sum", Add{}, {{"all", "again", "all"}}});
  const Case one = random_case(Network({30}, specs));
  RunOptions options;
  const GraphRun single = run_graph_backprop<float>(one.at(), options);
  EXPECT_EQ(single.threads, 1U);
  options.workers = 2;
  options.repetitions = 20;
  const GraphRun two = run_graph_backprop<float>(one.at(), options);
  EXPECT_LE(two.threads, 2U);
  EXPECT_EQ(two.repetitions, 20U);
  EXPECT_EQ(two.gradients, single.gradients);
  EXPECT_EQ(two.flops, single.flops);
}

TEST_F(GraphRunTest, IsSkippedWhereANumberDoesNotFitIntoItsType) {
  Case one = random_case(residual_and_stream({"in", "act"}));
  one.weights[1].values[4] = 1e200;
  one.weights[1].kept[4] = 1;
  const GraphValidation found =
      validate_graph<float>(one.at(), one.profile(PatternKind::guaranteed), one.direct, one.roundings(), {});
  EXPECT_THAT(found.skipped, HasSubstr("linear 'f': a derivative: 1e+200"));
  EXPECT_FALSE(found.mismatch.has_value());
  EXPECT_THROW(static_cast<void>(run_graph_backprop<float>(one.at(), {})), OperatorError);
  EXPECT_NO_THROW(static_cast<void>(run_graph_backprop<double>(one.at(), {})));
}

TEST_F(GraphRunTest, RefusesWrongLengths) {
  Case one = random_case(images());
  one.loss.pop_back();
  EXPECT_THROW(static_cast<void>(run_graph_backprop<float>(one.at(), {})), std::invalid_argument);
  one.loss.push_back(1);
  one.weights[1].values.pop_back();
  EXPECT_THROW(static_cast<void>(run_graph_backprop<float>(one.at(), {})), std::invalid_argument);
}

TEST(GraphValidationTest, IsTheMismatchOfAValidationWhoseSchedulesAreRight) {
  Validation validation;
  validation.schedules.resize(2);
  validation.graph.emplace();
  EXPECT_FALSE(validation.first_mismatch().has_value());
  validation.graph->mismatch = Mismatch{std::nullopt, "wrong"};
  ASSERT_TRUE(validation.first_mismatch().has_value());
  EXPECT_EQ(validation.first_mismatch()->what, "wrong");
}

}  // namespace
}  // namespace upsweep::graph_run_test
