#include "row_lengths.hpp"

namespace upsweep {

RowLengths::RowLengths(const WalkedChain& chain, const ProductPlan& plan, bool keeps) : chain_(chain), keeps_(keeps) {
  for (const ProductPlan::Split& split : plan.splits()) {
    const ValueRange range = split.earlier();
    if (range.first < range.last) ++kept_[{range.first, range.last}].uses;
  }
}

bool RowLengths::is_asked(ValueRange range) const {
  const auto found = kept_.find({range.first, range.last});
  return found != kept_.end() && found->second.uses > 0;
}

void RowLengths::keep(ValueRange range, std::vector<std::uint32_t> lengths, std::vector<std::uint32_t> runs) {
  Kept& kept = kept_.at({range.first, range.last});
  kept.held.add((lengths.size() + runs.size()) * sizeof(std::uint32_t));
  kept.lengths = std::move(lengths);
  kept.runs = std::move(runs);
}

const std::uint32_t* RowLengths::of(ValueRange range) const {
  if (range.first == range.last) return chain_[range.first - 1].lengths().data();
  const auto found = kept_.find({range.first, range.last});
  return found == kept_.end() || found->second.lengths.empty() ? nullptr : found->second.lengths.data();
}

const std::uint32_t* RowLengths::runs_of(ValueRange range) const {
  const auto data = [](const std::vector<std::uint32_t>& runs) { return runs.empty() ? nullptr : runs.data(); };
  if (range.first == range.last) return data(chain_[range.first - 1].runs());
  const auto found = kept_.find({range.first, range.last});
  return found == kept_.end() ? nullptr : data(found->second.runs);
}

bool RowLengths::is_identity(ValueRange range) const {
  for (std::uint32_t position = range.first; position <= range.last; ++position) {
    if (chain_[position - 1].kind() != RowReader::Kind::identity) return false;
  }
  return true;
}

void RowLengths::release(ValueRange range) {
  const auto found = kept_.find({range.first, range.last});
  if (found == kept_.end() || --found->second.uses > 0 || keeps_) return;
  found->second.lengths = {};
  found->second.runs = {};
  found->second.held.release();
}

}  // namespace upsweep
