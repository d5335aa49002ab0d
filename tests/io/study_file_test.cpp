#include "upsweep/io/study_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "support/studies.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/preset_machines.hpp"

namespace upsweep {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kStudyBase;
using testing::kStudyMachine;
using testing::kStudyNetwork;
using ::testing::Not;
using testing::parse_study;
using testing::study_of_axis;
using testing::study_of_question;
using testing::study_of_setting;
using testing::study_refusal;

class StudyFilesBeside : public testing::StudyFolderTest {};

TEST(StudyFileReader, ABaseIsAStudyOfOnePoint) {
  const StudyFile study = parse_study(kStudyBase);
  EXPECT_EQ(study.file, "studies/long.yaml");
  EXPECT_EQ(study.text, kStudyBase);
  EXPECT_EQ(study.spec.name, "long");
  EXPECT_EQ(study.spec.description, "");
  EXPECT_EQ(study.spec.base, StudySettings{});
  EXPECT_THAT(study.spec.axes, IsEmpty());
  EXPECT_THAT(study.spec.questions, ElementsAre(Question{}));
  EXPECT_TRUE(ModelFile(study.model).holds<ChainModel>());
  EXPECT_EQ(study.model.file, "studies/long.yaml");
  EXPECT_FALSE(study.machine.has_value());
}

TEST(StudyFileReader, TheBaseHasEverySetting) {
  const StudyFile study = parse_study("name: deep\ndescription: How deep?\n" + kStudyBase +
                                      "  schedule: hybrid:3\n"
                                      "  objective: critical-flops\n"
                                      "  execution: dag\n"
                                      "  scope: live\n"
                                      "  pattern: guaranteed\n"
                                      "  workers: 16\n"
                                      "  batch: 4\n"
                                      "  memory_limit_GiB: 2\n");
  EXPECT_EQ(study.spec.name, "deep");
  EXPECT_EQ(study.spec.description, "How deep?");
  const StudySettings& base = study.spec.base;
  EXPECT_EQ(base.point.schedule, "hybrid:3");
  EXPECT_EQ(base.point.objective, Objective::critical_flops);
  EXPECT_EQ(base.point.execution, Execution::dag);
  EXPECT_EQ(base.point.scope, Scope::live);
  EXPECT_EQ(base.pattern, PatternKind::guaranteed);
  EXPECT_EQ(base.point.workers, 16U);
  EXPECT_EQ(base.batch, 4U);
  EXPECT_EQ(base.point.memory_limit, std::uint64_t{2} << 30U);
}

TEST(StudyFileReader, AMemoryLimitHasAUnitOrIsNone) {
  EXPECT_EQ(parse_study(study_of_setting("memory_limit_KiB: 3")).spec.base.point.memory_limit, 3072U);
  const PointSettings none = parse_study(study_of_setting("memory_limit: none")).spec.base.point;
  EXPECT_EQ(none.memory_limit, std::nullopt);
  EXPECT_FALSE(none.is_limited_by_machine);
  EXPECT_THAT(study_refusal(study_of_setting("memory_limit: 3")),
              HasSubstr("studies/long.yaml:3: memory_limit of base is '3', accepted is none, or"));
  EXPECT_THAT(study_refusal(study_of_setting("memory_limit_miles: 3")), HasSubstr("unknown unit"));
  EXPECT_THAT(study_refusal(study_of_setting("memory_limit_GiB: 0")), HasSubstr("accepted is a number from 1 byte"));
}

TEST(StudyFileReader, ABadSettingIsNamedWithItsLine) {
  EXPECT_THAT(study_refusal(study_of_setting("schedule: fastest")),
              HasSubstr("studies/long.yaml:3: schedule is 'fastest'"));
  EXPECT_THAT(study_refusal(study_of_setting("workers: 0")), HasSubstr("studies/long.yaml:3: workers is '0'"));
  EXPECT_THAT(study_refusal(study_of_setting("batch: 1.5")), HasSubstr("batch is '1.5'"));
  EXPECT_THAT(study_refusal(study_of_setting("execution: fast")), HasSubstr("execution is 'fast'"));
  EXPECT_THAT(study_refusal(study_of_setting("scope: some")), HasSubstr("scope is 'some'"));
  EXPECT_THAT(study_refusal(study_of_setting("pattern: zebra")), HasSubstr("pattern is 'zebra'"));
  EXPECT_THAT(study_refusal(study_of_setting("objective: fun")),
              HasSubstr("objective of base is 'fun', accepted are time, critical-flops, work-flops"));
  EXPECT_THAT(study_refusal(study_of_setting("worker: 3")),
              HasSubstr("unknown key 'worker' in base: did you mean workers?"));
}

TEST(StudyFileReader, KeysAreStrict) {
  EXPECT_THAT(study_refusal(kStudyBase + "axis: []\n"), HasSubstr("unknown key 'axis' in the study"));
  EXPECT_THAT(study_refusal("axes: []\n"), HasSubstr("the study has no key 'base'"));
  EXPECT_THAT(study_refusal("base: {workers: 3}\n"), HasSubstr("base has no key 'model'"));
  EXPECT_THAT(study_refusal("- a\n"), HasSubstr("the study is a list of 1"));
  EXPECT_THAT(study_refusal(kStudyBase + "axes: {path: workers}\n"), HasSubstr("axes is a mapping"));
}

TEST(StudyFileReader, ModelAndMachineAreFilesBesideTheStudy) {
  const testing::TemporaryFolder folder;
  folder.write("models/net.yaml", kStudyNetwork);
  folder.write("machines/m.yaml", kStudyMachine);
  const std::string path =
      folder.write("studies/s.yaml", "base: {model: ../models/net.yaml, machine: ../machines/m.yaml}\n");
  const StudyFile study = load_study(path);
  EXPECT_THAT(study.model.file, HasSubstr("models/net.yaml"));
  ASSERT_TRUE(study.machine.has_value());
  EXPECT_THAT(study.machine->file, HasSubstr("machines/m.yaml"));
  EXPECT_THAT(study_refusal("base: {model: ../models/nit.yaml}\n", path),
              AllOf(HasSubstr("s.yaml:1: model of base is '../models/nit.yaml', and there is no file"),
                    HasSubstr("nit.yaml: did you mean net.yaml?; accepted is a model file"),
                    HasSubstr("accepted is a model file, or a mapping")));
  EXPECT_THAT(study_refusal("base: {model: ../models/net.yaml, machine: m.yaml}\n", path),
              HasSubstr("machine of base"));
}

TEST(StudyFileReader, AMachineMayBeOneThatTheProgramCarries) {
  const testing::TemporaryFolder folder;
  folder.write("net.yaml", kStudyNetwork);
  const std::string named = "base: {model: net.yaml, machine: a100-sxm4-80gb}\naxes: [{path: machine, values: ";
  const std::string path = folder.write("s.yaml", named + "[a100-sxm4-80gb, v100-sxm2-32gb, v100]}]\n");
  const StudyFile study = load_study(path);
  ASSERT_TRUE(study.machine.has_value());
  EXPECT_EQ(study.machine->file, "a100-sxm4-80gb");
  const auto machine_at = [&](const char* name) {
    return machine_with(&*study.machine, std::vector<PathValue>{{"", {name}}}, study.file);
  };
  EXPECT_EQ(machine_at("v100-sxm2-32gb").name, preset_of("v100-sxm2-32gb")->machine.name);
  EXPECT_THAT([&] { static_cast<void>(machine_at("v100-sxm2-32g")); },
              ::testing::ThrowsMessage<InputError>(HasSubstr("did you mean v100-sxm2-32gb?")));
  EXPECT_THAT(
      study_refusal("base: {model: net.yaml, machine: a100-sxm4-80g}\n", path),
      AllOf(HasSubstr("s.yaml:1: machine of base is 'a100-sxm4-80g'"), HasSubstr("did you mean a100-sxm4-80gb?")));
  folder.write("a100-sxm4-80gb", kStudyMachine);
  EXPECT_THAT(load_study(path).machine->file, HasSubstr("/a100-sxm4-80gb")) << "a file goes first";
}

TEST(StudyFileReader, TheBaseIsValidOnItsOwn) {
  EXPECT_THAT(study_refusal("base:\n  model:\n    chain: {length: 0, size: 20, kind: dense}\n"),
              HasSubstr("studies/long.yaml:3: length of chain is '0'"));
  EXPECT_THAT(study_refusal("base:\n  model: {chain: {length: 5, size: 20, kind: banded, nnz_per_row: 4}}\n"),
              HasSubstr("nnz_per_row of chain is 4 of a banded chain"));
  EXPECT_THAT(study_refusal(kStudyBase + "  machine: {name: m, kind: cpu}\n"), HasSubstr("the machine has no key"));
}

TEST(StudyFileReader, AFileThatIsNotThereIsNamed) {
  const testing::TemporaryFolder folder;
  try {
    static_cast<void>(load_study(folder.path("none.yaml")));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none.yaml"));
  }
}

TEST(StudyHash, IsOfContentAndNotOfLayout) {
  const std::string hash = parse_study(kStudyBase).content_hash;
  EXPECT_EQ(
      parse_study("# a comment\nbase:\n\n  model:\n    chain: {kind: dense, size: 20, length: 1000}\n    dtype: fp32\n")
          .content_hash,
      hash);
  const std::set<std::string> hashes = {hash,
                                        parse_study(study_of_setting("workers: 3")).content_hash,
                                        parse_study(study_of_setting("workers: 4")).content_hash,
                                        parse_study(study_of_axis("path: workers, values: [3, 4]")).content_hash,
                                        parse_study(study_of_axis("path: workers, values: [4, 3]")).content_hash,
                                        parse_study(study_of_axis("path: workers, values: [34]")).content_hash,
                                        parse_study(study_of_question("best")).content_hash,
                                        parse_study("name: x\n" + kStudyBase).content_hash};
  EXPECT_EQ(hashes.size(), 8U);
}

TEST_F(StudyFilesBeside, AnEditedFileIsAnotherStudy) {
  const std::string text = "base: {model: long.yaml}\naxes: [{path: machine, values: [a.yaml, b.yaml]}]\n";
  const std::string hash = parse_study(text, path()).content_hash;
  folder_.write("long.yaml", "# only a comment\nchain: {length: 10, size: 20, kind: dense}\n");
  EXPECT_EQ(parse_study(text, path()).content_hash, hash);
  folder_.write("long.yaml", "chain: {length: 11, size: 20, kind: dense}\n");
  const std::string longer = parse_study(text, path()).content_hash;
  EXPECT_NE(longer, hash);
  std::string slower = kStudyMachine;
  folder_.write("b.yaml", slower.replace(slower.find("op_latency_us: 2"), 16, "op_latency_us: 3"));
  EXPECT_THAT(parse_study(text, path()).content_hash, Not(longer));
}

}  // namespace
}  // namespace upsweep
