#include "upsweep/search/what_binds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

/// A pram of which nothing but what a test sets takes time.
Machine free_machine(std::size_t workers) {
  Machine machine;
  machine.name = "free";
  machine.rates = {Rates{}};
  machine.rates[0].workers = workers;
  return machine;
}

void set_rates(Machine& machine, double flops_per_s, double bytes_per_s) {
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) {
    kind->flops_per_s = flops_per_s;
    kind->bytes_per_s = bytes_per_s;
  }
}

/// score_point() of dense matrices of size 20.
struct Scorer {
  std::uint64_t elements = 1000;
  int calls = 0;  // of the last one

  Binding binding(const Machine* machine, const PointSettings& settings) {
    calls = 0;
    const Rescore score = [this](const Machine* on, const PointSettings& with) {
      ++calls;
      return score_point(fused_chain(20, elements), 4, on, with);
    };
    return binding_resource(score, machine, settings);
  }
};

TEST(BindingResource, IsLatencyWhereEveryOpWaitsForIt) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e12, 1e13);
  machine.rates[0].op_latency_s = 1e-3;
  PointSettings settings;
  settings.schedule = "blelloch";  // its levels fit onto the workers
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::latency);
  machine.rates[0].op_latency_s = 0;
  machine.rates[0].level_latency_s = 1e-3;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::latency);
}

TEST(BindingResource, IsWorkersWhereLevelsAreWiderThanThey) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e9, 1e12);
  machine.rates[0].op_latency_s = 1e-9;
  PointSettings settings;
  settings.schedule = "blelloch";
  settings.workers = 2;
  EXPECT_EQ(Scorer{.elements = 100'000}.binding(&machine, settings), Binding::workers);
  // They do not count where the machine has no more of them.
  Machine two = machine;
  two.rates[0].workers = 2;
  EXPECT_EQ(Scorer{.elements = 100'000}.binding(&two, settings), Binding::arithmetic);
  settings.workers = 1024;
  EXPECT_EQ(Scorer{.elements = 100'000}.binding(&machine, settings), Binding::arithmetic);
}

TEST(BindingResource, IsBandwidthWhereBytesTakeLongerThanFlops) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e15, 1e9);
  PointSettings settings;
  settings.schedule = "blelloch";
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::bandwidth);
}

TEST(BindingResource, IsArithmeticWhereFlopsTakeLongerThanBytes) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e9, 1e15);
  PointSettings settings;
  settings.schedule = "blelloch";
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::arithmetic);
}

TEST(BindingResource, IsMemoryWhereItForbidsTheFasterScan) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e9, 1e12);
  const HomogeneousChain chain = fused_chain(20, 1000);
  const PointFigures free = score_point(chain, 4, &machine, {});
  ASSERT_TRUE(free.scan.has_value());
  PointSettings settings;
  settings.memory_limit = static_cast<std::uint64_t>(free.scan->peak_live_bytes) - 1;
  const PointFigures limited = score_point(chain, 4, &machine, settings);
  ASSERT_TRUE(!limited.scan || limited.scan->score > free.scan->score);
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::memory);
  settings.memory_limit = 100;  // for none at all
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::memory);
  settings.memory_limit = static_cast<std::uint64_t>(free.scan->peak_live_bytes);
  EXPECT_NE(Scorer{}.binding(&machine, settings), Binding::memory);
  machine.memory_bytes = 100;
  EXPECT_EQ(Scorer{}.binding(&machine, {}), Binding::memory) << "the machine's";
}

TEST(BindingResource, IsNotMemoryWhereTheFasterScanIsFasterByAHair) {
  const auto binding = [](double unlimited) {
    const Rescore score = [unlimited](const Machine*, const PointSettings& settings) {
      PointFigures figures;
      figures.scan.emplace().score = settings.memory_limit ? 1 : unlimited;
      return figures;
    };
    PointSettings settings;
    settings.memory_limit = 100;
    return binding_resource(score, nullptr, settings);
  };
  EXPECT_NE(binding(1 - 1e-15), Binding::memory) << "rounding";
  EXPECT_NE(binding(0.995), Binding::memory) << "equal, as others are";
  EXPECT_EQ(binding(0.98), Binding::memory);
}

TEST(BindingResource, OfAGpuIsTheBandwidthOfItsCacheWhereAllLiesThere) {
  Machine machine = free_machine(64);
  machine.kind = MachineKind::gpu;
  machine.cache_bytes = std::uint64_t{1} << 40;
  set_rates(machine, 1e15, 1e6);
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) kind->cached_bytes_per_s = 1e9;
  PointSettings settings;
  settings.schedule = "blelloch";
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::bandwidth);
  for (KindRates* kind : {&machine.rates[0].fp32.mv, &machine.rates[0].fp32.mm}) kind->cached_bytes_per_s = 1e30;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::arithmetic) << "the memory is not read";
  machine.cache_bytes = 1;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::bandwidth);
}

TEST(BindingResource, OfTwoWithinAPercentIsTheFirst) {
  Machine machine = free_machine(1);
  set_rates(machine, 1e9, 1e30);  // 800 ns for each combine
  PointSettings settings;
  settings.schedule = "linear";
  machine.rates[0].op_latency_s = 800e-9;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::latency);
  machine.rates[0].op_latency_s = 790e-9;  // half of it helps less, by 0.4 %
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::latency);
  machine.rates[0].op_latency_s = 600e-9;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::arithmetic);
}

TEST(BindingResource, WithoutAMachineIsWorkersOrArithmetic) {
  PointSettings settings;
  settings.schedule = "blelloch";
  settings.workers = 1;
  EXPECT_EQ(Scorer{}.binding(nullptr, settings), Binding::workers);
  settings.workers = 1'000'000;
  EXPECT_EQ(Scorer{}.binding(nullptr, settings), Binding::arithmetic);
}

TEST(BindingResource, TakesPlainBackPropagationWhereNothingElseWasAskedFor) {
  Machine machine = free_machine(4);
  set_rates(machine, 1e9, 1e15);
  PointSettings settings;
  settings.schedule = "linear";
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::arithmetic);
  settings.memory_limit = 1;
  EXPECT_EQ(Scorer{}.binding(&machine, settings), Binding::memory);
}

TEST(BindingResource, ScoresAtMostSixTimes) {
  Machine machine = free_machine(1024);
  set_rates(machine, 1e9, 1e12);
  machine.memory_bytes = std::uint64_t{1} << 40;
  PointSettings settings;
  settings.workers = 8;
  Scorer scorer;
  static_cast<void>(scorer.binding(&machine, settings));
  EXPECT_EQ(scorer.calls, 6);
}

TEST(Improved, MakesOneResourceTwiceAsGood) {
  Machine machine = free_machine(4);
  Rates& rates = machine.rates[0];
  rates.op_latency_s = 4;
  rates.level_latency_s = 6;
  rates.fp32.mm.flops_per_s = 100;
  rates.fp64.mv.bytes_per_s = 200;
  rates.fp64.mv.cached_bytes_per_s = 300;
  rates.fp32.mv.costs.unit_s[3] = 8;
  rates.fp32.mv.memory_costs.unit_s[5] = 10;
  machine.rates[0].fp32.dense_flops_per_s = 7;
  EXPECT_EQ(scaled(machine, Binding::arithmetic, 2).rates[0].fp32.dense_flops_per_s, 14);
  EXPECT_EQ(scaled(machine, Binding::bandwidth, 2).rates[0].fp32.dense_flops_per_s, 7);
  const Rates latency = scaled(machine, Binding::latency, 2).rates[0];
  EXPECT_EQ(latency.op_latency_s, 2);
  EXPECT_EQ(latency.level_latency_s, 3);
  EXPECT_EQ(latency.fp32.mm.flops_per_s, 100);
  EXPECT_EQ(latency.fp32.mv.costs.unit_s[3], 8);
  const Rates arithmetic = scaled(machine, Binding::arithmetic, 2).rates[0];
  EXPECT_EQ(arithmetic.op_latency_s, 4);
  EXPECT_EQ(arithmetic.fp32.mm.flops_per_s, 200);
  EXPECT_EQ(arithmetic.fp32.mv.costs.unit_s[3], 4);
  EXPECT_EQ(arithmetic.fp32.mv.memory_costs.unit_s[5], 10);
  EXPECT_EQ(arithmetic.fp64.mv.bytes_per_s, 200);
  const Rates bandwidth = scaled(machine, Binding::bandwidth, 2).rates[0];
  EXPECT_EQ(bandwidth.fp64.mv.bytes_per_s, 400);
  EXPECT_EQ(bandwidth.fp64.mv.cached_bytes_per_s, 600);
  EXPECT_EQ(bandwidth.fp32.mv.memory_costs.unit_s[5], 5);
  EXPECT_EQ(bandwidth.fp32.mm.flops_per_s, 100);
  EXPECT_THROW(static_cast<void>(scaled(machine, Binding::workers, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(scaled(machine, Binding::memory, 2)), std::invalid_argument);
}

TEST(Binding, HasNames) {
  EXPECT_EQ(to_string(Binding::latency), "latency");
  EXPECT_EQ(to_string(Binding::arithmetic), "arithmetic");
  EXPECT_EQ(to_string(Binding::bandwidth), "bandwidth");
  EXPECT_EQ(to_string(Binding::workers), "workers");
  EXPECT_EQ(to_string(Binding::memory), "memory");
}

/// A dense chain under a scan, profiled.
ScheduleProfile dense_profile(std::size_t elements = 4) {
  const auto dense = std::make_shared<const Pattern>(build_pattern(50, 50, 0, [](Index, std::vector<Index>& columns) {
    for (Index column = 0; column < 50; ++column) columns.push_back(column);
  }));
  JacobianChain chain;
  for (std::size_t i = 0; i < elements; ++i) chain.jacobians.push_back(dense);
  chain.gradient_length = 50;
  return profile_schedules({blelloch_schedule(elements + 1)}, chain, 4).front();
}

TEST(BindingOf, IsTheResourceThatOneScheduleWaitsFor) {
  const ScheduleProfile profile = dense_profile();
  Machine machine = free_machine(2);
  set_rates(machine, 1e12, 1e13);
  machine.rates[0].op_latency_s = 1e-3;
  const auto binding = [&](std::size_t workers) {
    return binding_of(*counted(profile, 4), machine, workers, Execution::dag);
  };
  EXPECT_EQ(binding(2), Binding::latency);
  machine.rates[0].op_latency_s = 1e-12;
  EXPECT_EQ(binding(2), Binding::arithmetic);
  set_rates(machine, 1e15, 1e6);
  EXPECT_EQ(binding(2), Binding::bandwidth);
}

TEST(BindingOf, IsNothingWhereNothingTakesTime) {
  const ScheduleProfile profile = dense_profile();
  EXPECT_EQ(binding_of(*counted(profile, 4), free_machine(64), 1, Execution::dag), std::nullopt);
}

TEST(BindingOf, IsWorkersOnlyWhereTheMachineHasMore) {
  const ScheduleProfile profile = dense_profile(64);
  Machine machine = free_machine(2);
  set_rates(machine, 1e9, 1e13);
  machine.rates[0].op_latency_s = 250e-6;  // as long as the arithmetic of a product
  EXPECT_NE(binding_of(*counted(profile, 4), machine, 2, Execution::level), Binding::workers);
  machine.rates[0].workers = 64;
  EXPECT_EQ(binding_of(*counted(profile, 4), machine, 1, Execution::level), Binding::workers);
}

}  // namespace
}  // namespace upsweep
