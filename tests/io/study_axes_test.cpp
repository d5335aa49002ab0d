#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/studies.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kStudyBase;
using testing::parse_study;
using testing::study_of_axis;
using testing::study_refusal;

class StudyPathsInFiles : public testing::StudyFolderTest {};

std::vector<std::string> texts(const AxisColumn& column) {
  std::vector<std::string> all;
  for (const AxisValue& value : column.values) all.push_back(value.text);
  return all;
}

TEST(StudyAxes, AreListsRangesAndGeometricRanges) {
  const StudyFile study = parse_study(kStudyBase +
                                      "axes:\n"
                                      "  - {path: model.chain.length, geometric: {from: 10, to: 1000, count: 3}}\n"
                                      "  - {path: workers, range: {from: 1, to: 4}}\n"
                                      "  - {path: batch, range: {from: 1, to: 5, step: 2}}\n"
                                      "  - {path: schedule, values: [linear, 'best']}\n");
  ASSERT_EQ(study.spec.axes.size(), 4U);
  EXPECT_THAT(texts(study.spec.axes[0].columns[0]), ElementsAre("10", "100", "1000"));
  EXPECT_THAT(texts(study.spec.axes[1].columns[0]), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(texts(study.spec.axes[2].columns[0]), ElementsAre("1", "3", "5"));
  EXPECT_THAT(texts(study.spec.axes[3].columns[0]), ElementsAre("linear", "best"));
  EXPECT_EQ(study.spec.axes[0].name, "model.chain.length");
  EXPECT_EQ(study.spec.axes[0].columns[0].values[1].number, 100.0);
  EXPECT_EQ(study.spec.axes[3].columns[0].values[0].number, std::nullopt);
}

TEST(StudyAxes, AWholeNumberMayHaveAnExponent) {
  const StudyFile study = parse_study(study_of_axis("path: model.chain.length, values: [1e3, 1e6, 12]"));
  EXPECT_THAT(texts(study.spec.axes[0].columns[0]), ElementsAre("1000", "1000000", "12"));
}

TEST(StudyAxes, HaveNames) {
  const StudyFile study = parse_study(study_of_axis("name: depth, path: model.chain.length, values: [3, 4]"));
  EXPECT_EQ(study.spec.axes[0].name, "depth");
  EXPECT_EQ(study.spec.axes[0].columns[0].path, "model.chain.length");
}

TEST(StudyAxes, WorkersOfTheMachineAreTheSetting) {
  const StudyFile study = parse_study(study_of_axis("path: machine.workers, values: [3, 4]"));
  EXPECT_EQ(study.spec.axes[0].columns[0].path, "workers");
}

TEST(StudyAxes, ZippedOnesGoTogether) {
  const StudyFile study = parse_study(kStudyBase +
                                      "axes:\n"
                                      "  - name: shape\n"
                                      "    zip:\n"
                                      "      - {path: model.chain.length, values: [10, 20, 10]}\n"
                                      "      - {path: model.chain.size, range: {from: 1, to: 3}}\n");
  ASSERT_EQ(study.spec.axes.size(), 1U);
  EXPECT_EQ(study.spec.axes[0].name, "shape");
  EXPECT_EQ(study.spec.axes[0].size(), 3U);
  ASSERT_EQ(study.spec.axes[0].columns.size(), 2U);
  EXPECT_EQ(study.spec.axes[0].columns[1].path, "model.chain.size");
}

TEST(StudyAxes, AZipOfUnequalLengthsIsRefused) {
  EXPECT_THAT(
      study_refusal(study_of_axis("name: z, zip: [{path: workers, values: [1, 2]}, {path: batch, values: [1, 2, 3]}]")),
      HasSubstr("studies/long.yaml:4: zip of axis 1 has 2 values of 'workers' and 3 of 'batch', accepted are "
                "equally many"));
  EXPECT_THAT(study_refusal(study_of_axis("zip: []")), HasSubstr("zip of axis 1 is empty"));
}

TEST(StudyAxes, HaveExactlyOneKindOfValues) {
  EXPECT_THAT(study_refusal(study_of_axis("path: workers")),
              HasSubstr("the axis over 'workers' has none of values, range, geometric and factor"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [1], range: {from: 1, to: 2}")),
              HasSubstr("has more than one of"));
  EXPECT_THAT(study_refusal(study_of_axis("values: [1]")), HasSubstr("axis 1 has no key 'path'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, value: [1]")), HasSubstr("unknown key 'value' in axis 1"));
  EXPECT_THAT(study_refusal(study_of_axis("name: z, zip: [{path: workers, name: x, values: [1]}]")),
              HasSubstr("unknown key 'name' in column 1 of zip of axis 1"));
}

TEST(StudyAxes, AnEmptyGridIsRefused) {
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: []")),
              HasSubstr("studies/long.yaml:4: values of 'workers' is empty, and so is the grid"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: 3")),
              HasSubstr("values of 'workers' is '3', accepted is a list"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, geometric: {from: 1, to: 2, count: 0}")),
              HasSubstr("long.yaml:4: "));
}

TEST(StudyAxes, AnInfiniteGridIsRefused) {
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, range: {from: 1, to: .inf}")),
              HasSubstr("studies/long.yaml:4: to of range of 'workers' is '.inf', accepted is a finite number"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, range: {from: .nan, to: 3}")), HasSubstr("is '.nan'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, range: {from: 1, to: 3, step: 0}")),
              HasSubstr("long.yaml:4: "));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, range: {from: 3, to: 1}")), HasSubstr("long.yaml:4: "));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, geometric: {from: 0, to: 1, count: 3}")),
              HasSubstr("long.yaml:4: "));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, range: {from: 1, to: 1e12}")), HasSubstr("1000000000000"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [1, .inf]")),
              HasSubstr("a value of values of 'workers' is '.inf', accepted are finite numbers and texts"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [-.Inf]")), HasSubstr("finite"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [nan]")), HasSubstr("finite"));
}

TEST(StudyAxes, TooManyPointsAreRefusedWithTheirNumber) {
  EXPECT_THAT(study_refusal(kStudyBase + "axes:\n"
                                         "  - {path: model.chain.length, range: {from: 1, to: 20000}}\n"
                                         "  - {path: workers, range: {from: 1, to: 10000}}\n"),
              AllOf(HasSubstr("studies/long.yaml:4: "), HasSubstr("200000000"), HasSubstr("100000000")));
}

TEST(StudyAxes, RepeatedValuesAreRefused) {
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [1, 2, 1]")),
              HasSubstr("studies/long.yaml:4: axis 1 has the value 1 twice, accepted is once"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [10, 1e1]")), HasSubstr("has the value 10 twice"));
  EXPECT_THAT(study_refusal(study_of_axis("path: schedule, values: [best, best]")),
              HasSubstr("has the value best twice"));
  EXPECT_THAT(study_refusal(study_of_axis("zip: [{path: workers, values: [1, 1]}, {path: batch, values: [2, 2]}]")),
              HasSubstr("has the value 1, 2 twice"));
}

TEST(StudyAxes, APathOrANameStandsOnce) {
  const std::string first = kStudyBase + "axes:\n  - {path: workers, values: [1]}\n";
  EXPECT_THAT(study_refusal(first + "  - {path: machine.workers, values: [2]}\n"),
              HasSubstr("studies/long.yaml:5: path 'workers' stands in the axes for the second time"));
  EXPECT_THAT(study_refusal(first + "  - {name: workers, path: batch, values: [2]}\n"),
              HasSubstr("axis 2 is the second one of the name 'workers'"));
}

TEST(StudyAxes, ValuesAreScalars) {
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [[1]]")),
              HasSubstr("a value of values of 'workers' is a list of 1"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [~]")), HasSubstr("is empty, accepted is text"));
}

TEST(StudyAxes, FactorsAreNumbersAboveZeroOnNumbersOfAModel) {
  EXPECT_TRUE(parse_study(study_of_axis("path: model.chain.size, factor: [0.5, 2]")).spec.axes[0].columns[0].is_factor);
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chain.size, factor: [0]")),
              HasSubstr("is '0', accepted is a finite number"));
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chain.size, factor: [a]")),
              HasSubstr("is 'a', accepted is a finite number"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, factor: [2]")),
              HasSubstr("path 'workers' of axis 1 has factors"));
}

TEST(StudyPaths, OneThatDoesNotExistIsRefusedWithTheNearestThatDoes) {
  EXPECT_THAT(
      study_refusal(study_of_axis("path: model.chain.lenght, values: [1]")),
      HasSubstr("studies/long.yaml:4: path 'model.chain.lenght' of axis 1 does not exist, the nearest that does "
                "is 'model.chain.length'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chian.length, values: [1]")),
              HasSubstr("does not exist, the nearest that does is 'model.chain.length'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: worker, values: [1]")),
              HasSubstr("the nearest that does is 'workers'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: memory_limit_GiB, values: [1]")),
              HasSubstr("the nearest that does is 'memory_limit_MiB'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: models.chain.length, values: [1]")),
              HasSubstr("is 'model.chain.length'"));
  EXPECT_THAT(study_refusal(study_of_axis("path: objective, values: [time]")), HasSubstr("is one for the whole study"));
}

TEST(StudyPaths, BadSyntaxIsRefused) {
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chain..size, values: [1]")),
              AllOf(HasSubstr("studies/long.yaml:4: path 'model.chain..size' of axis 1"), HasSubstr("a key is empty")));
  EXPECT_THAT(study_refusal(study_of_axis("path: \"model.chain[\", values: [1]")),
              HasSubstr("a bracket is not closed"));
}

TEST(StudyPaths, OneToMoreThanOneValueIsRefused) {
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chain, values: [1]")),
              HasSubstr("leads to more than one value"));
}

TEST(StudyPaths, AKeyThatTheReaderAcceptsExistsWhereTheBaseLacksIt) {
  const std::string uniform = "base:\n  model: {chain: {length: 10, size: 20, kind: uniform, density: 0.5}}\n";
  EXPECT_EQ(study_refusal(uniform + "axes: [{path: model.dtype, values: [fp64]}]\n"), "accepted");
  // A value that is not accepted makes points that say so, as long as another one is.
  EXPECT_EQ(study_refusal(uniform + "axes: [{path: model.dtype, values: [fp16, fp64]}]\n"), "accepted");
  EXPECT_THAT(study_refusal(uniform + "axes: [{path: model.nmae, values: [a]}]\n"),
              AllOf(HasSubstr("path 'model.nmae' of axis 1 does not exist"), HasSubstr("unknown key 'nmae'")));
}

TEST(StudyPaths, ColumnsOfAZipMakeKeysTogether) {
  EXPECT_EQ(study_refusal(study_of_axis(
                "zip: [{path: model.chain.kind, values: [banded]}, {path: model.chain.nnz_per_row, values: "
                "[3]}]")),
            "accepted");
  EXPECT_THAT(study_refusal(study_of_axis("path: model.chain.nnz_per_row, values: [3]")),
              AllOf(HasSubstr("does not exist"), HasSubstr("nnz_per_row stands in a chain of kind dense")));
}

TEST_F(StudyPathsInFiles, LeadIntoNetworksAndMachines) {
  const std::string base = "base: {model: net.yaml, machine: a.yaml}\naxes:\n  - {values: [3, 5], path: ";
  for (const char* accepted :
       {"\"model.input[1]\"", "\"model.operators[*].conv2d.out_channels\"", "model.operators.conv1.kernel",
        "model.operators.conv1.padding", "machine.memory_GiB", "machine.memory_MiB", "machine.launch_latency_us",
        "machine.launch_latency_ns", "machine.level_latency_ms", "\"machine.rates[0].op_latency_ns\"",
        "\"machine.rates[*].workers\""}) {
    EXPECT_EQ(study_refusal(base + accepted + "}\n", path()), "accepted") << accepted;
  }
  EXPECT_THAT(study_refusal(base + "\"model.input[3]\"}\n", path()),
              HasSubstr("nearest that does is 'model.input[0]'"));
  EXPECT_THAT(study_refusal(base + "\"model.operators[*].conv2d.out_chanels\"}\n", path()),
              HasSubstr("nearest that does is 'model.operators[*].conv2d.out_channels'"));
  EXPECT_THAT(study_refusal(base + "\"model.operators[*].linear.out_features\"}\n", path()),
              HasSubstr("does not exist"));
  EXPECT_THAT(study_refusal(base + "machine.lunch_latency_us}\n", path()),
              HasSubstr("nearest that does is 'machine.launch_latency_us'"));
}

TEST_F(StudyPathsInFiles, NeedAMachine) {
  EXPECT_THAT(study_refusal(study_of_axis("path: machine.memory_GiB, values: [1]")),
              HasSubstr("path 'machine.memory_GiB' of axis 1 needs a machine, and the study has none"));
  // Machines of an axis are machines too.
  EXPECT_EQ(study_refusal("base: {model: long.yaml}\naxes:\n  - {path: machine, values: [a.yaml, b.yaml]}\n"
                          "  - {path: machine.memory_GiB, values: [1]}\n",
                          path()),
            "accepted");
}

TEST_F(StudyPathsInFiles, LeadIntoTheModelsOfAnAxis) {
  EXPECT_EQ(
      study_refusal("base: {model: net.yaml}\naxes:\n  - {path: model, values: [net.yaml, long.yaml, none.yaml]}\n"
                    "  - {path: model.chain.length, values: [1]}\n",
                    path()),
      "accepted");
}

}  // namespace
}  // namespace upsweep
