#pragma once

#include <optional>
#include <span>

#include "upsweep/figure/figure.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

// Pictures of one run. Each is nothing where the run has nothing to show in it.

/// The most marks that a figure draws one by one; beyond, ops are put together and the caption says how.
inline constexpr std::size_t kMostMarks = 2000;

/// FLOPs of each op against m·n·k, both logarithmic; mv and mm in two colours, ops critical of their level filled, the
/// operators of plain back-propagation beside them: Figure 5.5 of the thesis. Kind "op-flops".
///
/// Critical of its level is the most expensive op there, the first of equal ones: the critical path of the level rule.
/// Beyond kMostMarks: cells of a grid, ten per decade, with the number of ops as size; critical ops stay.
[[nodiscard]] std::optional<Figure> op_flops_figure(const RunDetails& run);

/// The schedule as the thesis draws it (Figure 3.1): array positions across, levels down, arcs for ops, widths by
/// FLOPs, dead ops dimmed. Kind "schedule". Beyond kMostMarks the most expensive ops alone, and a bar per level says
/// how many there are.
[[nodiscard]] std::optional<Figure> schedule_figure(const RunDetails& run);

/// How products fill in: entries and density of the results of each level (largest, mean), matrices alone. Kind
/// "fill-in".
[[nodiscard]] std::optional<Figure> fill_in_figure(const RunDetails& run);

/// What the simulated workers do, under execution_of() the run: a bar per op, those of the
/// longest chain marked (each waits for the one before: for its result, worker or level), and the share of workers that
/// are busy. Kind "timeline". Costs are FLOPs. Beyond kMostMarks: the share of each slice of time in which a worker (or
/// group of workers) is busy.
[[nodiscard]] std::optional<Figure> timeline_figure(const RunDetails& run);

/// Predicted against measured seconds of each level, from its start to its end, both logarithmic, with the diagonal; of
/// each op, too, where one worker ran them: of several what is measured is added up over these. Of the last measurement
/// that has predictions. Kind "predicted".
[[nodiscard]] std::optional<Figure> predicted_figure(const RunDetails& run);

/// Predicted over measured seconds per level, minus 1. Kind "residuals".
[[nodiscard]] std::optional<Figure> residuals_figure(const RunDetails& run);

/// Time (or the objective), critical path, FLOPs and memory of the depths of a search, each relative to plain
/// back-propagation; of a search of live ops only what is stored of these. `candidates` are runs of one search; schemes
/// that are no depth stand to the right by name. `machine`: the name of theirs, if any. Kind "depth".
[[nodiscard]] std::optional<Figure> depth_figure(const StoredSearch& search, std::span<const StoredRun> candidates,
                                                 const std::string& machine = "");

/// Makespan in FLOPs of plain back-propagation and of the best scan by the number of workers, with whole ops and with
/// shared ones, and where a scan overtakes by each rule: Verdict::overtakes, and the makespans that the search would
/// have found on so many workers. `runs` are those of one search for the least time; nothing for seconds of a processor
/// or GPU, and where ops have no spans. Kind "crossover", drawn as "study-lines" is.
///
/// Cost: that of OvertakingSearch, and about 4 million simulated ops at most.
[[nodiscard]] std::optional<Figure> crossover_figure(std::span<const RunDetails> runs);

/// The same of a run that was profiled, under dag execution where ops are whole, beside a run of plain
/// back-propagation over the same model: StoreReader::plain_of().
[[nodiscard]] std::optional<Figure> crossover_figure(const RunDetails& run, const RunDetails& plain);

/// Measured beside predicted seconds of the schedules of runs that were validated together, a group per backend and
/// device. Kind "measured".
[[nodiscard]] std::optional<Figure> measured_figure(std::span<const RunDetails> runs);

}  // namespace upsweep
