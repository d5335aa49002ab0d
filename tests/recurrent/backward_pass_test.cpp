#include "upsweep/recurrent/backward_pass.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "recurrent/support.hpp"
#include "support/random.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::backward_pass_test {
namespace {

/// A method on fused or unfused steps.
struct Way {
  BackwardMethod method;
  bool is_fused;
};

/// All that the cpu has for that many steps of a cell.
std::vector<Way> all_ways(CellKind kind, std::size_t steps) {
  std::vector<Way> ways;
  for (const char* text : {"bptt", "blelloch", "blocked:1", "blocked:2", "blocked:3", "blocked:5:2.5", "blocked:40"}) {
    ways.push_back({parse_backward_method(text), true});
  }
  ways.push_back({{BackwardKind::blocked, 0, {4, 1, true}}, true});
  for (const bool fused : {true, false}) {
    if (!fused && kind != CellKind::rnn) continue;
    for (std::uint32_t depth = 0; depth <= max_depth((fused ? 1 : 2) * steps + 1) + 1; ++depth) {
      ways.push_back({{BackwardKind::levels, depth, {}}, fused});
    }
  }
  return ways;
}

std::string describe(const Way& way) { return to_string(way.method) + (way.is_fused ? "" : ", unfused"); }

template <class T>
PassShape shape_of(const testing::RecurrentCase<T>& c, bool is_fused) {
  return {c.weights.shape, c.states.steps, c.states.batch, is_fused};
}

/// One run over these operands.
template <class T>
std::vector<T> run_pass(BackwardPass<T>& pass, const testing::RecurrentCase<T>& c) {
  std::vector<T> gradients(c.states.hidden.size(), std::numeric_limits<T>::quiet_NaN());
  pass.load(c.weights, c.states, c.head.hidden_gradient, gradients);
  EXPECT_GE(pass.run().total(), 0);
  pass.fetch();
  return gradients;
}

template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class RecurrentPass : public testing::SeededTest {
 protected:
  template <class T>
  void expect_oracle(const CellShape& shape, std::size_t steps, std::size_t batch) {
    const auto c = testing::recurrent_case<T>(shape, steps, batch, between(0, 1U << 30));
    const auto oracle = hidden_gradient_oracle<T>(c.weights, c.states, c.head.hidden_gradient);
    const auto reference = make_backward_pass<T>(recurrent_backend("reference"), {}, shape_of(c, true));
    std::vector<T> want = c.gradients();
    bptt_reference<T>(c.weights, c.states, c.head.hidden_gradient, want);
    EXPECT_EQ(run_pass(*reference, c), want);
    for (const Way& way : all_ways(shape.kind, steps)) {
      const PassShape wanted = shape_of(c, way.is_fused);
      const auto pass = make_backward_pass<T>(recurrent_backend("cpu"), way.method, wanted);
      const std::vector<T> found = run_pass(*pass, c);
      const auto comparison = compare_hidden_gradients<T>(c.states, oracle, found);
      ASSERT_EQ(comparison.mismatch.value_or(""), "")
          << testing::describe(shape, steps, batch) << ", " << describe(way);
      ASSERT_EQ(pass->bytes(), pass_bytes(recurrent_backend("cpu"), way.method, wanted, sizeof(T)))
          << steps << ", " << describe(way);
    }
  }
};

TEST_F(RecurrentPass, EqualsTheReferenceForAllMethodsAndLengths) {
  for (std::size_t steps = 1; steps <= 20; ++steps) {
    for (const CellShape& shape : testing::all_cells(1, between(1, 7), 3)) {
      const std::size_t batch = between(1, 3);
      expect_oracle<double>(shape, steps, batch);
      expect_oracle<float>(shape, steps, batch);
    }
  }
  for (const CellShape& shape : testing::all_cells(1, 20, 10)) expect_oracle<float>(shape, 130, 2);
  for (const CellShape& shape : testing::all_cells(1, 1, 1)) expect_oracle<double>(shape, 1, 1);
}

TEST_F(RecurrentPass, DoesNotDependOnThreads) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 20, 3};
  const auto c = testing::recurrent_case<float>(shape, 90, 3, 4);
  for (const Way& way : all_ways(shape.kind, 90)) {
    const auto pass = make_backward_pass<float>(recurrent_backend("cpu"), way.method, shape_of(c, way.is_fused));
    const std::vector<float> many = run_pass(*pass, c);
    const ThreadLimit limit(1);
    EXPECT_EQ(run_pass(*pass, c), many) << describe(way);
  }
}

TEST_F(RecurrentPass, ServesOtherOperandsWithOnePlan) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 6, 3};
  const auto first = testing::recurrent_case<double>(shape, 37, 3, 1);
  const auto second = testing::recurrent_case<double>(shape, 37, 3, 2);
  for (const Way& way : all_ways(shape.kind, 37)) {
    const auto pass = make_backward_pass<double>(recurrent_backend("cpu"), way.method, shape_of(first, way.is_fused));
    const std::vector<double> once = run_pass(*pass, first);
    const auto other = make_backward_pass<double>(recurrent_backend("cpu"), way.method, shape_of(first, way.is_fused));
    EXPECT_EQ(run_pass(*pass, second), run_pass(*other, second)) << describe(way);
    EXPECT_EQ(run_pass(*pass, first), once) << describe(way);
    auto again = first.gradients();
    pass->load(first.weights, first.states, first.head.hidden_gradient, again);
    for (int run = 0; run < 2; ++run) pass->run();
    EXPECT_EQ(again, once) << describe(way);
  }
}

TEST_F(RecurrentPass, CountsTheLiveCombinesOfTheProfile) {
  const std::uint64_t h = 5;
  const std::uint64_t batch = 3;
  const CellShape cell{CellKind::rnn, Nonlinearity::tanh, 1, h, 2};
  for (std::size_t steps = 1; steps <= 40; ++steps) {
    EXPECT_EQ(
        make_backward_pass<float>(recurrent_backend("reference"), {}, {cell, steps, batch, true})->flops().total(),
        bptt_flops(cell, steps, batch));
    for (const bool fused : {true, false}) {
      const HomogeneousChain chain = fused ? fused_chain(h, steps) : unfused_chain(h, steps);
      for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth) {
        const BackwardMethod method{BackwardKind::levels, depth, {}};
        const ScanFlops flops =
            make_backward_pass<float>(recurrent_backend("cpu"), method, {cell, steps, batch, fused})->flops();
        // A schedule leads to the first step; the product to g_0 comes on top.
        EXPECT_EQ(flops.up + flops.middle + flops.down,
                  batch * (profile_homogeneous(chain, depth, 4).live.flops + 2 * h * h))
            << steps << " steps, depth " << depth << (fused ? "" : ", unfused");
      }
    }
  }
}

TEST(RecurrentPassMemory, IsRefusedBeforeItIsTaken) {
  const std::string there =
      fmt::format("there are {:.1f} GiB of memory; try ", static_cast<double>(machine_memory()) / 0x1p30);
  const PassShape large{{CellKind::rnn, Nonlinearity::tanh, 1, 1024, 10}, 1U << 20, 1024, true};
  const auto refusal = [](const char* method, const PassShape& shape) {
    return message_of<BackendError>(
        [&] { return make_backward_pass<float>(recurrent_backend("cpu"), parse_backward_method(method), shape); });
  };
  // (2^20 - 1) · 2^10 · 2^20 numbers of 4 bytes, and the schedule.
  EXPECT_EQ(pass_bytes(recurrent_backend("cpu"), parse_backward_method("linear"), large, 4), ((1ULL << 20) - 1) << 32U);
  const std::string levels = refusal("blelloch", large);
  EXPECT_TRUE(
      levels.starts_with("cpu: blelloch over 1048576 steps of 1024 samples with 1024 hidden elements needs "
                         "4194300."))
      << levels;
  EXPECT_TRUE(levels.ends_with(there + "blocked:P, which stores no Jacobians, a smaller batch or fewer steps"))
      << levels;
  PassShape unfused = large;
  unfused.is_fused = false;
  EXPECT_NE(refusal("hybrid:3", unfused).find("try fused steps and blocked:P"), std::string::npos);
  EXPECT_NE(refusal("blocked:1000000", large).find("try fewer blocks or a smaller batch"), std::string::npos);
  PassShape beyond = large;
  beyond.batch = std::size_t{1} << 40;
  EXPECT_NE(refusal("linear", beyond).find("needs 2^64 bytes or more"), std::string::npos);
  EXPECT_THROW(static_cast<void>(pass_bytes(recurrent_backend("cpu"), parse_backward_method("linear"), beyond, 4)),
               CountOverflow);
  EXPECT_EQ(pass_bytes(recurrent_backend("cpu"), {}, large, 4), 0U);
}

TEST(RecurrentPassNames, AreTheBackends) {
  EXPECT_EQ(backend_names(Ability::recurrent),
            (std::vector<std::string>{"reference", "cpu", "cuda", "cudnn", "cudnn-standard"}));
  EXPECT_TRUE(recurrent_backend("cpu").availability().available);
  EXPECT_TRUE(recurrent_backend("reference").availability().available);
  EXPECT_EQ(recurrent_backend("cpu").facts().device, make_backend("cpu")->facts().device);
  EXPECT_EQ(recurrent_backend("cpu").facts().workers, parallel_slots());
  const std::string unknown =
      "'eigen' is no backend of recurrent passes, accepted are reference, cpu, cuda, cudnn, cudnn-"
      "standard";
  EXPECT_EQ(message_of<std::invalid_argument>([] { return recurrent_backend("eigen").availability(); }), unknown);
}

TEST(RecurrentPassNames, OfADeviceThatIsNotThereSayWhy) {
  for (const char* name : {"cuda", "cudnn", "cudnn-standard"}) {
    const Availability availability = recurrent_backend(name).availability();
    if (availability.available) GTEST_SKIP() << name << " is available here";
    EXPECT_NE(availability.reason, "");
    EXPECT_THROW(static_cast<void>(recurrent_backend(name).facts()), BackendError);
    const std::string message =
        message_of<BackendError>([&] { return make_backward_pass<double>(recurrent_backend(name), {}, {}); });
    EXPECT_EQ(message, std::string(name) + ": " + availability.reason);
  }
}

TEST(RecurrentPassErrors, NameWhatABackendDoesNotHave) {
  const PassShape rnn;
  PassShape unfused_rnn;
  unfused_rnn.is_fused = false;
  PassShape unfused_gru = unfused_rnn;
  unfused_gru.cell.kind = CellKind::gru;
  const BackwardMethod linear = parse_backward_method("linear");
  EXPECT_EQ(unsupported_pass(recurrent_backend("cpu"), linear, unfused_rnn), "");
  EXPECT_EQ(unsupported_pass(recurrent_backend("reference"), {}, rnn), "");
  EXPECT_EQ(unsupported_pass(recurrent_backend("reference"), linear, rnn), "reference has no linear, accepted is bptt");
  EXPECT_EQ(unsupported_pass(recurrent_backend("cudnn"), parse_backward_method("blocked:4"), rnn),
            "cudnn has no blocked:4, accepted is bptt");
  EXPECT_EQ(unsupported_pass(recurrent_backend("cpu"), linear, unfused_gru),
            "a gru has no unfused steps, accepted is an rnn");
  EXPECT_EQ(unsupported_pass(recurrent_backend("cpu"), {}, unfused_rnn), "") << "it forms no Jacobians";
  const BackwardMethod blocked = parse_backward_method("blocked:2");
  EXPECT_EQ(unsupported_pass(recurrent_backend("cpu"), blocked, unfused_rnn),
            "blocked:2 has no unfused steps, accepted are bptt, linear, hybrid:L and blelloch");
  PassShape endless;
  endless.steps = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(unsupported_pass(recurrent_backend("cpu"), linear, endless),
            "linear over 18446744073709551615 steps, accepted are arrays of at most 1073741824 elements");
  EXPECT_EQ(message_of<std::invalid_argument>(
                [&] { return make_backward_pass<float>(recurrent_backend("cpu"), blocked, unfused_rnn); }),
            unsupported_pass(recurrent_backend("cpu"), blocked, unfused_rnn));
}

TEST(RecurrentPassErrors, RefuseWhatDoesNotFitThePlan) {
  PassShape empty;
  empty.batch = 0;
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { return make_backward_pass<float>(recurrent_backend("cpu"), {}, empty); }),
      "a pass over 2 steps of 0 samples, accepted is 1 or more");
  const BackwardMethod no_blocks{BackwardKind::blocked, 0, {0, 1, false}};
  EXPECT_THROW(static_cast<void>(pass_bytes(recurrent_backend("cpu"), no_blocks, {}, 4)), std::invalid_argument);
  EXPECT_EQ(message_of<std::invalid_argument>([] { return pass_bytes(recurrent_backend("cpu"), {}, {}, 2); }),
            "numbers of 2 bytes, accepted are 4 and 8");
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 4, 3};
  const auto c = testing::recurrent_case<float>(shape, 5, 2, 1);
  auto gradients = c.gradients();
  for (const Way& way : all_ways(CellKind::rnn, 5)) {
    const auto pass = make_backward_pass<float>(recurrent_backend("cpu"), way.method, {shape, 6, 2, way.is_fused});
    EXPECT_EQ(
        message_of<std::invalid_argument>([&] { pass->load(c.weights, c.states, c.head.hidden_gradient, gradients); }),
        "5 steps of 2 samples, accepted are 6 of 2 and the cell of the plan");
    const auto fitting = make_backward_pass<float>(recurrent_backend("cpu"), way.method, {shape, 5, 2, way.is_fused});
    EXPECT_THROW(fitting->load(c.weights, c.states, {}, gradients), std::invalid_argument);
    EXPECT_THROW(fitting->load(c.weights, c.states, c.head.hidden_gradient, {}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace upsweep::backward_pass_test
