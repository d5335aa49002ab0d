#include "study/point_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>

#include "support/random.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::point_message_test {
namespace {

using ::testing::IsEmpty;

// The fields of an aggregate as a tuple. A field more does not compile, so that none is forgotten here, and with it in
// the message.

auto fields(const PointSchedule& value) {
  const auto& [schedule, depth, is_feasible, reason, score, levels, ops, flops, path, steps, per_step, bytes] = value;
  return std::tie(schedule, depth, is_feasible, reason, score, levels, ops, flops, path, steps, per_step, bytes);
}

auto fields(const CountStatistics& value) {
  const auto& [asked, in_memory, stored, counted, by_formula, damaged] = value;
  return std::tie(asked, in_memory, stored, counted, by_formula, damaged);
}

void expect_equal(const std::optional<PointSchedule>& got, const std::optional<PointSchedule>& want) {
  ASSERT_EQ(got.has_value(), want.has_value());
  if (want) {
    EXPECT_EQ(fields(*got), fields(*want));
  }
}

void expect_same(double got, double want) {
  EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << got << " is not " << want;
}

void expect_equal(const PointFigures& got, const PointFigures& want) {
  const auto& [is_in_seconds, is_exact, workers, elements, build, jacobian, vector, plain, dense, graph, blocks, best,
               scan, refused, margin] = want;
  EXPECT_EQ(got.is_in_seconds, is_in_seconds);
  EXPECT_EQ(got.is_exact, is_exact);
  EXPECT_EQ(got.workers, workers);
  EXPECT_EQ(got.elements, elements);
  EXPECT_EQ(got.chain_build_values, build);
  EXPECT_EQ(got.largest_jacobian_bytes, jacobian);
  EXPECT_EQ(got.largest_vector_bytes, vector);
  expect_equal(got.plain, plain);
  expect_same(got.dense_score, dense);
  expect_same(got.graph_score, graph);
  expect_same(got.blocks_score, blocks);
  expect_equal(got.best, best);
  expect_equal(got.scan, scan);
  expect_equal(got.refused_scan, refused);
  EXPECT_EQ(got.margin, margin);
}

void expect_equal(const UnitPoint& got, const UnitPoint& want) {
  const auto& [point, is_known] = want;
  const auto& [position, coordinates, record] = point;
  const auto& [key, status, reason, figures, bppsa, pipeline, limit, model, machine, settings] = record;
  EXPECT_EQ(got.is_known, is_known);
  EXPECT_EQ(got.point.position, position);
  EXPECT_EQ(got.point.coordinates, coordinates);
  EXPECT_EQ(got.point.record.key, key);
  EXPECT_EQ(got.point.record.status, status);
  EXPECT_EQ(got.point.record.reason, reason);
  expect_equal(got.point.record.figures, figures);
  expect_same(got.point.record.bppsa_bytes, bppsa);
  expect_same(got.point.record.pipeline_bytes, pipeline);
  expect_same(got.point.record.memory_limit, limit);
  EXPECT_EQ(got.point.record.model_hash, model);
  EXPECT_EQ(got.point.record.machine_hash, machine);
  EXPECT_EQ(got.point.record.settings, settings);
}

class PointMessageTest : public testing::SeededTest {
 protected:
  std::string text() {
    std::string made(between(0, 20), '\0');
    for (char& c : made) c = static_cast<char>(between(0, 255));
    return made;
  }

  double number() { return chance(0.1) ? std::numeric_limits<double>::infinity() : normal() * 1e20; }
  double number_or_none() { return chance(0.3) ? PointBrief::kNone : number(); }

  ContentKey key() {
    ContentKey made{};
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(between(0, 255));
    return made;
  }

  PointSchedule schedule() {
    std::optional<std::uint32_t> depth;
    if (chance(0.5)) depth = static_cast<std::uint32_t>(between(0, 40));
    return {text(),   depth,    chance(0.5), text(),   number(), number(),
            number(), number(), number(),    number(), number(), number()};
  }

  PointFigures figures() {
    PointFigures made;
    made.is_in_seconds = chance(0.5);
    made.is_exact = chance(0.5);
    made.workers = between(0, ~std::uint64_t{0});
    made.elements = between(0, ~std::uint64_t{0});
    made.chain_build_values = number();
    made.largest_jacobian_bytes = number();
    made.largest_vector_bytes = number();
    made.plain = schedule();
    if (chance(0.5)) made.refused_scan = schedule();
    if (chance(0.5)) made.best = schedule();
    if (chance(0.5)) made.scan = schedule();
    if (chance(0.5)) made.dense_score = number();
    if (chance(0.5)) made.graph_score = number();
    if (chance(0.5)) made.blocks_score = number();
    if (chance(0.5)) made.margin = number();
    return made;
  }

  UnitPoint unit_point() {
    UnitPoint made;
    made.is_known = chance(0.3);
    made.point.position = between(0, ~std::uint64_t{0});
    made.point.coordinates = text();
    made.point.record.key = key();
    if (made.is_known) return made;
    made.point.record = {made.point.record.key,
                         static_cast<PointStatus>(between(0, 4)),
                         text(),
                         figures(),
                         number_or_none(),
                         number_or_none(),
                         number_or_none(),
                         text(),
                         text(),
                         text()};
    return made;
  }

  UnitMessage message() {
    UnitMessage unit{chance(0.5), number(), {between(0, 9), between(0, 9), between(0, 9), between(0, 9)}, {}, {}};
    for (std::uint64_t i = between(0, 5); i > 0; --i) unit.points.push_back(unit_point());
    for (std::uint64_t i = between(0, 3); i > 0; --i) unit.counted.emplace_back(key(), text());
    return unit;
  }
};

TEST_F(PointMessageTest, HasEveryFieldOfAUnit) {
  for (int i = 0; i < 100; ++i) {
    const UnitMessage want = message();
    const UnitMessage got = decode_unit(encode_unit(want));
    const auto& [is_stopped, seconds, counts, points, counted] = want;
    EXPECT_EQ(got.is_stopped, is_stopped);
    EXPECT_EQ(got.seconds, seconds);
    EXPECT_EQ(fields(got.counts), fields(counts));
    EXPECT_EQ(got.counted, counted);
    ASSERT_EQ(got.points.size(), points.size());
    for (std::size_t k = 0; k < points.size(); ++k) expect_equal(got.points[k], points[k]);
  }
}

TEST_F(PointMessageTest, IsRefusedWhereItIsCutOffOrTooLong) {
  for (int i = 0; i < 10; ++i) {
    const std::string bytes = encode_unit(message());
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THROW(static_cast<void>(decode_unit(bytes.substr(0, length))), std::invalid_argument) << length;
    EXPECT_THROW(static_cast<void>(decode_unit(bytes + "x")), std::invalid_argument);
  }
}

TEST_F(PointMessageTest, NeverReadsBeyondBytesThatNobodyWrote) {
  const std::string good = encode_unit(message());
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (std::uint64_t changes = between(1, 20); changes > 0; --changes)
      bytes[between(0, bytes.size() - 1)] = static_cast<char>(between(0, 255));
    try {
      static_cast<void>(decode_unit(bytes));
    } catch (const std::invalid_argument&) {
      // Either reads as another unit or is refused.
    }
  }
}

TEST_F(PointMessageTest, RefusesALengthThatOnlyOverflowWouldFit) {
  const std::string huge(sizeof(std::uint64_t), '\xff');
  EXPECT_THROW(static_cast<void>(decode_positions(huge)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(decode_keys(huge + std::string(16, 'k'))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(decode_found(huge + "text")), std::invalid_argument);
}

TEST_F(PointMessageTest, HasPositionsAndKeysInTheirOrder) {
  std::vector<std::uint64_t> positions(between(0, 100));
  for (std::uint64_t& position : positions) position = between(0, ~std::uint64_t{0});
  EXPECT_EQ(decode_positions(encode_positions(positions)), positions);
  std::vector<ContentKey> keys(between(0, 100));
  for (ContentKey& each : keys) each = key();
  EXPECT_EQ(decode_keys(encode_keys(keys)), keys);
  EXPECT_THROW(static_cast<void>(decode_keys(encode_keys(keys) + "x")), std::invalid_argument);
  EXPECT_THAT(decode_positions(encode_positions({})), IsEmpty());
}

TEST(FoundMessage, TellsNothingFromAnEmptyText) {
  EXPECT_EQ(decode_found(encode_found(std::nullopt)), std::nullopt);
  EXPECT_EQ(decode_found(encode_found("")), "");
  EXPECT_EQ(decode_found(encode_found("counted")), "counted");
}

/// What comes of an exception that one rank throws on another rank.
template <class Error>
std::exception_ptr on_another_rank(const Error& error) {
  std::string bytes;
  try {
    throw error;
  } catch (...) {
    bytes = encode_failure(current_failure());
  }
  try {
    throw_failure("rank 2 failed", decode_failure(bytes).value());
  } catch (...) {
    return std::current_exception();
  }
}

template <class Error>
std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.what();
  } catch (...) {
    return "another kind";
  }
}

TEST(FailureMessageTest, IsOfTheSameKindOnAnotherRank) {
  EXPECT_EQ(text_of<InputError>(on_another_rank(InputError("no such file"))), "rank 2 failed: no such file");
  EXPECT_EQ(text_of<BusyError>(on_another_rank(BusyError("held"))), "rank 2 failed: held");
  EXPECT_EQ(text_of<BusyError>(on_another_rank(std::bad_alloc())), "rank 2 failed: out of memory");
  EXPECT_EQ(text_of<std::runtime_error>(on_another_rank(std::logic_error("a bug"))), "rank 2 failed: a bug");
  EXPECT_EQ(text_of<std::runtime_error>(on_another_rank(3)), "rank 2 failed: an unknown error");
  EXPECT_EQ(text_of<InputError>(on_another_rank(std::logic_error("a bug"))), "another kind");
}

TEST(FailureMessageTest, TellsNothingFromAFailureWithoutText) {
  EXPECT_FALSE(decode_failure(encode_failure(std::nullopt)).has_value());
  EXPECT_TRUE(decode_failure(encode_failure(FailureMessage{})).has_value());
  EXPECT_THROW(static_cast<void>(decode_failure("x")), std::invalid_argument);
}

TEST(FailureMessageTest, HasALongTextCut) {
  EXPECT_EQ(text_of<InputError>(on_another_rank(InputError(std::string(5000, 'x')))).size(),
            std::string("rank 2 failed: ").size() + 1000);
}

}  // namespace
}  // namespace upsweep::point_message_test
