#include "op_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "child_process.hpp"
#include "product_list.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep::bench {
namespace {

constexpr std::size_t kRuns = 5;
constexpr std::size_t kFields = 7;

/// id, m, k, n, matched pairs, nnz, nanoseconds of one product.
using OpRow = std::vector<std::uint64_t>;

std::vector<OpRow> run_once(const ProductList& list, const JacobianChain& chain) {
  std::vector<OpRow> rows;
  std::vector<std::shared_ptr<const Pattern>> elements = {nullptr};
  elements.insert(elements.end(), chain.jacobians.begin(), chain.jacobians.end());
  std::vector<std::shared_ptr<const Pattern>> results(list.values - list.length);
  const auto value = [&](ValueId id) { return id < list.length ? elements[id] : results[id - list.length]; };
  for (const ProductStep& step : list.steps) {
    const auto x = value(step.later);
    const auto y = value(step.earlier);
    const bool dropped = std::find(step.releases.begin(), step.releases.end(), step.result) != step.releases.end();
    Laps laps;
    Product product = multiply(x, y, dropped ? Keep::counts : Keep::structure);
    const double nanoseconds = laps.lap() * 1e9;
    rows.push_back({step.result - list.length, x->rows(), x->cols(), y->cols(), product.products, product.nnz,
                    static_cast<std::uint64_t>(nanoseconds)});
    results[step.result - list.length] = std::move(product.pattern);
    for (const ValueId id : step.releases) results[id - list.length].reset();
  }
  return rows;
}

/// The rows with the median of the times of all runs, one after the other.
std::vector<std::uint64_t> measure_ops(const std::string& model_file) {
  const ThreadLimit one(1);
  const Model model = load_network(read_yaml(model_file), Numbers::structure);
  const JacobianChain chain = guaranteed_chain(model.network, model.weights, StepPatterns::drop, PatternForm::classes);
  const ProductList list = matrix_products(blelloch_schedule(chain.length()));
  std::vector<std::vector<OpRow>> runs;
  for (std::size_t run = 0; run < kRuns; ++run) runs.push_back(run_once(list, chain));
  std::vector<std::uint64_t> values;
  for (std::size_t step = 0; step < list.steps.size(); ++step) {
    std::vector<double> times;
    for (const auto& run : runs) times.push_back(static_cast<double>(run[step].back()));
    OpRow row = runs.front()[step];
    row.back() = static_cast<std::uint64_t>(median(std::move(times)));
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

}  // namespace

std::string op_table(const Settings& settings) {
  const ChildResult result = run_in_child([&] { return measure_ops(settings.model_file); });
  std::string text = fmt::format("{:>3} {:>23} {:>13} {:>10} {:>10} {:>8}\n", "op", "m x k x n", "pairs", "nnz",
                                 "median s", "ps/pair");
  for (std::size_t at = 0; at + kFields <= result.values.size(); at += kFields) {
    const auto* row = &result.values[at];
    const auto time = static_cast<double>(row[6]);
    text += fmt::format("{:>3} {:>23} {:>13} {:>10} {:>10.5f} {:>8.1f}\n", row[0],
                        fmt::format("{} x {} x {}", row[1], row[2], row[3]), row[4], row[5], time * 1e-9,
                        1000 * time / static_cast<double>(std::max<std::uint64_t>(1, row[4])));
  }
  return text + "one thread; a product that no later one reads is counted, not kept\n";
}

}  // namespace upsweep::bench
