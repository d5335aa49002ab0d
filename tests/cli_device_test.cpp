#include <gmock/gmock.h>

#include "support/command_line.hpp"

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;

const std::string kRoot = UPSWEEP_SOURCE_DIR;
const std::string kFused = kRoot + "/models/rnn-bitstream.yaml";
const std::string kUnfused = kRoot + "/models/rnn-bitstream-unfused.yaml";
const std::string kGpu = kRoot + "/configs/machines/rtx-2070.yaml";

TEST(Device, SearchSaysHowFarItLookedWhereCountsEnd) {
  const std::vector<std::string> command = {"search", kFused,    "--machine", kGpu,      "--hidden",
                                            "1024",   "--batch", "4096",      "--steps", "100"};
  const Json search = json_of(command);
  EXPECT_EQ(search["best"]["schedule"], "bptt");
  EXPECT_FALSE(search["scan_pays"]);
  EXPECT_TRUE(search["overtaking"].is_null());
  EXPECT_EQ(search["overtaking_looked_up_to"], 1 << 20);
  EXPECT_THAT(upsweep(command).out, HasSubstr("With no number of steps up to 1048576, where looking ended, does a"));
  const Json found = json_of({"search", kFused, "--machine", kGpu});
  EXPECT_EQ(found["overtaking_looked_up_to"], found["overtaking"]["steps"]);
}

TEST(Device, SearchOfUnfusedStepsChoosesWhatCanRun) {
  const Json search = json_of({"search", kUnfused, "--machine", kGpu});
  const std::string best = search["best"]["schedule"];
  EXPECT_THAT(best, ::testing::StartsWith("hybrid:"));
  for (const Json& candidate : search["candidates"]) {
    const std::string name = candidate["schedule"];
    EXPECT_EQ(candidate["feasible"], name != "blocked:1") << name;
    EXPECT_TRUE(name == "blocked:1" || !name.starts_with("blocked:")) << name;
  }
  const Json validated = json_of(
      {"validate", kUnfused, "--steps", "9", "--batch", "1", "--hidden", "3", "--schedule", best, "--no-prediction"});
  EXPECT_TRUE(validated["passes"].back()["failed"].is_null()) << "validate runs the best";
  const Finished blocked = upsweep({"profile", kUnfused, "--machine", kGpu, "--schedule", "blocked:4"});
  EXPECT_EQ(blocked.exit_code, 3);
  EXPECT_THAT(blocked.err, HasSubstr("rnn-bitstream-unfused.yaml: blocked:4 has no unfused steps, accepted are"));
  EXPECT_EQ(lines(blocked.err), 1);
}

TEST(Device, WrongUsageIsFoundBeforeAnyFileIsOpened) {
  struct Refusal {
    std::vector<std::string> command;
    std::string text;
  };
  const std::vector<Refusal> cases = {
      {{"profile", "nofile", "--schedule", "blocked:x"}, "--schedule is 'blocked:x', accepted are blocked:P"},
      {{"profile", "nofile", "--schedule", "blocked:2:0.5", "--machine", "none"},
       "--schedule is 'blocked:2:0.5', accepted are blocked:P"},
      {{"profile", "nofile", "--schedule", "hybrid:x"}, "--schedule is 'hybrid:x', accepted are linear"},
      {{"profile", kFused, "--schedule", "blocked:4", "--machine", "none", "--workers", "4"},
       "--workers with --schedule blocked:4, which is predicted on the whole machine, accepted is without"},
      {{"search", "nofile", "--machine", "none", "--memory", "x"}, "--memory is 'x'"},
      {{"search", "nofile", "--machine", "none", "--execution", "both"}, "--execution"}};
  for (const Refusal& refusal : cases) {
    const Finished run = upsweep(refusal.command);
    EXPECT_EQ(run.exit_code, 2) << refusal.text << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr(refusal.text));
    EXPECT_EQ(run.out, "");
  }
}

TEST(Device, NoOptionIsIgnored) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--execution", "dag"},
                                                  {"--execution", "level"},
                                                  {"--live"},
                                                  {"--workers", "4"},
                                                  {"--objective", "work-flops"}}) {
    std::vector<std::string> command = {"search", kFused, "--machine", kGpu};
    command.insert(command.end(), options.begin(), options.end());
    const Finished run = upsweep(command);
    EXPECT_EQ(run.exit_code, 2) << options.front();
    EXPECT_THAT(run.err, HasSubstr("--objective, --execution, --live or --workers with --machine and a recurrent"));
  }
  // Without a machine it is an option of the search.
  EXPECT_EQ(json_of({"search", kFused, "--execution", "level"})["execution"], "level");
  EXPECT_EQ(json_of({"search", kFused})["execution"], "dag");
  // Counts of other schedules depend on workers with a machine too.
  EXPECT_EQ(json_of({"profile", kFused, "--machine", kGpu, "--workers", "4"})["pram"]["workers"], 4);
}

}  // namespace
}  // namespace upsweep::testing
