#include "upsweep/anchors/anchors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/random.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/recurrent/device_model.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

const Machine& preset(const std::string& name) {
  for (const Machine& machine : preset_machines()) {
    if (machine.name == name) return machine;
  }
  throw std::logic_error("no preset " + name);
}

AnchorRow product_row(const std::string& device, std::uint64_t products, std::optional<double> time_s) {
  AnchorRow row;
  row.family = "spgemm";
  row.device = device;
  row.library = "cuSPARSE";
  row.dtype = "fp64";
  row.covers = "compute only";
  row.status = time_s ? "ok" : "library_error";
  row.time_s = time_s;
  row.rows = row.cols = 100'000;
  row.nnz_a = 2'000'000;
  row.products = products;
  row.nnz_c = products / 8;
  row.key = static_cast<std::uint32_t>(products);
  return row;
}

const std::string kA100 = "NVIDIA A100 80GB PCIe";

AnchorMachines all_presets() { return {{}, preset_machines()}; }

TEST(Anchors, FailuresArePredictedAboveTheProductsThatTheLibraryCountsAndNoneBelow) {
  const AnchorReport report =
      anchors({product_row(kA100, 2'147'483'647, 0.1), product_row(kA100, 2'147'483'648, std::nullopt),
               product_row(kA100, 80'000'000, std::nullopt), product_row(kA100, 3'000'000'000, 0.1)},
              all_presets());
  EXPECT_EQ(report.points[0].predicted_status, "ok");
  EXPECT_EQ(report.points[1].predicted_status, "library_error");
  ASSERT_EQ(report.families.size(), 1);
  EXPECT_EQ(report.families[0].failures, (AnchorFailures{.predicted = 1, .missed = 1, .false_alarms = 1}));
  EXPECT_EQ(report.families[0].error.points, 1);
}

TEST(Anchors, ArePredictedByTheCodeThatSearchesUse) {
  const AnchorReport report = anchors({product_row(kA100, 50'000'000, 0.01)}, all_presets());
  OpWork work;
  work.flops = 100'000'000;
  work.sizes = {100'000, 100'000, 100'000, 2'000'000, 2'000'000, 50'000'000, 6'250'000};
  const Machine& machine = preset("nvidia-a100-pcie-80gb");
  const double start_up = machine.product_rates()->start_up_s;
  EXPECT_DOUBLE_EQ(*report.points[0].predicted_s, op_time(machine, work, {}).machine_s + start_up);
}

TEST(Anchors, DevicesThatNobodyKnowsArePredictedByTheOneGivenMachineOrSkipped) {
  const AnchorRow row = product_row("NVIDIA Quantum 9", 50'000'000, 0.01);
  const AnchorReport alone = anchors({row}, all_presets());
  EXPECT_THAT(alone.points[0].skipped, HasSubstr("no machine is known for 'NVIDIA Quantum 9'"));
  EXPECT_EQ(alone.families[0].skipped, 1);
  EXPECT_FALSE(alone.points[0].predicted_s.has_value());
  Machine other = preset("nvidia-rtx-4090");
  other.published.clear();
  const AnchorReport with = anchors({row}, {{other}, preset_machines()});
  EXPECT_TRUE(with.points[0].predicted_s.has_value());
  EXPECT_EQ(with.points[0].machine, "nvidia-rtx-4090");
  EXPECT_THAT(with.families[0].fitted_on.front(), HasSubstr("carried over from"));
}

TEST(Anchors, RatesAreCarriedOverFromTheNearestDevice) {
  AnchorRow row = product_row("NVIDIA H200", 50'000'000, 0.01);
  Machine bare = preset("nvidia-h200-sxm-141gb");
  bare.published.clear();
  const AnchorReport report = anchors({row}, {{bare}, preset_machines()});
  EXPECT_THAT(report.families[0].fitted_on.front(), HasSubstr("cuSPARSE of nvidia-h100-sxm5-80gb"));
  const Machine fitted = fitted_machine(bare, {row}, preset_machines());
  EXPECT_EQ(fitted.published, preset("nvidia-h200-sxm-141gb").published) << "as the preset has it";
  // What was fitted needs no donor: without rows of the device there is nothing to do.
  EXPECT_THROW(static_cast<void>(
                   fitted_machine(preset("nvidia-h100-sxm5-80gb"), {product_row(kA100, 1000, 0.1)}, preset_machines())),
               std::invalid_argument);
}

AnchorRow layer_row(const std::string& library, const std::string& algorithm, const std::string& launch) {
  AnchorRow row;
  row.family = "recurrent";
  row.device = "NVIDIA H100 80GB HBM3";
  row.library = library;
  row.algorithm = algorithm;
  row.launch = launch;
  row.cell = "RNN";
  row.dtype = "fp32";
  row.direction = "backward of states";
  row.status = "ok";
  row.time_s = 1e-3;
  row.batch = 16;
  row.hidden = 20;
  row.steps = 1000;
  return row;
}

TEST(Anchors, LayersOfOurKernelsArePredictedByTheMethodThatTheyAreOf) {
  const Machine& machine = preset("nvidia-h100-sxm5-80gb");
  const PassShape shape = {{CellKind::rnn, Nonlinearity::tanh, 20, 20, 10}, 1000, 16};
  const AnchorReport report =
      anchors({layer_row("upsweep", "bptt", "graph"), layer_row("upsweep", "blocked:64", "graph"),
               layer_row("upsweep", "blelloch", "graph"), layer_row("upsweep", "faster", "graph")},
              all_presets());
  const char* const methods[] = {"blocked:1", "blocked:64", "blelloch"};  // our sequential pass is one kernel
  for (std::size_t i = 0; i < std::size(methods); ++i) {
    const DevicePrediction p = predict_on_device(machine, shape, parse_backward_method(methods[i]), 4);
    EXPECT_DOUBLE_EQ(*report.points[i].predicted_s, p.hidden_s()) << methods[i];
  }
  EXPECT_THAT(report.points[3].skipped, HasSubstr("'faster' is no backward method"));
}

TEST(Anchors, OneKernelOfALibraryForAllStepsIsNoLaunchForEachOfThem) {
  const AnchorReport report =
      anchors({layer_row("cuDNN", "persistent", "fused"), layer_row("cuDNN", "standard", "eager")}, all_presets());
  EXPECT_LT(5 * *report.points[0].predicted_s, *report.points[1].predicted_s);
  const PassShape shape = {{CellKind::rnn, Nonlinearity::tanh, 20, 20, 10}, 1000, 16};
  const double walk =
      predict_on_device(preset("nvidia-h100-sxm5-80gb"), shape, parse_backward_method("blocked:1"), 4).hidden_s();
  EXPECT_GT(*report.points[0].predicted_s, walk) << "a step of the library is on top";
}

TEST(Anchors, TimesOfOurOwnAreComparedWithWhatWasSaidOfThem) {
  AnchorRow row = product_row("some processor", 1000, 2e-3);
  row.family = "validation";
  row.own = OwnPrediction{3e-3, "mine", "mine: 9 products", false};
  AnchorRow brief = row;
  brief.status = "short";
  AnchorRow synthetic = row;
  synthetic.family = kCalibrationFamily;
  synthetic.own->is_fitted = true;
  const AnchorReport report = anchors({row, brief, synthetic}, all_presets());
  ASSERT_EQ(report.families.size(), 2U);
  const AnchorFamily& validations = report.families[0];
  EXPECT_DOUBLE_EQ(validations.error.median, 0.5);
  EXPECT_EQ(validations.error.points, 1U);
  EXPECT_EQ(validations.skipped, 1U) << "the brief one";
  EXPECT_EQ(validations.bound_error.points, 0U) << "no datasheet stands behind it";
  EXPECT_EQ(validations.machine, "mine");
  EXPECT_EQ(validations.fitted_on, std::vector<std::string>{"mine: 9 products"});
  EXPECT_THAT(report.points[1].skipped, HasSubstr("short"));
  EXPECT_EQ(report.families[1].fitted, 1U);
  EXPECT_EQ(report.families[1].left_out, 0U);
  EXPECT_DOUBLE_EQ(report.families[1].in_sample.median, 0.5);
}

TEST(Anchors, LibrariesThatNobodyKnowsHaveWideIntervals) {
  AnchorRow row = product_row(kA100, 50'000'000, 0.01);
  const AnchorReport known = anchors({row}, all_presets());
  row.library = "mySpGEMM";
  const AnchorReport report = anchors({row}, all_presets());
  const auto width = [](const AnchorPoint& point) { return *point.high_s / *point.low_s; };
  EXPECT_GT(width(report.points[0]), 4 * width(known.points[0]));
  EXPECT_LT(*report.points[0].predicted_s, *known.points[0].predicted_s);
  row.library = "OpSparse";
  EXPECT_LT(*anchors({row}, all_presets()).points[0].predicted_s, *report.points[0].predicted_s);
}

TEST(Anchors, RowsWithoutSizesDeviceOrTimeSayWhyTheyAreNotPredicted) {
  AnchorRow sizes = product_row(kA100, 5, 0.01);
  sizes.products.reset();
  AnchorRow device = product_row("", 5, 0.01);
  AnchorRow crash = product_row(kA100, 5, 0.01);
  crash.status = "harness_crash";
  AnchorRow family = product_row(kA100, 5, 0.01);
  family.family = "spmv";
  const AnchorReport report = anchors({sizes, device, crash, family}, all_presets());
  EXPECT_EQ(report.points[0].skipped, "the row has no products");
  EXPECT_EQ(report.points[1].skipped, "the source names no device");
  EXPECT_THAT(report.points[2].skipped, HasSubstr("harness_crash"));
  EXPECT_THAT(report.points[3].skipped, HasSubstr("'spmv' is not modelled"));
}

/// Equal but for rounding.
void expect_near(const ErrorFigures& a, const ErrorFigures& b) {
  EXPECT_EQ(a.points, b.points);
  EXPECT_NEAR(a.mean, b.mean, 1e-12);
  EXPECT_NEAR(a.median, b.median, 1e-12);
  EXPECT_NEAR(a.p90, b.p90, 1e-12);
  EXPECT_NEAR(a.max, b.max, 1e-12);
}

class FittedAnchorsTest : public testing::SeededTest {};

TEST_F(FittedAnchorsTest, RowsOfAFitArePredictedWithoutTheirStructureWhereAllAreThere) {
  std::vector<AnchorRow> rows;
  for (int i = 0; i < 30; ++i) {
    AnchorRow row = product_row(kA100, between(1'000'000, 1'000'000'000), 0);
    const double exact =
        *product_seconds(*preset("nvidia-a100-pcie-80gb").product_rates(),
                         {*row.rows, *row.cols, *row.cols, *row.nnz_a, *row.nnz_a, *row.products, *row.nnz_c});
    row.time_s = exact * std::exp(0.2 * normal());
    rows.push_back(row);
  }
  const Machine& donor = preset("nvidia-a100-pcie-80gb");
  const Machine fitted = fitted_machine(donor, rows, {donor});
  EXPECT_EQ(fitted.product_rates()->from.rows.size(), 30);
  const AnchorReport report = anchors(rows, {{fitted}, {}});
  EXPECT_EQ(report.families[0].fitted, 30);
  EXPECT_EQ(report.families[0].left_out, 30);
  for (const AnchorPoint& point : report.points) {
    EXPECT_TRUE(point.is_left_out);
    EXPECT_NE(point.predicted_s, point.in_sample_s);
  }
  expect_near(report.families[0].error, fitted.product_rates()->from.left_out);
  expect_near(report.families[0].in_sample, fitted.product_rates()->from.in_sample);
  rows.pop_back();
  EXPECT_EQ(anchors(rows, {{fitted}, {}}).families[0].left_out, 0) << "a row of the fit is missing";
}

TEST(Presets, HoldTheirFitsAndReadBackToThemselves) {
  std::size_t gpus = 0;
  for (const Machine& machine : preset_machines()) {
    EXPECT_NO_THROW(static_cast<void>(machine_text(machine))) << machine.name;
    if (machine.kind != MachineKind::gpu) continue;
    ++gpus;
    ASSERT_NE(machine.product_rates(), nullptr) << machine.name;
    EXPECT_EQ(machine.product_rates()->library, "cuSPARSE") << machine.name;
  }
  EXPECT_EQ(gpus, 17);
}

TEST(Presets, AreAsCloseToPublishedProductsThatAreLeftOutAsTheReportSays) {
  const ErrorFigures& a100 = preset("nvidia-a100-pcie-80gb").product_rates()->from.left_out;
  EXPECT_LE(a100.median, 0.15);
  EXPECT_LE(a100.p90, 0.40);
  const ErrorFigures& rtx = preset("nvidia-rtx-4080-super").product_rates()->from.left_out;
  EXPECT_LE(rtx.median, 0.11);
  EXPECT_LE(rtx.p90, 0.36);
}

}  // namespace
}  // namespace upsweep
