#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "profile_parts.hpp"
#include "search_parts.hpp"
#include "upsweep/document/estimate_mark.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

/// a / b, or nothing where one is missing or b is 0.
std::optional<double> quotient(const std::optional<double>& a, double b) {
  return !a || b == 0 ? std::nullopt : std::optional(*a / b);
}

std::string note_of(const SearchResult& result, const CandidateRow& row) {
  const Candidate& c = *row.counted;
  if (!c.feasible) return "does not fit";
  if (c.same_as) return fmt::format("= depth {}{}", *c.same_as, *c.same_as == 0 ? " (linear)" : "");
  if (!c.same_scheme.empty()) return "= " + c.same_scheme;
  if (result.best_scheme == row.place && !result.schemes.empty()) return "<- best of all";
  return result.best == row.place ? "<- best" : "";
}

/// A field of counted candidates; others have nothing of it.
CandidateField field(std::string name, std::optional<std::string> head, Unit unit,
                     std::function<Value(const Candidate&)> value) {
  return {std::move(name), std::move(head), unit,
          [value = std::move(value)](const CandidateRow& row) { return row.counted ? value(*row.counted) : Value(); }};
}

/// What tells a candidate from others, and whether there is something of it.
std::vector<CandidateField> name_fields(const SearchResult& result) {
  using Item = CandidateRow;
  return {{"schedule", {}, Unit::text, [](const Item& row) { return row.schedule(); }},
          {"depth", result.schemes.empty() ? "depth" : "depth or scheme", Unit::exact,
           [](const Item& row) { return Value(row.depth()).otherwise(row.schedule()); }},
          {"feasible", {}, Unit::text, [](const Item& row) { return row.counted && row.counted->feasible; }},
          {"reason", {}, Unit::text, [](const Item& row) {
             return row.counted == nullptr  ? Value(row.uncounted->reason)
                    : row.counted->feasible ? Value()
                                            : Value(row.counted->reason);
           }}};
}

/// Counts, and what workers make of them.
std::vector<CandidateField> count_fields(const SearchResult& result) {
  using C = const Candidate&;
  /// Of counts, which people see marked where they are estimates.
  const auto count = [inputs = result.inputs](C c, bool is_known, std::uint64_t sum) {
    return marked_unless(c.is_exact(), is_known ? Value::mean(sum, inputs) : Value());
  };
  const auto span = [count](const Candidate& c, Execution execution) {
    const std::optional<Makespan> makespan = c.pram.makespan(execution);
    return count(c, c.is_counted && makespan, makespan ? makespan->flops : 0).otherwise("?");
  };
  const auto counted = [](const Candidate& c, std::uint64_t number) { return c.is_counted ? Value(number) : Value(); };
  const Execution execution = result.options.execution;
  return {
      field("levels", "levels", Unit::whole, [=](C c) { return counted(c, c.levels); }),
      field("ops", "ops", Unit::whole, [=](C c) { return counted(c, c.totals.ops); }),
      field("flops", "FLOPs", Unit::count, [=](C c) { return count(c, true, c.totals.flops); }),
      field("critical_path_flops/level", "path,level", Unit::count,
            [=](C c) { return count(c, c.is_counted, c.totals.critical_path_level); }),
      field("critical_path_flops/dag", "path,dag", Unit::count,
            [=](C c) { return count(c, c.has_dag_path, c.totals.critical_path_dag); }),
      field("steps", "steps", Unit::whole, [=](C c) { return counted(c, c.pram.steps); }),
      field("makespan", {}, Unit::count, [=](C c) { return span(c, execution); }),
      field("makespans/level", "span,level", Unit::count, [=](C c) { return span(c, Execution::level); }),
      field("makespans/dag", "span,dag", Unit::count, [=](C c) { return span(c, Execution::dag); }),
      field("makespan_shared", "span,shared", Unit::count,
            [=](C c) { return count(c, c.has_shared, c.pram.shared_flops); }),
      field("bound_shared", {}, Unit::count, [=](C c) { return count(c, c.has_shared, c.pram.shared_bound_flops); })};
}

/// Seconds, memory and how it stands to plain and to dense back-propagation.
std::vector<CandidateField> price_fields(const SearchReport& report) {
  using C = const Candidate&;
  const SearchResult& result = report.result;
  const auto if_any = [](bool is_there, const char* head) {
    return is_there ? std::optional<std::string>(head) : std::nullopt;
  };
  const auto ratio = [](C c, double to) {
    return marked_unless(c.is_exact(), quotient(c.score, to), Unit::ratio).otherwise(c.score ? "-" : "?");
  };
  const auto speedup = [](C c, double over) {
    const double score = c.score.value_or(0);
    return marked_unless(c.is_exact(), quotient(c.score && over > 0 ? std::optional(over) : std::nullopt, score),
                         Unit::speedup)
        .otherwise(c.score ? "-" : "?");
  };
  std::vector<CandidateField> fields = {
      field("", if_any(result.linear().level_s.has_value(), "time,level"), Unit::seconds,
            [](C c) { return marked_unless(c.is_exact(), c.level_s, Unit::seconds); }),
      field("", if_any(result.linear().dag_s.has_value(), "time,dag"), Unit::seconds,
            [](C c) { return marked_unless(c.is_exact(), c.dag_s, Unit::seconds); }),
      field("peak_live_bytes", "memory", Unit::bytes,
            [inputs = result.inputs](C c) {
              return marked_unless(c.is_exact(), Value::mean(c.pram.peak_live_bytes, inputs), Unit::bytes);
            }),
      field("ratio_to_linear", {}, Unit::ratio, [=, plain = plain_score(report)](C c) { return ratio(c, plain); }),
      field("ratio_to_baseline", {}, Unit::ratio, [=, dense = baseline_score(report)](C c) { return ratio(c, dense); }),
      field("speedup_over_linear", "vs plain", Unit::speedup,
            [=, plain = plain_score(report)](C c) { return speedup(c, plain); }),
      field("speedup_over_baseline", if_any(report.baseline_flops.has_value(), "vs dense"), Unit::speedup,
            [=, dense = baseline_score(report)](C c) { return speedup(c, dense); }),
      field("same_as", {}, Unit::text,
            [](C c) { return c.same_as ? Value(c.same_as) : Value::unless_empty(c.same_scheme); }),
      field("seconds/level", {}, Unit::seconds, &Candidate::level_s),
      field("seconds/dag", {}, Unit::seconds, &Candidate::dag_s)};
  const Machine* machine = result.options.machine;
  if (machine != nullptr && machine->kind == MachineKind::gpu && result.linear().is_counted) {
    for (std::size_t i = 0; i < kLaunchModes.size(); ++i) {
      fields.push_back(
          field("launch_seconds/" + to_string(kLaunchModes[i]), {}, Unit::seconds, [i](C c) { return c.launch_s[i]; }));
    }
  } else {
    fields.push_back(field("launch_seconds", {}, Unit::seconds, [](C) { return Value(); }));
  }
  fields.push_back(
      field("library", {}, Unit::text, [library = library_name(machine)](C) { return Value::unless_empty(library); }));
  fields.push_back(
      field("binding", {}, Unit::text, [](C c) { return c.binding ? Value(to_string(*c.binding)) : Value(); }));
  return fields;
}

/// What is known of those that were not counted.
std::vector<CandidateField> status_fields(const SearchResult& result, bool is_exact) {
  using Item = CandidateRow;
  return {{"status",
           {},
           Unit::text,
           [](const Item& row) {
             return Value(row.counted            ? (row.counted->is_exact() ? "counted" : "estimated")
                          : row.uncounted->loses ? "ruled-out"
                                                 : "left-out");
           }},
          {"exact",
           {},
           Unit::text,
           [is_exact](const Item& row) { return row.counted ? Value(is_exact && row.counted->is_exact()) : Value(); }},
          field("interval", {}, Unit::interval, &Candidate::interval),
          field("flops_interval", {}, Unit::interval, &Candidate::flops_interval),
          {"score_bound",
           {},
           Unit::text,
           [&result](const Item& row) {
             return row.counted || !row.uncounted->bound ? Value() : score_value(result, *row.uncounted->bound);
           }},
          {"count_pairs", {}, Unit::text, [](const Item& row) {
             return row.counted ? Value() : Value(row.uncounted->pairs);
           }}};
}

}  // namespace

Value score_value(const SearchResult& result, double score) {
  return result.options.in_seconds() ? Value(score) : Value::number(score);
}

std::vector<CandidateRow> candidate_rows(const SearchResult& result, bool has_depth) {
  std::vector<CandidateRow> rows;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if ((i < result.candidates.size()) == has_depth) rows.push_back({&result.at(i), nullptr, i});
  }
  for (const Uncounted& mine : result.uncounted) {
    if (mine.depth.has_value() == has_depth) rows.push_back({nullptr, &mine, 0});
  }
  if (has_depth && !result.uncounted.empty()) std::ranges::stable_sort(rows, {}, &CandidateRow::depth);
  return rows;
}

Table candidates_table(const SearchReport& report, std::vector<CandidateRow> rows, const std::string& name) {
  const SearchResult& result = report.result;
  std::vector<CandidateField> fields = name_fields(result);
  const auto add = [&fields](std::vector<CandidateField> more) { std::ranges::move(more, std::back_inserter(fields)); };
  fields.push_back(field("score", {}, Unit::text,
                         [&result](const Candidate& c) { return c.score ? score_value(result, *c.score) : Value(); }));
  add(count_fields(result));
  add(price_fields(report));
  if (report.kind != "network") fields.push_back(field("feasible_on", {}, Unit::text, [](auto&&) { return Value(); }));
  add(report.more);
  add(status_fields(result, report.is_exact));
  fields.push_back(field("order", {}, Unit::text, [](const Candidate& c) { return Value::unless_empty(c.order); }));
  fields.push_back(field("lower_bound", {}, Unit::text, [&result](const Candidate& c) {
    return c.lower_bound ? score_value(result, *c.lower_bound) : Value();
  }));
  fields.push_back(field("gap", {}, Unit::ratio, &Candidate::gap));
  fields.emplace_back("", "", Unit::text,
                      [&result](const CandidateRow& row) { return Value(row.counted ? note_of(result, row) : ""); });
  std::vector<bool> is_best;
  for (const CandidateRow& row : rows)
    is_best.push_back(row.counted && (result.best == row.place || result.best_scheme == row.place));
  return Table(name, std::move(rows), std::move(fields)).marks([is_best](std::size_t row) { return is_best[row]; });
}

}  // namespace upsweep
