#include "upsweep/document/text_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "support/random.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;
using Cells = std::vector<std::string>;
using ::testing::HasSubstr;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Code points of a text.
std::size_t points(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) >> 6U) != 2 ? 1U : 0U;
  return count;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, points(line));
  return longest;
}

/// Letters, digits and signs of a text, without blanks and line breaks, sorted.
std::string characters(const std::string& text) {
  std::string found;
  for (const char c : text)
    if (c != ' ' && c != '\n') found += c;
  std::sort(found.begin(), found.end());
  return found;
}

class TextTableTest : public testing::SeededTest {
 protected:
  std::string random_text(std::size_t longest) {
    std::string text;
    for (std::uint64_t left = between(0, longest); left > 0; --left) {
      const std::uint64_t kind = between(0, 12);
      text += kind == 0 ? "/" : kind == 1 && !text.empty() && text.back() != ' ' ? " " : kind == 2 ? "\xc3\x97" : "w";
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }
  std::string random_number() {
    return chance(0.5) ? short_count(static_cast<double>(between(0, 1'000'000'000)))
                       : fmt::format("{}", between(0, ~std::uint64_t{0}));
  }
};

TEST_F(TextTableTest, NoLineIsLongerThanTheWidthAndNothingIsLost) {
  for (int repeat = 0; repeat < 300; ++repeat) {
    const std::size_t width = std::array{40U, 80U, 120U}[between(0, 2)];
    std::vector<TextTable::Column> columns = {{"op"}};
    for (std::uint64_t left = between(0, 14); left > 0; --left)
      columns.push_back({random_text(30), chance(0.4) ? Align::left : Align::right});
    TextTable table(columns, between(1, 2));
    std::vector<Cells> rows;
    std::vector<std::string> expected(columns.size());
    for (std::uint64_t left = between(0, 6); left > 0; --left) {
      Cells row = {fmt::format("{}", rows.size())};
      for (std::size_t c = 1; c < columns.size(); ++c)
        row.push_back(columns[c].align == Align::left ? random_text(80) : random_number());
      rows.push_back(row);
      table.row(row);
    }
    const std::string text = table.text({.width = width});
    EXPECT_LE(longest_line(text), width) << text;
    std::string all = text;
    all.erase(std::remove(all.begin(), all.end(), '-'), all.end());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (const Cells& row : rows) {
        EXPECT_TRUE(columns[c].align == Align::left || text.find(row[c]) != std::string::npos) << row[c];
      }
    }
    // With one key every cell but the keys' stands there once; of these once a block.
    const auto heads = std::count(all.begin(), all.end(), 'p');
    std::string cells;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (int times = 0; times < (c == 0 ? heads : 1); ++times) {
        cells += columns[c].head;
        for (const Cells& row : rows) cells += row[c];
      }
    }
    const std::string seen = characters(all);
    const std::string wanted = characters(cells);
    EXPECT_TRUE(std::includes(seen.begin(), seen.end(), wanted.begin(), wanted.end())) << text;
  }
}

TEST(TextTable, OfAStyleThatFitsIsThePlainTable) {
  TextTable table({{"n"}, {"name", Align::left}, {"value"}});
  table.row({"1", "a b c/d", "10"}, RowMark::best);
  table.row({"20", "\xc3\xa4\xc3\xb6", ""});
  const std::string plain = " n  name     value\n--  -------  -----\n 1  a b c/d     10\n20  \xc3\xa4\xc3\xb6\n";
  EXPECT_EQ(table.text(), plain);
  EXPECT_EQ(table.text({.width = 18}), plain);
  EXPECT_EQ(table.text({.width = 0, .is_coloured = true}),
            " n  name     value\n--  -------  -----\n\033[1;32m 1  a b c/d     10\033[0m\n20  \xc3\xa4\xc3\xb6\n");
}

TEST(TextTable, RulesALongLastTextNoLongerThanALine) {
  TextTable table({{"field", Align::left}, {"value", Align::left}});
  table.row({"command line", std::string(400, 'x')});
  const std::vector<std::string> lines = lines_of(table.text());
  EXPECT_LE(points(lines[1]), 80U);
  EXPECT_EQ(lines[2], "command line  " + std::string(400, 'x')) << "the cell itself is whole";
}

TEST(TextTable, BreaksTextsAtBlanksAndSlashesFirst) {
  TextTable table({{"run"}, {"file", Align::left}, {"best score"}});
  table.row({"7", "models/large/vgg16 pruned.yaml", "26.06 M"});
  EXPECT_EQ(table.text({.width = 30}),
            "run  file           best score\n"
            "---  -------------  ----------\n"
            "  7  models/large/     26.06 M\n"
            "     vgg16\n"
            "     pruned.yaml\n");
}

TEST(TextTable, PutsColumnsIntoBlocksThatRepeatTheFirst) {
  TextTable table({{"depth"}, {"FLOPs"}, {"memory"}, {"span"}});
  table.row({"0", "26061648", "100.7 MiB", "1234567"});
  table.row({"1", "9999", "1023 B", "123"}, RowMark::best);
  EXPECT_EQ(table.text({.width = 26, .is_coloured = true}),
            "depth     FLOPs     memory\n"
            "-----  --------  ---------\n"
            "    0  26061648  100.7 MiB\n"
            "\033[1;32m    1      9999     1023 B\033[0m\n"
            "\n"
            "depth     span\n"
            "-----  -------\n"
            "    0  1234567\n"
            "\033[1;32m    1      123\033[0m\n");
}

TEST(TextTable, KeepsRemarksInTheFirstBlock) {
  TextTable table({{"depth"}, {"FLOPs"}, {"memory"}, {"span"}, {"", Align::left}});
  table.row({"0", "26061648", "100.7 MiB", "1234567", ""});
  table.row({"1", "9999", "1023 B", "123", "<- best"}, RowMark::best);
  EXPECT_EQ(table.text({.width = 26}),
            "depth     FLOPs\n"
            "-----  --------  -------\n"
            "    0  26061648\n"
            "    1      9999  <- best\n"
            "\n"
            "depth     memory     span\n"
            "-----  ---------  -------\n"
            "    0  100.7 MiB  1234567\n"
            "    1     1023 B      123\n");
}

TEST(TextTable, BreaksLongRemarksBeforeFiguresLeaveTheirBlock) {
  TextTable table({{"depth"}, {"FLOPs"}, {"span"}, {"", Align::left}});
  table.row({"0", "26061648", "1234567", "<- fastest and predicted so"});
  EXPECT_EQ(table.text({.width = 40}),
            "depth     FLOPs     span\n"
            "-----  --------  -------  --------------\n"
            "    0  26061648  1234567  <- fastest and\n"
            "                          predicted so\n");
}

TEST(TextTable, HasNoColumnForRemarksThatNobodyMakes) {
  TextTable table({{"depth"}, {"FLOPs"}, {"", Align::left}});
  table.row({"0", "26061648", ""});
  EXPECT_EQ(table.text({.width = 15}), "depth     FLOPs\n-----  --------\n    0  26061648\n");
}

TEST(TextTable, RepeatsAllColumnsThatTellRowsApart) {
  TextTable table({{"a"}, {"b"}, {"first figure"}, {"second figure"}}, 2);
  table.row({"1", "2", "12345678901234", "12345678901234"});
  EXPECT_EQ(table.text({.width = 24}),
            "a  b    first figure\n"
            "-  -  --------------\n"
            "1  2  12345678901234\n"
            "\n"
            "a  b   second figure\n"
            "-  -  --------------\n"
            "1  2  12345678901234\n");
}

TEST(TextTable, AlignsNumbersWithAndWithoutUnits) {
  TextTable table({{"count"}, {"time"}, {"size"}, {"shape"}});
  table.row({"26.06 M", "12.34 us", "4 x 2", "1.000x"});
  table.row({"9999", "-", "10 x 12", "2"});
  table.row({"812.3 k", "1.000 s", "", ""});
  EXPECT_EQ(table.text({.aligns_units = true}),
            "  count      time     size   shape\n"
            "-------  --------  -------  ------\n"
            "26.06 M  12.34 us    4 x 2  1.000x\n"
            " 9999        -     10 x 12       2\n"
            "812.3 k  1.000 s\n");
  EXPECT_THAT(table.text(), HasSubstr("   9999         -"));
}

TEST(TextTable, ShowsNoControlCharactersOnATerminal) {
  TextTable table({{"model", Align::left}});
  table.row({"a\033[31mb\nc"});
  table.row(
      {"\u202ed\xc2\x9b"
       "e"});
  EXPECT_EQ(table.text({.width = 40}), "model\n---------\na?[31mb?c\n?d?e\n");
}

TEST(TextTable, OfVeryLongTextsStaysInItsWidth) {
  TextTable table({{"model", Align::left}, {"file", Align::left}, {"FLOPs"}});
  table.row({std::string(5000, 'x'), std::string(3000, 'y'), "123456789012345"});
  const std::string text = table.text({.width = 40});
  EXPECT_LE(longest_line(text), 40U);
  EXPECT_THAT(text, HasSubstr("123456789012345"));
  EXPECT_EQ(std::count(text.begin(), text.end(), 'y'), 3000);
}

}  // namespace
}  // namespace upsweep
