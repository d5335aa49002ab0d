#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/command_line.hpp"
#include "support/files.hpp"

// What a command prints and what the page of its database shows are the same numbers.

namespace upsweep::testing::same_numbers_test {
namespace {

using ::testing::HasSubstr;

const std::string kConfigs = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/";

/// What a command prints, kept in a database, and the page of it.
struct PrintedAndShown {
  std::string printed;
  std::string shown;
};

PrintedAndShown run_both(std::vector<std::string> command) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string page = folder.path("page.html");
  command.insert(command.end(), {"--db", db});
  const Finished run = upsweep(command);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Finished report = upsweep({"report", "--db", db, "--out", page});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  std::ostringstream shown;
  shown << std::ifstream(page).rdbuf();
  return {run.out, shown.str()};
}

/// The words of the line that begins with `start`, without it.
std::vector<std::string> words_after(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  EXPECT_NE(at, std::string::npos) << start;
  std::istringstream line(text.substr(at + 1 + start.size(), text.find('\n', at + 1) - at - 1 - start.size()));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

TEST(SameNumbers, OfATrainingStepAreSpeedupsAgainstTheFirstVariant) {
  const PrintedAndShown step = run_both({"training", kConfigs + "policies.yaml", "--timeline", "none"});
  EXPECT_THAT(step.shown, HasSubstr("speed-up (against mp, 1 micro-batch)"));
  for (const char* label : {"gpipe ", "1f1b_ff ", "zb_h1 ", "paired modulo "}) {
    const std::vector<std::string> words = words_after(step.printed, label);
    EXPECT_THAT(step.shown, HasSubstr(">" + words.at(1) + "<")) << label;
  }
}

TEST(SameNumbers, OfAStepFromANetworkAreItsMemory) {
  const PrintedAndShown step = run_both({"training", kConfigs + "bert-24-nvlink.yaml", "--timeline", "none"});
  EXPECT_THAT(step.shown, HasSubstr("memory (most on a device, weights included)"));
  for (const char* label : {"GPipe ", "OOO-Pipe2 ", "PipeDream "}) {
    const std::vector<std::string> words = words_after(step.printed, label);
    // makespan and its unit, speed-up, bubbles and %, three counts, memory and its unit
    EXPECT_THAT(step.shown, HasSubstr(">" + words.at(8) + " " + words.at(9) + "<")) << label;
  }
}

TEST(SameNumbers, OfATrainingAreItsLastLosses) {
  const PrintedAndShown train =
      run_both({"train", kConfigs + "rnn-bitstream.yaml", "--iterations", "30", "--steps", "20", "--batch", "2"});
  EXPECT_THAT(train.shown, HasSubstr("last loss (mean of the last 3 iterations)"));
  const std::vector<std::string> words = words_after(train.printed, "bptt ");
  EXPECT_THAT(train.shown, HasSubstr(">" + words.at(0) + "<"));
  EXPECT_THAT(train.shown, HasSubstr(">" + words.at(1) + "<"));
}

TEST(SameNumbers, OfAMemoryLimitNameWhatEachPolicyNeeds) {
  const TemporaryFolder folder;
  const std::string source = UPSWEEP_SOURCE_DIR;
  const auto file = [&](const std::string& limit) {
    return folder.write(
        "t.yaml", "name: m\nkind: pipeline\nmodel: " + source + "/models/layers/bert-24.yaml\nmachine: " + source +
                      "/configs/machines/v100-sxm2-32gb.yaml\nkernels: dense\nbatch: 96\ndevices: 4\n"
                      "micro_batches: 4\nalloc: contiguous\npolicies: [gpipe, 1f1b, ff]\nmemory_limit: " +
                      limit + "\n");
  };
  const Json all = json_of({"training", file("16GiB")});
  EXPECT_EQ(all["best"], "ff");
  EXPECT_EQ(all["memory_limit"]["bytes"], std::uint64_t{16} << 30U);
  EXPECT_TRUE(has_keys(all["policies"][0], {"peak_act_bytes", "peak_grad_bytes", "peak_act_plus_grad_bytes",
                                            "weight_bytes", "memory_bytes"}));
  // 24 activations of 24 samples, 128 x 1024 numbers each, and a gradient of one; 6 layers of weights twice.
  EXPECT_EQ(all["policies"][1]["peak_act_bytes"][3], 6 * 24 * 128 * 1024 * 4);
  const Json one = json_of({"training", file("1 GiB")});
  EXPECT_EQ(one["best"], "gpipe");
  EXPECT_THAT(one["policies"][2]["does_not_fit"].get<std::string>(),
              HasSubstr("1.126 GiB are needed on device 1, the limit is 1.000 GiB"));
  EXPECT_THAT(one["verdict"]["sentence"].get<std::string>(),
              HasSubstr("best of the 2 of 3 variants that fit into the memory limit is gpipe"));
  EXPECT_THAT(all["verdict"]["sentence"].get<std::string>(), HasSubstr("best of 3 variants is ff"));
  const Finished none = upsweep({"training", file("1MB")});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err,
              HasSubstr("memory_limit is 976.6 KiB on a device, accepted are at least 828.6 MiB (868859904B), which "));
}

}  // namespace
}  // namespace upsweep::testing::same_numbers_test
