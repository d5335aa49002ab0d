#include "upsweep/profile/analysis_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/homogeneous_checks.hpp"
#include "support/random.hpp"
#include "support/schedules.hpp"

namespace upsweep {
namespace {

using testing::difference;

bool equal(const OpProfile& a, const OpProfile& b) { return difference(a, b).empty(); }

bool equal(const FormationStep& a, const FormationStep& b) {
  return equal(a.op, b.op) && a.is_sum == b.is_sum && a.reads == b.reads;
}

bool equal(const LinkProfile& a, const LinkProfile& b) {
  const FormationProfile& x = a.formation;
  const FormationProfile& y = b.formation;
  return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && a.bytes == b.bytes && x.products == y.products &&
         x.product_flops == y.product_flops && x.additions == y.additions && x.addition_flops == y.addition_flops &&
         x.peak_bytes == y.peak_bytes &&
         std::ranges::equal(x.steps, y.steps, [](const auto& s, const auto& t) { return equal(s, t); });
}

bool equal(const OperatorProfile& a, const OperatorProfile& b) {
  return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && a.bytes == b.bytes &&
         a.baseline_flops == b.baseline_flops &&
         std::ranges::equal(a.gradients, b.gradients, [](const auto& x, const auto& y) { return equal(x, y); });
}

/// The first part in which two analyses differ, or nothing.
std::string difference(const Analysis& a, const Analysis& b) {
  const auto same = [](const auto& x, const auto& y) { return equal(x, y); };
  const NetworkProfile& x = a.network;
  const NetworkProfile& y = b.network;
  if (!std::ranges::equal(x.operators, y.operators, same)) return "operators";
  if (!std::ranges::equal(x.links, y.links, same)) return "links";
  if (x.inputs != y.inputs || x.baseline_flops != y.baseline_flops || x.addition_flops != y.addition_flops ||
      x.linear_flops != y.linear_flops || x.build_values != y.build_values || x.build_bytes != y.build_bytes ||
      x.formation_flops != y.formation_flops)
    return "network";
  if (a.schedules.size() != b.schedules.size()) return "number of schedules";
  for (std::size_t s = 0; s < a.schedules.size(); ++s) {
    const Schedule& p = a.schedules[s].schedule;
    const Schedule& q = b.schedules[s].schedule;
    if (p.depth != q.depth || p.length != q.length || p.levels != q.levels || p.results != q.results ||
        p.combines != q.combines)
      return "schedule";
    if (const std::string found = difference(a.schedules[s], b.schedules[s]); !found.empty()) return found;
  }
  return {};
}

class AnalysisCodec : public testing::SeededTest {
 protected:
  /// Numbers of every length.
  std::uint64_t count() { return between(0, ~std::uint64_t{0}) >> between(0, 63); }

  OpProfile op() {
    OpProfile made;
    for (const auto member : {&OpProfile::m, &OpProfile::k, &OpProfile::n, &OpProfile::left_nnz, &OpProfile::right_nnz,
                              &OpProfile::nnz, &OpProfile::products, &OpProfile::flops, &OpProfile::span,
                              &OpProfile::bytes, &OpProfile::left_bytes, &OpProfile::right_bytes})
      made.*member = count();
    made.is_mv = chance(0.5);
    made.steps.teams = count();
    made.steps.team_sums = count();
    return made;
  }

  FormationProfile formation() {
    FormationProfile made{count(), count(), count(), count(), count(), {}};
    made.steps.resize(between(0, 6));
    for (std::size_t s = 0; s < made.steps.size(); ++s) {
      made.steps[s].op = op();
      made.steps[s].is_sum = chance(0.5);
      for (std::uint64_t r = between(0, 2); s > 0 && r > 0; --r) made.steps[s].reads.push_back(between(0, s - 1));
    }
    return made;
  }

  /// A chain under all hybrids and schemes, counted, with other numbers of a network around it.
  Analysis some_analysis(std::size_t jacobians, std::size_t inputs) {
    Analysis analysis;
    NetworkProfile& network = analysis.network;
    network.inputs = inputs;
    for (std::uint64_t i = between(0, 9); i > 0; --i)
      network.operators.push_back(
          {count(), count(), count(), count(), count(), std::vector<OpProfile>(between(0, 2), op())});
    for (std::uint64_t i = between(0, 9); i > 0; --i)
      network.links.push_back({count(), count(), count(), count(), formation()});
    for (const auto sum :
         {&NetworkProfile::baseline_flops, &NetworkProfile::addition_flops, &NetworkProfile::linear_flops,
          &NetworkProfile::build_values, &NetworkProfile::build_bytes, &NetworkProfile::formation_flops})
      network.*sum = count();
    std::vector<JacobianChain> chains;
    for (std::size_t i = 0; i < inputs; ++i) {
      JacobianChain chain{4, {}};
      for (std::size_t k = 0; k < jacobians; ++k)
        chain.jacobians.push_back(
            std::make_shared<const Pattern>(random_pattern(4 + k % 2, k == 0 ? 4 : 5 - k % 2, 0.5)));
      chains.push_back(std::move(chain));
    }
    std::vector<Schedule> schedules = testing::schemes(jacobians + 1);
    for (std::uint32_t depth = 0; depth <= max_depth(jacobians + 1); ++depth)
      schedules.push_back(hybrid_schedule(jacobians + 1, depth));
    analysis.schedules = profile_schedules(
        std::move(schedules), inputs, [&](std::size_t i) { return chains[i]; }, between(0, 1) == 0 ? 4 : 8);
    return analysis;
  }
};

TEST_F(AnalysisCodec, GivesBackEveryField) {
  for (int round = 0; round < 12; ++round) {
    const Analysis analysis = some_analysis(between(1, 20), between(1, 3));
    EXPECT_EQ(difference(decode_analysis(encode_analysis(analysis)), analysis), "");
  }
  EXPECT_EQ(difference(decode_analysis(encode_analysis({})), {}), "");
}

TEST_F(AnalysisCodec, GivesBackFlopsThatAreNotTwoForAPair) {
  Analysis analysis = some_analysis(5, 1);
  ScheduleProfile& schedule = analysis.schedules.back();
  schedule.ops.front().flops = 2 * schedule.ops.front().products + 1;
  schedule.ops.back().products = std::uint64_t{1} << 63;  // twice as many are no number of 64 bits
  schedule.levels = level_profiles(schedule);
  EXPECT_EQ(difference(decode_analysis(encode_analysis(analysis)), analysis), "");
}

TEST_F(AnalysisCodec, ThatComparisonCanFail) {
  const Analysis analysis = some_analysis(5, 1);
  Analysis wrong = analysis;
  ++wrong.network.build_bytes;
  EXPECT_EQ(difference(wrong, analysis), "network");
  wrong = analysis;
  ++wrong.schedules.back().ops.back().steps.teams;
  EXPECT_NE(difference(wrong, analysis), "");
  wrong = analysis;
  wrong.network.links.push_back({1, 1, 1, 1, {1, 2, 0, 0, 8, {FormationStep{op(), false, {}}}}});
  EXPECT_EQ(difference(wrong, analysis), "links");
}

TEST_F(AnalysisCodec, IsCompact) {
  const Analysis analysis = some_analysis(20, 1);
  std::size_t values = 0;
  for (const ScheduleProfile& schedule : analysis.schedules) values += schedule.ops.size() * 21 * 8;
  EXPECT_LT(encode_analysis(analysis).size(), values / 5);
}

TEST_F(AnalysisCodec, RefusesEveryBeginning) {
  const std::string bytes = encode_analysis(some_analysis(4, 2));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(static_cast<void>(decode_analysis(std::string_view(bytes).substr(0, size))), std::invalid_argument)
        << size << " of " << bytes.size();
  }
  EXPECT_THROW(static_cast<void>(decode_analysis(bytes + '\0')), std::invalid_argument);
}

TEST_F(AnalysisCodec, SurvivesWrongBytes) {
  const std::string bytes = encode_analysis(some_analysis(4, 1));
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string wrong = bytes;
    for (std::uint64_t flips = between(1, 4); flips > 0; --flips)
      wrong[between(0, wrong.size() - 1)] ^= static_cast<char>(between(1, 255));
    try {
      const Analysis some = decode_analysis(wrong);
      EXPECT_GT(some.network.inputs, 0U);
      for (const ScheduleProfile& schedule : some.schedules) {
        EXPECT_EQ(schedule.ops.size(), schedule.schedule.combines.size());
        EXPECT_EQ(schedule.inputs, some.network.inputs);
      }
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(AnalysisCodec, RefusesAnotherStartAndAnotherVersion) {
  std::string bytes = encode_analysis(some_analysis(3, 1));
  for (const std::size_t place : {0, 3, 4}) {
    std::string wrong = bytes;
    ++wrong[place];
    EXPECT_THROW(static_cast<void>(decode_analysis(wrong)), std::invalid_argument) << place;
  }
}

TEST_F(AnalysisCodec, RefusesLengthsBeyondTheBytes) {
  // Start, version, nine sums, then 2^63 operators.
  const std::string bytes = std::string("UPSA\x06") + std::string(9, '\x01') + std::string(9, '\x80') + '\x01';
  EXPECT_THROW(static_cast<void>(decode_analysis(bytes)), std::invalid_argument);
}

/// One input, no operators, no links, one schedule; `rest` are its combines, of bytes 1.
std::string bytes_of_schedule(const std::string& name, std::uint64_t length, std::uint64_t ops, char inputs,
                              std::size_t rest) {
  std::string bytes = std::string("UPSA\x06") + std::string(9, '\x01') + std::string(2, '\0') + '\x01';
  const auto number = [&bytes](std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  };
  number(name.size());
  bytes += name;
  number(length);
  number(ops);
  bytes.push_back(inputs);
  return bytes + std::string(rest, '\x01');
}

std::string refusal(const std::string& bytes) {
  try {
    static_cast<void>(decode_analysis(bytes));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

/// Such a schedule may have millions of combines for each that is there.
TEST_F(AnalysisCodec, RefusesASchedulesLengthBeforeItIsMade) {
  EXPECT_EQ(refusal(bytes_of_schedule("linear", 303, 300, 1, 4000)),
            "an analysis with 300 combines of schedule 'linear' of length 303");
  EXPECT_EQ(refusal(bytes_of_schedule("kogge-stone", 302, 300, 1, 4000)),
            "an analysis with 300 combines of schedule 'kogge-stone' of length 302");
  EXPECT_EQ(refusal(bytes_of_schedule("recursive-doubling", 302, 300, 1, 4000)),
            "an analysis with 300 combines of schedule 'recursive-doubling' of length 302");
  EXPECT_EQ(refusal(bytes_of_schedule("linear", 302, 400, 1, 4000)), "an analysis with 400 items in 4001 bytes")
      << "a combine has 13 at least";
}

TEST_F(AnalysisCodec, RefusesNoInputsAndOthersThanTheNetworks) {
  EXPECT_EQ(refusal(bytes_of_schedule("linear", 302, 300, 2, 4000)),
            "an analysis of 1 inputs with a schedule of 2 inputs");
  Analysis analysis = some_analysis(5, 2);
  std::string bytes = encode_analysis(analysis);
  ASSERT_EQ(bytes[5], 2) << "of the network";
  bytes[5] = 3;
  EXPECT_EQ(refusal(bytes), "an analysis of 3 inputs with a schedule of 2 inputs");
  bytes[5] = 0;
  EXPECT_EQ(refusal(bytes), "an analysis of 0 inputs");
  analysis.network.inputs = 3;
  EXPECT_THROW(static_cast<void>(encode_analysis(analysis)), std::invalid_argument);
  analysis = {};
  analysis.network.inputs = 0;
  EXPECT_THROW(static_cast<void>(encode_analysis(analysis)), std::invalid_argument);
}

TEST_F(AnalysisCodec, RefusesToWriteASchedulesNameWithOtherCombines) {
  Analysis analysis = some_analysis(6, 1);
  analysis.schedules.front().schedule.name = "linear";
  EXPECT_THROW(static_cast<void>(encode_analysis(analysis)), std::invalid_argument);
  analysis.schedules.front().schedule.name = "mine";
  EXPECT_THROW(static_cast<void>(encode_analysis(analysis)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
