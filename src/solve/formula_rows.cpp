#include "upsweep/solve/formula_rows.hpp"

#include <fmt/format.h>

#include <limits>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

double number(std::uint64_t count) { return static_cast<double>(count); }

void add_iterative(const SystemShape& shape, const LayerSizes& sizes, const ChainCounts& counts, const SolveRun& run,
                   std::vector<FormulaRow>& rows) {
  const std::uint64_t products = run.products;
  const std::uint64_t batch = sizes.batch;
  // v(l) is known from the start: no iteration multiplies its f'.
  const std::uint64_t one =
      checked_mul(counts.coupling_vector + counts.scaling_vector - shape.blocks.back().scaling_nnz, batch);
  rows.push_back({"46", fmt::format("work of {}, {} products with the matrix", run.name, products), "multiply-adds",
                  number(iterative_work(sizes, products)), number(checked_mul(one, products))});
  rows.push_back({"47", fmt::format("time of {} on l workers", run.name), "multiply-adds",
                  number(iterative_time(sizes, products)),
                  number(checked_mul(checked_mul(counts.largest_row_vector, batch), products))});
  rows.push_back({"4.2", fmt::format("memory of {}, {} vectors", run.name, run.cost.vectors), "numbers",
                  number(iterative_memory(sizes, run.cost.vectors)),
                  number(checked_mul(checked_mul(shape.unknowns(), batch), run.cost.vectors))});
}

}  // namespace

double FormulaRow::difference() const {
  if (formula == exact) return 0;
  return exact == 0 ? std::numeric_limits<double>::infinity() : formula / exact - 1;
}

std::vector<FormulaRow> formula_rows(const SystemShape& shape, const ChainCounts& counts, std::uint64_t batch,
                                     const std::vector<SolveRun>& runs) {
  const LayerSizes sizes = layer_sizes(shape, batch);
  const std::string unit = "multiply-adds";
  std::vector<FormulaRow> rows = {
      {"42", "work of substitution", unit, number(sequential_work(sizes)), number(counts.substitution(batch))},
      {"43", "work of one splitting", unit, number(splitting_work(sizes)), number(counts.splitting_work(batch))},
      {"44", "time of one splitting on l workers", unit, number(splitting_time(sizes)),
       number(counts.splitting_time(batch))},
      {"45", "work of recursive splitting", unit, recursive_work(sizes), number(counts.recursive_work(batch))},
      {"45", "time of recursive splitting on l workers", unit, recursive_time(sizes),
       number(counts.recursive_time(batch))}};
  for (const SolveRun& run : runs) {
    const bool is_plain = run.setting.method != SolveMethod::substitution && run.setting.group == 1;
    if (is_plain && !repeats_jacobi(run, runs) && run.converged()) add_iterative(shape, sizes, counts, run, rows);
  }
  return rows;
}

}  // namespace upsweep
