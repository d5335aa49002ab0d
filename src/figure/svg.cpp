#include "upsweep/figure/svg.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "node_process.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

constexpr std::chrono::seconds kMostSecondsOfNode{60};

/// JSON in the middle of a script.
std::string script_json(const FigureData& data) {
  return data.dump(-1, ' ', true, FigureData::error_handler_t::replace);
}

}  // namespace

bool has_charts() { return !charts_script().empty(); }

void require_charts() {
  if (!has_charts())
    throw BusyError(
        "this program was built without the charting library, accepted is one built with node-vega and esbuild");
  static_cast<void>(run_node("", kMostSecondsOfNode));
}

std::string draw_svg(const Figure& figure, Theme theme, unsigned width) {
  if (!has_charts()) require_charts();
  const std::string program = fmt::format(
      "{}\nupsweepCharts.svg({}, {}, \"{}\", {}).then((svg) => process.stdout.write(svg), (error) => {{\n"
      "  console.error(String(error));\n  process.exitCode = 1;\n}});\n",
      charts_script(), script_json(figure_template(figure.kind)), script_json(to_json(figure)),
      theme == Theme::dark ? "dark" : "light", width);
  NodeResult result = run_node(program, kMostSecondsOfNode);
  if (result.exit_code != 0 || result.out.empty()) {
    throw std::runtime_error(fmt::format("node did not draw the figure {} (exit code {}): {}", figure.kind,
                                         result.exit_code, result.err.substr(0, result.err.find('\n'))));
  }
  return std::move(result.out);
}

}  // namespace upsweep
