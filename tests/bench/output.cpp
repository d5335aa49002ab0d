#include "output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "eigen_products.hpp"
#include "graphblas_products.hpp"
#include "upsweep/base/memory.hpp"

namespace upsweep::bench {
namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// A number with its target: time of `name`, or time of `name` divided by time of `divisor`.
struct Target {
  std::string label;
  std::string name;
  std::string divisor;          ///< empty: no division, seconds
  std::optional<double> limit;  ///< nothing: no target
  bool at_least = true;         ///< else below the limit
};

/// Ratios of time: how many times as long the other implementation takes, and what a second thread saves.
std::vector<Target> ratio_targets(const Settings& settings) {
  const auto name = [&](const char* schedule, const char* implementation, std::size_t threads) {
    return products_name(settings, schedule, implementation, threads);
  };
  std::vector<Target> targets;
  for (const std::size_t threads : kThreadCounts) {
    targets.push_back({fmt::format("graphblas / upsweep, hybrid:2, threads={}", threads),
                       name("hybrid:2", "graphblas", threads), name("hybrid:2", "upsweep", threads), 5});
  }
  for (const std::size_t threads : kThreadCounts) {
    targets.push_back({fmt::format("graphblas / upsweep, blelloch, threads={}", threads),
                       name("blelloch", "graphblas", threads), name("blelloch", "upsweep", threads), 3});
  }
  targets.push_back({"upsweep all-depths / graphblas blelloch, threads=2", name("all-depths", "upsweep", 2),
                     name("blelloch", "graphblas", 2), 1, false});
  for (const char* schedule : {"hybrid:2", "blelloch", "all-depths"}) {
    targets.push_back({fmt::format("upsweep threads=1 / threads=2, {}", schedule), name(schedule, "upsweep", 1),
                       name(schedule, "upsweep", 2), 1.7});
  }
  targets.push_back({"eigen / upsweep, hybrid:2, threads=1", name("hybrid:2", "eigen", 1),
                     name("hybrid:2", "upsweep", 1), std::nullopt});
  for (const char* policy : kStepPolicies) {
    targets.push_back({fmt::format("step {}: a task of 10^6 / a task of 10^3", policy),
                       step_name(policy, kStepSizes.back()), step_name(policy, kStepSizes.front()), 4, false});
  }
  if (settings.all) {
    targets.push_back({"eigen / upsweep, blelloch, threads=1", name("blelloch", "eigen", 1),
                       name("blelloch", "upsweep", 1), std::nullopt});
  }
  return targets;
}

/// Times in seconds; the limits are the project's targets for one machine of two cores.
std::vector<Target> time_targets(const std::vector<Measured>& measured) {
  std::vector<Target> targets;
  for (const auto& [prefix, limit] : {std::pair{"load/model=", 0.2}, {"load/yaml/", 2.0}, {"profile/chain=", 10.0}}) {
    for (const Measured& row : measured) {
      if (row.name.starts_with(prefix)) targets.push_back({row.name + ", seconds", row.name, "", limit, false});
    }
  }
  for (const char* policy : kStepPolicies) {
    const std::string name = step_name(policy, kStepSizes.back());
    targets.push_back({name + ", seconds", name, "", 5, false});
  }
  return targets;
}

const Measured* find(const std::vector<Measured>& measured, const std::string& name) {
  const auto row = std::find_if(measured.begin(), measured.end(), [&](const Measured& m) { return m.name == name; });
  return row == measured.end() || !row->skipped.empty() ? nullptr : &*row;
}

/// Whether the target is met, judged by the median; `others`: cores that other processes kept busy meanwhile.
std::string verdict(const Target& target, double value, double others) {
  constexpr double kQuiet = 0.1;
  const std::string note = others > kQuiet ? ", on a busy machine" : "";
  if (!target.limit) return "no target" + note;
  const bool met = target.at_least ? value >= *target.limit : value < *target.limit;
  return fmt::format("{} {} {}{}", target.at_least ? ">=" : "<", *target.limit, met ? "met" : "MISSED", note);
}

std::string target_row(const Target& target, const std::vector<Measured>& measured) {
  const Measured* row = find(measured, target.name);
  const Measured* divisor = target.divisor.empty() ? nullptr : find(measured, target.divisor);
  if (row == nullptr || (divisor == nullptr && !target.divisor.empty())) {
    return fmt::format("{:<58} {:>9} {:>9}  not measured\n", target.label, "-", "-");
  }
  const double median = row->median / (divisor == nullptr ? 1 : divisor->median);
  const double min = row->min / (divisor == nullptr ? 1 : divisor->min);
  const double others = std::max(row->others, divisor == nullptr ? 0 : divisor->others);
  return fmt::format("{:<58} {:>9.3f} {:>9.3f}  {}\n", target.label, median, min, verdict(target, median, others));
}

}  // namespace

std::string heading() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::string text = fmt::format("upsweep {}, {:%Y-%m-%d %H:%M} UTC\n", UPSWEEP_VERSION, fmt::gmtime(now));
  text += fmt::format("machine: {}, {} cores, {:.1f} GiB memory\n", cpu_model(), std::thread::hardware_concurrency(),
                      static_cast<double>(machine_memory()) / (1 << 30));
#ifdef __clang__
  text += fmt::format("compiler: {}, Release\n", __VERSION__);
#else
  text += fmt::format("compiler: GCC {}, Release\n", __VERSION__);
#endif
  text += fmt::format("libraries: {}, {}\n", graphblas_version(), eigen_version());
  return text;
}

std::string table(const std::vector<Measured>& measured) {
  std::size_t width = 4;
  for (const Measured& row : measured) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>9} {:>5} {:>7}\n", "case", width, "median s", "min s",
                                 "peak MiB", "reps", "others");
  for (const Measured& row : measured) {
    if (!row.skipped.empty()) {
      text += fmt::format("{:<{}} skipped: {}\n", row.name, width, row.skipped);
      continue;
    }
    text += fmt::format("{:<{}} {:>10.4f} {:>10.4f} {:>9.0f} {:>5} {:>7.2f}\n", row.name, width, row.median, row.min,
                        static_cast<double>(row.peak_bytes) / (1 << 20), row.repetitions, row.others);
  }
  return text + "others: cores that other processes kept busy during the timed runs; 0 on a quiet machine\n";
}

std::string targets(const Settings& settings, const std::vector<Measured>& measured) {
  std::string text = fmt::format("{:<58} {:>9} {:>9}  {}\n", "figure", "by median", "by min", "target (median)");
  for (const Target& target : ratio_targets(settings)) text += target_row(target, measured);
  for (const Target& target : time_targets(measured)) text += target_row(target, measured);
  return text;
}

}  // namespace upsweep::bench
