#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/figure/figure.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {

/// The figures of a kind that there are of a run, whichever kind of run it is; at least one. Of "depth" and "measured":
/// of all runs of its search or validation.
///
/// Throws InputError where there is no such run, it has nothing to show as this kind (the text says what it has), or
/// its ops are not those of its schedule, which the figure needs; std::invalid_argument where runs have no figures of
/// this kind.
[[nodiscard]] std::vector<Figure> figures_of_run(const StoreReader& store, std::int64_t run, const std::string& kind);

/// The same of a study.
[[nodiscard]] std::vector<Figure> figures_of_study(const StoreReader& store, std::int64_t study,
                                                   const std::string& kind);

/// The kinds of which a run has figures, by name; empty where there is none or no such run. Cost: that of making them.
[[nodiscard]] std::vector<std::string> kinds_of_run(const StoreReader& store, std::int64_t run);

/// All runs of schedules that one command kept, oldest first: StoredRun::command_id.
[[nodiscard]] std::vector<RunDetails> details_of_command(const StoreReader& store, std::int64_t command);

/// All points of a study. Memory: about 300 bytes a point.
[[nodiscard]] std::vector<StudyPointRow> points_of_study(const StoreReader& store, std::int64_t study);

}  // namespace upsweep
