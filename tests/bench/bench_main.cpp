#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cases.hpp"
#include "measure.hpp"
#include "op_times.hpp"
#include "output.hpp"

namespace upsweep::bench {
namespace {

constexpr const char* kUsage =
    "usage: upsweep_bench [--all] [--only TEXT] MODEL.yaml\n"
    "Times upsweep, SuiteSparse:GraphBLAS and Eigen on the symbolic products of a model with 21 Jacobians.\n"
    "  --all        with Eigen on blelloch, which takes minutes\n"
    "  --only TEXT  only cases whose names contain TEXT, or the table of ops; the rest shows as not measured\n";

/// Runs every case in a child process of its own; this process starts no thread.
void run(const Settings& settings) {
  std::vector<Case> cases = product_cases(settings);
  for (Case& item : other_cases(settings)) cases.push_back(std::move(item));
  for (Case& item : step_cases()) cases.push_back(std::move(item));
  std::vector<Measured> measured;
  for (const Case& item : cases) {
    if (item.name.find(settings.only) == std::string::npos) continue;
    fmt::print(stderr, "measuring: {}\n", item.name);
    measured.push_back(measure(item));
  }
  const bool has_ops = std::string_view("ops").find(settings.only) != std::string_view::npos;
  const std::string ops = has_ops ? op_table(settings) : std::string();
  fmt::print("{}\n{}\n{}\n{}", heading(), table(measured), targets(settings, measured), ops);
}

/// Nothing when the command line is wrong.
std::optional<Settings> parse(const std::vector<std::string>& arguments) {
  Settings settings;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--all") {
      settings.all = true;
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      settings.only = arguments[++i];
    } else if (settings.model_file.empty() && !arguments[i].starts_with("--")) {
      settings.model_file = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  if (settings.model_file.empty()) return std::nullopt;
  settings.model = std::filesystem::path(settings.model_file).stem().string();
  return settings;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
#ifdef NDEBUG
  constexpr bool kRelease = true;
#else
  constexpr bool kRelease = false;
#endif
  if (!kRelease) {
    fmt::print(stderr, "upsweep_bench: built without NDEBUG, expected a Release build (cmake --preset bench)\n");
    return 1;
  }
  const auto settings = upsweep::bench::parse({argv + 1, argv + argc});
  if (!settings) {
    fmt::print(stderr, "{}", upsweep::bench::kUsage);
    return 2;
  }
  try {
    upsweep::bench::run(*settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "upsweep_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
