#include "upsweep/recurrent/device_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "support/refusal.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/parameter_gradients.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep::device_model_test {
namespace {

using ::testing::HasSubstr;

constexpr double kFree = 1e300;

BackwardMethod by_levels(std::uint32_t depth = BackwardMethod::kFullDepth) { return {BackwardKind::levels, depth, {}}; }
BackwardMethod by_blocks(std::size_t blocks, double first = 1, bool stored = false) {
  return {BackwardKind::blocked, 0, {blocks, first, stored}};
}

PassShape rnn(std::size_t hidden, std::size_t steps, std::size_t batch, bool is_fused = true) {
  return {{CellKind::rnn, Nonlinearity::tanh, 1, hidden, 10}, steps, batch, is_fused};
}
PassShape gru(std::size_t hidden, std::size_t steps, std::size_t batch) {
  return {{CellKind::gru, Nonlinearity::tanh, 5, hidden, 10}, steps, batch, true};
}

/// 2 multiprocessors of 2 blocks, a clock of 1 Hz, launches of 1000 s in a graph and 2500 s in a stream; a multiply-add
/// takes 1 s, shared memory 10 s, a load 100 s. Bandwidths and FLOP/s cost nothing.
Machine toy() {
  Machine machine;
  machine.name = "toy";
  machine.kind = MachineKind::gpu;
  machine.small_products = SmallProducts{2, 1, 2, 1024, 1 << 20, std::uint64_t{1} << 60, 1, 10, 100, 100};
  Rates rates;
  rates.op_latency_s = 1000;
  rates.level_latency_s = 2500;
  for (TypeRates* type : {&rates.fp32, &rates.fp64}) {
    for (KindRates* kind : {&type->mv, &type->mm}) {
      kind->flops_per_s = kind->bytes_per_s = kind->cached_bytes_per_s = kFree;
    }
  }
  machine.rates = {rates};
  return machine;
}

/// The same with this bandwidth and these FLOP/s.
Machine toy(double bytes_per_s, double flops_per_s) {
  Machine machine = toy();
  KindRates& rates = machine.rates[0].fp32.mm;
  rates.flops_per_s = flops_per_s;
  rates.bytes_per_s = rates.cached_bytes_per_s = bytes_per_s;
  return machine;
}

Machine preset(const std::string& name) {
  return load_machine(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/" + name + ".yaml"));
}

double part(const DevicePhase& phase, Bound bound) { return phase.parts_s.at(static_cast<std::size_t>(bound)); }

TEST(DeviceModel, CountsASequentialPassByHand) {
  const DevicePrediction p = predict_on_device(toy(), rnn(2, 4, 1), {}, 4);
  // 4 steps of 2 launches, 2 loads one after the other, 2 multiply-adds and one round of loads from shared memory.
  EXPECT_DOUBLE_EQ(p.sequential.seconds(), 4 * (2 * 1000 + 2 * 100 + 10 + 2));
  EXPECT_EQ(p.sequential.kernels, 8U);
  EXPECT_EQ(p.sequential.bound(), Bound::launch);
  EXPECT_EQ(p.down, p.sequential);
  EXPECT_DOUBLE_EQ(p.backward_speedup(), 1);
  EXPECT_DOUBLE_EQ(p.overall_speedup(), 1);
  const DeviceAssumptions three = {.forward_kernels = 1, .backward_kernels = 3};
  const DevicePrediction q = predict_on_device(toy(), rnn(2, 4, 1), {}, 4, three);
  EXPECT_DOUBLE_EQ(q.sequential.seconds(), 4 * (3 * 1000 + 3 * 100 + 12));
  // One kernel for the inputs of all steps first.
  EXPECT_DOUBLE_EQ(q.forward.seconds(), 1000 + 100 + 4 * (1000 + 100 + 12));
  // A host that launches every 5000 s at best.
  const DeviceAssumptions host = {.host_launch_s = 5000};
  EXPECT_DOUBLE_EQ(predict_on_device(toy(), rnn(2, 4, 1), {}, 4, host).sequential.seconds(), 4 * (2 * 5000 + 212));
  Machine eager = toy();
  eager.rates[0].host_launch_s = 1;
  eager = launched(eager, LaunchMode::eager);
  EXPECT_DOUBLE_EQ(predict_on_device(eager, rnn(2, 4, 1), {}, 4).sequential.seconds(), 4 * (2 * 2500 + 212));
  EXPECT_DOUBLE_EQ(predict_on_device(eager, rnn(2, 4, 1), {}, 4, host).sequential.seconds(), 4 * (2 * 5000 + 212));
}

TEST(DeviceModel, CountsAScanByHand) {
  // Up: one vector and one matrix product, then one vector product; down: 1 and 2 vector products. A load of all
  // threads at once, 2 multiply-adds.
  const DevicePrediction p = predict_on_device(toy(), rnn(2, 4, 1), by_levels(), 4);
  EXPECT_DOUBLE_EQ(p.up.seconds(), 2 * (1000 + 112));
  EXPECT_EQ(p.middle, DevicePhase{});
  EXPECT_DOUBLE_EQ(p.jacobians.seconds(), 1000 + 100);
  ASSERT_EQ(p.levels.size(), 2 + p.down.kernels);
  EXPECT_EQ(p.levels[0].products, 2U);
  EXPECT_EQ(p.levels[0].waves, 1U);
  // 16 samples: 32 blocks on 4 places.
  const DevicePrediction many = predict_on_device(toy(), rnn(2, 4, 16), by_levels(), 4);
  EXPECT_EQ(many.levels[0].waves, 8U);
  EXPECT_DOUBLE_EQ(many.levels[0].cost.seconds(), 1000 + 8 * 112);
  EXPECT_DOUBLE_EQ(part(many.levels[0].cost, Bound::workers), 8 * 112);
  // The middle of depth 0 is one kernel that walks along 3 products.
  const DevicePrediction linear = predict_on_device(toy(), rnn(2, 4, 1), by_levels(0), 4);
  EXPECT_DOUBLE_EQ(linear.middle.seconds(), 1000 + 3 * 112);
  EXPECT_EQ(linear.middle.kernels, 1U);
  ASSERT_EQ(linear.levels.size(), 1U);
  EXPECT_EQ(linear.levels[0].levels, 3U);
}

TEST(DeviceModel, CountsABlockedScanByHand) {
  // 8 steps in 4 blocks of 2: vectors through block 0 beside products of blocks 1 and 2, then 2 vectors, then the rest.
  const DevicePrediction p = predict_on_device(toy(), rnn(2, 8, 1), by_blocks(4), 4);
  // The first step is loaded. Then each waits for the memory (100 s), takes ten loads from shared memory (100 s) to
  // reach the next one, and: reduced, a thread forms 4 numbers (20 s each) and sums 2 products for each (2.4 s); with a
  // stored Jacobian it sums 2 (18.6 s); of a vector through weights, 2 (1 s).
  EXPECT_DOUBLE_EQ(p.up.seconds(), 1000 + 100 + 2 * (200 + 4 * 20 + 4 * 2 * 2.4));
  EXPECT_DOUBLE_EQ(p.middle.seconds(), 1000 + 100 + 2 * (200 + 2 * 18.6));
  EXPECT_DOUBLE_EQ(p.down.seconds(), 1000 + 100 + 2 * 202);
  EXPECT_EQ(p.jacobians, DevicePhase{});
  // One block: the sequential pass in one kernel.
  const DevicePrediction one = predict_on_device(toy(), rnn(2, 8, 1), by_blocks(1), 4);
  EXPECT_DOUBLE_EQ(one.hidden_s(), 1000 + 100 + 8 * 202);
  // Fetching ahead hides the cache, where the states fit into it.
  Machine cached = toy();
  cached.cache_bytes = 1 << 20;
  EXPECT_DOUBLE_EQ(predict_on_device(cached, rnn(2, 8, 1), by_blocks(1), 4).hidden_s(), 1000 + 100 + 8 * 102);
}

TEST(DeviceModel, SaysWhatAKernelWaitsFor) {
  const PassShape shape = rnn(20, 64, 4);
  const auto up = [&](const Machine& machine) { return predict_on_device(machine, shape, by_levels(), 4).levels[0]; };
  // 32 combines of 4 samples: 4 vector and 124 matrix products of 20 × 20.
  const double bytes = 4 * 4 * (400 + 20 + 20) + 124 * 4 * 1200;
  const double flops = 4 * 800 + 124 * 16000;
  EXPECT_EQ(up(toy(1, kFree)).cost.bound(), Bound::memory);
  EXPECT_DOUBLE_EQ(up(toy(1, kFree)).cost.seconds(), 1000 + bytes);
  EXPECT_EQ(up(toy(kFree, 1)).cost.bound(), Bound::arithmetic);
  EXPECT_DOUBLE_EQ(up(toy(kFree, 1)).cost.seconds(), 1000 + flops);
  Machine narrow = toy();
  narrow.small_products->shared_words = 1;
  // 13 warps: 2 numbers for each of 20 multiply-adds and operands of 416 numbers each; half of it on either.
  const double words = 124 * (2 * 416 * 20 + 2 * 416) + 4 * (2 * 32 * 20 + 416 + 32);
  EXPECT_EQ(up(narrow).cost.bound(), Bound::shared_memory);
  EXPECT_DOUBLE_EQ(up(narrow).cost.seconds(), 1000 + words / 2);
  // 416 threads each: 2 blocks are on a multiprocessor.
  EXPECT_EQ(up(toy()).waves, 32U);
  EXPECT_EQ(to_string(Bound::shared_memory), "shared memory");
}

TEST(DeviceModel, LoadsFromTheCacheWhatFitsIntoIt) {
  Machine machine = toy();
  machine.small_products->memory_load_cycles = 300;
  machine.cache_bytes = 1 << 20;
  const double cached = predict_on_device(machine, rnn(2, 4, 1), by_levels(), 4).up.seconds();
  EXPECT_DOUBLE_EQ(cached, 2 * 1112);
  machine.cache_bytes = 16;
  EXPECT_DOUBLE_EQ(predict_on_device(machine, rnn(2, 4, 1), by_levels(), 4).up.seconds(), cached + 2 * 200);
}

TEST(DeviceModel, CountsWhatTheClosedFormsCount) {
  for (const PassShape& shape : {rnn(20, 1000, 16), rnn(7, 333, 3), gru(5, 259, 2)}) {
    const CellShape& cell = shape.cell;
    for (const std::uint32_t depth : {0U, 1U, 3U, 99U}) {
      const DevicePrediction p = predict_on_device(toy(), shape, by_levels(depth), 4);
      const HomogeneousProfile profile = profile_homogeneous(fused_chain(cell.hidden, shape.steps), depth, 4);
      EXPECT_EQ(p.up.flops + p.middle.flops + p.down.flops, shape.batch * profile.all.flops);
      EXPECT_EQ(p.sequential.flops, bptt_flops(cell, shape.steps, shape.batch));
      EXPECT_EQ(p.parameter_gradients.flops, parameter_gradient_flops(cell, shape.steps, shape.batch));
      std::uint64_t levels = 0;
      for (const DeviceLevel& level : p.levels) levels += level.levels;
      EXPECT_EQ(levels, profile.levels);
    }
    for (const BackwardMethod& method :
         {by_blocks(1), by_blocks(2), by_blocks(7), by_blocks(8, 3.5), by_blocks(5, 2, true)}) {
      const DevicePrediction p = predict_on_device(toy(), shape, method, 4);
      const BlockedScan<float> scan(cell, shape.steps, shape.batch, method.blocks);
      EXPECT_EQ(p.jacobians.flops + p.up.flops + p.middle.flops + p.down.flops, scan.flops().total())
          << to_string(method);
    }
  }
  // Diagonals as vectors: the counts of the unfused chain; as matrices: twice as many dense Jacobians.
  const DeviceAssumptions vectors = {.is_diagonal_dense = false};
  const DevicePrediction p = predict_on_device(toy(), rnn(20, 500, 2, false), by_levels(), 4, vectors);
  EXPECT_EQ(p.up.flops + p.down.flops, 2 * profile_homogeneous(unfused_chain(20, 500), 99, 4).all.flops);
  const DevicePrediction q = predict_on_device(toy(), rnn(20, 500, 2, false), by_levels(), 4);
  EXPECT_EQ(q.up.flops + q.down.flops, 2 * profile_homogeneous(fused_chain(20, 1000), 99, 4).all.flops);
  EXPECT_GT(q.memory_bytes, 10 * p.memory_bytes);
}

TEST(DeviceModel, OnAUnitPramGivesItsSteps) {
  const Machine pram = preset("pram-unit");
  for (const std::uint32_t depth : {0U, 2U, 99U}) {
    const DevicePrediction p = predict_on_device(pram, rnn(20, 1000, 1), by_levels(depth), 4);
    const HomogeneousProfile profile = profile_homogeneous(fused_chain(20, 1000), depth, 4);
    EXPECT_EQ(p.hidden_s() - p.jacobians.seconds(),
              static_cast<double>(homogeneous_pram(profile, pram.workers()).steps));
    EXPECT_EQ(p.sequential.seconds(), 1000);
  }
}

/// Backward speed-ups of the thesis' RNN.
std::vector<double> speedups(const Machine& machine, bool is_fused, const std::vector<std::size_t>& steps,
                             const std::vector<std::size_t>& batches) {
  std::vector<double> found;
  for (const std::size_t t : steps) {
    for (const std::size_t b : batches) {
      found.push_back(predict_on_device(machine, rnn(20, t, b, is_fused), by_levels(), 4).backward_speedup());
    }
  }
  return found;
}

TEST(DeviceModel, FollowsTheTrendsOfTheThesis) {
  std::vector<std::size_t> steps;
  for (std::size_t t = 10; t <= 30000; t += t / 10) steps.push_back(t);
  for (const bool is_fused : {true, false}) {
    std::vector<std::size_t> saturated;
    for (const char* name : {"rtx-2070", "rtx-2080-ti"}) {
      const Machine machine = preset(name);
      const std::vector<double> by_steps =
          speedups(machine, is_fused, {10, 30, 100, 300, 1000, 3000, 10000, 30000}, {16});
      EXPECT_TRUE(std::is_sorted(by_steps.begin(), by_steps.end())) << name;
      std::vector<double> by_batch = speedups(machine, is_fused, {1000}, {2, 4, 8, 16, 32, 64, 128, 256});
      EXPECT_TRUE(std::is_sorted(by_batch.rbegin(), by_batch.rend())) << name;
      const std::vector<double> fine = speedups(machine, is_fused, steps, {16});
      const double most = *std::max_element(fine.begin(), fine.end());
      const auto first = std::find_if(fine.begin(), fine.end(), [most](double value) { return value >= 0.9 * most; });
      saturated.push_back(steps[static_cast<std::size_t>(first - fine.begin())]);
      EXPECT_LT(fine.back(), 1.1 * fine[fine.size() / 2 + fine.size() / 4]) << name << ": bounded by its workers";
    }
    EXPECT_LT(saturated[0], saturated[1]) << "more multiprocessors saturate later";
  }
}

TEST(DeviceModel, TakesAnyNumberOfSteps) {
  const DevicePrediction p = predict_on_device(preset("h200-sxm-141gb"), rnn(20, 100'000'000, 16), by_levels(), 4);
  EXPECT_GT(p.hidden_s(), 0.1);
  EXPECT_LT(p.hidden_s(), p.sequential.seconds());
  EXPECT_EQ(p.sequential.kernels, 200'000'000U);
}

std::string refusal(const Machine& machine, const PassShape& shape, unsigned value_bytes = 4,
                    const DeviceAssumptions& assumptions = {}, const BackwardMethod& method = by_levels()) {
  return testing::refusal_of<std::invalid_argument>(
      [&] { return predict_on_device(machine, shape, method, value_bytes, assumptions); });
}

TEST(DeviceModel, RefusesWhatItCannotPredict) {
  const PassShape shape = rnn(2, 4, 1);
  EXPECT_EQ(refusal(toy(), shape), "accepted");
  Machine cpu = toy();
  cpu.kind = MachineKind::cpu;
  EXPECT_THAT(refusal(cpu, shape), HasSubstr("machine toy: it is of kind cpu, accepted are gpu and pram; validate"));
  Machine bare = toy();
  bare.small_products.reset();
  EXPECT_THAT(refusal(bare, shape), HasSubstr("it has no small_products, accepted is a mapping with multiprocessors"));
  EXPECT_THAT(refusal(toy(std::numeric_limits<double>::infinity(), 1), shape), HasSubstr("no bandwidth"));
  EXPECT_THAT(refusal(toy(1, std::numeric_limits<double>::infinity()), shape), HasSubstr("no compute"));
  EXPECT_THAT(refusal(toy(), rnn(2, 0, 1)), HasSubstr("0 steps of 1 samples, accepted is 1 or more"));
  EXPECT_THAT(refusal(toy(), rnn(2, 1, 0)), HasSubstr("1 steps of 0 samples"));
  EXPECT_THAT(refusal(toy(), shape, 2), HasSubstr("numbers of 2 bytes, accepted are 4 and 8"));
  EXPECT_THAT(refusal(toy(), shape, 4, {.backward_kernels = 0}), HasSubstr("accepted are kernels of a step"));
}

TEST(DeviceModel, RefusesBlocksThatItDoesNotKnow) {
  const auto blocks = [](const PassShape& shape, const BackwardMethod& method) {
    return refusal(toy(), shape, 4, {}, method);
  };
  const PassShape fused = rnn(2, 9, 1);
  const PassShape unfused = rnn(2, 9, 1, false);
  EXPECT_EQ(blocks(fused, by_blocks(4)), "accepted");
  EXPECT_EQ(blocks(fused, by_blocks(1, 1, true)), "accepted");
  EXPECT_EQ(blocks(unfused, by_blocks(1)), "accepted");
  EXPECT_EQ(blocks(unfused, by_blocks(4)),
            "blocked:4 has no unfused steps, accepted are bptt, linear, hybrid:L, blelloch and blocked:1");
  EXPECT_THAT(blocks(unfused, by_blocks(2, 3)), HasSubstr("blocked:2:3 has no unfused steps"));
  EXPECT_THAT(blocks(unfused, by_blocks(1, 1, true)), HasSubstr("blocked:1 with Jacobians stored has no unfused"));
  EXPECT_THAT(blocks(fused, by_blocks(0)), HasSubstr("0 blocks, the first 1 times as long"));
  EXPECT_THAT(blocks(fused, by_blocks(2, 0.5)), HasSubstr("the first 0.5 times as long"));
  EXPECT_THAT(blocks(fused, by_blocks(2, std::numeric_limits<double>::infinity())), HasSubstr("accepted is 1 or more"));
  // As many blocks as steps at most.
  EXPECT_EQ(blocks(fused, by_blocks(std::numeric_limits<std::size_t>::max())), "accepted");
  EXPECT_EQ(blocks(rnn(2, 10'000'000, 1), by_blocks(5'000'000)),
            "blocked:5000000 over 10000000 steps, accepted are up to 1048576 blocks");
}

TEST(DeviceModel, CountsTheLongestOfUnevenBlocks) {
  // 11 steps in 4 blocks of 3, 2, 3, 3: the reduced ones wait for each other.
  const DevicePrediction p = predict_on_device(toy(), rnn(2, 11, 1), by_blocks(4), 4);
  EXPECT_DOUBLE_EQ(p.up.seconds(), 1000 + 100 + 3 * (200 + 4 * 20 + 4 * 2 * 2.4));
  EXPECT_DOUBLE_EQ(p.down.seconds(), 1000 + 100 + 3 * 202);
  // A first block of 8.
  const DevicePrediction q = predict_on_device(toy(), rnn(2, 11, 1), by_blocks(4, 8), 4);
  EXPECT_DOUBLE_EQ(q.up.seconds(), 1000 + 100 + 8 * 202);
  EXPECT_DOUBLE_EQ(q.down.seconds(), 1000 + 100 + 1 * 202);
}

}  // namespace
}  // namespace upsweep::device_model_test
