#include "upsweep/devices/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upsweep {
namespace {

using ::testing::ElementsAre;

TEST(Registry, TellsWhatEachBackendCanDo) {
  EXPECT_THAT(backend_names(Ability::networks),
              ElementsAre("reference", "cpu", "eigen", "cuda", "cusparse", "cusparse-reuse"));
  EXPECT_THAT(backend_names(Ability::recurrent), ElementsAre("reference", "cpu", "cuda", "cudnn", "cudnn-standard"));
  EXPECT_THAT(backend_names(Ability::recurrent_scans), ElementsAre("cpu", "cuda"));
  EXPECT_THAT(backend_names(Ability::network_training), ElementsAre("cpu"));
  EXPECT_THAT(backend_names(Ability::recurrent_training), ElementsAre("reference", "cpu", "cuda"));
  EXPECT_THAT(backend_names(Ability::calibration), ElementsAre("cpu", "cuda"));
  EXPECT_THAT(backend_names(Ability::dense_backprop), ElementsAre("cpu"));
}

TEST(Registry, FindsBackendsThatKnowTheirNames) {
  for (const BackendEntry& one : backends()) {
    if (one.can(Ability::networks)) {
      EXPECT_EQ(make_backend(one.name)->name(), one.name);
    }
    if (!one.can(Ability::recurrent)) continue;
    EXPECT_EQ(&recurrent_backend(one.name), one.recurrent);
    EXPECT_EQ(one.recurrent->name(), one.name);
    EXPECT_NO_THROW(static_cast<void>(recurrent_backend(one.recurrent->outer().name()))) << one.name;
    if (one.recurrent->availability().available) {
      EXPECT_EQ(one.recurrent->facts().is_processor, one.name == "cpu" || one.name == "reference");
    }
  }
}

TEST(Registry, SaysWhatIsAcceptedInstead) {
  const auto refusal = [](const char* name, Ability ability) -> std::string {
    try {
      return find_backend(name, ability).name;
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("cpu", Ability::calibration), "cpu");
  EXPECT_EQ(refusal("cudnn", Ability::calibration), "'cudnn' is no backend to calibrate, accepted are cpu, cuda");
  EXPECT_EQ(refusal("eigen", Ability::recurrent_scans),
            "'eigen' is no backend of scans over recurrent models, accepted are cpu, cuda");
  EXPECT_EQ(refusal("reference", Ability::network_training),
            "'reference' is no backend for the training of a network of operators, accepted are cpu");
}

TEST(Registry, SaysBeforehandWhatABackendCannotRun) {
  const auto reason = [](const char* name, const LargestCounts& largest, std::uint64_t bytes, const Machine* machine) {
    return cannot_run_reason(find_backend(name, Ability::networks), largest, bytes, machine);
  };
  constexpr std::uint64_t kMost = 2147483647;
  Machine gpu;
  gpu.name = "g";
  gpu.kind = MachineKind::gpu;
  gpu.memory_bytes = 1000;
  for (const std::string& name : backend_names(Ability::networks))
    EXPECT_EQ(reason(name.c_str(), {kMost, kMost, kMost}, 1000, &gpu), "") << name << " at its limits";
  EXPECT_EQ(reason("cusparse", {1, 1, kMost + 1}, 0, nullptr),
            "a product of 2147483648 scalar multiplications, its library does up to 2147483647");
  for (const char* name : {"cusparse", "cusparse-reuse"}) {
    EXPECT_EQ(reason(name, {1, kMost + 1, 1}, 0, nullptr),
              "a matrix with 2147483648 rows, columns or entries, its library takes up to 2147483647");
  }
  for (const char* name : {"reference", "cpu", "eigen", "cuda"})
    EXPECT_EQ(reason(name, {kMost + 1, kMost + 1, kMost + 1}, 0, nullptr), "") << name;
  EXPECT_EQ(reason("cuda", {}, 1001, &gpu), "1001 bytes of live values, g has 1000");
  const LargestCounts wide{1, 1, 1, kMost + 2};
  EXPECT_EQ(reason("cuda", wide, 0, nullptr), "a matrix with 2147483649 columns, its kernels take up to 2147483648");
  const LargestCounts many{.all_bytes = 1001};
  EXPECT_EQ(reason("cusparse-reuse", many, 900, &gpu), "1001 bytes of values, all of which it keeps, g has 1000");
  EXPECT_EQ(reason("cusparse", many, 900, &gpu), "") << "a value goes after its last use";
  for (const char* name : {"cuda", "cusparse", "cusparse-reuse"})
    EXPECT_NE(find_backend(name, Ability::networks).limits.leaves_out, "") << "what is not known is said";
  EXPECT_EQ(reason("cpu", {}, 1001, &gpu), "") << "another machine's memory";
}

TEST(Registry, PredictsABackendByTheLaunchesItHas) {
  const BackendEntry& cuda = find_backend("cuda", Ability::networks);
  const BackendEntry& cpu = find_backend("cpu", Ability::networks);
  const BackendEntry& cusparse = find_backend("cusparse", Ability::networks);
  EXPECT_NO_THROW(require_launch(cuda, LaunchMode::graph)) << "a schedule is a CUDA graph";
  EXPECT_NO_THROW(require_launch(cusparse, LaunchMode::eager)) << "it issues kernels one by one";
  EXPECT_THROW(require_launch(cusparse, LaunchMode::graph), std::invalid_argument);
  EXPECT_THROW(require_launch(cuda, LaunchMode::eager), std::invalid_argument);
  EXPECT_THROW(require_launch(cpu, LaunchMode::eager), std::invalid_argument);
  Machine gpu;
  gpu.name = "g";
  gpu.kind = MachineKind::gpu;
  gpu.rates.resize(1);
  EXPECT_EQ(as_run_by(cusparse, gpu, false).launch, LaunchMode::graph) << "it says nothing of the host";
  EXPECT_THROW(static_cast<void>(as_run_by(cusparse, gpu, true)), std::invalid_argument);
  EXPECT_EQ(as_run_by(cuda, gpu, true).launch, LaunchMode::graph);
  gpu.rates[0].host_launch_s = 1e-6;
  EXPECT_EQ(as_run_by(cusparse, gpu, false).launch, LaunchMode::eager);
  EXPECT_EQ(as_run_by(cusparse, gpu, true).launch, LaunchMode::eager);
  EXPECT_EQ(as_run_by(cuda, gpu, false).launch, LaunchMode::graph);
  EXPECT_EQ(as_run_by(cpu, gpu, false).launch, LaunchMode::graph);
  gpu.provenance.origin = "calibration";
  EXPECT_EQ(as_run_by(cusparse, gpu, true).launch, LaunchMode::graph) << "its latencies were measured so";
}

}  // namespace
}  // namespace upsweep
