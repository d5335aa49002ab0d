#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_optimal_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";
const std::string kLenet = kModels + "lenet5.yaml";

Json optimal_of(const Json& search) {
  for (const Json& scheme : search["schemes"]) {
    if (scheme["schedule"] == "optimal") return scheme;
  }
  ADD_FAILURE() << "no candidate is optimal";
  return {};
}

TEST(OptimalOrder, IsACandidateWithABound) {
  for (const std::string workers : {"1", "2", "16"}) {
    for (const std::string execution : {"level", "dag"}) {
      SCOPED_TRACE(workers + " workers, " + execution);
      const std::vector<std::string> settings = {"search", kLenet, "--workers", workers, "--execution", execution};
      std::vector<std::string> with = settings;
      with.insert(with.end(), {"--schemes", "optimal"});
      const Json search = json_of(with);
      const Json optimal = optimal_of(search);
      EXPECT_EQ(optimal["schedule"], "optimal");
      EXPECT_THAT(optimal["order"].get<std::string>(), StartsWith("order:12:"));
      EXPECT_TRUE(optimal["depth"].is_null());
      const double score = optimal["score"];
      const double bound = optimal["lower_bound"];
      EXPECT_LE(bound, score);
      EXPECT_NEAR(optimal["gap"].get<double>(), score / bound - 1, 1e-12);
      const Json all = json_of(settings);
      for (const char* kind : {"candidates", "schemes"}) {
        for (const Json& other : all[kind]) {
          EXPECT_LE(score, other["score"].get<double>()) << other["schedule"];
          EXPECT_GE(other["score"].get<double>(), bound) << other["schedule"];
        }
      }
      EXPECT_EQ(search["candidates"], all["candidates"]);
      EXPECT_EQ(search["schemes"].size(), all["schemes"].size() + 1);
      for (const Json& other : all["schemes"]) EXPECT_TRUE(other["order"].is_null());
    }
  }
}

TEST(OptimalOrder, IsReplayedByItsName) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const Json search = json_of({"search", kLenet, "--workers", "4", "--schemes", "optimal", "--db", db});
  const Json optimal = optimal_of(search);
  const std::string order = optimal["order"];
  const Json profile = json_of({"profile", kLenet, "--workers", "4", "--schedule", order});
  EXPECT_EQ(profile["schedule"]["name"], order);
  EXPECT_EQ(profile["totals"]["all"]["flops"], optimal["flops"]);
  EXPECT_EQ(profile["totals"]["all"], profile["totals"]["live"]) << "nothing is made in vain";
  EXPECT_EQ(profile["totals"]["all"]["critical_path_flops"]["dag"], optimal["critical_path_flops"]["dag"]);
  const Json validation = json_of({"validate", kLenet, "--backend", "reference", "--schedule", order});
  EXPECT_EQ(validation["schedules"][0]["schedule"], order);
  EXPECT_TRUE(validation["schedules"][0]["mismatch"].is_null()) << "it computes the gradients of plain BP";
  const Json again = json_of({"search", kLenet, "--workers", "4", "--schemes", "optimal"});
  EXPECT_EQ(optimal_of(again)["order"], order) << "the same search gives the same order";
  const Json runs = json_of({"runs", "list", "--db", db});
  const std::string id = std::to_string(runs.size());
  const Json shown = json_of({"runs", "show", id, "--db", db});
  EXPECT_THAT(shown.dump(), HasSubstr(order));
  EXPECT_EQ(upsweep({"plot", "timeline", "--run", id, "--db", db, "--out", folder.path("timeline.svg")}).exit_code, 0);
}

TEST(OptimalOrder, FollowsWhatIsMinimised) {
  for (const std::string objective : {"critical-flops", "work-flops"}) {
    const Json search = json_of({"search", kLenet, "--workers", "4", "--schemes", "optimal", "--objective", objective});
    const Json optimal = optimal_of(search);
    EXPECT_LE(optimal["score"].get<double>(), search["best"]["score"].get<double>()) << objective;
    EXPECT_LE(optimal["lower_bound"].get<double>(), optimal["score"].get<double>()) << objective;
    if (objective == "critical-flops") {
      EXPECT_EQ(optimal["gap"], 0) << "without barriers a dynamic programme finds the shortest path";
    }
  }
  const Json search = json_of({"search", kLenet, "--schemes", "optimal", "--machine", "a100-sxm4-80gb"});
  const Json seconds = optimal_of(search);
  for (const char* kind : {"candidates", "schemes"}) {
    for (const Json& other : search[kind]) {
      EXPECT_LE(seconds["score"].get<double>(), other["score"].get<double>()) << other["schedule"];
    }
  }
  EXPECT_TRUE(seconds["lower_bound"].is_null()) << "of seconds";
  EXPECT_TRUE(seconds["gap"].is_null());
  EXPECT_TRUE(seconds["score"].is_number());
  EXPECT_THAT(upsweep({"search", kLenet, "--schemes", "optimal", "--workers", "4"}).out,
              HasSubstr("no schedule is better than optimal; its name is\norder:12:1/"));
}

TEST(OptimalOrder, FitsAndIsNoWorseWhateverElseIsAsked) {
  const std::string quarter = kModels + "vgg11-quarter-pruned90.yaml";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{kLenet, "--batch", "8"},
                                             {kLenet, "--live"},
                                             {kLenet, "--memory", "2500000"},
                                             {kLenet, "--count-limit", "1000"},
                                             {quarter, "--pattern", "sample"},
                                             {quarter, "--memory", "12 MiB", "--execution", "level"}}) {
    SCOPED_TRACE(more.back());
    std::vector<std::string> settings = {"search"};
    settings.insert(settings.end(), more.begin(), more.end());
    settings.insert(settings.end(), {"--workers", "4", "--schemes", "optimal"});
    const Json search = json_of(settings);
    const Json optimal = optimal_of(search);
    for (const char* kind : {"candidates", "schemes"}) {
      for (const Json& other : search[kind]) {
        if (!other["score"].is_number() || other["feasible"] == false) continue;
        EXPECT_TRUE(optimal["feasible"].get<bool>());
        EXPECT_LE(optimal["score"].get<double>(), other["score"].get<double>()) << other["schedule"];
      }
    }
    if (optimal["lower_bound"].is_number() && optimal["feasible"] == true) {
      EXPECT_LE(optimal["lower_bound"].get<double>(), optimal["score"].get<double>());
    }
  }
}

TEST(OptimalOrder, IsExplained) {
  const std::string order = "order:12:1/2/3/4/5,6.6.7/0.5.7/8,9.9.10/9,0.8.10,6";
  const Json explained = json_of({"explain", kLenet, "--schedule", order, "--workers", "4"});
  EXPECT_EQ(explained["schedule"], order);
  EXPECT_EQ(json_of({"explain", kLenet, "--schedule", "hybrid:1", "--against", order, "--workers", "4"})["against"],
            order);
}

TEST(OptimalOrder, IsOfNetworksAlone) {
  for (const std::string& model : {kModels + "rnn-bitstream.yaml", kModels + "gru-irmas-s.yaml"}) {
    const auto run = upsweep({"search", model, "--schemes", "optimal"});
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("--schemes"));
  }
}

TEST(OrderedSchedules, OfAnotherLengthAreRefused) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"profile", kLenet}, {"explain", kLenet}, {"validate", kLenet, "--backend", "reference"}}) {
    std::vector<std::string> with = command;
    with.insert(with.end(), {"--schedule", "order:4:1/2"});
    const auto run = upsweep(with);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("an order of 4 elements and a scan array of 12"));
    with.back() = "order:4:1/3";
    EXPECT_THAT(upsweep(with).err, HasSubstr("split behind 2"));
  }
}

}  // namespace
}  // namespace upsweep::testing::cli_optimal_test
