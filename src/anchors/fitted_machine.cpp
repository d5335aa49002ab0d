#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

#include "rates_of_row.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kFewestRows = 3;
/// A library's call takes less: what a fit has beyond is start-up of the program that measured.
constexpr double kLongestCall = 0.5e-3;
/// The default algorithm of cusparseSpGEMM counts products in 32 bits: all published failures in work estimation have
/// more, and nothing that ran has. Source: docs/anchors.md.
constexpr std::uint64_t kCusparseProducts = std::numeric_limits<std::int32_t>::max();

/// What rows are fitted together.
using FitKey = std::tuple<AnchorWork, std::string, std::string, std::string, std::string>;

FitKey key_of(const AnchorRow& row, AnchorWork work) {
  if (work == AnchorWork::product) return {work, row.library, "", "", ""};
  const std::string launch = to_string(launch_of(row));
  return {work, row.library, work == AnchorWork::pass ? row.algorithm : "", row.cell, launch};
}

bool is_product(const PublishedRates& rates) { return rates.kind == PublishedKind::product; }

bool is_fitted_product(const PublishedRates& rates) { return is_product(rates) && !rates.from.rows.empty(); }

/// The nearest other machine with fitted rates of products, or null.
const Machine* donor_for(const Machine& machine, const std::vector<Machine>& donors) {
  const Machine* nearest = nullptr;
  for (const Machine& donor : donors) {
    if (donor.name == machine.name || std::ranges::none_of(donor.published, is_fitted_product)) continue;
    if (nearest == nullptr || device_distance(donor, machine) < device_distance(*nearest, machine)) nearest = &donor;
  }
  return nearest;
}

}  // namespace

Machine fitted_machine(Machine machine, const std::vector<AnchorRow>& rows, const std::vector<Machine>& donors) {
  std::map<FitKey, std::vector<const AnchorRow*>> groups;
  std::vector<FitKey> order;
  for (const AnchorRow& row : rows) {
    std::string skipped;
    const std::optional<AnchorWork> work = work_of(row, skipped);
    if (!row.is_ok() || !work || machine_of(row, {{}, {machine}}, skipped) == nullptr) continue;
    if (*work == AnchorWork::layer && (is_own(row) || !unfit_for_device_model(machine).empty())) continue;
    auto& group = groups[key_of(row, *work)];
    if (group.empty()) order.push_back(key_of(row, *work));
    group.push_back(&row);
  }
  std::vector<PublishedRates> fitted;
  for (const FitKey& key : order) {
    const std::vector<const AnchorRow*>& members = groups[key];
    if (members.size() < kFewestRows) continue;
    const AnchorWork work = std::get<0>(key);
    std::vector<PublishedSample> samples;
    for (const AnchorRow* row : members) samples.push_back(sample_of(*row, work, launched_as(*row, machine)));
    const PublishedKind kind = work == AnchorWork::product ? PublishedKind::product : PublishedKind::pass;
    PublishedRates rates = fit_published(kind, samples);
    std::tie(std::ignore, rates.library, rates.algorithm, rates.cell, rates.launch) = key;
    rates.covers = members.front()->covers;
    rates.from.file = std::filesystem::path(members.front()->file).filename().string();
    if (work == AnchorWork::product) {
      rates.start_up_s = std::max(0.0, rates.unit_s[0] - kLongestCall);
      rates.unit_s[0] -= rates.start_up_s;
      if (rates.library == "cuSPARSE") rates.most_products = kCusparseProducts;
    }
    fitted.push_back(std::move(rates));
  }
  const Machine* const donor = donor_for(machine, donors);
  if (std::ranges::none_of(fitted, is_product) && std::ranges::none_of(machine.published, is_fitted_product) &&
      donor != nullptr) {
    std::erase_if(machine.published, is_product);
    for (const PublishedRates& rates : donor->published) {
      if (is_fitted_product(rates)) fitted.push_back(carried_products(rates, *donor, machine));
    }
  }
  if (fitted.empty()) {
    throw std::invalid_argument(
        fmt::format("no {} rows that can be fitted are of machine {}, accepted are tables with its device: {}{}",
                    kFewestRows, machine.name, machine.provenance.device, machine.names.empty() ? "" : ", ..."));
  }
  // Rates of other tables stay, after those of these.
  for (PublishedRates& old : machine.published) {
    const bool is_replaced = std::ranges::any_of(fitted, [&](const PublishedRates& mine) {
      return mine.kind == old.kind && mine.library == old.library && mine.algorithm == old.algorithm &&
             mine.cell == old.cell && mine.launch == old.launch;
    });
    if (!is_replaced) fitted.push_back(std::move(old));
  }
  machine.published = std::move(fitted);
  return machine;
}

}  // namespace upsweep
