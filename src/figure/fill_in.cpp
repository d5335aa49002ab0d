#include <fmt/format.h>

#include <algorithm>

#include "run_context.hpp"
#include "run_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostFillBins = kMostMarks / 4;

/// Matrices of a level, or of some levels together.
struct FillBin {
  std::size_t matrices = 0;
  double entries = 0;
  double places = 0;
  double largest = 0;
  double densest = 0;

  void add(double nnz, double of_places) {
    ++matrices;
    entries += nnz;
    places += of_places;
    largest = std::max(largest, nnz);
    if (of_places > 0) densest = std::max(densest, nnz / of_places);
  }
  [[nodiscard]] double mean() const { return entries / static_cast<double>(matrices); }
  [[nodiscard]] double density() const { return places > 0 ? entries / places : 0; }
};

FillBin fill_of_inputs(const RunDetails& run) {
  FillBin inputs;
  for (const StoredOperator& op : run.operators) {
    if (op.rows && op.cols && op.nnz)
      inputs.add(*op.nnz, static_cast<double>(*op.rows) * static_cast<double>(*op.cols));
  }
  return inputs;
}

std::vector<FillBin> fill_of_levels(const RunDetails& run, std::size_t levels, std::size_t per_bin) {
  std::vector<FillBin> bins((levels + per_bin - 1) / per_bin);
  for (const StoredOp& op : run.ops) {
    if (!op.is_mv) bins[op.level / per_bin].add(op.nnz, static_cast<double>(op.m) * static_cast<double>(op.n));
  }
  return bins;
}

/// A row per quantity that a logarithmic axis can show.
void add_fill(FigureData& table, std::size_t order, const std::string& label, const std::string& where,
              const FillBin& bin) {
  const std::string about =
      fmt::format("{}: {}, largest {} entries, mean {}, all {}; density {} of all places, densest {}", where,
                  bin.matrices == 1 ? "1 matrix" : fmt::format("{} matrices", bin.matrices), short_count(bin.largest),
                  short_count(bin.mean()), short_count(bin.entries), percent(bin.density()), percent(bin.densest));
  const auto add = [&](const char* panel, const char* series, double value) {
    if (value > 0) table["rows"].push_back({order, label, panel, series, value, about});
  };
  add("entries", "largest", bin.largest);
  add("entries", "mean", bin.mean());
  add("density", "largest", bin.densest);
  add("density", "mean", bin.density());
}

}  // namespace

std::optional<Figure> fill_in_figure(const RunDetails& run) {
  std::size_t levels = 0;
  for (const StoredOp& op : run.ops) {
    if (!op.is_mv) levels = std::max(levels, std::size_t{op.level} + 1);
  }
  if (levels == 0) return std::nullopt;
  const std::size_t per_bin = (levels + kMostFillBins - 2) / (kMostFillBins - 1);
  FigureData table = figure_table({"order", "label", "panel", "series", "value", "about"});
  std::vector<std::string> labels;
  const FillBin inputs = fill_of_inputs(run);
  if (inputs.matrices > 0) {
    labels.emplace_back("input");
    add_fill(table, 0, labels.back(), "Jacobians of operators", inputs);
  }
  const std::vector<FillBin> bins = fill_of_levels(run, levels, per_bin);
  const OpTexts texts(run);
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    if (bins[bin].matrices == 0) continue;
    const std::size_t first = bin * per_bin;
    labels.push_back(fmt::format("{}", first));
    const std::string where = per_bin > 1
                                  ? fmt::format("levels {} to {}", first, std::min(first + per_bin, levels) - 1)
                                  : fmt::format("level {} ({})", first, texts.phase(static_cast<std::uint32_t>(first)));
    add_fill(table, labels.size(), labels.back(), where, bins[bin]);
  }
  if (table["rows"].empty()) return std::nullopt;

  Figure figure;
  figure.kind = "fill-in";
  figure.context = run_context(run);
  figure.title = "How products of Jacobians fill in";
  figure.caption =
      "Results of the products of two matrices (mm) of each level: entries, and density as the share of a matrix's "
      "places that are entries (mean: of all matrices of the level together). 'input': the Jacobians of the operators. "
      "Levels without such a product are left out.";
  if (per_bin > 1) figure.caption += fmt::format(" Each mark stands for {} levels.", per_bin);
  figure.tables["fill"] = std::move(table);
  figure.signals["labels"] = labels;
  return figure;
}

}  // namespace upsweep
