#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/figure/svg.hpp"

namespace upsweep {

/// Draw one figure of a run or of a study as SVG.
struct PlotRequest {
  std::string db;
  std::string kind;                                   ///< one of figure_kinds()
  std::string out;                                    ///< ends with .svg
  std::optional<std::int64_t> run = std::nullopt;     ///< of this run
  std::optional<std::int64_t> study = std::nullopt;   ///< or of this study, for kinds that begin with "study-"
  std::uint64_t number = 1;                           ///< which one, where there are several, from 1
  std::optional<std::uint64_t> width = std::nullopt;  ///< in pixels; without, as the figure is made
  Theme theme = Theme::light;
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
};

/// A picture that is written.
struct PlotOutcome {
  std::size_t bytes = 0;
};

/// Throws RequestError; InputError, also for a figure that is not there; BusyError as draw_svg().
[[nodiscard]] PlotOutcome run(const PlotRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
