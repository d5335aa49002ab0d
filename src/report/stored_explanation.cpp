#include "upsweep/report/stored_explanation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/replayed_run.hpp"

namespace upsweep {
namespace {

/// Of the elements of the chain, from the input on; empty where blocks stand for several operators.
std::vector<std::string> link_names(const RunDetails& run) {
  std::vector<std::string> names;
  for (const StoredOperator& op : run.operators) {
    if (op.rows) names.push_back(op.name);
  }
  return names.size() + 1 == run.run.length ? names : std::vector<std::string>();
}

/// A text of a file, which may be anything.
std::string text_of(const Json& text) { return short_text(text.get<std::string>(), 120); }

/// Counts as sums over the inputs, of means.
std::uint64_t sum_of(const Json& mean, std::uint64_t inputs) {
  const double sum = std::nearbyint(mean.get<double>() * static_cast<double>(inputs));
  if (!(sum >= 0 && sum < 0x1p63)) throw std::invalid_argument("a count is negative or too large");
  return static_cast<std::uint64_t>(sum);
}

/// Numbers of a file may be any.
std::uint64_t count_of(const Json& number) {
  if (!number.is_number_unsigned()) throw std::invalid_argument("it is no count");
  return number;
}

AccountRule rule_of(const std::string& name) {
  for (const AccountRule rule : {AccountRule::whole, AccountRule::shared, AccountRule::seconds}) {
    if (to_string(rule) == name) return rule;
  }
  throw std::invalid_argument("there is no such rule");
}

Account account_of(const Json& kept) {
  Account account;
  account.rule = rule_of(kept.at("rule"));
  account.total = kept.at("total");
  account.against = kept.at("against");
  for (const Json& level : kept.at("levels")) {
    const Json& binds = level.at("binds");
    account.levels.push_back({level.at("cost"), binds.is_null() ? "" : text_of(binds)});
  }
  return account;
}

/// Throws std::invalid_argument and exceptions of JSON for what is no explanation.
StoredExplanation explanation_of(const Json& kept) {
  StoredExplanation stored;
  Explanation& explanation = stored.explanation;
  explanation.schedule = text_of(kept.at("schedule"));
  explanation.against = text_of(kept.at("against"));
  explanation.workers = count_of(kept.at("workers"));
  explanation.inputs = count_of(kept.at("inputs"));
  if (explanation.inputs == 0) throw std::invalid_argument("it is over no input");
  for (const Json& link : kept.at("links")) stored.links.push_back(text_of(link));
  stored.sentences = kept.at("sentences").get<std::vector<std::string>>();
  for (const Json& level : kept.at("accounts").at(0).at("levels")) {
    explanation.levels.push_back({text_of(level.at("phase")), count_of(level.at("repeat")), count_of(level.at("ops")),
                                  sum_of(level.at("flops"), explanation.inputs)});
  }
  for (const Json& account : kept.at("accounts")) {
    explanation.accounts.push_back(account_of(account));
    if (explanation.accounts.back().levels.size() != explanation.levels.size())
      throw std::invalid_argument("its accounts are of different levels");
  }
  for (const Json& product : kept.at("products")) {
    const auto sum = [&](const char* name) { return sum_of(product.at(name), explanation.inputs); };
    const auto link = [&](const char* name) -> std::uint32_t {
      const std::uint64_t place = count_of(product.at(name));
      if (place < 1 || place > UINT32_MAX || (!stored.links.empty() && place > stored.links.size()))
        throw std::invalid_argument("a product covers what is not there");
      return static_cast<std::uint32_t>(place - 1);
    };
    explanation.products.push_back({count_of(product.at("op")), count_of(product.at("level")), link("first"),
                                    link("last"), sum("operands_nnz"), sum("nnz"), sum("flops")});
    if (explanation.products.back().operands_nnz == 0) throw std::invalid_argument("a product of nothing");
  }
  return stored;
}

}  // namespace

std::string kept_explanation(const ExplainReport& report) {
  return document(report).json().dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<StoredExplanation> read_explanation(const std::string& kept) {
  const Json json = Json::parse(kept, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  try {
    return explanation_of(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<StoredExplanation> stored_explanation(const RunDetails& schedule, const RunDetails& plain) {
  if (schedule.ops.size() > kMostExplainedOps || plain.ops.size() > kMostExplainedOps) return std::nullopt;
  try {
    const ScheduleProfile mine = stored_profile(schedule);
    const ScheduleProfile against = stored_profile(plain);
    StoredExplanation stored{explain(mine, against, {schedule.run.workers, 1, nullptr, 4}), link_names(schedule), {}};
    // What a file says is a product of matrices may be none: one that reads the gradient covers more than the links.
    for (const FillIn& product : stored.explanation.products) {
      if (product.last_link + std::size_t{1} >= mine.schedule.length) return std::nullopt;
    }
    VerdictFrame frame;
    frame.workers = schedule.run.workers;
    frame.execution = to_string(Execution::level);
    frame.pattern = schedule.run.pattern;
    stored.sentences = explanation_sentences(
        {schedule.run.model, "network", schedule.run.pattern, frame, stored.explanation, stored.links});
    return stored;
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // of an older version, or edited
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
}

}  // namespace upsweep
