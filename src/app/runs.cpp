#include "upsweep/app/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "upsweep/base/error.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep {
namespace {

InputError no_such(const char* what, const std::string& db, std::int64_t id) {
  return InputError(fmt::format("{}: there is no {} {}, accepted is an id that 'upsweep runs' lists", db, what, id));
}

template <class Request>
void require_one(const Request& request) {
  if (request.run.has_value() == request.study.has_value()) {
    throw RequestError("", fmt::format("{} given, accepted is either ID of a run or `study` N",
                                       request.run ? "both a run and a study are" : "no run and no study is"));
  }
}

std::string text_in(const QueryResult& runs, const std::vector<Cell>& row, const char* column) {
  const auto at = static_cast<std::size_t>(std::ranges::find(runs.columns, column) - runs.columns.begin());
  const auto* text = at < row.size() ? std::get_if<std::string>(&row[at]) : nullptr;
  return text == nullptr ? "" : *text;
}

/// Whether a text is the beginning of a moment as the store has it, whole parts of it: 2026-11-27T08.
bool is_moment(const std::string& text) {
  const std::string form = "0000-00-00T00:00:00";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (i >= form.size() || (form[i] == '0' ? !is_digit : text[i] != form[i])) return false;
  }
  return text.size() == form.size() || (text.size() >= 4 && form[text.size()] != '0');
}

/// Drops what the request does not ask for.
void choose(const ListRunsRequest& request, QueryResult& runs) {
  const auto command_id =
      static_cast<std::size_t>(std::ranges::find(runs.columns, "command_id") - runs.columns.begin());
  std::set<std::int64_t> commands;
  std::erase_if(runs.rows, [&](const std::vector<Cell>& row) {
    if (request.model && text_in(runs, row, "model").find(*request.model) == std::string::npos) return true;
    if (request.machine && text_in(runs, row, "machine").find(*request.machine) == std::string::npos) return true;
    if (request.command && text_in(runs, row, "command") != *request.command) return true;
    if (request.since && text_in(runs, row, "created_utc") < *request.since) return true;
    if (!request.limit) return false;
    const std::int64_t command = std::get<std::int64_t>(row[command_id]);
    if (!commands.contains(command) && commands.size() == *request.limit) return true;
    commands.insert(command);
    return false;
  });
}

/// The same of studies, each of which is a command.
void choose_studies(const ListRunsRequest& request, QueryResult& studies) {
  std::size_t kept = 0;
  std::erase_if(studies.rows, [&](const std::vector<Cell>& row) {
    if (request.model && text_in(studies, row, "name").find(*request.model) == std::string::npos) return true;
    if (request.machine) return true;  // of the points, not of the study
    if (request.command && *request.command != "study") return true;
    if (request.since && text_in(studies, row, "created_utc") < *request.since) return true;
    return request.limit && ++kept > *request.limit;
  });
}

}  // namespace

ListRunsOutcome run(const ListRunsRequest& request, const Caller&, const Watch&) {
  if (request.since && !is_moment(*request.since)) {
    throw RequestError(
        "since", fmt::format("is '{}', accepted is a day or time as 2026-11-27 or 2026-11-27T08:30", *request.since));
  }
  const StoreReader store(request.db);
  ListRunsOutcome outcome{store.run_list(), store.study_list(), store.verdicts()};
  choose(request, outcome.runs);
  choose_studies(request, outcome.studies);
  return outcome;
}

ShowRunOutcome run(const ShowRunRequest& request, const Caller&, const Watch&) {
  require_one(request);
  const StoreReader store(request.db);
  if (request.run) {
    std::optional<RunTables> run = store.run_tables(*request.run);
    if (!run) throw no_such("run", request.db, *request.run);
    return {std::move(*run)};
  }
  std::optional<StoredStudy> study = store.study(*request.study);
  if (!study) throw no_such("study", request.db, *request.study);
  return {std::move(*study)};
}

DeleteRunOutcome run(const DeleteRunRequest& request, const Caller&, const Watch& watch) {
  require_one(request);
  const char* what = request.run ? "run" : "study";
  const std::int64_t id = request.run ? *request.run : *request.study;
  const bool is_gone =
      request.run ? RunStore(request.db, RunStore::Open::existing).remove(id) : remove_study(request.db, id);
  if (!is_gone) throw no_such(what, request.db, id);
  watch.say(fmt::format("deleted {} {} from {}", what, id, request.db));
  return {};
}

DiffRunsOutcome run(const DiffRunsRequest& request, const Caller&, const Watch&) {
  return {diff_runs(StoreReader(request.db), request.before, request.after)};
}

}  // namespace upsweep
