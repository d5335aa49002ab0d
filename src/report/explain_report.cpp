#include "upsweep/report/explain_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostProductsInText = 8;
constexpr std::size_t kMostLevelsInText = 60;

std::string cost_text(const Account& account, double cost) {
  return account.rule == AccountRule::seconds ? short_seconds(cost) : short_count(cost);
}

/// "On 16 workers, one input, level execution, sample pattern, with each op on one worker", as sentences begin.
std::string rule_text(const ExplainReport& report, AccountRule rule) {
  const bool is_alone = report.explanation.workers == 1;
  return fmt::format("On {}{}", frame_text(report.frame),
                     rule == AccountRule::shared               ? ", with ops that workers share"
                     : rule == AccountRule::whole && !is_alone ? ", with each op on one worker"
                                                               : "");
}

/// The links that a product covers: "conv2 to fc1".
std::string links_text(const ExplainReport& report, const FillIn& product) {
  if (report.links.empty()) return fmt::format("elements {} to {}", product.first_link + 1, product.last_link + 1);
  return fmt::format("{} to {}", report.links[product.first_link], report.links[product.last_link]);
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// The levels that take most, as few as have nine tenths of the whole together: at most four.
std::string levels_sentence(const Account& account) {
  std::vector<std::size_t> order(account.levels.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t level) { return account.levels[level].cost; });
  double sum = 0;
  std::vector<std::string> named;
  for (const std::size_t level : order) {
    if (named.size() == 4 || sum >= 0.9 * account.total) break;
    sum += account.levels[level].cost;
    named.push_back(fmt::format("{} ({}{}{})", level, percent(share(account.levels[level].cost, account.total)),
                                account.levels[level].binds.empty() ? "" : ", ", account.levels[level].binds));
  }
  return named.size() == 1 ? fmt::format("Level {} takes most of it", named.front())
                           : fmt::format("Levels {} take most of it", fmt::join(named, ", "));
}

std::string account_sentence(const ExplainReport& report, const Account& account) {
  const std::string ratio =
      account.against > 0 ? fmt::format(", {}", short_ratio(account.total / account.against)) : "";
  if (!(account.total > 0)) return fmt::format("{} has nothing to do.", report.schedule.schedule.name);
  return fmt::format("{}, {} takes {} and {} {}{}. {}.", rule_text(report, account.rule), report.schedule.schedule.name,
                     cost_text(account, account.total), report.against.schedule.name,
                     cost_text(account, account.against), ratio, levels_sentence(account));
}

/// "5.2 times as long" or "0.19 times" of a factor.
std::string turn_text(const Turn& turn) {
  const double to = *turn.to;
  switch (turn.of) {
    case Turn::Of::workers:
      return fmt::format("{} workers", short_count(to));
    case Turn::Of::products:
      return fmt::format("{:.3g} times the work in products of matrices and in what reads them", to);
    case Turn::Of::latency:
      return fmt::format("{:.3g} times the latencies", to);
    case Turn::Of::bandwidth:
      return fmt::format("{:.3g} times the bandwidth", to);
    case Turn::Of::arithmetic:
      break;
  }
  return fmt::format("{:.3g} times the arithmetic rates", to);
}

std::string turns_sentence(const ExplainReport& report, const Account& account) {
  std::vector<std::string> does;
  std::vector<std::string> does_not;
  for (const Turn& turn : account.turns) {
    if (turn.to) {
      does.push_back(turn_text(turn));
    } else if (turn.is_known) {
      does_not.push_back(turn.of == Turn::Of::products     ? "work in products of matrices"
                         : turn.of == Turn::Of::workers    ? "number of workers"
                         : turn.of == Turn::Of::arithmetic ? "arithmetic rate"
                                                           : to_string(turn.of));
    }
  }
  const bool wins = account.total < account.against;
  const std::string other =
      fmt::format("{}, {} would be {} {}", rule_text(report, account.rule), report.schedule.schedule.name,
                  wins ? "no faster than" : "faster than", report.against.schedule.name);
  if (does.empty()) return fmt::format("{} by no change of {} alone.", other, fmt::join(does_not, ", "));
  return fmt::format("{} with {}{}.", other, fmt::join(does, "; or with "),
                     does_not.empty() ? "" : fmt::format("; no other {} does it", fmt::join(does_not, " or ")));
}

std::string fill_in_sentence(const ExplainReport& report) {
  const std::vector<FillIn>& products = report.explanation.products;
  if (products.empty()) return fmt::format("{} has no products of matrices.", report.schedule.schedule.name);
  std::uint64_t all = 0;
  for (const OpProfile& op : report.schedule.ops) all += op.flops;
  const FillIn& most = products.front();
  const auto most_grown = std::ranges::max_element(products, {}, &FillIn::growth);
  std::string text = fmt::format(
      "The most expensive product, op {} ({}), has {} of all FLOPs and {} entries, {} of those of its operands",
      most.op, links_text(report, most), percent(share(static_cast<double>(most.flops), static_cast<double>(all))),
      short_count(most.nnz, report.schedule.inputs), short_ratio(most.growth()));
  if (most_grown->growth() <= 1) return text + "; no product has more entries than its operands.";
  if (most_grown->op == most.op) return text + ", the most of all.";
  return fmt::format("{}; op {} ({}) fills in most, {}.", text, most_grown->op, links_text(report, *most_grown),
                     short_ratio(most_grown->growth()));
}

/// Levels with the columns of each account, for CSV and people.
Table levels_table(const ExplainReport& report) {
  const ScheduleProfile& profile = report.schedule;
  using Item = std::size_t;
  std::vector<Field<Item>> fields = {
      {"level", "level", Unit::exact, [](Item level) { return level; }},
      {"phase", "phase", Unit::text, [&](Item level) { return to_string(profile.levels[level].phase); }},
      {"ops", "ops", Unit::exact, [&](Item level) { return profile.levels[level].ops; }},
      {"flops", "FLOPs", Unit::count,
       [&](Item level) { return Value::mean(profile.levels[level].flops_sum, profile.inputs); }}};
  for (const Account& account : report.explanation.accounts) {
    const std::string rule = to_string(account.rule);
    const bool is_time = account.rule == AccountRule::seconds;
    fields.emplace_back("cost_" + rule, is_time ? "time" : "span," + rule, is_time ? Unit::seconds : Unit::count,
                        [&](Item level) { return account.levels[level].cost; });
    fields.emplace_back("share_" + rule, "share", Unit::exact, [&](Item level) {
      const double part = share(account.levels[level].cost, account.total);
      return Value(part).shown(percent(part));
    });
    fields.emplace_back("binds_" + rule, "binds", Unit::text, [&](Item level) { return account.levels[level].binds; });
  }
  return {"", numbered(profile.levels.size()), std::move(fields)};
}

Table products_table(const ExplainReport& report, const std::string& name, std::size_t most) {
  const ScheduleProfile& profile = report.schedule;
  std::vector<const FillIn*> rows = each_of(report.explanation.products);
  rows.resize(std::min(rows.size(), most));
  using Item = const FillIn*;
  const auto mean = [inputs = profile.inputs](std::uint64_t sum) { return Value::mean(sum, inputs); };
  return {
      name, std::move(rows),
      std::vector<Field<Item>>{
          {"op", "op", Unit::exact, &FillIn::op},
          {"level", "level", Unit::exact, [&](Item product) { return profile.schedule.combines[product->op].level; }},
          {"first", {}, Unit::exact, [](Item product) { return product->first_link + 1; }},
          {"last", {}, Unit::exact, [](Item product) { return product->last_link + 1; }},
          {"of", "of", Unit::text, [report](Item product) { return links_text(report, *product); }},
          {"operands_nnz", "operands", Unit::count, [mean](Item product) { return mean(product->operands_nnz); }},
          {"nnz", "result", Unit::count, [mean](Item product) { return mean(product->nnz); }},
          {"growth", "growth", Unit::ratio, [](Item product) { return product->growth(); }},
          {"flops", "FLOPs", Unit::count, [mean](Item product) { return mean(product->flops); }}}};
}

Json account_json(const ExplainReport& report, const Account& account) {
  Json levels = Json::array();
  for (std::size_t level = 0; level < account.levels.size(); ++level) {
    const LevelProfile& mine = report.schedule.levels[level];
    const AccountedLevel& accounted = account.levels[level];
    levels.push_back({{"level", level},
                      {"phase", to_string(mine.phase)},
                      {"ops", mine.ops},
                      {"flops", Value::mean(mine.flops_sum, report.schedule.inputs).json()},
                      {"cost", accounted.cost},
                      {"share", share(accounted.cost, account.total)},
                      {"binds", accounted.binds.empty() ? Json() : Json(accounted.binds)}});
  }
  Json turns = Json::array();
  for (const Turn& turn : account.turns)
    turns.push_back({{"of", to_string(turn.of)}, {"to", turn.to ? Json(*turn.to) : Json()}, {"known", turn.is_known}});
  return {{"rule", to_string(account.rule)},
          {"unit", account.rule == AccountRule::seconds ? "s" : "flops"},
          {"total", account.total},
          {"against", account.against},
          {"ratio", account.against > 0 ? Json(account.total / account.against) : Json()},
          {"levels", std::move(levels)},
          {"turns", std::move(turns)}};
}

}  // namespace

std::vector<std::string> explanation_sentences(const ExplainReport& report) {
  std::vector<std::string> sentences;
  for (const Account& account : report.explanation.accounts) sentences.push_back(account_sentence(report, account));
  sentences.push_back(fill_in_sentence(report));
  if (report.schedule.schedule.name == report.against.schedule.name) return sentences;
  for (const Account& account : report.explanation.accounts) sentences.push_back(turns_sentence(report, account));
  return sentences;
}

Document document(const ExplainReport& report) {
  const ScheduleProfile& profile = report.schedule;
  Document document;
  document
      .facts([report] {
        Json accounts = Json::array();
        for (const Account& account : report.explanation.accounts) accounts.push_back(account_json(report, account));
        return Json{{"model", report.model},
                    {"kind", report.kind},
                    {"pattern", report.pattern},
                    {"inputs", report.schedule.inputs},
                    {"schedule", report.schedule.schedule.name},
                    {"against", report.against.schedule.name},
                    {"machine", report.frame.machine.empty() ? Json() : Json(report.frame.machine)},
                    {"workers", report.explanation.workers},
                    {"execution", "level"},
                    {"accounts", std::move(accounts)},
                    {"sentences", explanation_sentences(report)}};
      })
      .list(products_table(report, "products", SIZE_MAX))
      .sheet(levels_table(report))
      .say(fmt::format("{}: {} against {}, {} pattern, {}, a barrier after each level\n\n", report.model,
                       profile.schedule.name, report.against.schedule.name, report.pattern,
                       workers_text(report.explanation.workers)))
      .show(levels_table(report).first(
          kMostLevelsInText, fmt::format("... of {} levels: --format csv lists them.\n", profile.levels.size())));
  if (!report.explanation.products.empty()) {
    document.say("\nProducts of matrices, entries of operands and result:\n\n")
        .show(products_table(report, "", kMostProductsInText));
  }
  document.say("\n");
  for (const std::string& sentence : explanation_sentences(report)) document.say(sentence + '\n');
  add_verdict(document, report.verdict);
  return document;
}

}  // namespace upsweep
