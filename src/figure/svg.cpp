#include "upsweep/figure/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "node_process.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {
namespace {

constexpr std::chrono::seconds kMostSecondsOfNode{60};
constexpr std::size_t kShown = 100;  // of what a program prints that is not node

/// Whether XML has no such character: of those that JSON writes as \uXXXX, controls, U+FFFE and U+FFFF.
bool is_no_xml(std::string_view digits) {
  return (digits.starts_with("00") && digits < "0020" && digits != "0009" && digits != "000a" && digits != "000d") ||
         digits == "fffe" || digits == "ffff";
}

/// JSON in the middle of a script; characters that XML has not become U+FFFD.
std::string script_json(const FigureData& data) {
  std::string json = data.dump(-1, ' ', true, FigureData::error_handler_t::replace);
  constexpr std::string_view kInstead = "\\ufffd";
  for (std::size_t at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    const char escaped = json[at + 1];
    std::size_t length = escaped == 'u' ? kInstead.size() : 2;
    if (escaped == 'b' || escaped == 'f' || (escaped == 'u' && is_no_xml(std::string_view(json).substr(at + 2, 4)))) {
      json.replace(at, length, kInstead);
      length = kInstead.size();
    }
    at += length;
  }
  return json;
}

/// What a program called node printed that is none.
BusyError no_node(const std::string& out) {
  return BusyError(fmt::format("the program 'node' on the PATH prints '{}', accepted is Node.js, which draws figures",
                               out.substr(0, std::min(out.find('\n'), kShown))));
}

}  // namespace

bool has_charts() { return !charts_script().empty(); }

void require_charts() {
  if (!has_charts()) {
    throw BusyError(
        "this program was built without the charting library, accepted is one built with node-vega and esbuild");
  }
  const NodeResult said = run_node("process.stdout.write('node ' + process.versions.node)", kMostSecondsOfNode);
  if (!said.out.starts_with("node ") || said.exit_code != 0) throw no_node(said.out);
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
  constexpr std::string_view kBegin = "<svg ";
  if (!result.out.starts_with(kBegin)) throw no_node(result.out);
  result.out.insert(kBegin.size(), fmt::format("{} ", kFigureMark));
  return std::move(result.out);
}

}  // namespace upsweep
