#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/machine_files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep::machine_small_products_test {
namespace {

using ::testing::HasSubstr;
using testing::machine_refusal;
using testing::parse_machine;

const std::string kRates =
    "provenance: {origin: datasheet}\nrates:\n  - workers: 1\n    op_latency_us: 1\n    level_latency_us: 2\n"
    "    bandwidth_GBps: 9\n    fp32: {compute_TFLOPps: 2}\n    fp64: {compute_TFLOPps: 1}\n";
const std::string kGpu = "name: x\nkind: gpu\nfill_teams: 8\n";
const std::vector<std::string> kMembers = {"  multiprocessors: {value: 36, source: a whitepaper}\n",
                                           "  clock_MHz: 1620.5\n",
                                           "  resident_blocks: 16\n",
                                           "  resident_threads: 1024\n",
                                           "  shared_memory_KiB: 64\n",
                                           "  shared_words: 16\n",
                                           "  fma_cycles: 4\n",
                                           "  shared_load_cycles: {value: 19, source: a benchmark}\n",
                                           "  cache_load_cycles: 188\n",
                                           "  memory_load_cycles: 370.25\n"};

/// The mapping without member `left_out`.
std::string members(std::size_t left_out = ~std::size_t{0}) {
  std::string text = "small_products:\n";
  for (std::size_t i = 0; i < kMembers.size(); ++i) text += i == left_out ? "" : kMembers[i];
  return text;
}

TEST(SmallProducts, AreReadWithTheirUnitsAndSources) {
  const Machine machine = parse_machine(kGpu + members() + kRates);
  const SmallProducts expected = {36, 1620.5e6, 16, 1024, 65536, 16, 4, 19, 188, 370.25};
  ASSERT_TRUE(machine.small_products);
  EXPECT_EQ(*machine.small_products, expected);
  EXPECT_EQ(machine.provenance.sources.at("small_products.multiprocessors"), "a whitepaper");
  EXPECT_EQ(machine.provenance.sources.at("small_products.shared_load"), "a benchmark");
}

TEST(SmallProducts, AreWrittenAndReadBack) {
  const Machine machine = parse_machine(kGpu + members() + kRates);
  const std::string text = machine_text(machine);
  EXPECT_THAT(text, HasSubstr("small_products:\n  multiprocessors: {value: 36, source: \"a whitepaper\"}\n"
                              "  clock_Hz: 1620500000\n"));
  const Machine again = parse_machine(text);
  EXPECT_EQ(again.small_products, machine.small_products);
  EXPECT_EQ(again.provenance.sources, machine.provenance.sources);
  EXPECT_EQ(machine_text(again), text);
}

TEST(SmallProducts, LeaveOtherMachineFilesAsTheyWere) {
  const Machine machine = parse_machine(kGpu + kRates);
  EXPECT_FALSE(machine.small_products);
  EXPECT_EQ(machine_text(machine).find("small_products"), std::string::npos);
}

TEST(SmallProducts, NameTheMemberThatIsMissing) {
  const std::vector<std::string> names = {"multiprocessors",
                                          "clock of small_products is missing",
                                          "resident_blocks",
                                          "resident_threads",
                                          "shared_memory of small_products is missing",
                                          "shared_words",
                                          "fma of small_products is missing",
                                          "shared_load of small_products is missing",
                                          "cache_load of small_products is missing",
                                          "memory_load of small_products is missing"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string message = machine_refusal(kGpu + members(i) + kRates);
    EXPECT_THAT(message, HasSubstr("m.yaml:5: ")) << i;
    EXPECT_THAT(message, HasSubstr(names[i])) << i;
  }
  EXPECT_THAT(machine_refusal(kGpu + members(2) + kRates),
              HasSubstr("small_products has no key 'resident_blocks', found are"));
}

TEST(SmallProducts, RefuseWhatIsWrong) {
  EXPECT_THAT(machine_refusal("name: x\nkind: cpu\n" + members() + kRates),
              HasSubstr("m.yaml:4: small_products stands in a machine of kind cpu, accepted is kind gpu, or no"));
  EXPECT_THAT(machine_refusal(kGpu + members() + "  colour: red\n" + kRates),
              HasSubstr("m.yaml:15: unknown key 'colour' in small_products, accepted are multiprocessors, clock_MHz"));
  EXPECT_THAT(machine_refusal(kGpu + members(1) + "  clock_rpm: 3\n" + kRates),
              HasSubstr("key 'clock_rpm' of small_products has an unknown unit, accepted are clock_Hz, clock_MHz"));
  EXPECT_THAT(machine_refusal(kGpu + members(6) + "  fma_cycles: 0\n" + kRates),
              HasSubstr("fma_cycles of small_products is '0', accepted is a finite number above 0"));
  EXPECT_THAT(machine_refusal(kGpu + members(0) + "  multiprocessors: 0\n" + kRates),
              HasSubstr("multiprocessors of small_products is '0', accepted is an integer of"));
}

TEST(SmallProducts, OfThePresetsHaveASourceEach) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines")) {
    SCOPED_TRACE(entry.path());
    const Machine machine = load_machine(read_yaml(entry.path().string()));
    if (machine.kind != MachineKind::gpu) continue;
    // Of these no page says how many multiprocessors or which latencies they have.
    const bool is_unknown = machine.name == "nvidia-b200" || machine.name == "nvidia-gb200" ||
                            machine.name == "nvidia-rtx-pro-6000-blackwell";
    ASSERT_NE(machine.small_products.has_value(), is_unknown);
    if (is_unknown) continue;
    ++count;
    for (const char* name : {"multiprocessors", "clock", "resident_blocks", "resident_threads", "shared_memory",
                             "shared_words", "fma", "shared_load", "cache_load", "memory_load"}) {
      EXPECT_TRUE(machine.provenance.sources.contains(std::string("small_products.") + name)) << name;
    }
    const SmallProducts& small = *machine.small_products;
    // A multiprocessor's resident warps, and FLOP/s that lanes, clock and multiprocessors explain.
    EXPECT_EQ(small.multiprocessors * small.resident_threads / 32, machine.fill_teams);
    const double lanes =
        machine.rates.back().fp32.mm.flops_per_s / (2 * static_cast<double>(small.multiprocessors) * small.clock_hz);
    EXPECT_TRUE(std::abs(lanes - 64) < 1 || std::abs(lanes - 128) < 2) << lanes;
    EXPECT_LT(small.cache_load_cycles, small.memory_load_cycles);
  }
  EXPECT_EQ(count, 14U);
}

}  // namespace
}  // namespace upsweep::machine_small_products_test
