#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/studies.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kStudyBase;
using testing::parse_study;
using testing::study_refusal;

/// Studies over a network and a machine in files.
class StudyFields : public testing::StudyFolderTest {
 protected:
  /// What a study with these axes is refused with; `rest` is from the constraints on.
  std::string refusal(const std::string& first, const std::string& second, const std::string& rest = "") {
    return study_refusal(study(first, second) + rest, path());
  }
  std::string with_constraint(const std::string& axis_path, const std::string& constraint) {
    return study_refusal(study(axis_path, "batch") + "constraints: \"" + constraint + "\"\n", path());
  }
  bool is_count_at(const std::string& settings) {
    const StudyFile file = parse_study(kBase + "axes: [{" + settings + "}]\n", path());
    return is_count(file, file.spec.axes.front().columns.front());
  }

  static std::string study(const std::string& first, const std::string& second) {
    return kBase + fmt::format("axes:\n  - {{path: \"{}\", values: [3, 5]}}\n  - {{path: \"{}\", values: [3, 5]}}\n",
                               first, second);
  }

  static inline const std::string kBase = "base: {model: net.yaml, machine: a.yaml}\n";
};

TEST_F(StudyFields, AreSetByOneAxis) {
  const struct {
    const char* first;
    const char* second;
  } cases[] = {
      {"model.operators.conv1.out_channels", "model.operators[0].conv2d.out_channels"},
      {"model.operators[*].conv2d.out_channels", "model.operators.conv1.out_channels"},
      {"model.operators.conv1.padding", "model.operators[0].conv2d.padding"},
      {"model.input", "model.input[1]"},
      {"model.input[2]", "model.input[*]"},
      {"machine.launch_latency_us", "machine.launch_latency_ns"},
      {"machine.launch_latency_us", "machine.rates[0].op_latency_us"},
      {"machine.rates[*].level_latency_ms", "machine.level_latency_us"},
      {"machine.memory_GiB", "machine.memory_MB"},
  };
  for (const auto& [first, second] : cases) {
    for (const bool is_turned : {false, true}) {
      const char* one = is_turned ? second : first;
      const char* other = is_turned ? first : second;
      EXPECT_THAT(refusal(one, other),
                  AllOf(HasSubstr("study.yaml:4: "),
                        HasSubstr(fmt::format("the axes over '{}' and '{}' set the same field", one, other))));
    }
  }
  EXPECT_THAT(study_refusal(kBase + "axes: [{zip: [{path: machine.launch_latency_us, values: [1]}, "
                                    "{path: machine.launch_latency_ms, values: [2]}]}]\n",
                            path()),
              HasSubstr("set the same field"));
}

TEST_F(StudyFields, OfDifferentPlacesAreDifferent) {
  EXPECT_EQ(refusal("model.input[1]", "model.input[2]"), "accepted");
  EXPECT_EQ(refusal("machine.launch_latency_us", "machine.level_latency_us"), "accepted");
  EXPECT_EQ(refusal("model.operators.conv1.out_channels", "model.operators.conv1.padding"), "accepted");
  EXPECT_EQ(refusal("machine.memory_GiB", "memory_limit_MiB"), "accepted");
  // One node of the text by an anchor, and yet two fields.
  folder_.write("anchor.yaml",
                "input: [3, 8, 8]\noperators:\n"
                "  - conv2d: &c {out_channels: 4, kernel: 3}\n  - conv2d: *c\n");
  EXPECT_EQ(study_refusal("base: {model: anchor.yaml}\naxes:\n"
                          "  - {path: \"model.operators[0].conv2d.out_channels\", values: [3]}\n"
                          "  - {path: \"model.operators[1].conv2d.out_channels\", values: [3]}\n"
                          "constraints: \"model.operators[0].conv2d.kernel > model.operators[1].conv2d.kernel - 1\"\n",
                          path()),
            "accepted");
}

TEST_F(StudyFields, OfFilesOfAnAxisCountAndNotThoseOfTheBase) {
  folder_.write("two.yaml",
                "input: [3, 8, 8]\noperators:\n  - relu\n"
                "  - conv2d: {name: conv1, out_channels: 4, kernel: 3}\n");
  const std::string axes =
      "axes:\n  - {path: model, values: [two.yaml]}\n"
      "  - {path: model.operators.conv1.out_channels, values: [3]}\n"
      "  - {path: \"model.operators[POSITION].conv2d.out_channels\", values: [4]}\n";
  const auto at = [&](const char* position) {
    std::string text = axes;
    return text.replace(text.find("POSITION"), 8, position);
  };
  EXPECT_THAT(study_refusal("base: {model: net.yaml}\n" + at("1"), path()), HasSubstr("set the same field"));
  EXPECT_EQ(study_refusal("base: {model: net.yaml}\n" + at("0"), path()), "accepted");
}

TEST_F(StudyFields, AreReadByConstraintsUnderTheAxisPath) {
  const std::string conv = "model.operators[0].conv2d.out_channels";
  EXPECT_THAT(with_constraint("model.operators.conv1.out_channels", "batch <= " + conv),
              AllOf(HasSubstr("study.yaml:5: "),
                    HasSubstr("the axis over 'model.operators.conv1.out_channels' sets what the constraint reads as '" +
                              conv + "', accepted is the path as the axis has it")));
  EXPECT_THAT(with_constraint("model.operators[*].conv2d.out_channels", conv + " <= 4"),
              HasSubstr("accepted is an axis over that path alone, without [*]"));
  EXPECT_THAT(with_constraint("machine.launch_latency_us", "machine.rates[0].op_latency_us < 4"),
              HasSubstr("sets what the constraint reads"));
  EXPECT_THAT(with_constraint("machine.rates[0].op_latency_ns", "machine.rates[0].op_latency_us < 4"),
              HasSubstr("sets what the constraint reads"));
  EXPECT_THAT(with_constraint("machine.launch_latency_ns", "machine.launch_latency_us < 4"),
              HasSubstr("sets what the constraint reads"));
  EXPECT_EQ(with_constraint(conv, conv + " <= 4"), "accepted");
  EXPECT_EQ(with_constraint("machine.launch_latency_us", "machine.launch_latency_us < 4"), "accepted");
  EXPECT_EQ(with_constraint("machine.launch_latency_us", "machine.rates[0].level_latency_us < 4"), "accepted");
  EXPECT_EQ(with_constraint("machine.workers", "workers < 4"), "accepted");
}

TEST_F(StudyFields, ThatCountAreWholeAndQuantitiesAreNot) {
  EXPECT_TRUE(is_count_at("path: workers, values: [1]"));
  EXPECT_TRUE(is_count_at("path: machine.workers, values: [1]"));
  EXPECT_TRUE(is_count_at("path: batch, values: [1]"));
  EXPECT_TRUE(is_count_at("path: \"model.input[1]\", values: [9]"));
  EXPECT_TRUE(is_count_at("path: \"model.operators[*].conv2d.out_channels\", values: [9]"));
  EXPECT_TRUE(is_count_at("path: model.operators.conv1.padding, values: [1]"));
  EXPECT_TRUE(is_count_at("path: \"machine.rates[0].workers\", values: [8]"));
  EXPECT_FALSE(is_count_at("path: \"model.operators[*].conv2d.out_channels\", factor: [1, 2]"));
  EXPECT_FALSE(is_count_at("path: memory_limit_MiB, values: [1]"));
  EXPECT_FALSE(is_count_at("path: machine.launch_latency_us, values: [1]"));
  EXPECT_FALSE(is_count_at("path: \"machine.rates[0].op_latency_us\", values: [1]"));
  EXPECT_FALSE(is_count_at("path: machine.memory_GiB, values: [1]"));
  EXPECT_FALSE(is_count_at("path: machine, values: [a.yaml]"));
}

TEST(StudyFieldsOfChains, AreNoCountsWhereTheBaseWritesAFraction) {
  const StudyFile study = parse_study(
      "base:\n  model: {chain: {length: 10, size: 20, kind: uniform, density: 0.5}}\n"
      "axes:\n  - {path: model.chain.density, values: [1]}\n  - {path: model.chain.length, values: [5]}\n");
  EXPECT_FALSE(is_count(study, study.spec.axes[0].columns.front()));
  EXPECT_TRUE(is_count(study, study.spec.axes[1].columns.front()));
}

}  // namespace
}  // namespace upsweep
