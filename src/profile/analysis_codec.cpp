#include "upsweep/profile/analysis_codec.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "byte_stream.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/request.hpp"

namespace upsweep {
namespace {

constexpr std::string_view kMagic = "UPSA";
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kLongestName = 64;

// Bits of the first byte of a combine.
constexpr std::uint64_t kIsVector = 1;
constexpr std::uint64_t kIsDead = 2;
constexpr std::uint64_t kHasOwnFlops = 4;  // they are not 2 · products

/// Counts of a combine that are written as they are.
constexpr std::array kOpCounts = {
    &OpProfile::m,   &OpProfile::k,        &OpProfile::n,     &OpProfile::left_nnz,   &OpProfile::right_nnz,
    &OpProfile::nnz, &OpProfile::products, &OpProfile::bytes, &OpProfile::left_bytes, &OpProfile::right_bytes};
constexpr std::array kOperatorCounts = {&OperatorProfile::rows, &OperatorProfile::cols, &OperatorProfile::nnz,
                                        &OperatorProfile::bytes, &OperatorProfile::baseline_flops};
constexpr std::array kLinkCounts = {&LinkProfile::rows, &LinkProfile::cols, &LinkProfile::nnz, &LinkProfile::bytes};
constexpr std::array kFormationCounts = {&FormationProfile::products, &FormationProfile::product_flops,
                                         &FormationProfile::additions, &FormationProfile::addition_flops,
                                         &FormationProfile::peak_bytes};
constexpr std::array kNetworkCounts = {&NetworkProfile::inputs,         &NetworkProfile::baseline_flops,
                                       &NetworkProfile::addition_flops, &NetworkProfile::linear_flops,
                                       &NetworkProfile::build_values,   &NetworkProfile::build_bytes,
                                       &NetworkProfile::formation_flops};

template <class Item, class Counts>
void write_counts(const Item& item, const Counts& counts, ByteWriter& out) {
  for (const auto count : counts) out.number(item.*count);
}

template <class Item, class Counts>
void read_counts(const Counts& counts, ByteReader& in, Item& item) {
  for (const auto count : counts) item.*count = in.number();
}

/// Steps are mostly zeros: a bit for each that is not, then those.
void write_steps(const ProductSteps& steps, ByteWriter& out) {
  std::uint64_t present = 0;
  for (std::size_t i = 0; i < kStepCounts.size(); ++i) present |= std::uint64_t{steps.*kStepCounts[i] != 0} << i;
  out.number(present);
  for (const auto count : kStepCounts) {
    if (steps.*count != 0) out.number(steps.*count);
  }
}

ProductSteps read_steps(ByteReader& in) {
  const std::uint64_t present = in.number();
  if (present >> kStepCounts.size() != 0) throw std::invalid_argument("an analysis of unknown steps");
  ProductSteps steps;
  for (std::size_t i = 0; i < kStepCounts.size(); ++i) {
    if ((present >> i & 1) != 0) steps.*kStepCounts[i] = in.number();
  }
  return steps;
}

void write_op(const OpProfile& op, ByteWriter& out) {
  const bool has_own_flops = op.flops % 2 != 0 || op.flops / 2 != op.products;
  out.number((op.is_mv ? kIsVector : 0) | (op.dead ? kIsDead : 0) | (has_own_flops ? kHasOwnFlops : 0));
  write_counts(op, kOpCounts, out);
  if (has_own_flops) out.number(op.flops);
  write_steps(op.steps, out);
}

OpProfile read_op(ByteReader& in) {
  const std::uint64_t bits = in.number();
  if (bits >= 2 * kHasOwnFlops) throw std::invalid_argument("an analysis of unknown kinds of combines");
  OpProfile op;
  op.is_mv = (bits & kIsVector) != 0;
  op.dead = (bits & kIsDead) != 0;
  read_counts(kOpCounts, in, op);
  op.flops = (bits & kHasOwnFlops) != 0 ? in.number() : checked_mul(2, op.products);
  op.steps = read_steps(in);
  return op;
}

/// What a reader makes of a schedule's name.
Schedule rebuilt(const std::string& name, std::uint64_t length) {
  Schedule schedule = make_schedule(parse_schedule(name), length);
  if (schedule.name != name)
    throw std::invalid_argument(fmt::format("schedule '{}' is '{}' at length {}", name, schedule.name, length));
  return schedule;
}

void write_schedule(const ScheduleProfile& profile, ByteWriter& out) {
  const Schedule& schedule = profile.schedule;
  if (rebuilt(schedule.name, schedule.length).combines != schedule.combines)
    throw std::invalid_argument(fmt::format("schedule '{}' does not have the combines of its name", schedule.name));
  if (profile.ops.size() != schedule.combines.size() || profile.value_bytes.size() != schedule.values())
    throw std::invalid_argument(fmt::format("schedule '{}' is not counted", schedule.name));
  out.text(schedule.name);
  out.number(schedule.length);
  out.number(profile.ops.size());
  out.number(profile.inputs);
  for (const OpProfile& op : profile.ops) write_op(op, out);
  for (const std::uint64_t bytes : profile.value_bytes) out.number(bytes);
}

ScheduleProfile read_schedule(ByteReader& in) {
  ScheduleProfile profile;
  const std::string name = in.text(kLongestName);
  // Both before a schedule of any length is made: every element and every combine has its bytes at least.
  const std::uint64_t length = in.length();
  const std::uint64_t ops = in.length();
  profile.inputs = in.number();
  profile.schedule = rebuilt(name, length);
  if (ops != profile.schedule.combines.size()) {
    throw std::invalid_argument(fmt::format("an analysis with {} combines of schedule '{}', expected {}", ops, name,
                                            profile.schedule.combines.size()));
  }
  profile.ops.reserve(ops);
  for (std::uint64_t id = 0; id < ops; ++id) profile.ops.push_back(read_op(in));
  profile.value_bytes.reserve(profile.schedule.values());
  for (std::size_t value = 0; value < profile.schedule.values(); ++value) profile.value_bytes.push_back(in.number());
  profile.levels = level_profiles(profile);
  return profile;
}

void write_formation(const FormationProfile& formation, ByteWriter& out) {
  write_counts(formation, kFormationCounts, out);
  out.number(formation.steps.size());
  for (const FormationStep& step : formation.steps) {
    out.number(step.flops);
    out.number(step.reads.size());
    for (const std::size_t read : step.reads) out.number(read);
  }
}

FormationProfile read_formation(ByteReader& in) {
  FormationProfile formation;
  read_counts(kFormationCounts, in, formation);
  formation.steps.resize(in.length());
  for (std::size_t s = 0; s < formation.steps.size(); ++s) {
    FormationStep& step = formation.steps[s];
    step.flops = in.number();
    step.reads.resize(in.length());
    for (std::size_t& read : step.reads) {
      read = in.number();
      if (read >= s) throw std::invalid_argument(fmt::format("an analysis whose step {} reads step {}", s, read));
    }
  }
  return formation;
}

void write_network(const NetworkProfile& network, ByteWriter& out) {
  write_counts(network, kNetworkCounts, out);
  out.number(network.operators.size());
  for (const OperatorProfile& op : network.operators) write_counts(op, kOperatorCounts, out);
  out.number(network.links.size());
  for (const LinkProfile& link : network.links) {
    write_counts(link, kLinkCounts, out);
    write_formation(link.formation, out);
  }
}

NetworkProfile read_network(ByteReader& in) {
  NetworkProfile network;
  read_counts(kNetworkCounts, in, network);
  network.operators.resize(in.length());
  for (OperatorProfile& op : network.operators) read_counts(kOperatorCounts, in, op);
  network.links.resize(in.length());
  for (LinkProfile& link : network.links) {
    read_counts(kLinkCounts, in, link);
    link.formation = read_formation(in);
  }
  return network;
}

}  // namespace

std::string encode_analysis(const Analysis& analysis) {
  ByteWriter out(kMagic);
  out.number(kVersion);
  write_network(analysis.network, out);
  out.number(analysis.schedules.size());
  for (const ScheduleProfile& schedule : analysis.schedules) write_schedule(schedule, out);
  return std::move(out).bytes();
}

Analysis decode_analysis(std::string_view bytes) {
  ByteReader in(bytes);
  if (!in.starts_with(kMagic)) throw std::invalid_argument("no analysis: its first bytes are others");
  if (const std::uint64_t version = in.number(); version != kVersion)
    throw std::invalid_argument(fmt::format("an analysis of version {}, expected {}", version, kVersion));
  Analysis analysis;
  try {
    analysis.network = read_network(in);
    const std::uint64_t schedules = in.length();
    for (std::uint64_t i = 0; i < schedules; ++i) analysis.schedules.push_back(read_schedule(in));
  } catch (const CountOverflow& error) {
    throw std::invalid_argument(fmt::format("an analysis whose sums are too large: {}", error.what()));
  }
  if (!in.at_end()) throw std::invalid_argument("an analysis with bytes after its end");
  return analysis;
}

}  // namespace upsweep
