#include <gmock/gmock.h>

#include "support/command_line.hpp"

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

TEST(Recurrent, ProfilesAnySequenceLength) {
  const TemporaryFolder folder;
  const std::string file = folder.write("long.yaml",
                                        "name: long\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: "
                                        "100000000}\nhead: {out_features: 10}\n");
  const Json linear = json_of({"profile", file, "--schedule", "linear"});
  EXPECT_EQ(linear["totals"]["all"]["ops"], 99'999'999);
  EXPECT_EQ(linear["linear"]["flops"], 99'999'999ULL * 2 * 20 * 20);
  const Json scan = json_of({"profile", file});
  EXPECT_EQ(scan["schedule"]["length"], 100'000'001);
  std::uint64_t levels = 0;
  for (const Json& run : scan["levels"]) levels += run["repeat"].get<std::uint64_t>();
  EXPECT_EQ(levels, scan["schedule"]["levels"]);
  EXPECT_EQ(scan["pram"]["makespan"]["level"]["unit"], scan["pram"]["steps"]);
}

TEST(Recurrent, SearchSaysFromHowManyWorkersOnAScanWins) {
  for (const char* model : {"rnn-bitstream.yaml", "rnn-bitstream-unfused.yaml", "gru-irmas-s.yaml"}) {
    const Json search = json_of({"search", kModels + model});
    EXPECT_TRUE(search["scan_pays"]) << model << ": with a worker for every op";
    const std::uint64_t workers = search["overtaking"]["workers"];
    const auto best_with = [&](std::uint64_t count) {
      return json_of({"search", kModels + model, "--workers", std::to_string(count)})["best"]["depth"];
    };
    EXPECT_EQ(best_with(workers - 1), 0) << model;
    EXPECT_GT(best_with(workers), 0) << model;
  }
  const Finished text = upsweep({"search", kModels + "rnn-bitstream.yaml"});
  EXPECT_THAT(text.out, HasSubstr("It overtakes plain BP from"));
  EXPECT_EQ(lines(upsweep({"search", kModels + "rnn-bitstream.yaml", "--format", "csv"}).out), 1 + 10);
}

TEST(Recurrent, RefusesWhatClosedFormsDoNotSay) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--pattern", "sample"}, {"--machine", "x.yaml"}, {"--db", "x.sqlite"}}) {
    std::vector<std::string> command = {"profile", model};
    command.insert(command.end(), options.begin(), options.end());
    const Finished run = upsweep(command);
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_THAT(run.err, HasSubstr(options[0]));
  }
  const Finished validate = upsweep({"validate", model});
  EXPECT_EQ(validate.exit_code, 3);
  EXPECT_THAT(validate.err, HasSubstr("recurrent"));
}

}  // namespace
}  // namespace upsweep::testing
