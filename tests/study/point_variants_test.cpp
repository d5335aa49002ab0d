#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "made_points.hpp"
#include "made_study.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {
namespace {

using testing::add_axis;
using testing::chain_of;
using testing::kChain;
using testing::kMachine;
using testing::kNetwork;
using testing::made_study;
using testing::network_of;
using testing::numbers;
using testing::texts;

TEST(PointVariants, NumbersModelsByTheAxesThatChangeThem) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("workers", {1, 2, 3}));
  add_axis(study, numbers("model.chain.length", {10, 20}));
  add_axis(study, numbers("machine.launch_latency_us", {1, 2}));
  add_axis(study, numbers("model.chain.size", {2, 3, 4}));
  const PointFactory factory(study, "1");
  std::map<std::uint64_t, std::set<std::string>> hashes;
  for (std::uint64_t position = 0; position < factory.grid().points(); ++position) {
    hashes[factory.model_number(position)].insert(factory.at(position).model.hash);
  }
  ASSERT_EQ(hashes.size(), 6U);
  std::set<std::string> all;
  for (const auto& [number, models] : hashes) {
    EXPECT_EQ(models.size(), 1U) << number;
    all.insert(models.begin(), models.end());
  }
  EXPECT_EQ(all.size(), 6U);
}

TEST(PointVariants, ReplacesTheNumberOfAnAxis) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("model.chain.length", {10, 20}));
  add_axis(study, numbers("workers", {1, 2}));
  study.spec.axes.push_back({"both", {numbers("batch", {1}), numbers("machine.launch_latency_us", {1})}});
  const PointFactory factory(study, "1");
  const PointInputs longer = factory.at(2, Replaced{0, 15});
  EXPECT_EQ(chain_of(longer).elements, 15U);
  EXPECT_EQ(chain_of(factory.at(2)).elements, 20U) << "what is kept of a place stays";
  EXPECT_EQ(chain_of(factory.at(2, Replaced{0, 16})).elements, 16U);
  EXPECT_EQ(factory.at(1, Replaced{1, 9}).settings.point.workers, 9U);
  EXPECT_EQ(factory.at(0, Replaced{0, 20}).key, factory.at(2).key) << "equal values have equal keys";
  EXPECT_NE(factory.at(0, Replaced{0, 2.5}).error, "");
  EXPECT_THROW(static_cast<void>(factory.at(0, Replaced{2, 1})), std::logic_error);
}

/// A folder of its own that goes with the test.
class PointFiles : public ::testing::Test {
 protected:
  PointFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "upsweep_points_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~PointFiles() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

TEST_F(PointFiles, AxesNameWholeMachinesAndModels) {
  write("a.yaml", kMachine);
  write("b.yaml",
        "name: b\nkind: pram\nprovenance: {origin: definition}\nrates:\n  - {workers: 4, op_latency_us: 9}\n");
  write("chain.yaml", "name: long\nchain: {length: 7, size: 2, kind: diagonal}\n");
  write("network.yaml", kNetwork);
  StudyFile study = made_study(kChain);
  study.file = (folder() / "study.yaml").string();
  add_axis(study, texts("machine", {"a.yaml", "b.yaml", "missing.yaml"}));
  add_axis(study, numbers("machine.level_latency_us", {4}));
  add_axis(study, texts("model", {"chain.yaml", "network.yaml"}));
  study.spec.constraints = {Constraint("machine.rates[0].workers >= 1")};
  const PointFactory factory(study, "1");
  EXPECT_TRUE(factory.has_networks()) << "one of its files is a network";
  EXPECT_EQ(chain_of(factory.at(0)).elements, 7U);
  EXPECT_EQ(factory.at(0).machine.machine->workers(), 64U);
  EXPECT_EQ(factory.at(2).machine.machine->workers(), 4U);
  EXPECT_DOUBLE_EQ(factory.at(2).machine.machine->rates.front().level_latency_s, 4e-6) << "of every file";
  EXPECT_EQ(network_of(factory.at(3)).network.input(), Shape{12});
  EXPECT_NE(factory.at(4).error, "");
  study.spec.constraints = {Constraint("machine.rates[0].workers > 4")};
  EXPECT_FALSE(PointFactory(study, "1").at(0).is_excluded);
  EXPECT_TRUE(PointFactory(study, "1").at(2).is_excluded) << "by the number in its own file";
}

TEST(PointVariants, IsThreadSafeAndMakesAVariantOnce) {
  StudyFile study = made_study(kNetwork, kMachine);
  add_axis(study, numbers("model.input[0]", {12, 13, 14}));
  add_axis(study, numbers("machine.launch_latency_us", {1, 2, 3, 4}));
  const PointFactory factory(study, "1");
  std::vector<std::vector<PointInputs>> made(8);
  std::vector<std::thread> threads;
  for (std::vector<PointInputs>& mine : made) {
    threads.emplace_back([&] {
      for (std::uint64_t position = 0; position < factory.grid().points(); ++position)
        mine.push_back(factory.at(position));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<PointInputs>& mine : made) {
    for (std::size_t position = 0; position < mine.size(); ++position) {
      EXPECT_EQ(mine[position].model.model, made[0][position].model.model);
      EXPECT_EQ(mine[position].machine.machine, made[0][position].machine.machine);
      EXPECT_EQ(mine[position].key, made[0][position].key);
    }
  }
}

TEST(PointVariants, MakesMoreVariantsThanItKeeps) {
  StudyFile study = made_study(kChain);
  std::vector<double> lengths;
  for (int length = 1; length <= 9000; ++length) lengths.push_back(length);
  add_axis(study, numbers("model.chain.length", lengths));
  const PointFactory factory(study, "1");
  for (const std::uint64_t position : {0, 4500, 8999}) {
    EXPECT_EQ(chain_of(factory.at(position)).elements, position + 1);
  }
  for (std::uint64_t position = 0; position < 9000; ++position) static_cast<void>(factory.at(position));
  for (const std::uint64_t position : {0, 4500, 8999}) {
    EXPECT_EQ(chain_of(factory.at(position)).elements, position + 1) << "made again where it is not kept any more";
  }
}

}  // namespace
}  // namespace upsweep
