#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/figure/figure.hpp"
#include "upsweep/store/stored_picture.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

// Pictures of studies, of runs of passes and trainings, and of sparsity patterns. The best point of a study is the one
// where the scan gains most over plain back-propagation; without such points the one with the best score.

/// Score of plain back-propagation and of the best scan along each axis with several values (points without lines where
/// these are texts), the crossover marked; one line per value of the next axis (at most six), the rest of the grid at
/// the values of the best point. Kind "study-lines".
[[nodiscard]] std::vector<Figure> study_line_figures(const StoredStudy& study, std::span<const StudyPointRow> points);

/// Speedup of the best scan over plain back-propagation over the first two axes with several values, and which schedule
/// is best where; the rest of the grid at the values of the best point. Kind "study-map". Points that are not there,
/// invalid or do not fit are told apart.
[[nodiscard]] std::optional<Figure> study_map_figure(const StoredStudy& study, std::span<const StudyPointRow> points);

/// Score against memory of all points, those of a Pareto front joined: one front per problem, the points that differ in
/// axes which change the memory of plain back-propagation being different problems. At most kMostMarks / 2 points on
/// fronts. Kind "study-front".
[[nodiscard]] std::optional<Figure> study_front_figure(const StoredStudy& study, std::span<const StudyPointRow> points);

/// Predicted and measured seconds of each backward method by phase. Kind "passes".
[[nodiscard]] std::optional<Figure> passes_figure(const StoredPasses& passes);

/// crossover_figure() of a profile or a search of a recurrent model in FLOPs; nothing of what was stored before
/// searches kept their settings, nor of the seconds of a device. Cost: that of the command, too.
[[nodiscard]] std::optional<Figure> crossover_figure(const StoredPasses& passes);

/// Loss and accuracy by iteration, one line per method. Kind "losses". Beyond kMostMarks points a line: means of equal
/// runs of iterations.
[[nodiscard]] std::optional<Figure> losses_figure(const StoredPasses& passes);

/// Makespan of each variant of a training study, the best marked, those grey that are no candidates. Kind "variants".
[[nodiscard]] std::optional<Figure> variants_figure(const StoredTraining& training);

/// Operations of every variant that has some, one below the other along one axis, a row per resource and one for the
/// memory of the fullest device; of an only one its transfers, too. Kind "step-timeline". Beyond kMostMarks (of several
/// three times as many): busy shares of slices of time.
[[nodiscard]] std::optional<Figure> step_timeline_figure(const StoredTraining& training);

/// Sparsity patterns beside each other ("spy" pictures, Figure 3.3 of the thesis): darker cells have more entries.
/// Kind "spy". At most 24: Jacobians first, but for room for 6 products. `context`: Figure::context.
[[nodiscard]] std::optional<Figure> spy_figure(std::span<const StoredPicture> pictures, std::string context = {});

}  // namespace upsweep
