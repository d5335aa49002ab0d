#include "calibrate/run_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/calibrate/synthetic.hpp"
#include "upsweep/devices/registry.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr std::uint64_t kCache = 16 * kMebi;
constexpr CacheEdge kEdge = {8 * kMebi, 20 * kMebi, 1e9};
constexpr double kNear = 1e-11;
constexpr double kFar = 3e-11;
constexpr double kPause = 2e-3;  // seconds

/// Says how long streams take on a machine with kEdge, and what makes other times of them; runs nothing.
class StreamedBackend final : public Backend {
 public:
  /// Of a pass, from 1 on, and of seconds per byte: what is measured instead.
  using Disturb = std::function<double(int pass, double byte_s)>;
  explicit StreamedBackend(Disturb disturbed, bool times_levels = true)
      : disturbed_(std::move(disturbed)), times_levels_(times_levels) {}

  [[nodiscard]] std::string name() const override { return "streamed"; }
  [[nodiscard]] Availability availability() const override { return {true, ""}; }
  [[nodiscard]] DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.cache_bytes = kCache;
    facts.near_cache_bytes = kMebi / 2;
    return facts;
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                const RunOptions&) const override {
    const std::size_t matrices = chain.structure.jacobians.size() - 2;
    const std::size_t pauses = level_sizes(schedule).size() - matrices;
    if (matrices > most_) most_ = matrices;
    if (matrices == most_ && pauses == 0) ++passes_;
    constexpr std::uint64_t kMatrix = kStreamRows * kStreamRows * (sizeof(float) + sizeof(Index));
    const auto bytes = static_cast<double>(matrices * kMatrix);
    Machine machine;
    machine.cache_bytes = kEdge.inside;
    machine.from_memory_bytes = kEdge.outside;
    Measurement measured;
    measured.seconds = static_cast<double>(pauses) * kPause + bytes * kFar;
    const double moved = bytes + kEdge.churn_bytes_per_s * measured.seconds;
    const double share = uncached_share(machine, static_cast<std::uint64_t>(moved));
    const double byte_s = disturbed_(passes_, kNear + (kFar - kNear) * share);
    if (!times_levels_) return measured;
    measured.level_seconds.assign(pauses, kPause);
    measured.level_seconds.resize(pauses + matrices, byte_s * static_cast<double>(kMatrix));
    return measured;
  }
  [[nodiscard]] Measurement run(const Schedule&, const NumericChain<double>&, const RunOptions&) const override {
    throw BackendError("streams are of fp32");
  }

  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] CacheEdge edge() const { return measured_edge(*this, facts(), kCache, 1); }

 private:
  Disturb disturbed_;
  bool times_levels_;
  mutable std::size_t most_ = 0;
  mutable int passes_ = 0;
};

void expect_found(const CacheEdge& found) {
  EXPECT_LE(found.error, 0.02);
  EXPECT_NEAR(static_cast<double>(found.inside) / static_cast<double>(kEdge.inside), 1, 0.25);
  EXPECT_NEAR(static_cast<double>(found.outside) / static_cast<double>(kEdge.outside), 1, 0.25);
}

class MeasuredEdge : public testing::SeededTest {
 protected:
  /// 1 to 90, what other work does to a time: so much that the fastest of a few passes fit no edge either.
  double disturbance() { return std::exp(static_cast<double>(between(0, 1'000'000)) * 4.5e-6); }
};

TEST_F(MeasuredEdge, IsReadTwiceWhereNothingDisturbsIt) {
  const StreamedBackend backend([](int, double byte_s) { return byte_s; });
  expect_found(backend.edge());
  EXPECT_EQ(backend.passes(), 2);
}

TEST_F(MeasuredEdge, IsReadAgainUntilItIsNotDisturbed) {
  const StreamedBackend backend([&](int pass, double byte_s) { return pass < 4 ? byte_s * disturbance() : byte_s; });
  expect_found(backend.edge());
  EXPECT_EQ(backend.passes(), 4);
}

TEST_F(MeasuredEdge, TellsThatItStayedDisturbedAfterSixTimes) {
  const StreamedBackend backend([&](int, double byte_s) { return byte_s * disturbance(); });
  EXPECT_GT(backend.edge().error, kDisturbed);
  EXPECT_EQ(backend.passes(), 6);
}

// As where others use all of the cache for a while.
TEST_F(MeasuredEdge, IsReadAgainWhereNoneIsSeen) {
  const StreamedBackend backend([](int pass, double byte_s) { return pass < 3 ? kFar : byte_s; });
  expect_found(backend.edge());
  EXPECT_EQ(backend.passes(), 3);
}

TEST_F(MeasuredEdge, IsNotSeenByABackendThatDoesNotTimeItsLevels) {
  const StreamedBackend backend([](int, double byte_s) { return byte_s; }, false);
  EXPECT_EQ(backend.edge().outside, 0U);
  EXPECT_EQ(backend.passes(), 1);
}

TEST(SetCache, TakesWhatWasMeasuredAndNoHugeOneThatNobodySaw) {
  Machine machine;
  machine.cache_bytes = 508 * kMebi;
  set_cache(machine, {}, 508 * kMebi);
  EXPECT_EQ(machine.cache_bytes, 64 * kMebi);
  EXPECT_EQ(machine.from_memory_bytes, 0U);
  machine.cache_bytes = 32 * kMebi;
  set_cache(machine, {}, 32 * kMebi);
  EXPECT_EQ(machine.cache_bytes, 32 * kMebi) << "named, and none seen";
  set_cache(machine, {100 * kMebi, 250 * kMebi, 5e9}, 508 * kMebi);
  EXPECT_EQ(machine.cache_bytes, 100 * kMebi);
  EXPECT_EQ(machine.from_memory_bytes, 250 * kMebi);
  EXPECT_EQ(machine.churn_bytes_per_s, 5e9);
  set_cache(machine, {100 * kMebi, 250 * kMebi, 5e9}, 80 * kMebi);
  EXPECT_EQ(machine.cache_bytes, 80 * kMebi) << "of a memory that has no room for more";
}

TEST(RunSeconds, PlansARunOnce) {
  SyntheticRun<float> run = make_synthetic<float>({"", Family::general, 4, 4, 1, 0.5});
  const auto cpu = make_backend("cpu");
  EXPECT_GT(run_seconds(*cpu, run, 1), 0);
  const auto plan = run.plan;
  ASSERT_NE(plan, nullptr);
  EXPECT_GT(run_seconds(*cpu, run, 1), 0);
  EXPECT_EQ(run.plan, plan);
}

TEST(MiddleSeconds, IsTheMeanOfTwoThatAgreeElseTheMedianOfThree) {
  const auto middle = [](std::vector<double> times) {
    std::size_t measured = 0;
    const double seconds = middle_seconds(times[0], [&] { return times.at(++measured); });
    return std::pair(seconds, measured);
  };
  EXPECT_EQ(middle({4, 4}), std::pair(4.0, std::size_t{1}));
  EXPECT_NEAR(middle({4, 4.41}).first, 4.2, 1e-12) << "the geometric mean";
  EXPECT_NEAR(middle({4.41, 4}).first, 4.2, 1e-12);
  EXPECT_EQ(middle({4, 5, 9}), std::pair(5.0, std::size_t{2})) << "a quarter apart";
  EXPECT_EQ(middle({5, 4, 4.5}), std::pair(4.5, std::size_t{2}));
  EXPECT_EQ(middle({9, 4, 3}), std::pair(4.0, std::size_t{2})) << "a first time that something disturbed";
}

}  // namespace
}  // namespace upsweep
