#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <tuple>

#include "figure/made_study.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/figure/stored_figures.hpp"

namespace upsweep::testing::cli_crossover_test {
namespace {

using ::testing::HasSubstr;

using Arguments = std::vector<std::string>;

/// "whole" or "shared", plain back-propagation or the best scan, thousandths of the logarithm of the workers.
using MarkPlace = std::tuple<std::string, bool, long long>;

long long place_of(double logarithm) { return std::llround(1000 * logarithm); }

std::map<MarkPlace, double> makespans_of(const Figure& figure) {
  std::map<MarkPlace, double> makespans;
  for (const FigureData& row : rows_of(figure, "points")) {
    makespans[{row["series"] == 0 ? "whole" : "shared", row["method"] == 1, place_of(row["x"])}] =
        std::pow(10, row["y"].get<double>());
  }
  return makespans;
}

Arguments asked_on(Arguments question, std::uint64_t workers) {
  question.insert(question.end(), {"--workers", std::to_string(workers)});
  return question;
}

/// Compares a figure with what the same command says on other numbers of workers.
void expect_answers(const Figure& figure, const Arguments& question, const Json& verdict) {
  std::map<MarkPlace, double> makespans = makespans_of(figure);
  std::vector<std::uint64_t> numbers = {1, 2, 8, 1024};
  for (const char* rule : {"whole", "shared"}) {
    const Json& from = verdict["overtakes_from"][rule];
    if (from.is_number()) numbers.push_back(from);
  }
  for (const std::uint64_t workers : numbers) {
    const long long place = place_of(std::log10(static_cast<double>(workers)));
    const Json baselines = json_of(asked_on(question, workers))["verdict"]["baselines"];
    ASSERT_EQ(baselines.size(), 2U);
    for (std::size_t rule = 0; rule < 2; ++rule) {
      const std::string name = rule == 0 ? "whole" : "shared";
      ASSERT_EQ(baselines[rule]["name"], "sparse-bp-" + name);
      const double plain = baselines[rule]["score"];
      const double scan = baselines[rule]["scan_score"];
      EXPECT_NEAR((makespans.at({name, false, place}) / plain), 1, 3e-5) << name << " on " << workers;
      EXPECT_NEAR((makespans.at({name, true, place}) / scan), 1, 3e-5) << name << " on " << workers;
    }
  }
}

void expect_figure_of(const Arguments& question) {
  SCOPED_TRACE(fmt::format("{}", fmt::join(question, " ")));
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  Arguments arguments = asked_on(question, 16);
  arguments.insert(arguments.end(), {"--db", db});
  const Json verdict = json_of(arguments)["verdict"];
  const std::vector<Figure> figures = figures_of_run(StoreReader(db), 1, "crossover");
  ASSERT_EQ(figures.size(), 1U);
  expect_answers(figures[0], question, verdict);
  std::vector<std::string> labels;
  for (const FigureData& row : rows_of(figures[0], "crossings")) labels.push_back(row["label"]);
  std::vector<std::string> expected;
  for (const char* rule : {"whole", "shared"}) {
    const Json& from = verdict["overtakes_from"][rule];
    if (from.is_number()) expected.push_back(fmt::format("from {}", from.get<std::uint64_t>()));
  }
  EXPECT_EQ(labels, expected);
  const std::string sentence = verdict["sentence"];
  const std::string caption = figures[0].caption;
  EXPECT_THAT(sentence, HasSubstr(caption.substr(caption.find("Where each op runs on one worker"))));
}

// The quarter-width VGG-11 over four inputs: means with fractions.
TEST(Crossover, OfASearchHasTheNumbersOfItsJson) {
  const std::string models = UPSWEEP_SOURCE_DIR "/models/";
  expect_figure_of({"search", models + "vgg11-quarter-pruned90.yaml", "--pattern", "sample", "--schemes", "hybrid"});
  expect_figure_of({"search", models + "lenet5.yaml", "--schemes", "hybrid", "--execution", "level"});
  expect_figure_of({"search", models + "lenet5.yaml", "--schemes", "hybrid", "--live"});
}

TEST(Crossover, OfARecurrentModelHasTheNumbersOfItsJson) {
  const std::string models = UPSWEEP_SOURCE_DIR "/models/";
  const std::string rnn = models + "rnn-bitstream.yaml";
  expect_figure_of({"search", rnn, "--steps", "300", "--schemes", "hybrid"});
  expect_figure_of({"search", rnn, "--steps", "300", "--schemes", "hybrid", "--execution", "level", "--live"});
  expect_figure_of({"search", models + "rnn-bitstream-unfused.yaml", "--steps", "100", "--schemes", "hybrid"});
  expect_figure_of({"profile", rnn, "--steps", "300", "--schedule", "hybrid:3"});
  expect_figure_of({"profile", rnn, "--steps", "300", "--schedule", "hybrid:3", "--execution", "level"});
  expect_figure_of({"search", models + "rnn-stacked.yaml", "--steps", "200"});
  expect_figure_of({"profile", models + "rnn-stacked.yaml", "--steps", "200", "--schedule", "hybrid:2"});
}

// Other schemes are those for the number of workers: a figure is of the ones that were compared.
TEST(Crossover, OfARecurrentSearchOfAllSchemesSaysWhatTheVerdictSays) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string rnn = UPSWEEP_SOURCE_DIR "/models/rnn-bitstream.yaml";
  const Json verdict = json_of({"search", rnn, "--steps", "100", "--workers", "16", "--db", db})["verdict"];
  const std::vector<Figure> figures = figures_of_run(StoreReader(db), 1, "crossover");
  ASSERT_EQ(figures.size(), 1U);
  const std::string sentence = verdict["sentence"];
  EXPECT_THAT(sentence, HasSubstr(figures[0].caption.substr(figures[0].caption.find("Where each op"))));
}

// A profile has no spans of plain back-propagation: these are those of a run of it.
TEST(Crossover, OfAProfileOfANetworkStandsBesideAKeptRunOfPlainBackPropagation) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string models = UPSWEEP_SOURCE_DIR "/models/";
  const Arguments profile = {
      "profile", models + "vgg11-quarter-pruned90.yaml", "--pattern", "sample", "--db", db, "--workers", "16"};
  const auto with_schedule = [&](const std::string& schedule) {
    Arguments arguments = profile;
    arguments.insert(arguments.end(), {"--schedule", schedule});
    return json_of(arguments);
  };
  const Json verdict = with_schedule("hybrid:1")["verdict"];
  EXPECT_THAT(kinds_of_run(StoreReader(db), 1), ::testing::Not(::testing::Contains("crossover")));
  ASSERT_EQ(upsweep({"profile", models + "lenet5.yaml", "--schedule", "linear", "--db", db}).exit_code, 0);
  EXPECT_THAT(kinds_of_run(StoreReader(db), 1), ::testing::Not(::testing::Contains("crossover"))) << "another model's";
  with_schedule("linear");
  const std::vector<Figure> figures = figures_of_run(StoreReader(db), 1, "crossover");
  ASSERT_EQ(figures.size(), 1U);
  const std::string caption = figures[0].caption;
  EXPECT_THAT(verdict["sentence"].get<std::string>(), HasSubstr(caption.substr(caption.find("Where each op runs"))));
  EXPECT_THAT(kinds_of_run(StoreReader(db), 3), ::testing::Not(::testing::Contains("crossover"))) << "is that itself";
}

TEST(Crossover, IsNotThereInSecondsOfADeviceOrForAnotherObjective) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string lenet = UPSWEEP_SOURCE_DIR "/models/lenet5.yaml";
  for (const Arguments& more : {Arguments{"--machine", UPSWEEP_SOURCE_DIR "/configs/machines/v100-sxm2-32gb.yaml"},
                                Arguments{"--objective", "work-flops"}}) {
    Arguments arguments = {"search", lenet, "--schemes", "hybrid", "--db", db};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ASSERT_EQ(upsweep(arguments).exit_code, 0);
    const StoreReader store(db);
    const std::vector<std::string> kinds = kinds_of_run(store, store.runs().front().id);
    EXPECT_THAT(kinds, ::testing::Not(::testing::Contains("crossover")));
    EXPECT_THAT(kinds, ::testing::Contains("depth"));
  }
}

}  // namespace
}  // namespace upsweep::testing::cli_crossover_test
