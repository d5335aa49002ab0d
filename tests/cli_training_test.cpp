#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/training_files.hpp"

namespace upsweep::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kConfigs = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/";

/// A training file in a folder of its own.
struct File {
  TemporaryFolder folder;
  std::string path;

  explicit File(const std::string& text) : path(folder.write("t.yaml", text)) {}
};

std::vector<double> makespans(const Json& result) {
  std::vector<double> all;
  for (const Json& policy : result["policies"]) all.push_back(policy["makespan"].get<double>());
  return all;
}

TEST(Training, PrintsTheObjectOfAPipeline) {
  const File file(kPipelineFile);
  const Json result = json_of({"training", file.path});
  EXPECT_TRUE(has_keys(result, {"name", "kind", "unit", "policy", "makespan", "busy", "bubble_fraction", "peak_act",
                                "peak_grad", "peak_act_plus_grad", "trace"}));
  EXPECT_EQ(result["makespan"], 17);
  EXPECT_TRUE(result["makespan"].is_number_integer()) << "whole times have no fraction";
  EXPECT_EQ(result["busy"], (Json{10, 12}));
  EXPECT_EQ(result["bubble_fraction"], 0.352941176471) << "12 decimals";
  EXPECT_EQ(result["peak_act"], (Json{4, 4}));
  EXPECT_EQ(result["trace"][0], (Json{"F1.0@0", "F2.0@1", "F1.1@2", "F2.1@3", "W2.0@10", "O2.0@11", "W1.0@12",
                                      "W2.1@14", "O2.1@15", "W1.1@16"}));
  EXPECT_FALSE(result.contains("weight_versions")) << "of pipedream alone";
  const Json fractions = json_of({"training", File(with(kPipelineFile, "F", "0.25")).path});
  EXPECT_EQ(fractions["trace"][0][1], "F2.0@0.25");
}

TEST(Training, OfANetworkNamesItsFrameAndTakesALaunch) {
  const TemporaryFolder folder;
  const std::string source = UPSWEEP_SOURCE_DIR;
  const auto file = [&](const std::string& kernels, const std::string& more) {
    return folder.write("step.yaml", "name: s\nkind: pipeline\nmodel: " + source + "/models/lenet5.yaml\nmachine: " +
                                         source + "/configs/machines/a100-sxm4-80gb.yaml\nkernels: " + kernels +
                                         "\nbatch: 8\ndevices: 2\nmicro_batches: 4\nalloc: contiguous\npolicies: "
                                         "[gpipe, 1f1b]\n" +
                                         more);
  };
  for (const std::string kernels : {"csr", "dense"}) {
    const Json graph = json_of({"training", file(kernels, "")});
    const std::string sentence = graph["verdict"]["sentence"];
    EXPECT_THAT(sentence,
                StartsWith("On 2 devices, nvidia-a100-sxm4-80gb, 8 samples in 4 micro-batches, kernels in a "
                           "graph, " +
                           std::string(kernels == "csr" ? "sparse products of cuSPARSE: " : "dense kernels: ")));
    EXPECT_EQ(graph["verdict"]["frame"]["batch"], 8);
    EXPECT_EQ(graph["costs"]["library"], kernels == "csr" ? Json("cuSPARSE") : Json());
    const Json other = json_of({"training", file(kernels, ""), "--batch", "16", "--launch", "eager"});
    EXPECT_EQ(other["costs"]["batch"], 16);
    EXPECT_EQ(other["costs"]["launch"], "eager") << "what the command says stands instead of the file's";
    EXPECT_EQ(graph["verdict"]["frame"]["launch"], "graph");
    EXPECT_EQ(json_of({"training", file(kernels, "launch: graph\n")})["policies"], graph["policies"]);
    const Json eager = json_of({"training", file(kernels, "launch: eager\n")});
    EXPECT_THAT(eager["verdict"]["sentence"].get<std::string>(), HasSubstr(", kernels issued by the host, "));
    EXPECT_GT(makespans(eager)[0], makespans(graph)[0]) << "3.8 us of the host for each kernel";
  }
  const Finished fused = upsweep({"training", file("csr", "launch: fused\n")});
  EXPECT_EQ(fused.exit_code, 3);
  EXPECT_THAT(fused.err, HasSubstr("is 'fused', accepted are eager and graph"));
}

TEST(Training, PipedreamAddsItsWeightVersions) {
  const File file(with(kPipelineFile, "policy", "pipedream"));
  const Json result = json_of({"training", file.path});
  EXPECT_EQ(result["weight_versions"], (Json{2, 1}));
  EXPECT_EQ(result["staleness"], (Json{1, 0}));
  EXPECT_EQ(result["stage_time"], (Json{5, 6}));
  EXPECT_EQ(result["period_lower_bound"], 6);
}

TEST(Training, PrintsTheObjectsOfTheOtherKinds) {
  const File parallel(kDataParallelFile);
  const Json result = json_of({"training", parallel.path});
  EXPECT_TRUE(has_keys(result, {"makespan_by_link_and_k", "search_link", "search_k", "search_evaluated",
                                "optimum_nonpreemptive", "detail_preemptive_k3"}));
  EXPECT_TRUE(has_keys(result["makespan_by_link_and_k"], {"fifo", "priority", "preemptive"}));
  EXPECT_EQ(result["makespan_by_link_and_k"]["fifo"].size(), 4U);
  EXPECT_TRUE(
      has_keys(result["detail_fifo_k0"], {"makespan", "backward_end", "busy", "idle", "sync_end", "forward_start"}));
  const File memory(kFirstKFile);
  EXPECT_EQ(json_of({"training", memory.path})["f"], (Json{7, 9, 12, 16}));
  EXPECT_EQ(json_of({"training", memory.path})["max_k"], (Json{0, 1, 3}));
  const File regions(kMultiRegionFile);
  const Json region = json_of({"training", regions.path});
  EXPECT_EQ(region["one_stream_makespan"], 21);
  for (const char* schedule : {"algorithm1", "with_memory"}) {
    EXPECT_TRUE(has_keys(region[schedule], {"schedule", "begin", "length", "now", "overflow", "estimate", "executed"}));
    EXPECT_EQ(region[schedule]["schedule"], (Json{{3}, {2}, Json::array()}));
    EXPECT_EQ(region[schedule]["begin"], (Json{{"2", 6}, {"3", 0}}));
    EXPECT_EQ(region[schedule]["executed"], (Json{{"makespan", 14}, {"main_end", 14}, {"sub_end", 9}}));
  }
  EXPECT_TRUE(has_keys(region["with_memory"], {"pre_regions", "peaks", "fits"}));
}

TEST(Training, OptimumIsLookedForOnlyWhereItIsAskedFor) {
  const File file(with(kPipelineFile, "bandwidth", "3") + "size: 1\n");
  EXPECT_FALSE(json_of({"training", file.path}).contains("optimum"));
  const Json result = json_of({"training", file.path, "--optimum", "20"});
  EXPECT_TRUE(has_keys(result["optimum"], {"makespan", "lower_bound", "gap", "proven", "nodes"}));
  EXPECT_LE(result["optimum"]["makespan"], result["makespan"]);
  EXPECT_GE(result["optimum"]["lower_bound"], 12) << "the work of device 1";
}

TEST(Training, ComparesPoliciesInEveryFormat) {
  const File file(with(without(kPipelineFile, "policy"), "policies",
                       "[gpipe, {policy: ff, alloc: modulo}, {policy: 1f1b, label: \"one, two\"}]"));
  const Json result = json_of({"training", file.path});
  ASSERT_EQ(result["policies"].size(), 3U);
  EXPECT_TRUE(
      has_keys(result["policies"][2], {"label", "policy", "micro_batches", "does_not_fit", "makespan", "trace"}));
  EXPECT_EQ(result["best"], result["policies"][1]["label"]);
  const Finished table = upsweep({"training", file.path});
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_EQ(table.err, "");
  for (const char* label : {"gpipe", "ff modulo", "one, two", "<- best", "speed-up", "device 1"})
    EXPECT_THAT(table.out, HasSubstr(label));
  const Finished csv = upsweep({"training", file.path, "--format", "csv"});
  EXPECT_THAT(csv.out, StartsWith("label,policy,micro_batches,makespan,bubble_fraction,peak_act,peak_grad,"
                                  "peak_act_plus_grad,does_not_fit,optimum_lower_bound,optimum_makespan\r\n"
                                  "gpipe,gpipe,2,17,"));
  EXPECT_THAT(csv.out, HasSubstr("\r\n\"one, two\",1f1b,"));
  EXPECT_EQ(lines(csv.out), 1 + 3);
}

TEST(Training, AddsATableOfCostsWhereAsked) {
  const File file(kPipelineFile);
  EXPECT_THAT(upsweep({"training", file.path}).out, ::testing::Not(HasSubstr("Costs of")));
  const std::string table = upsweep({"training", file.path, "--costs"}).out;
  EXPECT_THAT(table, HasSubstr("Costs of gpipe per micro-batch"));
  const std::string network = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/resnet-50-data-parallel.yaml";
  EXPECT_THAT(upsweep({"training", network, "--costs"}).out, HasSubstr("layer"));
}

TEST(Training, ListsItsRunsWithARowPerVariant) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const File file(with(without(kPipelineFile, "policy"), "policies", "[gpipe, ff]"));
  EXPECT_EQ(upsweep({"training", file.path, "--db", db}).exit_code, 0);
  EXPECT_THAT(upsweep({"runs", "--db", db}).out, HasSubstr("training"));
  const Finished show = upsweep({"runs", "show", "1", "--db", db});
  EXPECT_EQ(show.exit_code, 0);
  EXPECT_THAT(show.out, HasSubstr("content hash"));
  EXPECT_THAT(show.out, HasSubstr("gpipe"));
  const Json json = json_of({"runs", "show", "1", "--db", db});
  EXPECT_TRUE(has_keys(json, {"kind", "best", "figures"}));
}

TEST(Training, WritesCsvOfEveryKind) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {kPipelineFile, "device,kind,layer,micro_batch,start,end\r\n0,F,1,0,0,1\r\n"},
      {kDataParallelFile, "link,k,makespan,backward_end,idle\r\nfifo,0,"},
      {kFirstKFile, "k,memory\r\n0,7\r\n1,9\r\n"},
      {kMultiRegionFile, "schedule,region,kernel,begin,length\r\nalgorithm1,1,3,0,3\r\nalgorithm1,2,2,6,3\r\n"}};
  for (const auto& [text, start] : kinds) {
    const File file(text);
    EXPECT_THAT(upsweep({"training", file.path, "--format", "csv"}).out, StartsWith(start));
    const Finished table = upsweep({"training", file.path});
    EXPECT_EQ(table.exit_code, 0) << table.err;
    EXPECT_THAT(table.out, StartsWith("x: "));
  }
}

TEST(Training, MarksWhatDoesNotFitAndRefusesWhereNothingDoes) {
  const std::string text = with(with(with(without(kPipelineFile, "policy"), "micro_batches", "8"), "F", "[1, 1, 1, 1]"),
                                "policies", "[gpipe, 1f1b]");
  const File one(with(text, "memory_limit", "6"));
  const Json result = json_of({"training", one.path});
  EXPECT_EQ(result["policies"][0]["does_not_fit"], "17 tensors are needed on device 0, the limit is 6");
  EXPECT_TRUE(result["policies"][1]["does_not_fit"].is_null());
  EXPECT_EQ(result["best"], "1f1b");
  EXPECT_EQ(result["verdict"]["frame"]["memory_unit"], "tensors");
  EXPECT_EQ(result["verdict"]["frame"]["memory_limit"], 6);
  EXPECT_THAT(upsweep({"training", one.path}).out, HasSubstr(", within 6 tensors on each: "));
  EXPECT_THAT(upsweep({"training", one.path}).out, HasSubstr("gpipe does not fit: 17 tensors are needed on device 0"));
  const File none(with(text, "memory_limit", "1"));
  const Finished run = upsweep({"training", none.path});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err,
              HasSubstr("memory_limit is 1 tensor on a device, accepted are at least 5 tensors, which 1f1b needs"));
  EXPECT_EQ(run.out, "");
}

TEST(Training, SaysWhatALimitWithoutUnitCounts) {
  const std::string source = UPSWEEP_SOURCE_DIR;
  const std::string text = "name: s\nkind: pipeline\nmodel: " + source + "/models/lenet5.yaml\nmachine: " + source +
                           "/configs/machines/a100-sxm4-80gb.yaml\nbatch: 8\ndevices: 2\nmicro_batches: 4\n"
                           "alloc: contiguous\npolicies: [gpipe, 1f1b]\nmemory_limit: ";
  const auto said = [](const File& file) { return upsweep({"training", file.path}).err; };
  EXPECT_THAT(said(File(text + "1\n")), HasSubstr("t.yaml:10: memory_limit is 1 tensor; 1 GiB is written 1GiB\n"));
  EXPECT_THAT(said(File(text + "17179869184\n")),
              HasSubstr("memory_limit is 17179869184 tensors; as many bytes are written 17179869184B\n"));
  EXPECT_THAT(said(File(text + "16GiB\n")), Not(HasSubstr("memory_limit")));
  EXPECT_THAT(said(File(text + "16KiB\n")),
              ContainsRegex("memory_limit is 16.00 KiB on a device, accepted are at least [0-9.]+ KiB \\([0-9]+B\\)"))
      << "both in a unit to read, and what is to be written";
  EXPECT_THAT(
      said(File(with(kPipelineFile, "memory_limit", "17179869184"))),
      HasSubstr("memory_limit is 17179869184 tensors; the bytes of a tensor are known of files with a `model`"));
  EXPECT_THAT(said(File(with(kPipelineFile, "memory_limit", "16"))), Not(HasSubstr("memory_limit")));
}

TEST(Training, KeptRunsShowMemoryAndWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string text = with(with(with(without(kPipelineFile, "policy"), "micro_batches", "8"), "F", "[1, 1, 1, 1]"),
                                "policies", "[gpipe, 1f1b]");
  ASSERT_EQ(upsweep({"training", File(with(text, "memory_limit", "6")).path, "--db", db}).exit_code, 0);
  const Json summary = json_of({"runs", "show", "1", "--db", db})["summary"];
  EXPECT_EQ(summary[0]["does_not_fit"], 1);
  EXPECT_TRUE(summary[1]["does_not_fit"].is_null());
  EXPECT_TRUE(summary[0]["memory_bytes"].is_null()) << "of layers without bytes";
  const std::string shown = upsweep({"runs", "show", "1", "--db", db}).out;
  EXPECT_THAT(shown, ContainsRegex("gpipe .* 17 +- +yes +no\n1f1b .* 5 +- +- +yes\n"));
  EXPECT_THAT(shown,
              HasSubstr("\nThe most on a device at once, in tensors of one of the file's micro-batches; the limit "
                        "is 6 tensors:\n\ndevice  gpipe  1f1b\n"));
  EXPECT_THAT(shown, HasSubstr("\n     0     17     5\n"));

  ASSERT_EQ(upsweep({"training", kConfigs + "bert-24-nvlink.yaml", "--db", db}).exit_code, 0);
  const Json bytes = json_of({"runs", "show", "2", "--db", db});
  const std::string text_of_bytes = upsweep({"runs", "show", "2", "--db", db}).out;
  EXPECT_GT(bytes["summary"][0]["memory_bytes"], 0);
  EXPECT_THAT(text_of_bytes, ContainsRegex("The most on a device at once:\n\ndevice .*\n.*\n +0 +[0-9.]+ [KMG]iB"));
}

TEST(Training, ShowsTimelinesAsAsked) {
  const File file(kPipelineFile);
  EXPECT_THAT(upsweep({"training", file.path}).out, HasSubstr("device 0  F F F F . "));
  EXPECT_THAT(upsweep({"training", file.path, "--timeline", "kinds"}).out, HasSubstr("device 0  FFFF."));
  EXPECT_EQ(upsweep({"training", file.path, "--timeline", "none"}).out.find("device 0"), std::string::npos);
}

TEST(Training, PrintsTheFiguresOfThePaper) {
  EXPECT_THAT(makespans(json_of({"training", kConfigs + "figure5.yaml"})), ElementsAre(23, 19, 16));
  EXPECT_THAT(makespans(json_of({"training", kConfigs + "figure6.yaml"})), ElementsAre(35, 30, 25));
  EXPECT_THAT(makespans(json_of({"training", kConfigs + "figure12.yaml"})), ElementsAre(41, 34, 27));
  EXPECT_THAT(makespans(json_of({"training", kConfigs + "section-8.4.1.yaml"})), ElementsAre(83, 68, 51));
  const Json figure4 = json_of({"training", kConfigs + "figure4.yaml"});
  EXPECT_EQ(figure4["makespan_by_link_and_k"]["fifo"][0], 29);
  EXPECT_EQ(figure4["makespan_by_link_and_k"]["priority"][0], 28);
  EXPECT_EQ(figure4["makespan_by_link_and_k"]["priority"][3], 25);
}

TEST(Training, EveryFileOfTheProjectRuns) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs)) {
    if (is_train_file(entry.path().string())) continue;  // of another command
    const Json result = json_of({"training", entry.path().string()});
    EXPECT_EQ(result["name"], entry.path().stem().string());
    ++count;
  }
  EXPECT_GT(count, 20U);
}

TEST(Training, RefusesWrongUsage) {
  const File file(kPipelineFile);
  const std::vector<std::vector<std::string>> wrong = {{"training"},
                                                       {"training", file.path, "--format", "xml"},
                                                       {"training", file.path, "--optimum", "0"},
                                                       {"training", file.path, "--optimum", "soon"},
                                                       {"training", file.path, "--timeline", "long"},
                                                       {"training", file.path, "--devices", "3"},
                                                       {"training", file.path, "extra"}};
  for (const auto& arguments : wrong) {
    const Finished run = upsweep(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments.back() << ": " << run.err;
    EXPECT_EQ(run.out, "") << arguments.back();
    EXPECT_THAT(run.err, StartsWith("upsweep: error: ")) << arguments.back();
  }
}

TEST(Training, RefusesBadFilesInOneLineAndStoresNothing) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {with(kPipelineFile, "F", "[1, 2]"), ":6: F of a training file has 2 entries, accepted are 4"},
      {with(kPipelineFile, "W", ".nan"), ":8: W of a training file is '.nan', accepted is a finite number"},
      {with(kPipelineFile, "policy", "fast"), ":10: policy of a training file is 'fast', accepted are "},
      {with(kPipelineFile, "policy", "mp"), ":10: policy mp: 2 micro-batches, accepted is 1"},
      {with(with(kPipelineFile, "policy", "interleaved"), "micro_batches", "3"),
       "accepted is a multiple of the devices"},
      {with(with(kPipelineFile, "policy", "1f1b"), "alloc", "modulo"), "accepted is one run of consecutive layers per"},
      {with(with(kPipelineFile, "policy", "pipedream"), "U", "1"), "updates of pipedream are not part of the step"},
      {with(kPipelineFile, "color", "red"), ":11: unknown key 'color'"},
      {with(kPipelineFile, "F", "1e308"), "accepted is a finite sum"},
      {with(kDataParallelFile, "S", "[1, 1e308, 1e308]"), "accepted is a finite sum"},
      {with(kMultiRegionFile, "T_main", "[6, 4, 5]"), "accepted is 4, which follows from main_stream"},
      {"", "the file is empty"}};
  for (const auto& [text, message] : wrong) {
    const File file(text);
    const std::string db = file.folder.path("runs.sqlite");
    const Finished run = upsweep({"training", file.path, "--db", db});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_THAT(run.err, StartsWith("upsweep: error: " + file.path + ":"));
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
    const bool has_store = std::filesystem::exists(db);
    EXPECT_TRUE(!has_store || json_of({"runs", "--db", db}).empty());
  }
  EXPECT_EQ(upsweep({"training", "/nonexistent.yaml"}).exit_code, 3);
}

}  // namespace
}  // namespace upsweep::testing
