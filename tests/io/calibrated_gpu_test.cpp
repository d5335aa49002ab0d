#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/machine_files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep::calibrated_gpu_test {
namespace {

using ::testing::HasSubstr;
using testing::machine_refusal;
using testing::parse_machine;

std::string kernels(double first, std::size_t count = kKernelWorkNames.size()) {
  std::string text = "{kernels: {";
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::string(kKernelWorkNames[i]) +
            "_ns: " + std::to_string(first + static_cast<double>(i));
  return text + "}}";
}

const std::string kRoom = "team_room: {multiprocessors: 132, shared_memory_KiB: 227}\n";
const std::string kRates =
    "provenance: {origin: calibration, device: d, driver: d, backend: cuda, date: 2026-11-26, tool_version: \"1\",\n"
    "  fit: {points: 1, mean_error: 0, median_error: 0, p90_error: 0, max_error: 0}}\n"
    "rates:\n  - workers: 8\n    op_latency_us: 1\n    level_latency_us: 2\n    stream_latency_us: 0.5\n";

std::string file(const std::string& kind, const std::string& room, const std::string& mm) {
  const std::string type = "{mv: " + kernels(1) + ", mm: " + mm + "}\n";
  return "name: x\nkind: " + kind + "\n" + (kind == "gpu" ? "fill_teams: 8448\n" : "") + room + kRates +
         "    fp32: " + type + "    fp64: " + type;
}

TEST(CalibratedGpu, IsReadAsItWasWritten) {
  const Machine machine = parse_machine(file("gpu", kRoom, kernels(20)));
  EXPECT_EQ(machine.team_room, (TeamRoom{227 * 1024, 132}));
  const Rates& rates = machine.rates.at(0);
  EXPECT_DOUBLE_EQ(rates.stream_latency_s, 5e-7);
  EXPECT_DOUBLE_EQ(rates.fp32.mv.kernel_costs.unit_s[3], 4e-9);
  EXPECT_DOUBLE_EQ(rates.fp64.mm.kernel_costs.unit_s[0], 20e-9);
  const Machine again = parse_machine(machine_text(machine));
  EXPECT_EQ(again.rates, machine.rates);
  EXPECT_EQ(again.team_room, machine.team_room);
}

TEST(CalibratedGpu, SaysWhatIsMissing) {
  EXPECT_THAT(machine_refusal(file("gpu", "", kernels(20))),
              HasSubstr("kernels of mv of fp32 of rates[8] needs to know what the device has for teams"));
  EXPECT_THAT(machine_refusal(file("gpu", kRoom, kernels(20, 4))), HasSubstr("row_step of"));
  EXPECT_THAT(machine_refusal(file("gpu", "team_room: {multiprocessors: 1, shared_memory_KiB: 7}\n", kernels(20))),
              HasSubstr("shared_memory of team_room is 7168 bytes, accepted are at least 8192"));
  std::string nothing = "{kernels: {";
  for (const char* name : kKernelWorkNames) nothing += std::string(name) + "_s: 0, ";
  EXPECT_THAT(machine_refusal(file("gpu", kRoom, nothing + "}}")), HasSubstr("are all 0, accepted is one at least"));
  EXPECT_THAT(machine_refusal(file("gpu", kRoom, kernels(20)) + "published: []\n"),
              HasSubstr("published stands beside kernels, accepted is one of the two"));
  EXPECT_THAT(machine_refusal(file("cpu", "", kernels(20))), HasSubstr("kernels stands in a machine of kind cpu"));
  EXPECT_THAT(machine_refusal(file("cpu", kRoom, kernels(20))), HasSubstr("team_room stands in a machine of kind cpu"));
}

}  // namespace
}  // namespace upsweep::calibrated_gpu_test
