#include "upsweep/report/order_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

/// The number that a table has for so many machines; more than links are of no use.
std::optional<std::uint64_t> of_machines(const std::vector<std::uint64_t>& numbers, std::size_t machines) {
  if (numbers.empty()) return std::nullopt;
  return numbers[std::min(machines, numbers.size()) - 1];
}

/// Makespans beside those of the table.
struct Compared {
  std::size_t compared = 0;
  std::size_t equal = 0;
  std::size_t shorter = 0;
  std::size_t longer = 0;
  std::size_t contradicted = 0;  ///< shorter than what is published as the shortest, or proven and longer
};

Compared compare(std::span<const SolvedOrder> solved, std::size_t machines) {
  Compared all;
  for (const SolvedOrder& mine : solved) {
    const std::optional<std::uint64_t> published = of_machines(mine.instance.published, machines);
    if (!published) continue;
    const std::uint64_t makespan = mine.order.schedule.makespan;
    ++all.compared;
    all.equal += makespan == *published ? 1 : 0;
    all.shorter += makespan < *published ? 1 : 0;
    all.longer += makespan > *published ? 1 : 0;
    const bool is_said_shortest = of_machines(mine.instance.published_proven, machines).value_or(0) > 0;
    const bool contradicts = makespan < *published ? is_said_shortest : makespan > *published && mine.order.is_proven();
    all.contradicted += contradicts ? 1 : 0;
  }
  return all;
}

std::size_t proven_of(std::span<const SolvedOrder> solved) {
  return static_cast<std::size_t>(std::ranges::count_if(solved, &ChainOrder::is_proven, &SolvedOrder::order));
}

std::vector<Field<const SolvedOrder*>> order_fields(std::size_t machines, bool has_published) {
  const auto head = has_published ? std::optional<std::string>("published") : std::nullopt;
  using Item = const SolvedOrder* const&;
  return {{"length", "links", Unit::exact, [](Item row) { return row->instance.chain.length(); }},
          {"id", "id", Unit::exact, [](Item row) { return row->instance.id; }},
          {"makespan", "makespan", Unit::exact, [](Item row) { return row->order.schedule.makespan; }},
          {"bound", "bound", Unit::exact, [](Item row) { return row->order.bound; }},
          {"proven", "proven", Unit::text, [](Item row) { return Value(row->order.is_proven()); }},
          {"published", head, Unit::exact, [=](Item row) { return of_machines(row->instance.published, machines); }},
          {"one_machine", {}, Unit::exact, [](Item row) { return row->one_machine; }},
          {"speedup", "speed-up", Unit::speedup,
           [](Item row) {
             return static_cast<double>(row->one_machine) / static_cast<double>(row->order.schedule.makespan);
           }},
          {"tree", "tree", Unit::text, [](Item row) { return tree_text(row->order.tree); }},
          {"starts", {}, Unit::object, [](Item row) { return Value::object(row->order.schedule.starts); }},
          {"machines", {}, Unit::object, [](Item row) { return Value::object(row->order.schedule.machines); }}};
}

std::string summary(std::size_t machines, double seconds, std::span<const SolvedOrder> solved) {
  const std::size_t proven = proven_of(solved);
  std::string text =
      fmt::format("\n{} on {}: ", solved.size() == 1 ? "1 chain" : fmt::format("{} chains", solved.size()),
                  machines == 1 ? "one machine" : fmt::format("{} machines", machines));
  text += proven == solved.size()
              ? "each makespan is proven to be the shortest.\n"
              : fmt::format(
                    "proven to be the shortest are {} makespans; of the others the search ended after {} s each, "
                    "and the shortest lies between bound and makespan.\n",
                    proven, seconds);
  const Compared all = compare(solved, machines);
  if (all.compared > 0) {
    text += fmt::format("Beside the published makespans ({}): {} equal, {} shorter here, {} longer here.\n",
                        all.compared, all.equal, all.shorter, all.longer);
  }
  if (all.contradicted > 0) {
    text += fmt::format("{} contradict what is proven here or said to be proven there: are costs counted alike?\n",
                        all.contradicted);
  }
  return text;
}

}  // namespace

Document orders_document(const std::string& file, std::size_t machines, double seconds,
                         std::span<const SolvedOrder> solved) {
  constexpr std::size_t kShown = 20;
  Document document;
  document.facts([=] {
    const Compared all = compare(solved, machines);
    return Json{{"file", file},
                {"machines", machines},
                {"seconds", seconds},
                {"solved", solved.size()},
                {"proven", proven_of(solved)},
                {"published", all.compared == 0 ? Json()
                                                : Json{{"compared", all.compared},
                                                       {"equal", all.equal},
                                                       {"shorter_here", all.shorter},
                                                       {"longer_here", all.longer},
                                                       {"contradicted", all.contradicted}}}};
  });
  document.say(
      fmt::format("{}: shortest orders of products on {} identical machine{}, costs in fused multiply-adds\n\n", file,
                  machines, machines == 1 ? "" : "s"));
  Table rows("instances", each_of(solved), order_fields(machines, compare(solved, machines).compared > 0));
  document.sheet(rows).show(
      Table(rows).keys(2).first(kShown, fmt::format("... and {} more: --format csv or json has all.\n",
                                                    solved.size() - std::min(solved.size(), kShown))));
  document.say(summary(machines, seconds, solved));
  document.say(
      "In a tree a number is a link whose Jacobian is accumulated, (A B) a product, (A>4) a tangent step over link 4, "
      "(3<B) an adjoint step over link 3.\n");
  return document;
}

}  // namespace upsweep
