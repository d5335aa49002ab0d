#include "upsweep/app/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "upsweep/base/parallel.hpp"

namespace upsweep {

Document document(const OrderOutcome& outcome) {
  return orders_document(outcome.request.file, outcome.request.machines, outcome.request.seconds, outcome.solved);
}

OrderOutcome run(const OrderRequest& request, const Caller&, const Watch& watch) {
  constexpr std::size_t kAtOnce = 128;  // chains between two words of progress
  if (request.machines == 0) throw RequestError("machines", "is 0, accepted is an integer of at least 1");
  if (!(request.seconds > 0))
    throw RequestError("seconds", fmt::format("is {}, accepted is a number above 0", request.seconds));
  OrderOutcome outcome{request, {}};
  for (OrderInstance& instance : load_order_table(request.file)) outcome.solved.push_back({std::move(instance), {}});
  for (std::size_t first = 0; first < outcome.solved.size(); first += kAtOnce) {
    watch.show(fmt::format("ordering products of chains, {} of {}", first, outcome.solved.size()));
    const std::size_t count = std::min(kAtOnce, outcome.solved.size() - first);
    parallel_chunks(count, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (SolvedOrder& mine : std::span(outcome.solved).subspan(first + begin, end - begin)) {
        mine.one_machine = shortest_order(mine.instance.chain, 1, [] { return false; }).schedule.makespan;  // at once
        const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(request.seconds);
        const auto is_over = [&] {
          return (watch.stop != nullptr && *watch.stop) || std::chrono::steady_clock::now() >= until;
        };
        mine.order = shortest_order(mine.instance.chain, request.machines, is_over);
      }
    });
  }
  watch.show("ordered");  // throws where it was to stop
  watch.show("");
  return outcome;
}

}  // namespace upsweep
