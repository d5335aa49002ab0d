#include "upsweep/order/link_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::uint64_t cost_of(const LinkChain& chain, const LinkOp& op) {
  const std::uint64_t inputs = chain.sizes[op.first - 1];
  const std::uint64_t outputs = chain.sizes[op.last];
  switch (op.step) {
    case LinkStep::accumulate:
      return checked_mul(std::min(inputs, outputs), chain.edges[op.first - 1]);
    case LinkStep::multiply:
      return checked_mul(checked_mul(outputs, chain.sizes[op.split]), inputs);
    case LinkStep::tangent:
      return checked_mul(inputs, chain.edges[op.last - 1]);
    case LinkStep::adjoint:
      return checked_mul(outputs, chain.edges[op.first - 1]);
  }
  return 0;
}

std::vector<std::size_t> needed_by(const LinkTree& tree) {
  std::vector<std::size_t> parents(tree.size());
  std::vector<std::size_t> waiting;
  for (std::size_t op = 0; op < tree.size(); ++op) {
    for (std::size_t n = needs_of(tree[op].step); n > 0; --n) {
      parents[waiting.back()] = op;
      waiting.pop_back();
    }
    parents[op] = op;
    waiting.push_back(op);
  }
  return parents;
}

std::string tree_text(const LinkTree& tree) {
  std::vector<std::string> texts;
  const auto take = [&] {
    std::string text = std::move(texts.back());
    texts.pop_back();
    return text;
  };
  for (const LinkOp& op : tree) {
    if (op.step == LinkStep::accumulate) {
      texts.push_back(std::to_string(op.first));
    } else if (op.step == LinkStep::tangent) {
      texts.push_back(fmt::format("({}>{})", take(), op.last));
    } else if (op.step == LinkStep::adjoint) {
      texts.push_back(fmt::format("({}<{})", op.first, take()));
    } else {
      const std::string later = take();
      texts.push_back(fmt::format("({} {})", take(), later));
    }
  }
  return texts.empty() ? "" : texts.back();
}

}  // namespace upsweep
