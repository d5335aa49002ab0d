#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure_shelf.hpp"
#include "html.hpp"
#include "upsweep/report/stored_explanation.hpp"
#include "upsweep/store/store_reader.hpp"

// Parts of a page, each in a file of its own.

namespace upsweep {

/// Runs that were saved together: the candidates of a search, the schedules of a validation, or one run.
struct RunGroup {
  enum class Kind : std::uint8_t { search, validation, single };
  Kind kind = Kind::single;
  std::vector<StoredRun> runs;  ///< by id, at least one
  std::optional<StoredSearch> search;
  std::optional<StoredMachine> machine;
  KeptVerdict verdict;

  /// Of its element in the page: "search-3", "validation-12", "run-7".
  [[nodiscard]] std::string id() const;
  /// "Search 3", "Validation 12 to 16", "Run 7".
  [[nodiscard]] std::string title() const;
};

/// What a command concluded, as a paragraph.
[[nodiscard]] Markup verdict_markup(const KeptVerdict& verdict);

/// Groups of runs, newest first; `runs` likewise.
[[nodiscard]] std::vector<RunGroup> groups_of(const StoreReader& store, std::vector<StoredRun> runs);

/// What sections have in common.
struct SectionContext {
  const StoreReader& store;
  FigureShelf& shelf;
  bool is_alone = false;  ///< the page is about one run or study
};

/// What a page says about one of its sections in the index and at its end.
struct SectionEntry {
  std::int64_t number = 0;  ///< of the run (of several the last) or study
  std::string id;           ///< of the element; empty: the page has no section of it
  std::string title;
  std::string created_utc;
  std::string what;  ///< "search, 5 schedules", "profile", ...
  std::string model;
  std::string schedule;  ///< the best of a search, the fastest of a validation
  std::uint64_t workers = 1;
  bool is_exact = true;  ///< false: what follows from counts is an estimate
  std::optional<double> flops = {};
  KeptVerdict verdict = {};
  std::optional<double> bytes = {};
  std::optional<double> predicted_s = {};
  std::optional<double> measured_s = {};
  std::string tool_version;
  std::string parameters;
  std::string content_hash;
  std::string rule;
  std::string machine;            ///< for people; empty: none
  std::string machine_name = {};  ///< without what else is known of it
};

/// "2 pictures would make this page too large: COMMAND"; nothing where none was left out.
[[nodiscard]] Markup left_out_note(const SectionContext& context, const std::string& what, std::int64_t id);

/// Table, facts, levels and pictures of a run, below a heading of whoever asks.
[[nodiscard]] Markup run_body(const SectionContext& context, const RunDetails& run);

/// What a section of a search is made of beside its tables.
struct SearchParts {
  Markup why;                  ///< what the best scan does with its time; empty where that is not known
  Markup figures;              ///< with a note about those left out
  std::vector<Markup> bodies;  ///< of candidates, by place in the group; empty ones are left out
};

/// Why the best scan of a search is faster or slower than plain back-propagation: sentences, levels and products;
/// empty where that is not known.
[[nodiscard]] Markup reasons_markup(const std::optional<StoredExplanation>& stored);

/// That of a search, its figures, and the body of a candidate.
[[nodiscard]] Markup search_reasons(const SectionContext& context, const RunGroup& group);
[[nodiscard]] Markup search_figures(const SectionContext& context, const RunGroup& group);
[[nodiscard]] Markup candidate_body(const SectionContext& context, const RunGroup& group, std::size_t candidate);

// Sections with a heading.
[[nodiscard]] Markup single_section(const SectionContext& context, const RunGroup& group);
[[nodiscard]] Markup search_section(const RunGroup& group, const SearchParts& parts);
/// Fills in what was measured of the fastest schedule, too.
[[nodiscard]] Markup validation_section(const SectionContext& context, const RunGroup& group, SectionEntry& entry);
[[nodiscard]] Markup passes_section(const SectionContext& context, const StoredPasses& passes);
[[nodiscard]] Markup training_section(const SectionContext& context, const StoredTraining& training);
[[nodiscard]] Markup anchors_section(const SectionContext& context, const StoredAnchors& anchors);
[[nodiscard]] Markup study_section(const SectionContext& context, const StoredStudy& study);
/// Operators and sparsity patterns of the model of a run.
[[nodiscard]] Markup model_section(const SectionContext& context, const RunDetails& run);

/// "model-HASH-PATTERN": of a model's section.
[[nodiscard]] std::string model_id(const StoredRun& run);

[[nodiscard]] SectionEntry entry_of(const RunGroup& group);
[[nodiscard]] SectionEntry entry_of(const StoredPasses& passes);
[[nodiscard]] SectionEntry entry_of(const StoredTraining& training);
[[nodiscard]] SectionEntry entry_of(const StoredAnchors& anchors);
[[nodiscard]] SectionEntry entry_of(const StoredStudy& study);

/// A sortable table of the runs, at most `most` of them; another one of the studies, likewise.
[[nodiscard]] Markup runs_index(std::span<const SectionEntry> runs, std::size_t most);
[[nodiscard]] Markup studies_index(std::span<const StoredStudy> studies, std::size_t most);

/// Where everything comes from, and the command lines to make it again; at most `most` of them.
[[nodiscard]] Markup provenance(std::span<const SectionEntry> entries, std::size_t most);

/// "calibration of NAME on DEVICE, driver X, 2026-01-01, median error 4 %".
[[nodiscard]] std::string machine_text_of(const StoredMachine& machine);

}  // namespace upsweep
