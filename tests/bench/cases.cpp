#include "cases.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "eigen_products.hpp"
#include "graphblas_products.hpp"
#include "measure.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep_products.hpp"

namespace upsweep::bench {
namespace {

constexpr std::uint32_t kHybridDepth = 2;

/// Upsweep counts by classes of rows, as its commands do; the others need every row.
JacobianChain load_chain(const std::string& model_file, PatternForm form) {
  const Model model = load_network(read_yaml(model_file), Numbers::structure);
  return guaranteed_chain(model.network, model.weights, StepPatterns::drop, form);
}

/// Makes the task of one implementation from the chain of the model.
using FromChain = std::function<Task(JacobianChain chain)>;

/// An implementation, and what it takes.
struct Implementation {
  FromChain make;
  PatternForm form = PatternForm::rows;
};

std::function<Task()> with_chain(const Settings& settings, Implementation mine) {
  return [file = settings.model_file, mine = std::move(mine)] { return mine.make(load_chain(file, mine.form)); };
}

Implementation by_upsweep(const std::vector<Schedule>& schedules, std::size_t threads) {
  return {[=](JacobianChain chain) { return upsweep_products(std::move(chain), schedules, threads); },
          PatternForm::classes};
}
Implementation by_graphblas(const Schedule& schedule, std::size_t threads) {
  return {[=](const JacobianChain& chain) { return graphblas_products(chain, schedule, threads); }};
}
Implementation by_eigen(const Schedule& schedule) {
  return {[=](const JacobianChain& chain) { return eigen_products(chain, schedule); }};
}

/// The schedules that are timed, with the nnz of their products as all implementations see them.
struct Agreed {
  std::vector<Schedule> candidates;  ///< by depth
  std::vector<Counts> nnz;           ///< by depth
};

std::size_t array_length(const Settings& settings) {
  const auto length = [&] {
    const auto chain = std::make_shared<JacobianChain>(load_chain(settings.model_file, PatternForm::classes));
    return Task{[] {}, [chain] { return Counts{chain->length()}; }};
  };
  return counts_in_child(length).at(0);
}

Agreed agree(const Settings& settings) {
  constexpr std::size_t kThreads = 2;
  Agreed agreed{depth_candidates(array_length(settings)), {}};
  for (const Schedule& schedule : agreed.candidates) {
    fmt::print(stderr, "comparing implementations: {}\n", schedule.name);
    Counts nnz = counts_in_child(with_chain(settings, by_upsweep({schedule}, kThreads)));
    const auto compare = [&](const char* name, const Implementation& make) {
      check_equal(fmt::format("{} by upsweep (found) and {} (expected)", schedule.name, name), nnz,
                  counts_in_child(with_chain(settings, make)));
    };
    compare("graphblas", by_graphblas(schedule, kThreads));
    if (schedule.depth == kHybridDepth) compare("eigen", by_eigen(schedule));
    agreed.nnz.push_back(std::move(nnz));
  }
  return agreed;
}

}  // namespace

std::string products_name(const Settings& settings, const std::string& schedule, const std::string& implementation,
                          std::size_t threads) {
  return fmt::format("products/model={}/schedule={}/impl={}/threads={}", settings.model, schedule, implementation,
                     threads);
}

std::vector<Case> product_cases(const Settings& settings) {
  const Agreed agreed = agree(settings);
  Counts all_nnz;
  for (const Counts& nnz : agreed.nnz) all_nnz.insert(all_nnz.end(), nnz.begin(), nnz.end());
  const Schedule& hybrid = agreed.candidates.at(kHybridDepth);
  const Schedule& blelloch = agreed.candidates.back();
  const Counts& hybrid_nnz = agreed.nnz.at(kHybridDepth);
  const Counts& blelloch_nnz = agreed.nnz.back();

  std::vector<Case> cases;
  const auto add = [&](const char* schedule, const char* implementation, std::size_t threads,
                       const Implementation& make, const Counts& expected, std::size_t warm_ups,
                       std::size_t repetitions) {
    Case item;
    item.name = products_name(settings, schedule, implementation, threads);
    item.warm_ups = warm_ups;
    item.repetitions = repetitions;
    item.prepare = with_chain(settings, make);
    item.expected = expected;
    cases.push_back(std::move(item));
  };
  // Cases that are compared stand next to each other, so that they see the machine in the same state.
  for (const std::size_t threads : kThreadCounts) {
    add("hybrid:2", "upsweep", threads, by_upsweep({hybrid}, threads), hybrid_nnz, 1, 15);
  }
  for (const std::size_t threads : kThreadCounts) {
    add("hybrid:2", "graphblas", threads, by_graphblas(hybrid, threads), hybrid_nnz, 1, 5);
  }
  add("hybrid:2", "eigen", 1, by_eigen(hybrid), hybrid_nnz, 0, 1);
  for (const std::size_t threads : kThreadCounts) {
    add("blelloch", "upsweep", threads, by_upsweep({blelloch}, threads), blelloch_nnz, 1, 15);
  }
  for (const std::size_t threads : kThreadCounts) {
    add("all-depths", "upsweep", threads, by_upsweep(agreed.candidates, threads), all_nnz, 1, 15);
  }
  for (const std::size_t threads : kThreadCounts) {
    add("blelloch", "graphblas", threads, by_graphblas(blelloch, threads), blelloch_nnz, 1, 3);
  }
  if (settings.all) add("blelloch", "eigen", 1, by_eigen(blelloch), blelloch_nnz, 0, 1);
  return cases;
}

}  // namespace upsweep::bench
