#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/rendered.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/report/calibration_report.hpp"

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;

class AnchorsCommand : public ::testing::Test {
 protected:
  std::string table(const std::string& rows) {
    const std::string path = folder_.path() + "/t.csv";
    std::ofstream(path) << "family,device,library,dtype,covers,time_ms,status,rows,cols,nnz_a,products,nnz_c\n" << rows;
    return path;
  }
  TemporaryFolder folder_;
};

const std::string kRows =
    "spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,26.24,ok,45330,45330,3213618,299381624,23716476\n"
    "spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,,library_error,943695,943695,77651847,8089734897,\n"
    "spgemm,Unheard of,cuSPARSE,fp64,compute only,1,ok,1000,1000,5000,30000,20000\n";

TEST_F(AnchorsCommand, KeepsWhatRunsReportAndPlotRead) {
  const std::string db = folder_.path("runs.sqlite");
  const Json printed = json_of({"anchors", table(kRows), "--db", db});
  EXPECT_EQ(json_of({"runs", "list", "--db", db})[0]["command"], "anchors");
  const Json kept = json_of({"runs", "show", "1", "--db", db});
  ASSERT_EQ(kept["points"].size(), 3);
  EXPECT_NEAR(kept["points"][0]["predicted_s"], 1e-3 * printed["points"][0]["predicted_ms"].get<double>(), 1e-12);
  EXPECT_EQ(kept["points"][1]["predicted_status"], "library_error");
  EXPECT_TRUE(kept["points"][2]["predicted_s"].is_null());
  EXPECT_EQ(kept["summary"][0]["error_median"], printed["families"][0]["error"]["median"]);
  EXPECT_EQ(kept["summary"][0]["failures_predicted"], 1);

  const std::string page = folder_.path("page.html");
  ASSERT_EQ(upsweep({"report", "--db", db, "--out", page}).exit_code, 0);
  EXPECT_THAT(read_file(page), HasSubstr("NVIDIA A100 80GB PCIe"));
  EXPECT_THAT(upsweep({"trace", "--run", "1", "--db", db, "--out", folder_.path("t.json")}).err,
              HasSubstr("has published times, not ops"));
  EXPECT_EQ(upsweep({"runs", "delete", "1", "--db", db}).exit_code, 0);
  EXPECT_EQ(json_of({"runs", "list", "--db", db}).size(), 0);
}

TEST_F(AnchorsCommand, PrintsWhatTheContractSays) {
  const Json report = json_of({"anchors", table(kRows), "--family", "spgemm"});
  ASSERT_EQ(report["families"].size(), 2);
  const Json& family = report["families"][0];
  EXPECT_EQ(family["family"], "spgemm");
  EXPECT_EQ(family["device"], "NVIDIA A100 80GB PCIe");
  EXPECT_EQ(family["library"], "cuSPARSE");
  EXPECT_EQ(family["points"], 1);
  EXPECT_EQ(family["skipped"], 0);
  for (const char* figures : {"error", "bound_error"}) {
    for (const char* key : {"mean", "median", "p90", "max"}) EXPECT_TRUE(family[figures][key].is_number()) << key;
  }
  EXPECT_FALSE(family["fitted_on"].empty());
  EXPECT_EQ(report["failures"], Json::parse(R"({"predicted": 1, "missed": 0, "false_alarms": 0})"));
  ASSERT_EQ(report["points"].size(), 3);
  const Json& point = report["points"][0];
  EXPECT_EQ(point["line"], 2);
  EXPECT_EQ(point["measured_ms"], 26.24);
  EXPECT_EQ(point["status"], "ok");
  EXPECT_EQ(point["predicted_status"], "ok");
  EXPECT_NEAR(point["error"].get<double>(), std::abs(point["predicted_ms"].get<double>() - 26.24) / 26.24, 1e-12);
  EXPECT_EQ(report["points"][1]["predicted_status"], "library_error");
  EXPECT_THAT(report["points"][2]["skipped"].get<std::string>(), HasSubstr("no machine is known"));
}

TEST_F(AnchorsCommand, KeepsRowsOfAFamilyAndADevice) {
  EXPECT_EQ(json_of({"anchors", table(kRows), "--device", "a100"})["points"].size(), 2);
  EXPECT_EQ(json_of({"anchors", table(kRows), "--family", "scan"})["points"].size(), 0);
  EXPECT_EQ(upsweep({"anchors", table(kRows), "--format", "csv"}).out.find("file,line,family"), 0);
}

TEST_F(AnchorsCommand, TakesDatabasesOfValidationsAndTablesOfCalibrations) {
  const std::string root = UPSWEEP_SOURCE_DIR;
  const std::string machine = folder_.write("mine.yaml",
                                            "name: mine\nkind: cpu\nprovenance: {origin: definition}\nrates:\n"
                                            "  - {workers: 1, op_latency_us: 1, level_latency_us: 1, bandwidth_GBps: "
                                            "10, fp32: {compute_GFLOPps: 5, build_value_ns: 1}, "
                                            "fp64: {compute_GFLOPps: 5}}\n");
  Calibration calibration;
  calibration.machine = load_machine(read_yaml(machine));
  calibration.machine.provenance.device = "Some, processor";
  calibration.machine.provenance.backend = "cpu";
  calibration.points = {{"a \"stencil\"", 1, 4, true, 3e-3, 2e-3}, {"another", 2, 8, false, 1e-3, 1e-3}};
  const std::string residuals = folder_.write("residuals.csv", to_csv(calibration));
  const std::string db = folder_.path("runs.sqlite");
  const Json validated = json_of({"validate", root + "/models/lenet5.yaml", "--backend", "cpu", "--machine", machine,
                                  "--workers", "1", "--schedule", "hybrid:2", "--db", db});
  const double predicted = validated["schedules"][0]["predicted_s"].get<double>();
  const double measured = validated["schedules"][0]["measured_s"].get<double>();

  const Json report = json_of({"anchors", residuals, db});
  std::map<std::string, Json> families;
  for (const Json& family : report["families"]) families.emplace(family["family"], family);
  ASSERT_TRUE(families.contains("calibration"));
  EXPECT_EQ(families["calibration"]["fitted"], families["calibration"]["rows"]) << "they are what it was fitted to";
  EXPECT_EQ(report["points"][0]["name"], "a \"stencil\"");
  EXPECT_EQ(report["points"][0]["device"], "Some, processor");
  EXPECT_NEAR(report["points"][0]["error"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(families["chain"]["points"], 1);
  EXPECT_TRUE(families["chain"]["bound_error"]["median"].is_null());
  EXPECT_EQ(families["validation"]["points"], measured >= 1e-3 ? 1 : 0);
  bool found = false;
  for (const Json& point : report["points"]) {
    if (point["family"] != "validation") continue;
    found = true;
    EXPECT_EQ(point["machine"], "mine");
    EXPECT_EQ(point["file"], db);
    EXPECT_NEAR(point["measured_ms"].get<double>(), 1e3 * measured, 1e-9);
    if (measured >= 1e-3) {
      EXPECT_NEAR(point["predicted_ms"].get<double>(), 1e3 * predicted, 1e-9);
    }
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(json_of({"anchors", db, "--family", "spgemm"})["points"].size(), 0);

  const std::string no_prediction = folder_.path("no.csv");
  std::ofstream(no_prediction) << "family,device,library,time_ms,status\ncalibration,a,b,1,ok\n";
  const Finished wrong = upsweep({"anchors", no_prediction});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("no.csv:2: predicted_ms"));
}

TEST_F(AnchorsCommand, SaysWhereATableIsWrongWithExitCode3) {
  const Finished finished = upsweep({"anchors", table("spgemm,A,b,fp64,,x,ok,1,1,1,1,1\n")});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.err, HasSubstr("t.csv:2: time_ms is 'x'"));
  EXPECT_EQ(upsweep({"anchors", "no-such-file.csv"}).exit_code, 3);
  EXPECT_EQ(upsweep({"anchors"}).exit_code, 2);
  EXPECT_EQ(upsweep({"anchors", table(kRows), "--fit-out", "x.yaml"}).exit_code, 2);
}

TEST_F(AnchorsCommand, ASearchOnAGpuHasIntervalsAndItsLibrary) {
  const std::string root = UPSWEEP_SOURCE_DIR;
  const std::string machine = root + "/configs/machines/a100-pcie-80gb.yaml";
  const std::vector<std::string> search = {"search", root + "/models/lenet5.yaml", "--machine", machine, "--schemes",
                                           "hybrid"};
  const Json fitted = json_of(search);
  EXPECT_EQ(fitted["verdict"]["uncertain"], false);
  EXPECT_EQ(fitted["verdict"]["frame"]["library"], "cuSPARSE");
  for (const Json& candidate : fitted["candidates"]) {
    EXPECT_EQ(candidate["library"], "cuSPARSE");
    EXPECT_LE(candidate["interval"][0], candidate["score"]);
    EXPECT_GE(candidate["interval"][1], candidate["score"]);
  }
  std::vector<std::string> sheet = search;
  sheet.insert(sheet.end(), {"--library", "roofline"});
  const Json roofline = json_of(sheet);
  EXPECT_TRUE(roofline["verdict"]["uncertain"].is_null());
  EXPECT_TRUE(roofline["candidates"][1]["interval"].is_null());
  EXPECT_LT(roofline["candidates"][1]["score"], fitted["candidates"][1]["score"]);
  std::vector<std::string> wrong = search;
  wrong.insert(wrong.end(), {"--library", "mine"});
  EXPECT_EQ(upsweep(wrong).exit_code, 3);
}

}  // namespace
}  // namespace upsweep::testing
