#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/studies.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kStudyBase;
using testing::parse_study;
using testing::study_of_axis;
using testing::study_of_question;
using testing::study_refusal;

class StudyTargets : public testing::StudyFolderTest {};

TEST(StudyConstraints, AreATextOrAList) {
  EXPECT_EQ(
      parse_study(study_of_question("best") + "constraints: workers <= model.chain.length\n").spec.constraints.size(),
      1U);
  const StudyFile study = parse_study(study_of_question("best") +
                                      "constraints: [\"workers <= model.chain.length\", \"model.chain.size > 1\"]\n");
  ASSERT_EQ(study.spec.constraints.size(), 2U);
  EXPECT_EQ(study.spec.constraints[1].text(), "model.chain.size > 1");
}

TEST(StudyConstraints, SayWhatIsWrong) {
  EXPECT_THAT(study_refusal(study_of_question("best") + "constraints: [\"workers <=\"]\n"),
              HasSubstr("studies/long.yaml:8: "));
  EXPECT_THAT(study_refusal(study_of_question("best") + "constraints: [\"memory_limit_MiB <= 3\"]\n"),
              AllOf(HasSubstr("studies/long.yaml:8: "), HasSubstr("'memory_limit_MiB'")));
  EXPECT_EQ(parse_study(study_of_question("best") + "constraints: [\"batch <= 3\"]\n").spec.constraints.size(), 1U)
      << "a batch has a default";
  EXPECT_THAT(study_refusal(study_of_question("best") + "constraints: [\"model.chain.kind == 3\"]\n"),
              HasSubstr("model.chain.kind"));
  EXPECT_THAT(study_refusal(study_of_question("best") + "constraints: [\"model.chain.x == 3\"]\n"),
              HasSubstr("model.chain.x"));
  EXPECT_THAT(study_refusal(study_of_question("best") + "constraints: {a: b}\n"),
              HasSubstr("a constraint is a mapping"));
}

TEST(StudyQuestions, AreNamesOrMappings) {
  EXPECT_EQ(parse_study(study_of_question("pareto")).spec.questions.front().kind, QuestionKind::pareto);
  EXPECT_EQ(parse_study(study_of_question("top")).spec.questions.front().count, 10U);
  EXPECT_EQ(parse_study(study_of_question("best: {}")).spec.questions.front().kind, QuestionKind::best);
  const Question top = parse_study(study_of_question("top: {count: 5, by: speedup}")).spec.questions.front();
  EXPECT_EQ(top.kind, QuestionKind::top);
  EXPECT_EQ(top.count, 5U);
  EXPECT_EQ(top.by, PointKey::speedup);
}

TEST(StudyQuestions, AreAlongAnAxis) {
  const Question crossover =
      parse_study(study_of_question("crossover: {along: model.chain.length, tolerance: 0.01}")).spec.questions.front();
  EXPECT_EQ(crossover.kind, QuestionKind::crossover);
  EXPECT_EQ(crossover.along, "model.chain.length");
  EXPECT_EQ(crossover.tolerance, 0.01);
  const Question capacity =
      parse_study(study_of_question("capacity: {along: machine.workers, of: bppsa, memory_GiB: 16}"))
          .spec.questions.front();
  EXPECT_EQ(capacity.along, "workers");
  EXPECT_EQ(capacity.of, MemoryOf::bppsa);
  EXPECT_EQ(capacity.memory_bytes, std::uint64_t{16} << 30U);
  EXPECT_EQ(parse_study(study_of_question("capacity: {along: workers}")).spec.questions.front().memory_bytes,
            std::nullopt);
}

TEST(StudyQuestions, AlongNeedsSuchAnAxis) {
  EXPECT_THAT(study_refusal(study_of_question("crossover: {along: batch}")),
              HasSubstr("studies/long.yaml:7: along of crossover is 'batch', which is no axis, accepted are "
                        "model.chain.length, workers"));
  EXPECT_THAT(study_refusal(kStudyBase + "questions: [{capacity: {along: image}}]\n"),
              HasSubstr("which is no axis: the study has no axes"));
  EXPECT_THAT(study_refusal(study_of_question("crossover")), HasSubstr("accepted is crossover: {along: AXIS}"));
  EXPECT_THAT(study_refusal(study_of_question("crossover: {tolerance: 0.1}")),
              HasSubstr("crossover has no key 'along'"));
}

TEST(StudyQuestions, FewestWorkersNeedsAnAxisOverThemAndATarget) {
  const Question found = parse_study(study_of_question("fewest_workers: {target_flops: 1000}")).spec.questions.front();
  EXPECT_EQ(found.kind, QuestionKind::fewest_workers);
  EXPECT_EQ(found.along, "workers");
  EXPECT_EQ(found.target_score, 1000.0);
  EXPECT_THAT(
      study_refusal(study_of_axis("path: batch, values: [1]") + "questions: [{fewest_workers: {target_flops: 3}}]\n"),
      HasSubstr("fewest_workers needs an axis with the path 'workers', found are axes batch"));
  EXPECT_THAT(study_refusal(study_of_question("fewest_workers")),
              HasSubstr("accepted is fewest_workers: {target_flops: NUMBER}"));
  EXPECT_THAT(study_refusal(study_of_question("fewest_workers: {target_ms: 5}")), HasSubstr("has no target_flops"));
  EXPECT_THAT(study_refusal(study_of_question("fewest_workers: {target_flops: 0}")),
              HasSubstr("accepted is a finite number above 0"));
}

TEST_F(StudyTargets, ATargetIsATimeWhereScoresAreTimes) {
  const std::string base =
      "base: {model: long.yaml, machine: a.yaml, objective: time}\n"
      "axes:\n  - {name: p, path: workers, values: [1, 2]}\nquestions:\n  - ";
  const Question found = parse_study(base + "fewest_workers: {target_ms: 5}\n", path()).spec.questions.front();
  EXPECT_DOUBLE_EQ(found.target_score, 0.005);
  EXPECT_EQ(found.along, "p");
  EXPECT_THAT(study_refusal(base + "fewest_workers: {target_flops: 5}\n", path()),
              HasSubstr("whose scores are seconds"));
  EXPECT_THAT(study_refusal(base + "fewest_workers: {target_s: -1}\n", path()),
              HasSubstr("target_s of fewest_workers"));
  EXPECT_THAT(study_refusal(base + "fewest_workers: {}\n", path()), HasSubstr("target of fewest_workers is missing"));
}

TEST(StudyQuestions, SayWhatIsWrong) {
  EXPECT_THAT(
      study_refusal(study_of_question("paretto")),
      HasSubstr("studies/long.yaml:7: a question is 'paretto': did you mean pareto?, accepted are best, crossover, "
                "capacity, fewest_workers, top, pareto"));
  EXPECT_THAT(study_refusal(study_of_question("{crossover: {along: worker}}")),
              HasSubstr("along of crossover is 'worker', which is no axis: did you mean workers?, accepted are"));
  EXPECT_THAT(study_refusal(study_of_axis("path: workers, values: [1]") + "constraints: \"worker > 1\"\n"),
              HasSubstr("needs a number at 'worker', and there is none: did you mean workers?"));
  EXPECT_THAT(study_refusal(study_of_question("{top: {}, best: {}}")), HasSubstr("a mapping of one key"));
  EXPECT_THAT(study_refusal(study_of_question("top: {count: 0}")), HasSubstr("count of top is '0'"));
  EXPECT_THAT(study_refusal(study_of_question("top: {by: luck}")),
              HasSubstr("by of top is 'luck', accepted are score, speedup, memory"));
  EXPECT_THAT(study_refusal(study_of_question("top: {number: 3}")), HasSubstr("unknown key 'number' in top"));
  EXPECT_THAT(study_refusal(study_of_question("capacity: {along: workers, of: gpipe}")),
              HasSubstr("of of capacity is 'gpipe', accepted are best, plain, scan, bppsa, pipeline"));
  EXPECT_THAT(study_refusal(study_of_question("capacity: {along: workers, memory: 3}")), HasSubstr("has no unit"));
  EXPECT_THAT(study_refusal(study_of_question("crossover: {along: workers, tolerance: 0}")),
              HasSubstr("a number between 0 and 1"));
  EXPECT_THAT(study_refusal(study_of_question("crossover: {along: workers, tolerance: 1}")),
              HasSubstr("a number between 0 and 1"));
  EXPECT_THAT(study_refusal(kStudyBase + "questions: []\n"), HasSubstr("questions is a list of 0"));
  EXPECT_THAT(study_refusal(kStudyBase + "questions: best\n"), HasSubstr("questions is 'best', accepted is a list"));
}

}  // namespace
}  // namespace upsweep
