#include "upsweep/app/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "outputs.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/stored_figures.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kLeastWidth = 200;  // below, axes leave no room for what they measure
constexpr std::uint64_t kMostWidth = 10'000;

/// Throws RequestError.
void check_plot(const PlotRequest& request) {
  const std::vector<std::string>& kinds = figure_kinds();
  if (std::find(kinds.begin(), kinds.end(), request.kind) == kinds.end())
    throw RequestError("kind", fmt::format("is '{}'{}", request.kind, accepted_text(request.kind, kinds)));
  if (request.run.has_value() == request.study.has_value())
    throw RequestError("", "accepted is either `run` ID or `study` ID");
  const bool is_of_study = request.kind.starts_with("study-");
  const char* of = is_of_study ? "study" : "run";
  if (is_of_study != request.study.has_value())
    throw RequestError("", fmt::format("{} is a figure of a {}, accepted is `{}` ID", request.kind, of, of));
  if (request.number == 0) throw RequestError("number", "is 0, accepted is an integer of at least 1");
  if (request.width && (*request.width < kLeastWidth || *request.width > kMostWidth))
    throw RequestError("width", fmt::format("is {}, accepted is {} to {}", *request.width, kLeastWidth, kMostWidth));
  check_ending(request.out, ".svg");
}

/// The figure that is asked for. Throws InputError where there is none.
Figure figure_of(const PlotRequest& request) {
  const StoreReader store(request.db);
  const std::int64_t id = request.run ? *request.run : *request.study;
  std::vector<Figure> figures =
      request.run ? figures_of_run(store, id, request.kind) : figures_of_study(store, id, request.kind);
  if (request.number > figures.size()) {
    throw InputError(fmt::format("{}: {} {} has {} figures {}, accepted is `number` from 1 to {}", request.db,
                                 request.run ? "run" : "study", id, figures.size(), request.kind, figures.size()));
  }
  return std::move(figures[request.number - 1]);
}

}  // namespace

PlotOutcome run(const PlotRequest& request, const Caller&, const Watch& watch) {
  check_plot(request);
  check_output({"out", request.out, kFigureMark}, {{"db", request.db}}, request.force);
  watch.show("drawing");
  const std::string svg = draw_svg(figure_of(request), request.theme, static_cast<unsigned>(request.width.value_or(0)));
  write_text_file(request.out, svg);
  watch.show("");
  return {svg.size()};
}

}  // namespace upsweep
