#include "upsweep/document/numbers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "upsweep/document/json.hpp"
#include "upsweep/document/text_table.hpp"
#include "upsweep/document/value.hpp"

namespace upsweep {
namespace {

TEST(ShortCount, HasFourDigitsAndARightPrefix) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(9999), "9999");
  EXPECT_EQ(short_count(26061648), "26.06 M");
  EXPECT_EQ(short_count(327620917788), "327.6 G");
  EXPECT_EQ(short_count(999996), "1.000 M") << "not 1000 k";
  EXPECT_EQ(short_count(5, 2), "2.500");
}

TEST(ShortRatio, HasFourDigits) {
  EXPECT_EQ(short_ratio(1), "1.000x");
  EXPECT_EQ(short_ratio(0.11546), "0.1155x");
  EXPECT_EQ(short_ratio(1234.4), "1234x");
  EXPECT_EQ(short_ratio(12523.4), "12523x");
}

TEST(ShortSeconds, HaveTheUnitOfWhatIsShown) {
  EXPECT_EQ(short_seconds(0), "0 s");
  EXPECT_EQ(short_seconds(0.99999), "1.000 s");
  EXPECT_EQ(short_seconds(0.9999e-3), "999.9 us");
  EXPECT_EQ(short_seconds(-0.5), "-500.0 ms");
}

TEST(ShortBytes, HasBinaryUnits) {
  EXPECT_EQ(short_bytes(1023), "1023 B");
  EXPECT_EQ(short_bytes(105592208), "100.7 MiB");
  EXPECT_EQ(short_bytes(1536), "1.500 KiB");
}

TEST(ExactMean, IsAnIntegerWhereTheMeanIsOne) {
  EXPECT_EQ(Value::mean(12778424, 4).exact(), "3194606");
  EXPECT_EQ(Value::mean(12778422, 4).exact(), "3194605.5");
  EXPECT_EQ(Value::mean(8, 4).json().dump(), "2");
  EXPECT_EQ(Value::mean(9, 4).json().dump(), "2.25");
  EXPECT_EQ(Value::mean(~std::uint64_t{0}, 1).json().dump(), "18446744073709551615");
}

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtLineEnds) {
  TextTable table({{"n"}, {"name", TextTable::Align::left}, {"value"}});
  table.row({"1", "a", "10"});
  table.row({"20", "\xc3\xa4\xc3\xb6", ""});
  EXPECT_EQ(table.text(), " n  name  value\n--  ----  -----\n 1  a        10\n20  \xc3\xa4\xc3\xb6\n");
}

TEST(CsvLine, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", ""}), "a,\"b,c\",\"say \"\"x\"\"\",\r\n");
}

}  // namespace
}  // namespace upsweep
