#include "upsweep/scan/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {

namespace {

/// A scheme without a parameter.
template <Schedule (*kBuild)(std::size_t length)>
Scheme only_scheme(const std::string& name, bool has_log_products = false) {
  Scheme scheme{name, {{name, 0}}};
  scheme.has_log_products = has_log_products;
  scheme.build = [](std::size_t length, std::uint64_t) { return kBuild(length); };
  scheme.candidates = [](std::size_t, std::uint64_t) { return std::vector<std::uint64_t>{0}; };
  return scheme;
}

std::vector<std::uint64_t> all_depths(std::size_t length, std::uint64_t) {
  std::vector<std::uint64_t> depths;
  for (std::uint64_t depth = 0; depth <= max_depth(length); ++depth) depths.push_back(depth);
  return depths;
}

Scheme hybrid_scheme() {
  Scheme scheme{"hybrid", {{"linear", 0}, {"substitution", 0}, {"blelloch", ScheduleRequest::kFullDepth}}, "L"};
  scheme.most = ScheduleRequest::kFullDepth;
  scheme.is_hybrid = true;
  scheme.build = [](std::size_t length, std::uint64_t depth) {
    return hybrid_schedule(length, static_cast<std::uint32_t>(depth));
  };
  scheme.candidates = all_depths;
  return scheme;
}

std::vector<std::uint64_t> numbers_of_blocks(std::size_t length, std::uint64_t workers) {
  const std::uint64_t elements = length - 1;
  constexpr std::uint64_t kFewest = 3;
  constexpr std::uint64_t kAlways = 4;
  std::set<std::uint64_t> counts = {kAlways, workers};
  if (workers < elements) counts.insert(workers + 1);
  for (std::uint64_t blocks = kAlways; blocks < std::min(workers, elements + 1); blocks *= 2) counts.insert(blocks);
  std::vector<std::uint64_t> numbers;
  std::ranges::copy_if(counts, std::back_inserter(numbers),
                       [&](std::uint64_t blocks) { return blocks >= kFewest && blocks <= elements; });
  return numbers;
}

Scheme blocked_scheme() {
  Scheme scheme{"blocked", {}, "P"};
  scheme.least = 1;
  scheme.build = [](std::size_t length, std::uint64_t blocks) { return blocked_schedule(length, blocks); };
  scheme.candidates = numbers_of_blocks;
  return scheme;
}

}  // namespace

std::span<const Scheme> schemes() {
  static const std::vector<Scheme> all = {hybrid_scheme(),
                                          only_scheme<kogge_stone_schedule>("kogge-stone", true),
                                          only_scheme<sklansky_schedule>("sklansky"),
                                          only_scheme<brent_kung_schedule>("brent-kung"),
                                          only_scheme<recursive_doubling_schedule>("recursive-doubling", true),
                                          only_scheme<cyclic_reduction_schedule>("cyclic-reduction"),
                                          blocked_scheme()};
  return all;
}

std::string scheme_name(const Scheme& scheme, std::uint64_t parameter) {
  for (const SchemeWord& known : scheme.words) {
    if (known.parameter == parameter) return known.word;
  }
  return fmt::format("{}:{}", scheme.name, parameter);
}

std::vector<std::string> scheme_names(std::size_t length, std::uint64_t workers) {
  std::vector<std::string> names;
  for (const Scheme& scheme : schemes()) {
    if (scheme.is_hybrid) continue;
    for (const std::uint64_t parameter : scheme.candidates(length, workers))
      names.push_back(scheme_name(scheme, parameter));
  }
  return names;
}

bool is_plain_schedule(const std::string& name) {
  return name == "linear" || name == "bptt" || name == "blocked:1" || name == "blocked:2";
}

}  // namespace upsweep
