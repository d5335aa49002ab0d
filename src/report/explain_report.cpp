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
std::string links_text(const std::vector<std::string>& links, const FillIn& product) {
  if (links.empty()) return fmt::format("elements {} to {}", product.first_link + 1, product.last_link + 1);
  return fmt::format("{} to {}", links[product.first_link], links[product.last_link]);
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// The levels that take most, as few as have nine tenths of the whole together: at most four.
std::string levels_sentence(const ExplainReport& report, const Account& account) {
  std::vector<std::size_t> order(account.levels.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t level) { return account.levels[level].cost; });
  double sum = 0;
  std::vector<std::string> named;
  for (const std::size_t level : order) {
    if (named.size() == 4 || sum >= 0.9 * account.total) break;
    sum += account.levels[level].cost;
    const std::uint64_t times = report.explanation.levels[level].repeat;
    const std::string& binds = account.levels[level].binds;
    named.push_back(fmt::format("{} ({}{}{}{})", level, times == 1 ? "" : short_count(times, 1) + " levels, ",
                                percent(share(account.levels[level].cost, account.total)), binds.empty() ? "" : ", ",
                                binds));
  }
  return named.size() == 1 ? fmt::format("Level {} takes most of it", named.front())
                           : fmt::format("Levels {} take most of it", fmt::join(named, ", "));
}

std::string account_sentence(const ExplainReport& report, const Account& account) {
  const std::string ratio =
      account.against > 0 && account.total > 0 ? ", " + speed_text(account.total / account.against) : "";
  if (!(account.total > 0)) return fmt::format("{} has nothing to do.", report.explanation.schedule);
  return fmt::format("{}, {} takes {} and {} {}{}. {}.", rule_text(report, account.rule), report.explanation.schedule,
                     cost_text(account, account.total), report.explanation.against, cost_text(account, account.against),
                     ratio, levels_sentence(report, account));
}

/// "5 workers", "0.19 times the latencies", ...
std::string turn_text(const Turn& turn) {
  const double to = *turn.to;
  const std::string factor = to < 1000 ? fmt::format("{:.3g}", to) : short_count(to);
  switch (turn.of) {
    case Turn::Of::workers:
      return workers_text(static_cast<std::uint64_t>(to));
    case Turn::Of::products:
      return factor + " times the work in products of matrices and in what reads them";
    case Turn::Of::latency:
      return factor + " times the latencies";
    case Turn::Of::bandwidth:
      return factor + " times the bandwidth";
    case Turn::Of::arithmetic:
      return factor + " times the arithmetic rates";
    case Turn::Of::hidden:
      return fmt::format("{} hidden element{}", short_count(to), to == 1 ? "" : "s");
    case Turn::Of::steps:
      break;
  }
  return fmt::format("{} step{}", short_count(to), to == 1 ? "" : "s");
}

/// What was changed in vain: "number of workers", "bandwidth", ...
std::string changed_text(Turn::Of of) {
  switch (of) {
    case Turn::Of::products:
      return "work in products of matrices";
    case Turn::Of::arithmetic:
      return "arithmetic rate";
    case Turn::Of::hidden:
      return "number of hidden elements";
    case Turn::Of::workers:
    case Turn::Of::steps:
      return "number of " + to_string(of);
    case Turn::Of::latency:
    case Turn::Of::bandwidth:
      break;
  }
  return to_string(of);
}

std::string turns_sentence(const ExplainReport& report, const Account& account) {
  std::vector<std::string> does;
  std::vector<std::string> does_not;
  for (const Turn& turn : account.turns) {
    if (turn.to) {
      does.push_back(turn_text(turn));
    } else if (turn.is_known) {
      does_not.push_back(changed_text(turn.of));
    }
  }
  const bool wins = account.total < account.against;
  const std::string other =
      fmt::format("{}, {} would be {} {}", rule_text(report, account.rule), report.explanation.schedule,
                  wins ? "no faster than" : "faster than", report.explanation.against);
  if (does.empty()) {
    const std::string workers = changed_text(Turn::Of::workers);
    const bool has_workers = std::erase(does_not, workers) > 0;  // tried up to any number
    const std::string limits = fmt::format("up to {:.0f} times and down to 1/{:.0f}", kMostTurn, kMostTurn);
    if (!has_workers) return fmt::format("{} by no change of {} alone, {}.", other, fmt::join(does_not, ", "), limits);
    if (does_not.empty()) return fmt::format("{} by no change of {} alone.", other, workers);
    return fmt::format("{} by no change of {} alone, nor of {}, {}.", other, workers, fmt::join(does_not, ", "),
                       limits);
  }
  return fmt::format("{} with {}{}.", other, fmt::join(does, "; or with "),
                     does_not.empty() ? "" : fmt::format("; no other {} does it", fmt::join(does_not, " or ")));
}

/// What products of matrices are and whether they fill in; empty where they are not known.
std::string products_sentence(const ExplainReport& report) {
  const Explanation& explanation = report.explanation;
  const std::vector<FillIn>& products = explanation.products;
  const auto all = static_cast<double>(explanation.flops);
  const std::string none = fmt::format("{} has no products of matrices.", explanation.schedule);
  if (explanation.blocks) {
    if (explanation.blocks->products == 0) return none;
    return fmt::format("Its {} product{} of matrices, of dense blocks that do not fill in, have {} of all FLOPs.",
                       short_count(explanation.blocks->products, 1), explanation.blocks->products == 1 ? "" : "s",
                       percent(share(static_cast<double>(explanation.blocks->flops), all)));
  }
  if (!explanation.knows_products) return "";
  if (products.empty()) return fmt::format("{} has no products of matrices: it is plain BP.", explanation.schedule);
  const FillIn& most = products.front();
  const auto most_grown = std::ranges::max_element(products, {}, &FillIn::growth);
  std::string text = fmt::format(
      "The most expensive product, op {} ({}), has {} of all FLOPs and {} entries, {} of those of its operands",
      most.op, links_text(report.links, most), percent(share(static_cast<double>(most.flops), all)),
      short_count(most.nnz, report.explanation.inputs), short_ratio(most.growth()));
  if (most_grown->growth() <= 1) return text + "; no product has more entries than its operands.";
  if (most_grown->op == most.op) return text + ", the most of all.";
  return fmt::format("{}; op {} ({}) fills in most, {}.", text, most_grown->op, links_text(report.links, *most_grown),
                     short_ratio(most_grown->growth()));
}

bool has_repeated_levels(const Explanation& explanation) {
  return std::ranges::any_of(explanation.levels, [](const ExplainedLevel& level) { return level.repeat > 1; });
}

Json account_json(const ExplainReport& report, const Account& account) {
  Json levels = Json::array();
  for (std::size_t level = 0; level < account.levels.size(); ++level) {
    const ExplainedLevel& mine = report.explanation.levels[level];
    const AccountedLevel& accounted = account.levels[level];
    levels.push_back({{"level", level},
                      {"phase", mine.phase},
                      {"repeat", mine.repeat},
                      {"ops", mine.ops},
                      {"flops", Value::mean(mine.flops, report.explanation.inputs).json()},
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

Table levels_table(const Explanation& explanation, std::size_t most) {
  using Item = std::size_t;
  std::vector<Field<Item>> fields = {
      {"level", "level", Unit::exact, [](Item level) { return level; }},
      {"phase", "phase", Unit::text, [&](Item level) { return explanation.levels[level].phase; }},
      {"repeat", has_repeated_levels(explanation) ? std::optional<std::string>("repeat") : std::nullopt, Unit::exact,
       [&](Item level) { return explanation.levels[level].repeat; }},
      {"ops", "ops", Unit::exact, [&](Item level) { return explanation.levels[level].ops; }},
      {"flops", "FLOPs", Unit::count,
       [&](Item level) { return Value::mean(explanation.levels[level].flops, explanation.inputs); }}};
  for (const Account& account : explanation.accounts) {
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
  return {"", numbered(std::min(explanation.levels.size(), most)), std::move(fields)};
}

Table products_table(const Explanation& explanation, const std::vector<std::string>& links, const std::string& name,
                     std::size_t most) {
  std::vector<const FillIn*> rows = each_of(explanation.products);
  rows.resize(std::min(rows.size(), most));
  using Item = const FillIn*;
  const auto mean = [inputs = explanation.inputs](std::uint64_t sum) { return Value::mean(sum, inputs); };
  return {name, std::move(rows),
          std::vector<Field<Item>>{
              {"op", "op", Unit::exact, &FillIn::op},
              {"level", "level", Unit::exact, &FillIn::level},
              {"first", {}, Unit::exact, [](Item product) { return product->first_link + 1; }},
              {"last", {}, Unit::exact, [](Item product) { return product->last_link + 1; }},
              {"of", "of", Unit::text, [links](Item product) { return links_text(links, *product); }},
              {"operands_nnz", "operands", Unit::count, [mean](Item product) { return mean(product->operands_nnz); }},
              {"nnz", "result", Unit::count, [mean](Item product) { return mean(product->nnz); }},
              {"growth", "growth", Unit::ratio, [](Item product) { return product->growth(); }},
              {"flops", "FLOPs", Unit::count, [mean](Item product) { return mean(product->flops); }}}};
}

std::vector<std::string> explanation_sentences(const ExplainReport& report) {
  const Explanation& explanation = report.explanation;
  std::vector<std::string> sentences;
  for (const Account& account : explanation.accounts) sentences.push_back(account_sentence(report, account));
  if (std::string products = products_sentence(report); !products.empty()) sentences.push_back(std::move(products));
  if (explanation.are_plain || explanation.schedule == explanation.against) return sentences;
  for (const Account& account : explanation.accounts) sentences.push_back(turns_sentence(report, account));
  return sentences;
}

Document document(const ExplainReport& report) {
  const Explanation& explanation = report.explanation;
  Document document;
  document
      .facts([report] {
        const Explanation& told = report.explanation;
        Json accounts = Json::array();
        for (const Account& account : told.accounts) accounts.push_back(account_json(report, account));
        Json blocks;
        if (told.blocks) blocks = {{"products", told.blocks->products}, {"flops", told.blocks->flops}};
        return Json{{"model", report.model},
                    {"kind", report.kind},
                    {"pattern", report.pattern},
                    {"inputs", told.inputs},
                    {"schedule", told.schedule},
                    {"against", told.against},
                    {"machine", report.frame.machine.empty() ? Json() : Json(report.frame.machine)},
                    {"workers", told.workers},
                    {"execution", "level"},
                    {"accounts", std::move(accounts)},
                    {"blocks", std::move(blocks)},
                    {"links", report.links},
                    {"sentences", explanation_sentences(report)}};
      })
      .list(products_table(explanation, report.links, "products"))
      .sheet(levels_table(explanation))
      .say(fmt::format("{}: {} against {}\nOn {}\n\n", report.model, explanation.schedule, explanation.against,
                       frame_text(report.frame)))
      .show(levels_table(explanation)
                .first(kMostLevelsShown,
                       fmt::format("... of {} levels: --format csv lists them.\n", explanation.levels.size())));
  if (!explanation.products.empty()) {
    document.say("\nProducts of matrices, entries of operands and result:\n\n")
        .show(products_table(explanation, report.links, "", kMostProductsShown));
  }
  document.say("\n");
  for (const std::string& sentence : explanation_sentences(report)) document.say(sentence + '\n');
  return document;
}

}  // namespace upsweep
