#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/training_files.hpp"

// Training files of the kinds data_parallel, reverse_first_k_memory and multi_region.

namespace upsweep::training_kinds_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kDataParallelFile;
using testing::kFirstKFile;
using testing::kMultiRegionFile;
using testing::parse_training;
using testing::training_refusal;
using testing::with;
using testing::without;

const std::string kBoundFile =
    with(with(with(with(kDataParallelFile, "memory_limit", "8"), "M_fwd", "10"), "M_O", "1"), "M_W", "2");

TEST(DataParallelFile, HasDefaults) {
  const auto study = std::get<DataParallelStudy>(parse_training(kDataParallelFile).study);
  EXPECT_THAT(study.step.forward, ElementsAre(1, 1, 1));
  EXPECT_THAT(study.step.output_gradient, ElementsAre(0, 1, 1)) << "O(1) is left out";
  EXPECT_THAT(study.step.synchronisation, ElementsAre(1, 2, 3));
  EXPECT_TRUE(study.step.skip_first_output_gradient);
  EXPECT_EQ(study.search_rule, LinkRule::priority);
  EXPECT_FALSE(study.memory.has_value());
  const auto kept = std::get<DataParallelStudy>(
      parse_training(with(with(kDataParallelFile, "skip_o1", "false"), "search_link", "preemptive")).study);
  EXPECT_THAT(kept.step.output_gradient, ElementsAre(1, 1, 1));
  EXPECT_EQ(kept.search_rule, LinkRule::preemptive);
}

TEST(DataParallelFile, TakesAMemoryLimitWithWhatItBounds) {
  const auto study = std::get<DataParallelStudy>(parse_training(kBoundFile).study);
  EXPECT_EQ(study.memory_limit, 8);
  ASSERT_TRUE(study.memory.has_value());
  EXPECT_EQ(study.memory->forward, 10);
  EXPECT_THAT(study.memory->output_gradient_frees, ElementsAre(1, 1, 1));
  EXPECT_THAT(study.memory->weight_gradient_takes, ElementsAre(2, 2, 2));
}

TEST(DataParallelFile, SaysHowMuchMemoryIsNeeded) {
  EXPECT_EQ(training_refusal(with(kBoundFile, "memory_limit", "5")),
            "t.yaml:8: memory_limit is 5, accepted is more than 7: the conventional order (k = 0) needs that much");
  EXPECT_THAT(training_refusal(with(kBoundFile, "memory_limit", "7")), HasSubstr("accepted is more than 7"));
  EXPECT_THAT(
      training_refusal(with(kBoundFile, "memory_limit", "7GiB")),
      HasSubstr("memory_limit of a training file, in the units of M_fwd, is '7GiB', accepted is a finite number"));
  EXPECT_THAT(training_refusal(with(kDataParallelFile, "memory_limit", "8")), HasSubstr("has no key 'M_fwd'"));
  EXPECT_THAT(training_refusal(with(kDataParallelFile, "M_fwd", "8")), HasSubstr("unknown key 'M_fwd'"))
      << "without a limit it says nothing";
}

TEST(DataParallelFile, SaysWhatIsWrong) {
  EXPECT_EQ(training_refusal(with(kDataParallelFile, "S", "[1, 2]")),
            "t.yaml:7: S of a training file has 2 entries, accepted are 3");
  EXPECT_THAT(training_refusal(with(kDataParallelFile, "S", "-2")), HasSubstr("accepted is a number of at least 0"));
  EXPECT_THAT(training_refusal(with(kDataParallelFile, "F", "0")), HasSubstr("accepted is a number above 0"));
  EXPECT_EQ(training_refusal(with(kDataParallelFile, "search_link", "lifo")),
            "t.yaml:8: search_link of a training file is 'lifo': did you mean fifo?, accepted are fifo, priority, "
            "preemptive");
  for (const char* key : {"policy", "devices", "alloc", "U", "size", "latency", "bandwidth", "micro_batches"}) {
    EXPECT_THAT(training_refusal(with(kDataParallelFile, key, "1")),
                HasSubstr(std::string("t.yaml:8: unknown key '") + key + "' in a training file"));
  }
  for (const std::string key : {"F", "O", "W", "S", "layers"})
    EXPECT_THAT(training_refusal(without(kDataParallelFile, key)), HasSubstr("has no key '" + key + "'"));
  EXPECT_THAT(training_refusal(with(with(kDataParallelFile, "layers", "5000"), "S", "1")),
              HasSubstr("5000 layers, accepted are at most 4096"));
}

TEST(DataParallelFile, RefusesTimesWhoseSumIsNoNumber) {
  EXPECT_THAT(training_refusal(with(kDataParallelFile, "F", "1e308")), HasSubstr("t.yaml:1: F, O, W and S add up to"));
}

TEST(FirstKFile, ReadsMemoryAndLimits) {
  const auto study = std::get<FirstKMemoryStudy>(parse_training(kFirstKFile).study);
  EXPECT_EQ(study.memory.forward, 10);
  EXPECT_THAT(study.memory.output_gradient_frees, ElementsAre(1, 1, 1));
  EXPECT_THAT(study.limits, ElementsAre(5, 9.5, 20));
  const FirstKMemoryAnswers answers = evaluate(study);
  EXPECT_THAT(answers.memory_of_k, ElementsAre(7, 9, 12, 16));
  EXPECT_THAT(answers.max_k, ElementsAre(0, 1, 3));
}

TEST(FirstKFile, SaysWhatIsWrong) {
  EXPECT_EQ(training_refusal(with(kFirstKFile, "M_fwd", "-1")),
            "t.yaml:4: M_fwd of a training file is -1, accepted is a number of at least 0");
  EXPECT_EQ(training_refusal(with(kFirstKFile, "limits", "5")),
            "t.yaml:7: limits of a training file is '5', accepted is a list");
  EXPECT_EQ(training_refusal(with(kFirstKFile, "limits", "[1, a]")),
            "t.yaml:7: an entry of limits of a training file is 'a', accepted is a finite number");
  EXPECT_THAT(training_refusal(with(kFirstKFile, "M_W", "[1, 2]")), HasSubstr("has 2 entries, accepted are 3"));
  EXPECT_THAT(training_refusal(with(kFirstKFile, "F", "1")), HasSubstr("unknown key 'F'"));
  for (const std::string key : {"layers", "M_fwd", "M_O", "M_W", "limits"})
    EXPECT_THAT(training_refusal(without(kFirstKFile, key)), HasSubstr("has no key '" + key + "'"));
}

TEST(MultiRegionFile, ReadsKernelsByIntegerOrText) {
  const auto study = std::get<MultiRegionStudy>(parse_training(kMultiRegionFile).study);
  EXPECT_EQ(study.step.regions(), 3U);
  EXPECT_THAT(study.step.co_run[1], ElementsAre(4, 3, 3));
  EXPECT_THAT(study.step.speedup_percent[2], ElementsAre(20, 30, -5));
  EXPECT_THAT(study.step.hold, ElementsAre(0, 5, 2));
  EXPECT_EQ(study.step.base_memory, 10);
  EXPECT_EQ(study.step.memory_limit, 100);
  std::string text = with(kMultiRegionFile, "T_sub", R"({"2": [4, 3, 3], "3": [3, 4, 4]})");
  text = with(text, "hold", R"({"3": 2, "2": 5})");
  const auto same = std::get<MultiRegionStudy>(parse_training(text).study);
  EXPECT_EQ(same.step.co_run, study.step.co_run);
  EXPECT_EQ(same.step.hold, study.step.hold);
  EXPECT_THAT(
      std::get<MultiRegionStudy>(parse_training(with(kMultiRegionFile, "T_sub", "{2: 4, 3: 5}")).study).step.co_run[2],
      ElementsAre(5, 5, 5))
      << "a number for all regions";
}

TEST(MultiRegionFile, RefusesWhatDisagreesWithTheMainStream) {
  EXPECT_EQ(training_refusal(with(kMultiRegionFile, "T_main", "[6, 5, 4]")),
            "t.yaml:8: T_main of region 2 is 5, accepted is 4, which follows from main_stream and F, O, W");
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "T_main", "[6, 4]")), HasSubstr("has 2 entries, accepted are 3"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "available", "{2: 2, 3: 0}")),
              HasSubstr("available of kernel 2 is 2, accepted is 3, which follows"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "deadline", "{2: 10, 3: 13}")),
              HasSubstr("deadline of kernel 3 is 13, accepted is 12, which follows"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "backward_regions", "1")),
              HasSubstr("t.yaml:17: backward_regions is 1, accepted is 2, which follows"));
  EXPECT_EQ(training_refusal(with(kMultiRegionFile, "T_main", "[6, 4.0000000001, 4]")), "accepted") << "roundings";
}

TEST(MultiRegionFile, SaysWhatIsWrong) {
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "main_stream", "[[O2, O3], [W1, F1], [F2, F3]]")),
              HasSubstr("main_stream has O2 at place 1, accepted is O3"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "main_stream", "[[O3, O2], [W1, F1], [F2]]")),
              HasSubstr("main_stream ends before F3"));
  for (const char* op : {"X1", "O", "O0", "O4", "O03", "o3", "O3.0"}) {
    EXPECT_THAT(training_refusal(with(kMultiRegionFile, "main_stream", std::string("[[") + op + "]]")),
                HasSubstr("accepted are F, O, W with a layer, 1 to 3: O3"))
        << op;
  }
  for (const char* kernels : {"[2]", "[3, 2]", "[1, 2, 3]", "[2, 4]"}) {
    EXPECT_THAT(training_refusal(with(kMultiRegionFile, "kernels", kernels)),
                HasSubstr("are not all layers but the first, accepted is the list 2 to 3"))
        << kernels;
  }
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "hold", "{2: 5}")), HasSubstr("has no key '3'"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "hold", "{2: 5, 3: 2, 4: 1}")), HasSubstr("unknown key '4'"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "hold", "{2: -5, 3: 2}")),
              HasSubstr("hold of kernel 2 is -5, accepted is a number of at least 0"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "T_sub", "{2: [4, 3], 3: [3, 4, 4]}")),
              HasSubstr("T_sub of kernel 2 has 2 entries, accepted are 3"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "T_sub", "{2: [4, 3, 0], 3: [3, 4, 4]}")),
              HasSubstr("entry 3 of T_sub of kernel 2 is 0, accepted is a number above 0"));
  EXPECT_THAT(training_refusal(with(kMultiRegionFile, "policy", "ff")), HasSubstr("unknown key 'policy'"));
  for (const std::string key : {"layers", "F", "O", "W", "main_stream", "T_main", "kernels", "T_sub", "speedup_percent",
                                "available", "deadline", "hold", "base", "memory_limit", "backward_regions"})
    EXPECT_THAT(training_refusal(without(kMultiRegionFile, key)), HasSubstr("has no key '" + key + "'"));
}

}  // namespace
}  // namespace upsweep::training_kinds_test
