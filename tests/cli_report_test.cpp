#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_report_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kModel =
    "name: made\ninput: [12]\nweights: {init: he_normal, seed: 1}\noperators:\n  - linear: {name: first, out_features: "
    "8}\n"
    "  - relu: {name: on}\n  - linear: {name: last, out_features: 3}\n";
constexpr const char* kStudy =
    "name: small\nbase:\n  model: {name: chain, chain: {length: 100, size: 4, kind: dense}}\n"
    "axes:\n  - {path: model.chain.length, values: [10, 100, 1000]}\n  - {path: workers, values: [1, 4, 64]}\n"
    "questions:\n  - best\n";

/// A folder with a database of a search (from run 1 on), a profile and a study.
struct Stored {
  TemporaryFolder folder;
  std::string db = folder.path("kept.sqlite");

  Stored() {
    const std::string model = folder.write("made.yaml", kModel);
    EXPECT_EQ(upsweep({"search", model, "--workers", "2", "--db", db}).exit_code, 0);
    EXPECT_EQ(upsweep({"profile", model, "--db", db}).exit_code, 0);
    EXPECT_EQ(upsweep({"study", folder.write("small.yaml", kStudy), "--db", db}).exit_code, 0);
  }
  [[nodiscard]] Finished report(const std::string& out) const {
    return upsweep({"report", "--db", db, "--out", folder.path(out)});
  }
};

TEST(Report, WritesOnePageAboutEverything) {
  const Stored stored;
  const Finished run = stored.report("page.html");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, StartsWith("upsweep: wrote " + stored.folder.path("page.html") + " ("));
  const std::string page = read_file(stored.folder.path("page.html"));
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  for (const char* text : {"made", "small", "Content-Security-Policy"}) EXPECT_THAT(page, HasSubstr(text));
}

TEST(Report, ShowsAValidationWhoseResultsOverflowed) {
  const TemporaryFolder folder;
  const std::vector<float> huge(16, 1e30F);
  for (const std::string name : {"a", "b", "c"}) folder.write("w/" + name + ".npy", npy("<f4", "(4, 4)", huge));
  const std::string model =
      folder.write("big.yaml",
                   "dtype: fp32\ninput: [4]\nweights: {values: w}\noperators:\n  - linear: {name: a, out_features: 4}\n"
                   "  - linear: {name: b, out_features: 4}\n  - linear: {name: c, out_features: 4}\n");
  const std::string db = folder.path("r.sqlite");
  EXPECT_EQ(upsweep({"validate", model, "--backend", "reference", "--schedule", "blelloch", "--db", db}).exit_code, 5);
  const Finished report = upsweep({"report", "--db", db, "--out", folder.path("page.html")});
  EXPECT_EQ(report.exit_code, 0) << "how far results are off is infinite there, which is no damage: " << report.err;
}

TEST(Report, IsOfOneRunOrStudyWhereAsked) {
  const Stored stored;
  for (const std::string option : {"--run", "--study"}) {
    const Finished run =
        upsweep({"report", "--db", stored.db, option, "1", "--out", stored.folder.path("page" + option + ".html")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  const Finished unknown =
      upsweep({"report", "--db", stored.db, "--run", "4711", "--out", stored.folder.path("none.html")});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("4711"));
  EXPECT_FALSE(std::filesystem::exists(stored.folder.path("none.html")));
}

TEST(Report, MarksWhatIsEstimated) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  const std::string model = UPSWEEP_SOURCE_DIR "/models/lenet5.yaml";
  const std::vector<std::string> estimate = {"--pattern",  "sample", "--count-limit", "1",
                                             "--estimate", "5%",     "--db",          db};
  std::vector<std::string> profile = {"profile", model, "--schedule", "hybrid:2"};
  profile.insert(profile.end(), estimate.begin(), estimate.end());
  const Json printed = json_of(profile);
  ASSERT_EQ(printed["exact"], false);
  std::vector<std::string> search = {"search", model, "--schemes", "hybrid"};
  search.insert(search.end(), estimate.begin(), estimate.end());
  ASSERT_EQ(json_of(search)["exact"], false);

  const Json run = json_of({"runs", "show", "1", "--db", db});
  EXPECT_EQ(run["exact"], 0);
  EXPECT_EQ(run["flops_low"], printed["estimate"]["flops_interval"][0]);
  EXPECT_EQ(run["flops_high"], printed["estimate"]["flops_interval"][1]);
  EXPECT_EQ(run["makespan_dag_low"], printed["estimate"]["score_interval"][0]);
  EXPECT_EQ(json_of({"runs", "show", "2", "--db", db})["exact"], 1) << "linear";
  EXPECT_THAT(upsweep({"runs", "show", "1", "--db", db}).out, ContainsRegex("FLOPs +~[0-9]"));
  EXPECT_THAT(upsweep({"runs", "--db", db}).out, ContainsRegex("hybrid:2 +[0-9]+ +~[0-9]"));

  ASSERT_EQ(upsweep({"report", "--db", db, "--out", folder.path("page.html")}).exit_code, 0);
  const std::string page = read_file(folder.path("page.html"));
  EXPECT_THAT(page, HasSubstr("~: hybrid:2 is estimated from samples of rows, FLOPs of all ops "));
  EXPECT_THAT(page, HasSubstr("FLOPs, 95 % interval"));
}

// Its answers have more text than those of most sections.
TEST(Report, OfAStudyAloneHasTheStudy) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  const std::string study = UPSWEEP_SOURCE_DIR "/configs/studies/rnn-length-workers-latency.yaml";
  ASSERT_EQ(upsweep({"study", study, "--db", db}).exit_code, 0);
  ASSERT_EQ(upsweep({"report", "--db", db, "--study", "1", "--out", folder.path("page.html")}).exit_code, 0);
  const std::string page = read_file(folder.path("page.html"));
  EXPECT_THAT(page, HasSubstr("<section id=\"study-1\">"));
  EXPECT_THAT(page, HasSubstr("Where the scan is faster"));
}

TEST(Report, RefusesWrongNamesBeforeItOpensAnything) {
  const Stored stored;
  const Finished ending = stored.report("page.txt");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_THAT(ending.err, HasSubstr("accepted is a name that ends with .html"));
  const Finished both =
      upsweep({"report", "--db", stored.db, "--run", "1", "--study", "1", "--out", stored.folder.path("page.html")});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(upsweep({"report", "--db", stored.db}).exit_code, 2) << "--out is missing";
  const Finished database =
      upsweep({"trace", "--db", stored.folder.path("x.json"), "--run", "1", "--out", stored.folder.path("x.json")});
  EXPECT_EQ(database.exit_code, 2);
  EXPECT_THAT(database.err, HasSubstr("the same file as --db"));
}

TEST(Report, LeavesNoHalfWrittenFile) {
  const Stored stored;
  const Finished missing = stored.report("no/such/folder/page.html");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("no/such/folder"));
  const std::string folder = stored.folder.path("taken.html");
  std::filesystem::create_directory(folder);
  EXPECT_EQ(stored.report("taken.html").exit_code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  const Finished database =
      upsweep({"report", "--db", stored.folder.path("none.sqlite"), "--out", stored.folder.path("page.html")});
  EXPECT_EQ(database.exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(stored.folder.path("page.html")));
  EXPECT_FALSE(std::filesystem::exists(stored.folder.path("none.sqlite"))) << "reading makes nothing";
}

/// Where the program was built without charts or there is no node, exit 4 with the reason: nothing to test then, unless
/// the environment says that all of it was installed.
bool is_unavailable(const Finished& run) {
  const char* required = std::getenv("UPSWEEP_REQUIRE_BROWSER");
  const bool is_required = required != nullptr && std::string(required) != "0" && !std::string(required).empty();
  return run.exit_code == 4 && !is_required;
}

TEST(Plot, DrawsEachKindThatARunHas) {
  const Stored stored;
  const std::string out = stored.folder.path("figure.svg");
  for (const std::string kind : {"op-flops", "schedule", "depth", "fill-in", "timeline", "spy"}) {
    const Finished run = upsweep({"plot", kind, "--db", stored.db, "--run", "2", "--out", out});
    if (is_unavailable(run)) GTEST_SKIP() << run.err;
    EXPECT_EQ(run.exit_code, 0) << kind << ": " << run.err;
    EXPECT_THAT(read_file(out), StartsWith("<svg ")) << kind;
  }
  const Finished study = upsweep(
      {"plot", "study-map", "--db", stored.db, "--study", "1", "--theme", "dark", "--width", "500", "--out", out});
  EXPECT_EQ(study.exit_code, 0) << study.err;
  EXPECT_THAT(read_file(out), HasSubstr("width=\"500\""));
}

TEST(Plot, SaysWhichFiguresThereAre) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  const std::string out = folder.path("figure.svg");
  const auto refusal = [&](const std::string& kind, const std::string& option, const std::string& id) {
    const Finished run = upsweep({"plot", kind, option, id, "--db", db, "--out", out});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    return run.err;
  };
  // All points of one memory: there is no map over two axes.
  const std::string one_axis =
      std::string(kStudy).substr(0, std::string(kStudy).find("  - {path: workers")) + "questions:\n  - best\n";
  ASSERT_EQ(upsweep({"study", folder.write("one.yaml", one_axis), "--db", db}).exit_code, 0);
  EXPECT_THAT(refusal("study-map", "--study", "1"),
              HasSubstr(db + ": study 1 (small) has nothing to show as study-map, accepted are study-"));
  const std::string training = UPSWEEP_SOURCE_DIR "/configs/training/";
  ASSERT_EQ(upsweep({"training", training + "figure5.yaml", "--db", db}).exit_code, 0);
  EXPECT_THAT(
      refusal("depth", "--run", "1"),
      HasSubstr("run 1 (training of figure5) has nothing to show as depth, accepted are step-timeline, variants"));
  ASSERT_EQ(upsweep({"training", training + "first-k-memory-example.yaml", "--db", db}).exit_code, 0);
  EXPECT_THAT(refusal("variants", "--run", "2"),
              HasSubstr("run 2 (training of first-k-memory-example) has nothing to show in figures"));
}

TEST(Plot, SaysWhatItCannotDraw) {
  const Stored stored;
  const std::string out = stored.folder.path("figure.svg");
  const auto plot = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plot");
    arguments.insert(arguments.end(), {"--db", stored.db, "--out", out});
    return upsweep(arguments);
  };
  const Finished kind = plot({"flops", "--run", "1"});
  EXPECT_EQ(kind.exit_code, 2);
  EXPECT_THAT(kind.err,
              HasSubstr("KIND is 'flops': did you mean op-flops?, accepted are anchors, crossover, depth, fill-in, "));
  EXPECT_EQ(plot({"study-map", "--run", "1"}).exit_code, 2);
  EXPECT_EQ(plot({"depth"}).exit_code, 2);
  EXPECT_EQ(plot({"depth", "--run", "1", "--theme", "blue"}).exit_code, 2);
  const Finished nothing = plot({"predicted", "--run", "1"});
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.err,
              HasSubstr("run 1 (search of made) has nothing to show as predicted, accepted are crossover, depth, "
                        "op-flops, schedule, spy, timeline"));
  EXPECT_EQ(plot({"losses", "--run", "1"}).exit_code, 3);
  EXPECT_EQ(plot({"depth", "--run", "1", "--width", "50"}).exit_code, 2);
  EXPECT_EQ(plot({"depth", "--run", "99"}).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace upsweep::testing::cli_report_test
