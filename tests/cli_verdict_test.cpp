#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "store/sql_query.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/report/verdict_words.hpp"

// What a command concludes is the same in its table, its JSON, the database and the page.

namespace upsweep::testing::cli_verdict_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kSource = UPSWEEP_SOURCE_DIR;
const std::string kModels = kSource + "/models/";
const std::string kGpu = kSource + "/configs/machines/v100-sxm2-32gb.yaml";

std::string escaped(std::string text) {
  for (const auto& [sign, entity] :
       {std::pair{"&", "&amp;"}, std::pair{"<", "&lt;"}, std::pair{">", "&gt;"}, std::pair{"'", "&#39;"}}) {
    for (std::size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += std::string(entity).size())
      text.replace(at, 1, entity);
  }
  return text;
}

TEST(Verdict, NamesALimitOfMemory) {
  const std::string model = kModels + "lenet5.yaml";
  const auto said = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"search", model, "--schemes", "hybrid"});
    return json_of(arguments)["verdict"];
  };
  const Json limited = said({"--memory", "2MiB"});
  EXPECT_THAT(limited["sentence"].get<std::string>(), HasSubstr("guaranteed pattern, within 2.000 MiB: "));
  EXPECT_EQ(limited["frame"]["memory_limit"], 2 << 20);
  EXPECT_EQ(limited["frame"]["memory_unit"], "bytes");
  EXPECT_TRUE(said({})["frame"]["memory_limit"].is_null());
  EXPECT_TRUE(said({"--machine", kGpu})["frame"]["memory_limit"].is_null()) << "all that the machine has, and enough";
  EXPECT_THAT(said({"--machine", kGpu, "--memory", "1GiB"})["sentence"].get<std::string>(),
              HasSubstr(", within 1.000 GiB: "));
}

/// A command whose verdict is the same every time; `has_ratio`: whether a scan stands beside back-propagation.
struct Case {
  std::string name;
  std::vector<std::string> arguments;
  bool has_ratio = true;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class VerdictEverywhere : public ::testing::TestWithParam<Case> {};

TEST_P(VerdictEverywhere, IsTheSameInTableJsonDatabaseAndPage) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  std::vector<std::string> arguments = GetParam().arguments;
  const Finished table = upsweep(arguments);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  arguments.insert(arguments.end(), {"--db", db});
  const Json verdict = json_of(arguments).at("verdict");
  const std::string sentence = verdict["sentence"];
  ASSERT_FALSE(sentence.empty());

  std::string lines = query(db, "SELECT verdict FROM commands");
  EXPECT_THAT(table.out, HasSubstr(lines)) << "each sentence is a line of the table's end";
  lines.pop_back();
  std::ranges::replace(lines, '\n', ' ');
  EXPECT_EQ(lines, sentence);

  // Under what it holds, in the sentence as in JSON; what axes of a study change is told by their name.
  const Json& frame = verdict["frame"];
  ASSERT_TRUE(frame.is_object());
  const auto varies = [&](const char* name) { return std::ranges::count(frame["varies"], Json(name)) > 0; };
  const bool is_training = arguments.front() == "training";
  for (const char* name : {"execution", "pattern"}) {
    if (is_training) continue;  // of dense kernels or of a file's costs
    EXPECT_TRUE(frame[name].is_string() || varies(name)) << name;
    if (frame[name].is_string()) {
      EXPECT_THAT(sentence, HasSubstr(frame[name].get<std::string>() + ' ' + name));
    }
  }
  EXPECT_TRUE(!frame["workers"].is_null() || !frame["machine"].is_null() || varies("machine") || varies("workers"));
  for (const Json& baseline : verdict["baselines"]) {
    const std::string name = baseline["name"];
    if (name == "sparse-bp-whole" || name == "sparse-bp-shared") {
      EXPECT_EQ(std::ranges::count(frame["ops"], Json(name.substr(10))), 1) << name;
    }
  }

  double largest = -1;
  for (const Json& baseline : verdict["baselines"]) {
    if (!baseline["ratio"].is_null()) largest = std::max(largest, baseline["ratio"].get<double>());
  }
  EXPECT_EQ(largest > 0, GetParam().has_ratio);
  if (GetParam().has_ratio) {
    EXPECT_DOUBLE_EQ(std::stod(query(db, "SELECT printf('%.17g', verdict_ratio) FROM commands")), largest);
    const std::string pays = verdict["pays"];
    EXPECT_EQ(pays == "yes", largest < 1);
    EXPECT_THAT(sentence, HasSubstr(pays == "yes"  ? "the scan pays"
                                    : pays == "no" ? "the scan does not pay"
                                                   : "the scan pays only if ops are whole"));
  }
  ASSERT_EQ(upsweep({"report", "--db", db, "--out", folder.path("page.html")}).exit_code, 0);
  EXPECT_THAT(read_file(folder.path("page.html")), HasSubstr("<p class=\"verdict\">" + escaped(sentence) + "</p>"));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, VerdictEverywhere,
    ::testing::Values(Case{"search", {"search", kModels + "vgg11-quarter-pruned90.yaml", "--workers", "3"}},
                      Case{"search_of_branches", {"search", kModels + "densenet-block.yaml"}},
                      Case{"search_on_a_machine", {"search", kModels + "lenet5.yaml", "--machine", kGpu}},
                      Case{"search_of_steps", {"search", kModels + "rnn-bitstream.yaml"}},
                      Case{"search_of_steps_on_a_machine",
                           {"search", kModels + "rnn-bitstream.yaml", "--machine", kGpu}},
                      Case{"search_of_a_stack", {"search", kModels + "rnn-stacked.yaml"}},
                      Case{"profile", {"profile", kModels + "vgg11-quarter-pruned90.yaml", "--schedule", "hybrid:2"}},
                      Case{"profile_of_branches", {"profile", kModels + "densenet-block.yaml"}},
                      Case{"profile_on_a_machine", {"profile", kModels + "lenet5.yaml", "--machine", kGpu}},
                      Case{"profile_of_steps", {"profile", kModels + "rnn-bitstream.yaml"}},
                      Case{"profile_of_a_stack", {"profile", kModels + "rnn-stacked.yaml"}},
                      Case{"training", {"training", kSource + "/configs/training/figure4.yaml"}, false},
                      Case{"study", {"study", kSource + "/configs/studies/which-gpu.yaml"}, false}),
    [](const auto& one) { return one.param.name; });

TEST(Verdicts, OfNetworksWithBranchesCountWhatBlocksCost) {
  const Json json = json_of({"search", kModels + "densenet-block.yaml", "--workers", "4"});
  const Json& verdict = json["verdict"];
  ASSERT_EQ(verdict["baselines"].size(), 3U);
  EXPECT_EQ(verdict["baselines"][1]["name"], "sparse-bp-shared");
  const Json& graph = verdict["baselines"][2];
  EXPECT_EQ(graph["name"], "graph-bp");
  const auto flops = [&](const char* part) { return json[part]["makespan"]["dag"]["flops"].get<double>(); };
  const double chain = verdict["baselines"][0]["scan_score"];
  EXPECT_EQ(graph["score"], flops("graph_bp"));
  EXPECT_EQ(graph["scan_score"], chain + flops("formation") + flops("inside_blocks"));
  EXPECT_EQ(verdict["pays"] != "no", graph["ratio"] < 1 && verdict["baselines"][0]["ratio"] < 1);
}

TEST(Verdicts, OfNetworksWithBranchesOnAMachineAreInSeconds) {
  const std::string model = kModels + "densenet-block.yaml";
  const std::string pram = kSource + "/configs/machines/pram-unit.yaml";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--machine", kGpu},
                                             {"--machine", kGpu, "--batch", "16"},
                                             {"--machine", kGpu, "--execution", "dag"},
                                             {"--machine", kGpu, "--launch", "eager"},
                                             {"--machine", pram}}) {
    std::vector<std::string> search = {"search", model, "--schemes", "hybrid"};
    search.insert(search.end(), more.begin(), more.end());
    const Json json = json_of(search);
    const Json& verdict = json["verdict"];
    const Json& baselines = verdict["baselines"];
    ASSERT_EQ(baselines.size(), 3U);
    EXPECT_EQ(baselines[1]["name"], more[1] == pram ? "sparse-bp-shared" : "dense-bp");
    const Json& graph = baselines[2];
    EXPECT_EQ(graph["name"], "graph-bp");
    EXPECT_EQ(graph["unit"], "s");
    EXPECT_EQ(graph["score"], json["graph_bp"]["seconds"]);
    const double blocks = json["formation"]["seconds"].get<double>() + json["inside_blocks"]["seconds"].get<double>();
    EXPECT_GT(blocks, 0);
    EXPECT_EQ(graph["scan_score"], baselines[0]["scan_score"].get<double>() + blocks);
    if (more[1] != pram) {
      EXPECT_EQ(baselines[1]["scan_score"], graph["scan_score"]) << "which makes them, too";
    }
    EXPECT_FALSE(verdict["pays"].is_null()) << verdict["sentence"];
    const double to_graph = graph["ratio"];
    const std::string speed = fmt::format("inside blocks {:#.4g}x {} plain BP over the graph", 1 / to_graph,
                                          to_graph < 1 ? "faster than" : "as fast as");
    EXPECT_THAT(verdict["sentence"].get<std::string>(), HasSubstr(speed)) << "more is better";
    // A profile of the best scan says the same.
    std::vector<std::string> profile = {"profile",    model,
                                        "--schedule", graph["best_scan"],
                                        "--workers",  std::to_string(json["workers"].get<std::uint64_t>())};
    profile.insert(profile.end(), more.begin(), more.end());
    const Json other = json_of(profile);
    EXPECT_EQ(other["verdict"]["baselines"][2], graph);
    EXPECT_EQ(other["graph_bp"]["seconds"], graph["score"]);
    EXPECT_EQ(other["chain_build"]["formation"]["seconds"], json["formation"]["seconds"]);
  }
}

TEST(Verdicts, SayWhereAnotherUsualSettingTurnsThem) {
  const std::string model = kModels + "vgg11-quarter-pruned90.yaml";
  const std::vector<std::string> search = {"search",    model, "--pattern", "sample",
                                           "--workers", "16",  "--schemes", "hybrid"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = search;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json_of(arguments)["verdict"];
  };
  const Json dag = with({});
  const Json level = with({"--execution", "level"});
  EXPECT_EQ(dag["pays"], "only-if-ops-are-whole");
  EXPECT_EQ(level["pays"], "no");
  const auto told = [](const char* execution, const Json& other) {
    return HasSubstr("With " + std::string(execution) + " execution it is the other way round: hybrid:1 is " +
                     speed_text(other["baselines"][0]["ratio"].get<double>(), "plain BP"));
  };
  EXPECT_THAT(dag["sentence"].get<std::string>(), told("level", level));
  EXPECT_THAT(level["sentence"].get<std::string>(), told("dag", dag));
  EXPECT_THAT(dag["sentence"].get<std::string>(),
              HasSubstr("With a batch of 32 (level execution) it is the other way"));
  EXPECT_THAT(level["sentence"].get<std::string>(), ::testing::Not(HasSubstr("With a batch of 32")));
}

TEST(Verdicts, OfAMachineCompareWithDenseBackPropagation) {
  const Json search = json_of({"search", kModels + "lenet5.yaml", "--machine", kGpu});
  const Json& baselines = search["verdict"]["baselines"];
  ASSERT_EQ(baselines.size(), 2U);
  EXPECT_EQ(baselines[0]["name"], "sparse-bp");
  EXPECT_EQ(baselines[1]["name"], "dense-bp");
  EXPECT_EQ(baselines[1]["unit"], "s");
  EXPECT_EQ(baselines[1]["score"], search["baseline"]["seconds"]);
  EXPECT_GT(search["baseline"]["seconds"], 0);
  EXPECT_EQ(json_of({"profile", kModels + "lenet5.yaml", "--machine", kGpu})["baseline"], search["baseline"]);
  EXPECT_DOUBLE_EQ(search["candidates"][0]["ratio_to_baseline"],
                   search["candidates"][0]["score"].get<double>() / search["baseline"]["seconds"].get<double>());
}

TEST(Verdicts, SayWhereASearchedScheduleCannotRun) {
  const std::vector<std::string> search = {"search", kModels + "vgg11-cifar10-pruned97.yaml", "--schemes", "hybrid"};
  const Json found = json_of(search);
  for (const Json& candidate : found["candidates"]) {
    const Json& reasons = candidate["feasible_on"];
    EXPECT_EQ(reasons.size(), 6U);
    EXPECT_TRUE(reasons["cpu"].is_null());
    EXPECT_EQ(reasons["cusparse"].is_null(), candidate["depth"] < 3) << "163 billion products from depth 3 on";
  }
  EXPECT_THAT(upsweep(search).out, HasSubstr("cusparse cannot run hybrid:3, hybrid:4: hybrid:3 has a product of "));
  for (const char* schedule : {"linear", "hybrid:3"}) {
    const std::vector<std::string> profile = {"profile", search[1], "--schedule", schedule};
    const bool runs = std::string(schedule) == "linear";
    EXPECT_EQ(json_of(profile)["feasible_on"], found["candidates"][runs ? 0 : 3]["feasible_on"]);
    EXPECT_EQ(upsweep(profile).out.find("cusparse cannot run hybrid:3: ") == std::string::npos, runs) << schedule;
  }
}

TEST(Verdicts, SayWhatEachIntervalStandsOn) {
  const std::vector<std::string> search = {
      "search",    kModels + "lenet5.yaml",
      "--schemes", "hybrid",
      "--machine", std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/h100-sxm5-80gb.yaml"};
  const Json verdict = json_of(search)["verdict"];
  EXPECT_EQ(verdict["frame"]["library"], "cuSPARSE");
  ASSERT_EQ(verdict["baselines"].size(), 2U);
  for (const Json& baseline : verdict["baselines"]) {
    EXPECT_EQ(baseline["interval_from"], "datasheet") << baseline["name"];
    EXPECT_EQ(baseline["interval"][0], baseline["score"]) << "nothing is faster than a datasheet";
    EXPECT_LE(baseline["interval"][1], 2 * baseline["score"].get<double>());
    EXPECT_EQ(baseline["scan_interval_from"], "published");
    EXPECT_LT(baseline["scan_interval"][0], baseline["scan_score"]);
  }
  EXPECT_THAT(verdict["sentence"].get<std::string>(),
              ::testing::ContainsRegex(
                  "four times in five hybrid:[0-9] takes [^,;]*; between the datasheet's rates, which are the highest "
                  "that there are, and half of them plain BP takes [^,]*, dense BP"));
  std::vector<std::string> roofline = search;
  roofline.insert(roofline.end(), {"--library", "roofline"});
  const Json by_roofline = json_of(roofline)["verdict"]["baselines"];
  for (const Json& baseline : by_roofline)
    EXPECT_TRUE(baseline["interval_from"].is_null() && baseline["interval"].is_null());
}

TEST(Verdicts, OfRunsOnAMachineAreWhatTheirListShows) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string pram = kSource + "/configs/machines/pram-unit.yaml";
  const Json search =
      json_of({"search", kModels + "lenet5.yaml", "--schemes", "hybrid", "--machine", pram, "--db", db});
  const Json profile = json_of({"profile", kModels + "lenet5.yaml", "--machine", kGpu, "--db", db});
  const std::string list = upsweep({"runs", "--candidates", "--db", db}).out;
  const auto row_of = [&](const std::string& id) {
    const std::size_t begin = list.find("\n  " + id + "  ") + 1;
    return list.substr(begin, list.find('\n', begin) - begin);
  };
  EXPECT_THAT(row_of("1"), HasSubstr(" 1.000x "));
  const double ratio = search["verdict"]["baselines"][0]["ratio"];
  EXPECT_THAT(row_of("3"), HasSubstr(fmt::format(" {:#.4g}x ", 1 / ratio))) << "of seconds, as the verdict says";
  EXPECT_THAT(row_of("3"), HasSubstr("best of "));
  const double level_s = profile["time"]["seconds"]["level"];
  ASSERT_NE(level_s, profile["time"]["seconds"]["dag"].get<double>());
  EXPECT_THAT(row_of("5"), HasSubstr(fmt::format(" {:#.4g} ", 1000 * level_s))) << "by level, as a gpu's verdict is";
}

TEST(Verdicts, OfAPramKeepSecondsAndFlopsInSentencesOfTheirOwn) {
  for (const char* command : {"search", "profile"}) {
    const Json verdict = json_of({command, kModels + "lenet5.yaml", "--machine",
                                  std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml"})["verdict"];
    const Json& shared = verdict["baselines"][1];
    ASSERT_EQ(shared["unit"], "flops");
    const auto sentence = verdict["sentence"].get<std::string>();
    EXPECT_THAT(sentence,
                HasSubstr("x faster than plain BP with each op on one worker: the scan pays only if ops are whole;"));
    EXPECT_THAT(
        sentence,
        HasSubstr(fmt::format(
            ". Ops that workers share have no seconds on this machine: in FLOPs {} is {} with them (level execution).",
            shared["best_scan"].get<std::string>(), speed_text(shared["ratio"].get<double>(), "plain BP"))));
  }
}

// Latency binds and is large, so that the shorter schedule beats plain back-propagation; no key for dense products.
TEST(Verdicts, WithoutADenseRateAreOpenAndNameTheKey) {
  const TemporaryFolder folder;
  const std::string costs =
      "{team_s: 0, scaled_column_s: 0, scaled_row_s: 0, single_hop_s: 0, team_hop_s: 0, pass_s: 0, single_step_s: 0, "
      "team_step_s: 0, single_sum_s: 0, team_sum_s: 0, far_scaled_column_s: 0, far_single_step_s: 0, far_team_step_s: "
      "0, moved_byte_s: 0, bandwidth_GBps: 1000}";
  const auto machine = [&](const std::string& dense) {
    const std::string type = "{" + dense + "mv: " + costs + ", mm: " + costs + "}";
    return folder.write("machine" + std::to_string(dense.size()) + ".yaml",
                        "name: m\nkind: cpu\nprovenance: {origin: definition}\nrates:\n  - {workers: 8, op_latency_us: "
                        "0, level_latency_us: 100, fp32: " +
                            type + ", fp64: " + type + "}\n");
  };
  const auto verdict = [&](const std::string& dense) -> Json {
    return json_of({"search", kModels + "lenet5.yaml", "--machine", machine(dense)}).at("verdict");
  };
  const Json open = verdict("");
  EXPECT_LT(open["baselines"][0]["ratio"], 1);
  EXPECT_TRUE(open["pays"].is_null());
  EXPECT_TRUE(open["baselines"][1]["score"].is_null());
  EXPECT_TRUE(open["baselines"][1]["ratio"].is_null());
  EXPECT_EQ(open["baselines"][1]["missing"], "rates[8].fp32.dense_GFLOPps");
  EXPECT_THAT(open["sentence"].get<std::string>(),
              HasSubstr("Dense BP is not predicted: the machine file has no rates[8].fp32.dense_GFLOPps."));
  EXPECT_EQ(verdict("dense_GFLOPps: 1000, ")["pays"], "no") << "kernels of no latency";
  EXPECT_EQ(verdict("dense_MFLOPps: 1, ")["pays"], "yes");
}

TEST(Verdicts, ASearchAndAStudyGiveOneAnswerToOneQuestion) {
  const TemporaryFolder folder;
  const std::vector<std::string> machines = {"p100-pcie-16gb", "v100-sxm2-32gb", "a100-sxm4-80gb", "h200-sxm-141gb",
                                             "rtx-2070",       "titan-xp",       "pram-unit"};
  std::string axis;
  for (const std::string& machine : machines) axis += "      - " + kSource + "/configs/machines/" + machine + ".yaml\n";
  for (const std::string model : {"lenet5", "mlp-mnist", "densenet-block", "vgg11-quarter-pruned90"}) {
    const std::string file = kModels + model + ".yaml";
    const std::string study =
        folder.write(model + ".yaml", "name: " + model + "\nbase:\n  model: " + file + "\n  machine: " + kSource +
                                          "/configs/machines/pram-unit.yaml\naxes:\n  - name: "
                                          "machine\n    path: machine\n    values:\n" +
                                          axis + "questions: [best]\n");
    const Json points = json_of({"study", study})["rows"];
    ASSERT_EQ(points.size(), machines.size());
    for (std::size_t i = 0; i < machines.size(); ++i) {
      const Json search = json_of({"search", file, "--machine", kSource + "/configs/machines/" + machines[i] + ".yaml",
                                   "--schemes", "hybrid", "--execution", "level"});
      const Json& point = points[i];
      EXPECT_EQ(point["workers"], search["workers"]) << model << " on " << machines[i];
      EXPECT_DOUBLE_EQ(point["score"], search["best"]["score"].get<double>()) << model << " on " << machines[i];
      EXPECT_DOUBLE_EQ(point["plain_score"], search["linear"]["score"].get<double>()) << model << " on " << machines[i];
      EXPECT_EQ(point["dense_score"].is_null(), machines[i] == "pram-unit");
      double largest = 0;  // but that of shared ops, which such points do not ask for
      for (const Json& baseline : search["verdict"]["baselines"]) {
        if (baseline["name"] != "sparse-bp-shared") largest = std::max(largest, baseline["ratio"].get<double>());
        if (baseline["name"] == "dense-bp") {
          EXPECT_DOUBLE_EQ(point["dense_score"], baseline["score"].get<double>());
        }
        if (baseline["name"] == "graph-bp") {
          EXPECT_DOUBLE_EQ(point["graph_score"], baseline["score"].get<double>());
        }
      }
      EXPECT_EQ(point["graph_score"].is_null(), model != "densenet-block");
      EXPECT_NEAR(point["speedup"].get<double>() * largest, 1, 1e-12) << model << " on " << machines[i];
    }
  }
}

// By the kernels of their passes, however these are started: one model of a recurrent pass on a GPU.
TEST(Verdicts, ASearchAndAStudyGiveOneAnswerAboutARecurrentModelOnAGpu) {
  const TemporaryFolder folder;
  for (const std::string model : {"rnn-bitstream", "rnn-bitstream-unfused", "gru-irmas-s"}) {
    for (const std::string machine : {"rtx-2070", "h100-sxm5-80gb"}) {
      const std::string file = kModels + model + ".yaml";
      const std::string machine_file = kSource + "/configs/machines/" + machine + ".yaml";
      const std::string study =
          folder.write(model + machine + ".yaml",
                       "name: passes\nbase: {model: " + file + ", machine: " + machine_file +
                           ", schedule: best-of-all}\naxes: [{path: launch, values: [eager, graph, fused]}]\n"
                           "questions: [best]\n");
      const Json points = json_of({"study", study})["rows"];
      ASSERT_EQ(points.size(), 3U);
      for (const Json& point : points) {
        const std::string launch = point["coordinates"]["launch"];
        const Json search = json_of({"search", file, "--machine", machine_file, "--launch", launch});
        const std::string where = model + " on " + machine + ", " + launch;
        EXPECT_EQ(search["launch"], launch);
        EXPECT_DOUBLE_EQ(point["score"], search["best"]["score"].get<double>()) << where;
        EXPECT_DOUBLE_EQ(1 / point["speedup"].get<double>(), search["verdict"]["baselines"][0]["ratio"].get<double>())
            << where << ": against the best pass that is no scan";
      }
    }
  }
}

TEST(Verdicts, NameHowKernelsAreStartedAndWhereThatTurnsThem) {
  const std::string machine = kSource + "/configs/machines/h200-sxm-141gb.yaml";
  const std::string chain_text = "name: chain\nchain: {length: 1000, size: 20, kind: dense}\n";
  const TemporaryFolder folder;
  const std::string chain = folder.write("chain.yaml", chain_text);
  const Json graph = json_of({"search", chain, "--machine", machine});
  EXPECT_EQ(graph["launch"], "graph");
  const Json fused = json_of({"search", chain, "--machine", machine, "--launch", "fused"});
  const Json eager = json_of({"search", chain, "--machine", machine, "--launch", "eager"});
  for (std::size_t i = 0; i < graph["candidates"].size(); ++i) {
    const Json& seconds = graph["candidates"][i]["launch_seconds"];
    EXPECT_EQ(seconds["graph"], graph["candidates"][i]["score"]);
    EXPECT_EQ(seconds["fused"], fused["candidates"][i]["score"]);
    EXPECT_EQ(seconds["eager"], eager["candidates"][i]["score"]);
    EXPECT_EQ(eager["candidates"][i]["launch_seconds"], seconds) << "whatever mode was asked for";
  }
  EXPECT_EQ(graph["verdict"]["pays"], "yes");
  EXPECT_EQ(fused["verdict"]["pays"], "yes");
  EXPECT_EQ(eager["verdict"]["pays"], "no") << "a scan has more kernels to issue";
  EXPECT_THAT(graph["verdict"]["sentence"].get<std::string>(),
              AllOf(HasSubstr("level execution, kernels in a graph"),
                    HasSubstr("With kernels issued by the host it is the other way round: ")));
  EXPECT_TRUE(json_of({"search", chain})["launch"].is_null());
}

TEST(Verdicts, RefuseALaunchThatThereIsNot) {
  const TemporaryFolder folder;
  const std::string model = kModels + "lenet5.yaml";
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Finished result = upsweep(arguments);
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  EXPECT_THAT(refused({"search", model, "--launch", "graph"}), HasSubstr("accepted is with --machine"));
  EXPECT_THAT(
      refused({"search", model, "--machine", kSource + "/configs/machines/pram-unit.yaml", "--launch", "graph"}),
      HasSubstr("starts no kernels: accepted is none, or a gpu"));
  std::string text = read_file(kSource + "/configs/machines/rtx-2070.yaml");
  const std::size_t key = text.find("    host_launch_us");
  text.erase(key, text.find('\n', key) + 1 - key);
  const std::string silent = folder.write("silent.yaml", text);
  EXPECT_EQ(json_of({"search", model, "--machine", silent})["candidates"][0]["launch_seconds"]["eager"], nullptr);
  const Finished eager = upsweep({"search", model, "--machine", silent, "--launch", "eager"});
  EXPECT_EQ(eager.exit_code, 3);
  EXPECT_THAT(eager.err, HasSubstr("rates[16].host_launch_us is missing"));
  const Finished cpu = upsweep({"validate", model, "--backend", "cpu", "--launch", "eager"});
  EXPECT_EQ(cpu.exit_code, 3);
  EXPECT_THAT(cpu.err, HasSubstr("the backend cpu starts no kernels, accepted is none"));
}

TEST(Verdicts, OfAMeasuredValidationAreKeptAsTheyWereSaid) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const Json verdict = json_of({"validate", kModels + "mlp-mnist.yaml", "--all-depths", "--workers", "1", "--machine",
                                kSource + "/configs/machines/pram-unit.yaml", "--db", db})
                           .at("verdict");
  EXPECT_EQ(verdict["decided_by"], "seconds");
  std::string kept = query(db, "SELECT verdict FROM commands");
  kept.pop_back();
  std::ranges::replace(kept, '\n', ' ');
  EXPECT_EQ(verdict["sentence"], kept);
  EXPECT_THAT(kept, HasSubstr("agrees with direct back-propagation"));
  EXPECT_THAT(kept, HasSubstr(" of plain BP and "));
  ASSERT_EQ(verdict["baselines"].size(), 2U);
  EXPECT_EQ(verdict["baselines"][1]["name"], "dense-bp");
  EXPECT_EQ(verdict["baselines"][1]["best_scan"], verdict["baselines"][0]["best_scan"]);
  EXPECT_EQ(verdict["baselines"][1]["scan_score"], verdict["baselines"][0]["scan_score"]);
}

TEST(Predictions, SayWhoseTimesTheyAreWhereAnotherBackendRuns) {
  const TemporaryFolder folder;
  const std::string machine = folder.write(
      "mine.yaml",
      "name: mine\nkind: cpu\nprovenance: {origin: calibration, device: d, driver: e, backend: cpu, date: 2026-11-27, "
      "tool_version: 0.1.0, fit: {points: 1, mean_error: 0, median_error: 0, p90_error: 0, max_error: 0}}\nrates:\n"
      "  - {workers: 1, op_latency_us: 1, level_latency_us: 1, bandwidth_GBps: 10, fp32: {compute_GFLOPps: 5}}\n");
  const auto said = [&](const std::string& backend) {
    return upsweep({"validate", kModels + "mlp-mnist.yaml", "--schedule", "linear", "--workers", "1", "--backend",
                    backend, "--machine", machine})
        .err;
  };
  const std::string note = "predicted are times of the backend cpu, on which mine was calibrated; eigen runs";
  EXPECT_THAT(said("eigen"), HasSubstr(note));
  EXPECT_THAT(said("cpu"), Not(HasSubstr("predicted are times")));
}

TEST(Verdicts, OfAValidationOnThisProcessorMeasureDenseBackPropagation) {
  const std::vector<std::string> validate = {
      "validate", kModels + "lenet5.yaml", "--schedule", "linear", "--machine", kGpu, "--workers", "1"};
  const Json json = json_of(validate);
  const Json& dense = json["dense_bp"];
  EXPECT_TRUE(dense["skipped"].is_null());
  EXPECT_GT(dense["measured_s"], 0);
  EXPECT_GT(dense["weight_gradients_s"], 0);
  EXPECT_GE(dense["repetitions"], 3);
  // The same prediction as a search's, on as many workers.
  const Json search =
      json_of({"search", kModels + "lenet5.yaml", "--schemes", "hybrid", "--machine", kGpu, "--workers", "1"});
  EXPECT_EQ(dense["predicted_s"], search["baseline"]["seconds"]);
  EXPECT_NEAR(dense["error"].get<double>(), dense["predicted_s"].get<double>() / dense["measured_s"].get<double>() - 1,
              1e-12);
  const Json reference =
      json_of({"validate", kModels + "lenet5.yaml", "--backend", "reference", "--schedule", "linear"});
  EXPECT_TRUE(reference["dense_bp"].is_null()) << "measured beside the cpu backend alone";
}

}  // namespace
}  // namespace upsweep::testing::cli_verdict_test
