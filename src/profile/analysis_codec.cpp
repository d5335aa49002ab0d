#include "upsweep/profile/analysis_codec.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>
#include <utility>

#include "byte_stream.hpp"
#include "count_lists.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

constexpr std::string_view kMagic = "UPSA";
constexpr std::uint64_t kVersion = 6;
constexpr std::uint64_t kLongestName = std::uint64_t{1} << 20;  // orders name every product

/// The fewest bytes of a combine: its bits, eleven counts, which steps there are.
constexpr std::uint64_t kLeastOpBytes = 13;

// Bits of the first byte of a combine.
constexpr std::uint64_t kIsVector = 1;
constexpr std::uint64_t kIsDead = 2;
constexpr std::uint64_t kHasOwnFlops = 4;  // they are not 2 · products

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

void write_schedule(const ScheduleProfile& profile, std::uint64_t inputs, ByteWriter& out) {
  const Schedule& schedule = profile.schedule;
  if (rebuilt(schedule.name, schedule.length).combines != schedule.combines)
    throw std::invalid_argument(fmt::format("schedule '{}' does not have the combines of its name", schedule.name));
  if (profile.inputs != inputs) {
    throw std::invalid_argument(
        fmt::format("schedule '{}' has {} inputs, its network {}", schedule.name, profile.inputs, inputs));
  }
  if (profile.ops.size() != schedule.combines.size() || profile.value_bytes.size() != schedule.values())
    throw std::invalid_argument(fmt::format("schedule '{}' is not counted", schedule.name));
  out.text(schedule.name);
  out.number(schedule.length);
  out.number(profile.ops.size());
  out.number(profile.inputs);
  for (const OpProfile& op : profile.ops) write_op(op, out);
  for (const std::uint64_t bytes : profile.value_bytes) out.number(bytes);
}

/// The combines say how long a schedule can be: as many prefixes need them, and Kogge and Stone's many more.
void check_length(const std::string& name, std::uint64_t length, std::uint64_t ops) {
  const bool has_log_products = parse_schedule(name).scheme->has_log_products;
  bool is_longer = length > ops + 2;
  if (!is_longer && length > 1 && has_log_products) {
    const std::uint64_t elements = length - 1;
    const auto levels = static_cast<unsigned>(std::bit_width(elements - 1));
    is_longer = checked_mul(elements, levels) + 1 > ops + (std::uint64_t{1} << levels);
  }
  if (is_longer) {
    throw std::invalid_argument(
        fmt::format("an analysis with {} combines of schedule '{}' of length {}", ops, name, length));
  }
}

ScheduleProfile read_schedule(ByteReader& in, std::uint64_t inputs) {
  ScheduleProfile profile;
  const std::string name = in.text(kLongestName);
  const std::uint64_t length = in.length();
  const std::uint64_t ops = in.length(kLeastOpBytes);
  check_length(name, length, ops);  // before a schedule of any length is made
  profile.inputs = in.number();
  if (profile.inputs != inputs) {
    throw std::invalid_argument(
        fmt::format("an analysis of {} inputs with a schedule of {} inputs", inputs, profile.inputs));
  }
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
    write_op(step.op, out);
    out.number(step.is_sum ? 1 : 0);
    out.number(step.reads.size());
    for (const std::size_t read : step.reads) out.number(read);
  }
}

FormationProfile read_formation(ByteReader& in) {
  FormationProfile formation;
  read_counts(kFormationCounts, in, formation);
  const std::uint64_t steps = in.length();
  for (std::uint64_t s = 0; s < steps; ++s) {
    FormationStep& step = formation.steps.emplace_back();
    step.op = read_op(in);
    step.is_sum = in.number() != 0;
    const std::uint64_t reads = in.length();
    for (std::uint64_t r = 0; r < reads; ++r) {
      step.reads.push_back(in.number());
      if (step.reads.back() >= s)
        throw std::invalid_argument(fmt::format("an analysis whose step {} reads step {}", s, step.reads.back()));
    }
  }
  return formation;
}

void write_network(const NetworkProfile& network, ByteWriter& out) {
  write_counts(network, kNetworkCounts, out);
  out.number(network.operators.size());
  for (const OperatorProfile& op : network.operators) {
    write_counts(op, kOperatorCounts, out);
    out.number(op.gradients.size());
    for (const OpProfile& gradient : op.gradients) write_op(gradient, out);
  }
  out.number(network.links.size());
  for (const LinkProfile& link : network.links) {
    write_counts(link, kLinkCounts, out);
    write_formation(link.formation, out);
  }
}

// Items are appended as they are read: those of a wrong number would take far more bytes than there are.
NetworkProfile read_network(ByteReader& in) {
  NetworkProfile network;
  read_counts(kNetworkCounts, in, network);
  if (network.inputs == 0) throw std::invalid_argument("an analysis of 0 inputs");
  const std::uint64_t operators = in.length();
  for (std::uint64_t i = 0; i < operators; ++i) {
    OperatorProfile& op = network.operators.emplace_back();
    read_counts(kOperatorCounts, in, op);
    const std::uint64_t gradients = in.length(kLeastOpBytes);
    for (std::uint64_t g = 0; g < gradients; ++g) op.gradients.push_back(read_op(in));
  }
  const std::uint64_t links = in.length();
  for (std::uint64_t i = 0; i < links; ++i) {
    LinkProfile& link = network.links.emplace_back();
    read_counts(kLinkCounts, in, link);
    link.formation = read_formation(in);
  }
  return network;
}

}  // namespace

std::string encode_analysis(const Analysis& analysis) {
  ByteWriter out(kMagic);
  out.number(kVersion);
  if (analysis.network.inputs == 0) throw std::invalid_argument("an analysis of 0 inputs");
  write_network(analysis.network, out);
  out.number(analysis.schedules.size());
  for (const ScheduleProfile& schedule : analysis.schedules) write_schedule(schedule, analysis.network.inputs, out);
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
    for (std::uint64_t i = 0; i < schedules; ++i)
      analysis.schedules.push_back(read_schedule(in, analysis.network.inputs));
  } catch (const CountOverflow& error) {
    throw std::invalid_argument(fmt::format("an analysis whose sums are too large: {}", error.what()));
  }
  if (!in.at_end()) throw std::invalid_argument("an analysis with bytes after its end");
  return analysis;
}

}  // namespace upsweep
