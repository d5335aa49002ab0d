#include "upsweep/io/machine_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "support/files.hpp"
#include "support/machine_files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep::machine_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::machine_refusal;
using testing::parse_machine;
using testing::read_file;
using testing::TemporaryFolder;

std::string unwritable(const Machine& machine) {
  return testing::refusal_of([&] { return machine_text(machine); });
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

void expect_same(const KindRates& a, const KindRates& b) {
  EXPECT_EQ(a.costs, b.costs);
  EXPECT_EQ(a.memory_costs, b.memory_costs);
  EXPECT_EQ(a.flops_per_s, b.flops_per_s);
  EXPECT_EQ(a.bytes_per_s, b.bytes_per_s);
  EXPECT_EQ(a.cached_bytes_per_s, b.cached_bytes_per_s);
}

void expect_same(const TypeRates& a, const TypeRates& b) {
  expect_same(a.mv, b.mv);
  expect_same(a.mm, b.mm);
  EXPECT_EQ(a.build, b.build);
}

void expect_same(const Provenance& a, const Provenance& b) {
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.driver, b.driver);
  EXPECT_EQ(a.backend, b.backend);
  EXPECT_EQ(a.date, b.date);
  EXPECT_EQ(a.tool_version, b.tool_version);
  EXPECT_EQ(a.fit.points, b.fit.points);
  EXPECT_EQ(a.fit.mean, b.fit.mean);
  EXPECT_EQ(a.fit.median, b.fit.median);
  EXPECT_EQ(a.fit.p90, b.fit.p90);
  EXPECT_EQ(a.fit.max, b.fit.max);
  EXPECT_EQ(a.sources, b.sources);
}

void expect_same(const Machine& a, const Machine& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.memory_bytes, b.memory_bytes);
  EXPECT_EQ(a.cache_bytes, b.cache_bytes);
  EXPECT_EQ(a.near_cache_bytes, b.near_cache_bytes);
  EXPECT_EQ(a.first_cache_bytes, b.first_cache_bytes);
  EXPECT_EQ(a.from_memory_bytes, b.from_memory_bytes);
  EXPECT_EQ(a.churn_bytes_per_s, b.churn_bytes_per_s);
  EXPECT_EQ(a.fill_teams, b.fill_teams);
  ASSERT_EQ(a.rates.size(), b.rates.size());
  for (std::size_t i = 0; i < a.rates.size(); ++i) {
    EXPECT_EQ(a.rates[i].workers, b.rates[i].workers);
    EXPECT_EQ(a.rates[i].op_latency_s, b.rates[i].op_latency_s);
    EXPECT_EQ(a.rates[i].level_latency_s, b.rates[i].level_latency_s);
    EXPECT_EQ(a.rates[i].near_latency_s, b.rates[i].near_latency_s);
    EXPECT_EQ(a.rates[i].far_latency_s, b.rates[i].far_latency_s);
    expect_same(a.rates[i].fp32, b.rates[i].fp32);
    expect_same(a.rates[i].fp64, b.rates[i].fp64);
  }
  expect_same(a.provenance, b.provenance);
}

/// Numbers with long digits, different in every place.
Machine calibrated() {
  Machine machine;
  machine.name = "a \"cpu\" \\ 2";
  machine.kind = MachineKind::cpu;
  machine.memory_bytes = 270'000'000'001;
  machine.cache_bytes = 33'554'432;
  machine.near_cache_bytes = 1'048'576;
  machine.first_cache_bytes = 49'152;
  machine.from_memory_bytes = 99'999'999;
  machine.churn_bytes_per_s = 1e10 / 3;
  double number = 1.0 / 3;
  const auto next = [&number] { return number *= 0.9; };
  const auto costs = [&] {
    WorkCosts made;
    for (double& cost : made.unit_s) cost = next();
    made.knows = {true, true, true, true};
    return made;
  };
  const auto kind = [&] {
    KindRates rates;
    rates.costs = costs();
    rates.memory_costs = costs();
    return rates;
  };
  for (const std::size_t workers : {1, 2, 8}) {
    Rates rates{workers,
                next() * 1e-6,
                next() * 1e-6,
                0,
                {},
                next() * 1e-6,
                next() * 1e-6,
                next() * 1e9,
                {kind(), kind(), next()},
                {kind(), kind(), 0}};
    if (workers == 2) {
      rates.fp32.mm.bytes_per_s = next() * 1e10;
      rates.fp32.mm.cached_bytes_per_s = next() * 1e12;
      rates.fp64.mm.bytes_per_s = rates.fp64.mm.cached_bytes_per_s = next();
      rates.fp64.mm.memory_costs = {};
    }
    machine.rates.push_back(rates);
  }
  machine.provenance = {.origin = "calibration",
                        .device = "Some CPU @ 2.1 GHz",
                        .driver = "none",
                        .backend = "cpu",
                        .date = "2026-01-31T12:00:00Z",
                        .tool_version = "0.1.0",
                        .fit = {120, 0.1 / 3, 0.02, 1e-17, 0.5},
                        .sources = {{"rates[2].fp32.mv.memory.team", "a: \"b\" # c"}, {"memory", "/proc/meminfo"}}};
  return machine;
}

const std::string kHead = "name: x\nkind: cpu\nprovenance: {origin: datasheet}\n";
const std::string kTypes = "    fp32: {compute_TFLOPps: 2}\n    fp64: {compute_TFLOPps: 1}\n";
const std::string kEntry = "  - workers: 2\n    op_latency_us: 1\n    level_latency_us: 2\n";
const std::string kBandwidth = "    bandwidth_GBps: 900\n";

/// Costs of 1, 2, ... s in the order of kWorkNames, as the beginning of a mapping in braces.
std::string costs_text() {
  std::string text = "{";
  for (std::size_t i = 0; i < kWorkNames.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::string(kWorkNames[i]) + "_s: " + std::to_string(i + 1);
  return text;
}
const std::string kCosts = costs_text();

TEST(LoadMachine, ConvertsUnits) {
  const Machine machine = parse_machine(
      "name: x\nkind: gpu\nmemory_GiB: 2\ncache_MB: 2.5\nfill_teams: 64\nprovenance: {origin: datasheet, device: d}\n"
      "rates:\n  - workers: 1\n    op_latency_us: 2.5\n    level_latency_ns: 1300\n    bandwidth_GiBps: 3\n"
      "    cached_bandwidth_TBps: 2\n    fp32: {compute_GFLOPps: 1500, build_value_ps: 7, "
      "build_miss_ps: 3, build_linear_weight_ps: 2}\n    fp64: {compute_MFLOPps: 3}\n");
  EXPECT_EQ(machine.memory_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(machine.cache_bytes, 2'500'000U);
  EXPECT_EQ(machine.fill_teams, 64U);
  ASSERT_EQ(machine.rates.size(), 1U);
  const Rates& rates = machine.rates[0];
  EXPECT_EQ(rates.op_latency_s, 2.5e-6);
  EXPECT_EQ(rates.level_latency_s, 1.3e-6);
  EXPECT_EQ(rates.fp32.mv.bytes_per_s, 3221225472.0);
  EXPECT_EQ(rates.fp64.mm.cached_bytes_per_s, 2e12);
  EXPECT_EQ(rates.fp32.mm.flops_per_s, 1.5e12);
  EXPECT_EQ(rates.fp64.mv.flops_per_s, 3e6);
  EXPECT_EQ(rates.fp32.build.value_s, 7e-12);
  EXPECT_EQ(rates.fp32.build.miss_s, 3e-12);
  EXPECT_EQ(rates.fp32.build.linear_weight_s, 2e-12);
  EXPECT_EQ(rates.fp32.build.linear_value_s, std::nullopt);
  expect_same(parse_machine(machine_text(machine)), machine);
  EXPECT_EQ(machine.provenance.device, "d");
}

TEST(LoadMachine, KeepsEveryRateOfBuildingTheChain) {
  Machine machine = calibrated();
  double next = 1e-9;
  for (Rates& rates : machine.rates) {
    for (TypeRates* type : {&rates.fp32, &rates.fp64}) {
      for (const BuildRate& rate : kBuildRates) type->build.*rate.seconds = next += 1e-9;
    }
  }
  expect_same(parse_machine(machine_text(machine)), machine);
}

TEST(LoadMachine, GivesACombineItsOwnBandwidthElseThatOfTheRates) {
  const Machine machine = parse_machine(
      kHead + "rates:\n" + kEntry + "    bandwidth_Bps: 10\n    fp32:\n      mv: " + kCosts + "}\n      mm: " + kCosts +
      ", bandwidth_Bps: 20}\n    fp64:\n      mv: " + kCosts + ", cached_bandwidth_Bps: 30}\n      mm: " + kCosts +
      ", bandwidth_Bps: 40, cached_bandwidth_Bps: 50}\n");
  const Rates& rates = machine.rates.at(0);
  std::vector<double> found;
  for (const KindRates* kind : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm}) {
    found.push_back(kind->bytes_per_s);
    found.push_back(kind->cached_bytes_per_s);
    EXPECT_TRUE(std::isinf(kind->flops_per_s));
    for (std::size_t i = 0; i < kWorkNames.size(); ++i) EXPECT_EQ(kind->costs.unit_s[i], static_cast<double>(i + 1));
  }
  EXPECT_THAT(found, ElementsAre(10, INFINITY, 20, INFINITY, 10, 30, 40, 50));
  expect_same(parse_machine(machine_text(machine)), machine);
}

TEST(LoadMachine, ReadsTheCacheOfADatasheetAsFastAsItsMemory) {
  const Machine machine = parse_machine(kHead + "rates:\n" + kEntry + kBandwidth + kTypes);
  EXPECT_EQ(machine.rates.at(0).fp64.mm.cached_bytes_per_s, 9e11);
  expect_same(parse_machine(machine_text(machine)), machine);
  const Machine cached =
      parse_machine(kHead + "rates:\n" + kEntry + kBandwidth + "    cached_bandwidth_GBps: 3000\n" + kTypes);
  EXPECT_EQ(cached.rates.at(0).fp64.mm.cached_bytes_per_s, 3e12);
  expect_same(parse_machine(machine_text(cached)), cached);
}

TEST(LoadMachine, NeedsNoProvenance) {
  const Machine machine = parse_machine("name: x\nkind: cpu\nrates:\n" + kEntry + kBandwidth + kTypes);
  EXPECT_EQ(machine.provenance.origin, "description") << "no datasheet is claimed";
  expect_same(parse_machine(machine_text(machine)), machine);
}

TEST(LoadMachine, NeedsNoRatesOfNumbersThatNobodyAsksFor) {
  const Machine machine = parse_machine("name: x\nkind: cpu\nrates:\n" + kEntry +
                                        "    bandwidth_GBps: 900\n    fp32: {compute_TFLOPps: 1}\n");
  EXPECT_EQ(machine.rates.front().of(4).mm.flops_per_s, 1e12);
  EXPECT_THROW(static_cast<void>(machine.rates.front().of(8)), InputError) << "never those of fp32 in their place";
  const std::string text = machine_text(machine);
  EXPECT_EQ(text.find("fp64"), std::string::npos);
  expect_same(parse_machine(text), machine);
}

TEST(LoadMachine, SaysAllThatIsMissingAtOnce) {
  EXPECT_THAT(machine_refusal("name: x\nkind: cpu\nrates:\n  - workers: 4\n    op_latency_us: 1\n"),
              HasSubstr("rates[4] has no level_latency, fp32, accepted is a mapping with op_latency"));
  EXPECT_THAT(machine_refusal("name: x\nkind: cpu\nrates:\n  - workers: 4\n    op_latency_us: 1\n" + kTypes),
              HasSubstr("level_latency of rates[4] is missing"))
      << "one alone, with its units";
}

TEST(LoadMachine, TakesMemoryCostsForABandwidth) {
  const std::string kind = kCosts + ", memory: " + kCosts + "}}\n";
  const std::string type = "\n      mv: " + kind + "      mm: " + kind;
  const Machine machine = parse_machine(kHead + "rates:\n" + kEntry + "    fp32:" + type + "    fp64:" + type);
  const KindRates& rates = machine.rates.at(0).fp64.mm;
  EXPECT_EQ(rates.memory_costs.unit_s, rates.costs.unit_s);
  EXPECT_EQ(rates.memory_costs.unit_s.back(), static_cast<double>(kWorkNames.size()));
  EXPECT_TRUE(std::isinf(rates.bytes_per_s));
  expect_same(parse_machine(machine_text(machine)), machine);
}

TEST(LoadMachine, KeepsSourcesByReadableKeys) {
  const Machine machine = parse_machine(
      "name: x\nkind: gpu\nfill_teams: {value: 8, source: a}\nmemory_GB: {value: 1, source: b}\n"
      "provenance: {origin: datasheet}\nrates:\n" +
      kEntry +
      "    bandwidth_GBps: {value: 1, source: c}\n    fp32: {compute_TFLOPps: {value: 1, source: d}}\n    fp64:\n      "
      "mv: " +
      kCosts + ", bandwidth_GBps: {value: 1, source: e}}\n      mm: " + kCosts + "}\n");
  const std::map<std::string, std::string> sources = {{"fill_teams", "a"},
                                                      {"memory", "b"},
                                                      {"rates[2].bandwidth", "c"},
                                                      {"rates[2].fp32.compute", "d"},
                                                      {"rates[2].fp64.mv.bandwidth", "e"}};
  EXPECT_EQ(machine.provenance.sources, sources);
  expect_same(parse_machine(machine_text(machine)), machine);
}

TEST(LoadMachine, NeedsOnlyTheOpLatencyOfAPram) {
  const Machine machine = parse_machine(
      "name: p\nkind: pram\nprovenance: {origin: definition}\nrates:\n  - workers: 4\n"
      "    op_latency_s: 1\n");
  const Rates& rates = machine.rates.at(0);
  EXPECT_EQ(rates.level_latency_s, 0);
  OpWork work;
  work.flops = work.bytes = 100;
  EXPECT_EQ(op_time(machine, work, {}).alone_s, 1);
  expect_same(parse_machine(machine_text(machine)), machine);
  const Machine slow = parse_machine(
      "name: p\nkind: pram\nprovenance: {origin: definition}\nrates:\n  - workers: 4\n"
      "    op_latency_s: 1\n    bandwidth_Bps: 5\n    fp64: {mv: {team_s: 2}}\n");
  EXPECT_EQ(slow.rates.at(0).fp64.mv.costs.unit_s[0], 2);
  EXPECT_EQ(slow.rates.at(0).fp32.mm.bytes_per_s, 5);
  expect_same(parse_machine(machine_text(slow)), slow);
  EXPECT_THAT(
      machine_refusal("name: p\nkind: pram\nprovenance: {origin: definition}\nrates:\n  - workers: 4\n"),
      HasSubstr("m.yaml:5: op_latency of rates[4] is missing, found are 'workers', accepted are op_latency_s, "));
}

TEST(LoadMachine, LoadsEveryPresetWithASourceForEveryQuantity) {
  std::size_t count = 0;
  const std::string folder = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const Machine machine = load_machine(read_yaml(entry.path().string()));
    ++count;
    EXPECT_TRUE(machine.name == entry.path().stem() || machine.name == "nvidia-" + entry.path().stem().string());
    const auto& sources = machine.provenance.sources;
    for (const auto& [key, text] : sources) EXPECT_GE(text.size(), 30U) << key;
    for (const Rates& rates : machine.rates) {
      const std::string where = "rates[" + std::to_string(rates.workers) + "].";
      for (const char* name : {"op_latency", "level_latency"}) EXPECT_TRUE(sources.contains(where + name)) << name;
      if (machine.kind == MachineKind::pram) continue;
      for (const char* name : {"bandwidth", "fp32.compute", "fp64.compute"})
        EXPECT_TRUE(sources.contains(where + name)) << name;
      EXPECT_GT(rates.fp32.mv.flops_per_s, rates.fp64.mv.flops_per_s);
    }
    EXPECT_EQ(sources.contains("memory"), machine.memory_bytes != 0);
    EXPECT_EQ(sources.contains("cache"), machine.cache_bytes != 0);
    EXPECT_EQ(sources.contains("fill_teams"), machine.kind == MachineKind::gpu);
    expect_same(parse_machine(machine_text(machine)), machine);
  }
  EXPECT_EQ(count, 18U);
}

struct BadMachine {
  std::string text;
  std::string message;
};

TEST(LoadMachine, SaysWhatIsWrongWithRates) {
  const std::string start = kHead + "rates:\n" + kEntry;
  const std::string pair = "      mv: " + kCosts + "}\n      mm: " + kCosts + "}\n";
  const std::vector<BadMachine> cases = {
      {start + "    bandwidth_furlongs: 3\n" + kTypes,
       "m.yaml:8: key 'bandwidth_furlongs' of rates[2] has an unknown unit, accepted are bandwidth_Bps, "
       "bandwidth_KBps"},
      {start + "    bandwidth: 3\n" + kTypes, "m.yaml:8: key 'bandwidth' of rates[2] has no unit, accepted are"},
      {start + kTypes,
       "m.yaml:5: bandwidth of rates[2] is missing, found are 'workers', 'op_latency_us', 'level_latency_us', 'fp32', "
       "'fp64', accepted are bandwidth_Bps, bandwidth_KBps, bandwidth_MBps, bandwidth_GBps, bandwidth_TBps, "
       "bandwidth_GiBps"},
      {start + "    fp32:\n" + pair + "    fp64: {compute_TFLOPps: 1}\n",
       "m.yaml:9: bandwidth of mv of fp32 of rates[2] is missing"},
      {start + "    bandwidth_GBps: -900\n" + kTypes,
       "m.yaml:8: bandwidth_GBps of rates[2] is '-900', accepted is a finite number above 0"},
      {start + "    bandwidth_GBps: 0\n" + kTypes, "m.yaml:8: bandwidth_GBps of rates[2] is '0', accepted is"},
      {start + "    bandwidth_GBps: 1e290\n    fp32: {compute_TFLOPps: 1e300}\n",
       "m.yaml:9: compute_TFLOPps of fp32 of rates[2] is '1e300', accepted is a finite number above 0"},
      {start + kBandwidth + "    fp32: {compute_TFLOPps: 0}\n", "compute_TFLOPps of fp32 of rates[2] is '0'"},
      {start + "    bandwidth_GBps: nan\n" + kTypes,
       "bandwidth_GBps of rates[2] is 'nan', accepted is a finite number"},
      {start + "    bandwidth_GBps: .inf\n" + kTypes, "bandwidth_GBps of rates[2] is '.inf', accepted is a finite"},
      {start + "    bandwidth_GBps: inf\n" + kTypes, "bandwidth_GBps of rates[2] is 'inf', accepted is a finite"},
      {start + "    bandwidth_GBps: {value: -1, source: a}\n", "m.yaml:8: bandwidth_GBps of rates[2] is '-1'"},
      {start + "    bandwidth_GBps: {value: 1}\n", "m.yaml:8: bandwidth_GBps of rates[2] has no key 'source'"},
      {start + "    bandwidth_GBps: {value: 1, source: a, page: 2}\n",
       "m.yaml:8: unknown key 'page' in bandwidth_GBps"},
      {start + kBandwidth + kBandwidth, "m.yaml:9: key 'bandwidth_GBps' stands here for the second time"},
      {start + kBandwidth + "    bandwidth_GiBps: 838\n" + kTypes,
       "m.yaml:9: bandwidth_GiBps of rates[2] is the same quantity as bandwidth_GBps, accepted is one of them"},
      {start + kBandwidth + kTypes + "    color: red\n",
       "m.yaml:11: unknown key 'color' in rates[2], accepted are workers, op_latency_us, level_latency_us, "
       "near_latency_s, far_latency_s, "
       "copy_bandwidth_Bps, bandwidth_GBps, cached_bandwidth_Bps, fp32, fp64"},
      {start + kBandwidth + kTypes + kEntry + kBandwidth + kTypes,
       "m.yaml:11: workers of entry 2 of rates is '2', accepted is more than the 2 of the entry before"},
      {kHead + "rates:\n  - workers: 0\n", "m.yaml:5: workers of entry 1 of rates is '0', accepted is an integer of"},
      {kHead + "rates:\n  - workers: 2\n    op_latency_us: -1\n",
       "m.yaml:6: op_latency_us of rates[2] is '-1', accepted is a finite number of at least 0"},
      {kHead + "rates:\n  - workers: 2\n    op_latency_us: 1\n", "m.yaml:5: rates[2] has no level_latency, fp32"},
      {kHead + "rates: []\n", "m.yaml:4: rates of the machine is a list of 0, accepted is a list of at least one"},
      {kHead, "m.yaml:1: the machine has no key 'rates'"},
      {start + kBandwidth + "    fp32:\n      compute_TFLOPps: 1\n" + pair,
       "m.yaml:10: fp32 of rates[2] has both compute and mv, accepted is compute_TFLOPps"},
      {start + kBandwidth + "    fp32: {build_value_s: 1}\n", "m.yaml:9: fp32 of rates[2] has neither compute nor mv"},
      {start + kBandwidth + "    fp32:\n      mv: " + kCosts + "}\n", "fp32 of rates[2] has mv without mm"},
      {start + kBandwidth + "    fp64: {compute_TFLOPps: 1}\n", "m.yaml:5: rates[2] has no key 'fp32'"},
      {start + kBandwidth + "    fp32:\n      mv: {team_s: 1, team_step_s: 1}\n      mm: {}\n",
       "m.yaml:10: scaled_column of mv of fp32 of rates[2] is missing, found are 'team_s', 'team_step_s', accepted are "
       "scaled_column_s, scaled_column_ms"},
      {start + kBandwidth +
           "    fp32:\n      mv: {team_s: 1, team_sum_s: 1, single_sum_s: 1, team_step: 1}\n      mm: {}\n",
       "m.yaml:10: key 'team_step' of mv of fp32 of rates[2] has no unit, accepted are team_step_s"},
      {start + kBandwidth + "    fp32:\n      mv: " + kCosts + ", bandwidth_Bps: 1}\n      mm: " + kCosts +
           ", bandwidth_Bps: 1}\n    fp64:\n      mv: " + kCosts + ", bandwidth_Bps: 1}\n      mm: " + kCosts +
           ", bandwidth_Bps: 1}\n",
       "m.yaml:5: rates[2] has a bandwidth that nothing uses"},
  };
  for (const BadMachine& bad : cases) {
    const std::string message = machine_refusal(bad.text);
    EXPECT_THAT(message, HasSubstr(bad.message)) << bad.text;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(LoadMachine, SaysWhatIsWrongWithTheRest) {
  const std::string rates = "rates:\n" + kEntry + kBandwidth + kTypes;
  const std::string sheet = "provenance: {origin: datasheet}\n";
  const std::string fit = "fit: {points: 1, mean_error: 0, median_error: 0, p90_error: 0, max_error: 0}";
  const std::string by = "name: x\nkind: cpu\nprovenance: {origin: calibration, device: d, driver: d, backend: b, ";
  const std::vector<BadMachine> cases = {
      {"name: x\nkind: npx\n", "m.yaml:2: kind of the machine is 'npx', accepted are pram, cpu, gpu"},
      {"kind: cpu\n", "m.yaml:1: the machine has no key 'name'"},
      {"just text\n", "m.yaml:1: the machine is 'just text', accepted is a mapping"},
      {"name: x\nkind: gpu\n" + sheet + rates, "m.yaml:1: the machine has no key 'fill_teams', found are name, kind"},
      {"name: x\nkind: gpu\nfill_teams: 0\n", "m.yaml:3: fill_teams of the machine is '0', accepted is an integer of"},
      {"name: x\nkind: cpu\nfill_teams: 5\n" + sheet + rates,
       "m.yaml:3: fill_teams stands in a machine of kind cpu, accepted is kind gpu"},
      {"name: x\nkind: cpu\nmemory_GiB: 1\nmemory_MB: 1\n" + sheet + rates,
       "m.yaml:4: memory_MB of the machine is the same quantity as memory_GiB"},
      {"name: x\nkind: cpu\nmemory_B: 0.1\n",
       "m.yaml:3: memory_B of the machine is '0.1', accepted is a number from 1"},
      {"name: x\nkind: cpu\nmemory_GiB: 1e7\n", "is '1e7', accepted is a number from 1 byte to 8 PiB"},
      {"name: x\nkind: cpu\ncolour: red\n" + sheet + rates,
       "m.yaml:3: unknown key 'colour' in the machine, accepted are name, kind, memory_B, cache_B, near_cache_B, "
       "first_cache_B, "
       "fill_teams"},
      {"name: x\nkind: cpu\ncache_MB: 2\nfrom_memory_MB: 2\n" + sheet + rates,
       "m.yaml:4: from_memory_MB of the machine is '2', accepted is more than cache, 2000000 bytes"},
      {"name: x\nkind: cpu\ncache_churn_GBps: 2\n" + sheet + rates, "unknown key 'cache_churn_GBps' in the machine"},
      {"name: x\nkind: gpu\nfill_teams: 1\ncache_MB: 2\nfrom_memory_MB: 3\n" + sheet + rates,
       "unknown key 'from_memory_MB' in the machine"},
      {"name: x\nkind: gpu\nfill_teams: 1\n" + sheet +
           "rates:\n  - workers: 2\n    op_latency_us: 1\n    level_latency_us: 1\n    near_latency_us: 1\n    fp32: "
           "{compute_GFLOPps: 1}\n    bandwidth_GBps: 1\n",
       "unknown key 'near_latency_us' in rates[2]"},
      {"name: x\nkind: cpu\nprovenance: {origin: hearsay}\n" + rates,
       "m.yaml:3: origin of provenance is 'hearsay', accepted are datasheet, calibration, definition and description"},
      {"name: x\nkind: cpu\nprovenance: {origin: datasheet, driver: d}\n" + rates,
       "m.yaml:3: unknown key 'driver' in provenance, accepted are origin, device"},
      {by + "date: 2026-01-31, " + fit + "}\n" + rates, "m.yaml:3: provenance has no key 'tool_version'"},
      {by + "date: 31.1.2026, tool_version: 1, " + fit + "}\n" + rates,
       "m.yaml:3: date of provenance is '31.1.2026', accepted is a date as in ISO 8601"},
      {by + "date: 2026-01-31, tool_version: 1, fit: {points: 1, mean_error: -1}}\n" + rates,
       "m.yaml:3: mean_error of fit of provenance is '-1', accepted is a number of at least 0"},
  };
  for (const BadMachine& bad : cases) EXPECT_THAT(machine_refusal(bad.text), HasSubstr(bad.message)) << bad.text;
  EXPECT_EQ(machine_refusal(by + "date: 2026-01-31, tool_version: 1, " + fit + "}\n" + rates), "accepted");
}

TEST(MachineText, ReadsBackToTheCalibratedMachine) {
  const Machine machine = calibrated();
  const std::string text = machine_text(machine);
  expect_same(parse_machine(text), machine);
  EXPECT_EQ(machine_text(parse_machine(text)), text);
  EXPECT_THAT(text, HasSubstr("memory_B: {value: 270000000001, source: \"/proc/meminfo\"}\n"));
}

TEST(MachineText, OfAFileFromBeforeFarRowsHadATimeReadsBackWithoutOne) {
  Machine machine = calibrated();
  for (Rates& rates : machine.rates) {
    for (TypeRates* type : {&rates.fp32, &rates.fp64}) {
      for (KindRates* kind : {&type->mv, &type->mm}) {
        for (WorkCosts* costs : {&kind->costs, &kind->memory_costs}) {
          costs->knows.passes = false;
          costs->unit_s[work_unit("far_pass")] = 0;
        }
      }
    }
  }
  const std::string text = machine_text(machine);
  EXPECT_EQ(text.find("far_pass"), std::string::npos);
  expect_same(parse_machine(text), machine);
  EXPECT_THAT(machine_text(calibrated()), HasSubstr("far_pass_s: "));
}

TEST(MachineText, RefusesWhatAFileCannotHold) {
  const auto changed = [](const auto& change) {
    Machine machine = calibrated();
    change(machine);
    return unwritable(machine);
  };
  const std::string name = R"(machine "a \"cpu\" \\ 2":)";
  EXPECT_EQ(changed([](Machine&) {}), "accepted");
  EXPECT_THAT(changed([](Machine& m) { m.rates.clear(); }), HasSubstr("rates of the machine is a list of 0"));
  EXPECT_THAT(changed([](Machine& m) { m.rates[1].fp32.mm.cached_bytes_per_s = -1; }),
              HasSubstr("cached_bandwidth_Bps of mm of fp32 of rates[2] is '-1'"));
  EXPECT_THAT(changed([](Machine& m) { m.rates[1].op_latency_s = NAN; }), HasSubstr("is 'nan'"));
  EXPECT_THAT(changed([](Machine& m) { m.fill_teams = 5; }), HasSubstr(name + " its fill_teams cannot be written"));
  EXPECT_THAT(changed([](Machine& m) { m.provenance.sources["rates[3].bandwidth"] = "a"; }),
              HasSubstr("its provenance cannot be written"));
  EXPECT_THAT(changed([](Machine& m) { m.provenance.driver.clear(); }), HasSubstr("driver of provenance is"));
  EXPECT_THAT(changed([](Machine& m) { m.name = "two\nlines"; }), HasSubstr("machine \"two\\x0alines\":1: name of"));
}

TEST(MachineText, RefusesFlopsThatAFileCannotHold) {
  const Machine machine = parse_machine(kHead + "rates:\n" + kEntry + kBandwidth + kTypes);
  Machine uneven = machine;
  uneven.rates[0].fp32.mm.flops_per_s = 1;
  EXPECT_EQ(unwritable(uneven),
            "machine \"x\": its rates[2] cannot be written to a machine file, accepted is what load_machine() gives");
  Machine both = machine;
  both.rates[0].fp64.mv.costs.unit_s[1] = 1;
  EXPECT_THAT(unwritable(both), HasSubstr("its rates[2] cannot be written"));
  Machine free = machine;
  free.rates[0].fp64.mv.cached_bytes_per_s = INFINITY;
  EXPECT_THAT(unwritable(free), HasSubstr("its rates[2] cannot be written"));
}

TEST(WriteMachine, ReplacesAFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.yaml", "old");
  write_machine(calibrated(), path);
  EXPECT_EQ(read_file(path), std::string(kMachineMark) + machine_text(calibrated()));
  expect_same(load_machine(read_yaml(path)), calibrated());
  EXPECT_THAT(names_in(folder), ElementsAre("m.yaml"));
}

TEST(WriteMachine, NamesThePathWhenItFailsAndLeavesWhatWasThere) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      write_machine(calibrated(), path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_THAT(message(folder.path("none/m.yaml")),
              HasSubstr(folder.path("none/m.yaml") + ": cannot be written: No such file or directory"));
  std::filesystem::create_directory(folder.path("m.yaml"));
  EXPECT_THAT(message(folder.path("m.yaml")), HasSubstr("m.yaml: cannot be written: not a regular file"));
  EXPECT_THAT(names_in(folder), ElementsAre("m.yaml"));
}

TEST(WriteMachine, KeepsTheOldFileInAFolderThatCannotBeWrittenTo) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to any folder";
  const TemporaryFolder folder;
  const std::string path = folder.write("m.yaml", "old");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(write_machine(calibrated(), path), InputError);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_THAT(names_in(folder), ElementsAre("m.yaml"));
}

}  // namespace
}  // namespace upsweep::machine_file_test
