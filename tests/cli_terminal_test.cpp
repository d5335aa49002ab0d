#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/command_line.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;
using testing::upsweep;

constexpr const char* kGreen = "\033[1;32m";

/// Variables of the environment that the program shall see beside those of the test.
using Variables = std::map<std::string, std::string>;

/// What the program writes to standard output, a terminal of this many columns (0: one that does not know), without
/// carriage returns.
std::string on_terminal(unsigned columns, std::vector<std::string> arguments, const Variables& variables = {}) {
  arguments.insert(arguments.begin(), UPSWEEP_BINARY);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);  // progress
    setenv("TERM", "xterm-256color", 1);
    for (const char* name : {"NO_COLOR", "COLUMNS"}) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> buffer{};
  // Linux ends a terminal without a writer with an error.
  for (ssize_t got = 0; (got = read(terminal, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << text;
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// A line as it looks: without colours.
std::string seen(std::string line) {
  for (std::size_t at = line.find("\033["); at != std::string::npos; at = line.find("\033[")) {
    line.erase(at, line.find('m', at) + 1 - at);
  }
  return line;
}

/// The longest line of a table: one with two blanks between things. Sentences are broken by the terminal.
std::size_t widest_table_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(text)) {
    const std::string shown = seen(line);
    const std::size_t first = shown.find_first_not_of(' ');
    if (first != std::string::npos && shown.find("  ", first) != std::string::npos)
      widest = std::max(widest, shown.size());
  }
  return widest;
}

/// Lines that are coloured, as they look.
std::vector<std::string> green_lines(const std::string& text) {
  std::vector<std::string> green;
  for (const std::string& line : lines_of(text))
    if (line.find(kGreen) != std::string::npos) green.push_back(seen(line));
  return green;
}

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest()
      : model_(
            folder_.write("m.yaml",
                          "name: m\ninput: [3, 8, 8]\noperators:\n"
                          "  - conv2d: {name: a_convolution_with_a_long_name, out_channels: 4, kernel: 3, padding: 1}\n"
                          "  - relu: {}\n  - conv2d: {name: b, out_channels: 4, kernel: 3, padding: 1}\n"
                          "  - relu: {}\n  - flatten\n  - linear: {name: fc, out_features: 10}\n")),
        db_(folder_.path("runs.sqlite")) {}

  TemporaryFolder folder_;
  std::string model_;
  std::string db_;
};

TEST_F(TerminalTest, TablesFitItsWidth) {
  ASSERT_EQ(upsweep({"search", model_, "--db", db_}).exit_code, 0);
  for (const unsigned columns : {40U, 80U, 120U}) {
    EXPECT_LE(widest_table_line(on_terminal(columns, {"profile", model_})), columns);
    EXPECT_LE(widest_table_line(on_terminal(columns, {"search", model_})), columns);
    EXPECT_LE(widest_table_line(on_terminal(columns, {"runs", "--db", db_})), columns);
    EXPECT_LE(widest_table_line(on_terminal(columns, {"runs", "show", "1", "--db", db_})), columns);
  }
  EXPECT_GT(widest_table_line(upsweep({"runs", "--db", db_}).out), 120U) << "a pipe gets all in one line";
}

TEST_F(TerminalTest, TheBestRowsAreGreen) {
  ASSERT_EQ(upsweep({"search", model_, "--db", db_}).exit_code, 0);
  const std::vector<std::string> best = green_lines(on_terminal(300, {"search", model_}));
  ASSERT_FALSE(best.empty());
  EXPECT_TRUE(
      std::any_of(best.begin(), best.end(), [](const auto& line) { return line.find("<- best") != line.npos; }));
  const std::vector<std::string> runs = green_lines(on_terminal(300, {"runs", "--db", db_}));
  ASSERT_FALSE(runs.empty());
  for (const std::string& line : runs) EXPECT_THAT(line, HasSubstr("best of "));
}

/// Lines before the first empty line that follows a table.
std::vector<std::string> first_block(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  const auto rule = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("---") != line.npos && line.find_first_not_of(" -") == line.npos;
  });
  return {rule, std::find(rule, lines.end(), "")};
}

bool has_line_with(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.find(text) != line.npos; });
}

TEST_F(TerminalTest, RemarksStandBesideTheFirstFiguresOfTheirRow) {
  const std::string study =
      folder_.write("s.yaml", "name: s\nbase: {model: m.yaml}\naxes:\n  - {path: workers, values: [1, 2, 4]}\n");
  for (const unsigned columns : {80U, 120U}) {
    const std::vector<std::string> search = first_block(on_terminal(columns, {"search", model_}));
    EXPECT_TRUE(has_line_with(search, "<- best")) << ::testing::PrintToString(search);
    EXPECT_TRUE(has_line_with(search, " 0 ")) << "figures in the same lines";
    const std::vector<std::string> validate =
        first_block(on_terminal(columns, {"validate", model_, "--backend", "cpu", "--all-depths", "--machine",
                                          std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/rtx-2070.yaml"}));
    EXPECT_TRUE(has_line_with(validate, "<- fastest")) << ::testing::PrintToString(validate);
    EXPECT_TRUE(has_line_with(validate, "right")) << "and what came out";
    EXPECT_TRUE(has_line_with(first_block(on_terminal(columns, {"study", study})), "<- best"));
  }
}

TEST_F(TerminalTest, NoColourWhereItIsNotWanted) {
  EXPECT_THAT(on_terminal(200, {"search", model_}), HasSubstr(kGreen));
  EXPECT_THAT(on_terminal(200, {"search", model_}, {{"NO_COLOR", ""}}), HasSubstr(kGreen)) << "empty counts as unset";
  EXPECT_THAT(on_terminal(200, {"search", model_}, {{"NO_COLOR", "1"}}), Not(HasSubstr("\033[")));
  EXPECT_THAT(on_terminal(200, {"search", model_}, {{"TERM", "dumb"}}), Not(HasSubstr("\033[")));
}

TEST_F(TerminalTest, APipeGetsPlainTextWhateverTheVariablesSay) {
  const std::string plain = upsweep({"search", model_}).out;
  setenv("COLUMNS", "40", 1);
  const std::string with_columns = upsweep({"search", model_}).out;
  unsetenv("COLUMNS");
  EXPECT_EQ(with_columns, plain);
  EXPECT_THAT(plain, Not(HasSubstr("\033")));
}

TEST_F(TerminalTest, ColumnsSaysTheWidthWhereTheTerminalDoesNot) {
  EXPECT_LE(widest_table_line(on_terminal(0, {"search", model_}, {{"COLUMNS", "60"}})), 60U);
  EXPECT_GT(widest_table_line(on_terminal(120, {"search", model_}, {{"COLUMNS", "60"}})), 60U);
  EXPECT_GT(widest_table_line(on_terminal(0, {"search", model_}, {{"COLUMNS", "many"}})), 60U);
}

TEST_F(TerminalTest, JsonAndCsvAreTheSameAsInAPipe) {
  for (const char* format : {"json", "csv"}) {
    std::string plain = upsweep({"profile", model_, "--format", format}).out;
    plain.erase(std::remove(plain.begin(), plain.end(), '\r'), plain.end());
    EXPECT_EQ(on_terminal(40, {"profile", model_, "--format", format}), plain);
  }
}

TEST_F(TerminalTest, AStudyMarksItsBestPoint) {
  const std::string study =
      folder_.write("s.yaml", "name: best\nbase: {model: m.yaml}\naxes:\n  - {path: workers, values: [1, 2, 4]}\n");
  const std::string text = on_terminal(100, {"study", study});
  const std::vector<std::string> best = green_lines(text);
  ASSERT_EQ(best.size(), 1U) << text;
  EXPECT_THAT(best[0], HasSubstr("<- best"));
}

}  // namespace
}  // namespace upsweep
