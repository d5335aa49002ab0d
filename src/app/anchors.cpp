#include "upsweep/app/anchors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "upsweep/app/loading.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/anchors_figure.hpp"
#include "upsweep/figure/svg.hpp"
#include "upsweep/io/anchor_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {
namespace {

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<AnchorRow> rows_of(const AnchorsRequest& request) {
  std::vector<AnchorRow> rows;
  for (const std::string& file : request.files) std::ranges::move(load_anchors(file), std::back_inserter(rows));
  std::erase_if(rows, [&](const AnchorRow& row) {
    if (request.family && row.family != *request.family) return true;
    return request.device && lower_case(row.device).find(lower_case(*request.device)) == std::string::npos;
  });
  return rows;
}

/// The preset whose rates of products others take over: fitted to most rows of cuSPARSE with the sizes of their
/// results.
const Machine& donor_of(const std::vector<Machine>& presets) {
  constexpr const char* kDonor = "nvidia-a100-pcie-80gb";
  return *std::ranges::find(presets, kDonor, &Machine::name);
}

}  // namespace

AnchorsOutcome run(const AnchorsRequest& request, const Caller&, const Watch&) {
  if (request.files.empty()) throw RequestError("files", "are none, accepted is at least one table");
  if (request.fit_out && request.machines.size() != 1)
    throw RequestError("fit_out", "is given, accepted is with exactly one `machine`, which is fitted");
  if (request.svg) {
    require_text_file(*request.svg);
    require_charts();
  }
  AnchorMachines machines;
  for (const std::string& file : request.machines) machines.given.push_back(load_machine(read_yaml(file)));
  machines.presets = preset_machines();
  const std::vector<AnchorRow> rows = rows_of(request);
  if (request.fit_out) {
    try {
      machines.given.front() = fitted_machine(machines.given.front(), rows, donor_of(machines.presets));
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", request.machines.front(), error.what()));
    }
    write_machine(machines.given.front(), *request.fit_out);
  }
  AnchorsOutcome outcome{anchors(rows, machines)};
  if (!request.svg) return outcome;
  const std::optional<Figure> figure = anchors_figure(outcome.report);
  if (!figure) throw RequestError("svg", "is given, and no row is predicted: accepted is without");
  write_text_file(*request.svg, draw_svg(*figure, Theme::light));
  return outcome;
}

}  // namespace upsweep
