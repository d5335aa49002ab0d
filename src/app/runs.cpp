#include "upsweep/app/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

std::size_t column_at(const QueryResult& result, const char* column) {
  return static_cast<std::size_t>(std::ranges::find(result.columns, column) - result.columns.begin());
}

/// Of the only row; nothing without such a column.
Cell value_in(const QueryResult& run, const char* column) {
  const std::size_t at = column_at(run, column);
  return at < run.columns.size() ? run.rows.front()[at] : Cell();
}

/// Whether a text is the beginning of a moment as the store has it, whole parts of it: 2026-11-27T08.
bool is_moment(const std::string& text) {
  const std::string form = "0000-00-00T00:00:00";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (i >= form.size() || (form[i] == '0' ? !is_digit : text[i] != form[i])) return false;
  }
  if (text.size() != form.size() && (text.size() < 4 || form[text.size()] == '0')) return false;
  // What is not said is the first of its kind.
  const std::string whole = text + std::string("0000-01-01T00:00:00").substr(text.size());
  const auto number = [&](std::size_t at, std::size_t digits) { return std::stoi(whole.substr(at, digits)); };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
}

/// Throws RequestError for what is no moment.
void check_moment(const char* setting, const std::optional<std::string>& moment) {
  if (!moment || is_moment(*moment)) return;
  throw RequestError(setting,
                     fmt::format("is '{}', accepted is a day or time as 2026-11-27 or 2026-11-27T08:30", *moment));
}

/// Whether a moment is from `since` until the end of `until`.
bool is_between(const ListRunsRequest& request, const std::string& moment) {
  if (request.since && moment < *request.since) return false;
  return !request.until || moment.substr(0, request.until->size()) <= *request.until;
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
    if (!is_between(request, text_in(runs, row, "created_utc"))) return true;
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
    if (!is_between(request, text_in(studies, row, "created_utc"))) return true;
    return request.limit && ++kept > *request.limit;
  });
}

}  // namespace

ListRunsOutcome run(const ListRunsRequest& request, const Caller&, const Watch&) {
  check_moment("since", request.since);
  check_moment("until", request.until);
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
    ShowRunOutcome outcome{std::move(*run)};
    const QueryResult& mine = std::get<RunTables>(outcome.found).run;
    const auto command = value_in(mine, "command_id");
    if (!std::holds_alternative<std::monostate>(value_in(mine, "search_id"))) {
      outcome.candidates = store.run_list();
      const std::size_t column = column_at(outcome.candidates, "command_id");
      std::erase_if(outcome.candidates.rows, [&](const std::vector<Cell>& row) { return row[column] != command; });
    }
    return outcome;
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
