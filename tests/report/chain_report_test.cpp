#include "upsweep/report/chain_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rendered.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ChainModel model_of(std::uint64_t length) {
  ChainModel model;
  model.name = "rnn-like";
  model.chain = fused_chain(20, length);
  return model;
}

/// A profile of a chain with all that its report refers to.
struct Profiled {
  explicit Profiled(ChainModel of, std::uint32_t depth) : model(std::move(of)) {
    HomogeneousChain counted = model.chain;
    if (!counted.is_exact()) counted = fused_chain(counted.size, counted.elements);
    profile = profile_homogeneous(counted, depth, model.value_bytes);
    linear = profile_homogeneous(counted, 0, model.value_bytes);
    reference = homogeneous_reference(counted, model.value_bytes);
  }
  /// Its figures on 4 workers, of a machine or none.
  [[nodiscard]] SearchResult compared(const Machine* machine = nullptr) const {
    std::vector<std::unique_ptr<CountedSchedule>> schedules;
    schedules.push_back(counted(linear));
    schedules.push_back(counted(profile));
    SearchOptions options;
    options.machine = machine;
    options.execution = Execution::level;
    return compare_schedules(schedules, options, 4);
  }
  [[nodiscard]] ChainProfileReport report(const SearchResult& found) const {
    return {&model, profile, found, reference, "hybrid:2"};
  }

  ChainModel model;
  HomogeneousProfile linear;
  HomogeneousProfile profile;
  HomogeneousReference reference;
};

TEST(ChainReport, HasTheKeysOfAProfile) {
  const Profiled profiled(model_of(1000), 2);
  const SearchResult compared = profiled.compared();
  const Json json = to_json(profiled.report(compared));
  EXPECT_EQ(json["model"]["name"], "rnn-like");
  EXPECT_EQ(json["model"]["chain"]["kind"], "dense");
  EXPECT_EQ(json["model"]["chain"]["length"], 1000);
  EXPECT_EQ(json["model"]["chain"]["size"], 20);
  EXPECT_TRUE(json["model"]["chain"]["density"].is_null());
  EXPECT_EQ(json["exact"], true);
  EXPECT_EQ(json["pattern"], "guaranteed");
  EXPECT_EQ(json["schedule"]["name"], "hybrid:2");
  EXPECT_EQ(json["schedule"]["length"], 1001);
  EXPECT_EQ(json["totals"]["all"]["flops"], profiled.profile.all.flops);
  EXPECT_EQ(json["linear"]["flops"], 999ULL * 2 * 20 * 20) << "the vector-matrix products of plain back-propagation";
  EXPECT_EQ(json["pram"]["makespan"]["level"]["flops"], compared.last().pram.level.flops);
  EXPECT_TRUE(json["baseline"]["flops"].is_null());
  EXPECT_TRUE(json["time"].is_null());
  std::uint64_t levels = 0;
  for (const Json& run : json["levels"]) levels += run["repeat"].get<std::uint64_t>();
  EXPECT_EQ(levels, json["schedule"]["levels"]);
}

TEST(ChainReport, SaysThatCountsOfRandomEntriesAreExpected) {
  ChainModel model = model_of(10);
  const Profiled exact(model, 1);
  EXPECT_THAT(to_text(exact.report(exact.compared())), Not(HasSubstr("Expected")));
  model.chain.kinds = {ElementKind::uniform};
  model.chain.density = 0.25;
  const Profiled random(model, 1);
  EXPECT_EQ(to_json(random.report(random.compared()))["exact"], false);
  EXPECT_EQ(to_json(random.report(random.compared()))["model"]["chain"]["density"], 0.25);
  EXPECT_THAT(to_text(random.report(random.compared())),
              HasSubstr("Expected counts, not exact ones: entries are random.\n"));
  EXPECT_THAT(to_text(random.report(random.compared())),
              HasSubstr("uniform Jacobians of 20 x 20, 0.25 of the entries at random"));
}

TEST(ChainReport, SaysTheSecondsOfAMachine) {
  const Profiled profiled(model_of(10), 1);
  const Machine machine = load_machine(read_yaml(UPSWEEP_SOURCE_DIR "/configs/machines/v100-sxm2-32gb.yaml"));
  const SearchResult compared = profiled.compared(&machine);
  const ChainProfileReport report = profiled.report(compared);
  const double seconds = compared.last().level_s.value();
  EXPECT_GT(seconds, 0);
  EXPECT_THAT(to_text(report), HasSubstr("Predicted on " + machine.name + " (4 workers): " + short_seconds(seconds) +
                                         " with barriers (level), " + short_seconds(compared.last().dag_s.value()) +
                                         " without (dag).\n"));
  EXPECT_EQ(to_json(report)["time"]["machine"], machine.name);
  EXPECT_EQ(to_json(report)["time"]["seconds"]["level"], seconds);
}

TEST(ChainReport, HasARowPerRunOfLevels) {
  const Profiled profiled(model_of(1000), 2);
  const std::string csv = to_csv(profiled.report(profiled.compared()));
  EXPECT_THAT(
      csv, ::testing::StartsWith("level,repeat,phase,ops,flops_sum,flops_max,span_max,mv_ops,dead_ops,nnz,bytes\r\n"));
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 2);
}

}  // namespace
}  // namespace upsweep
