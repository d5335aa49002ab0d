#include <gtest/gtest.h>

#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep {
namespace {

TEST(VisibleText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible_text("a\033[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible_text("\xc2\x9b"), "\\u009b") << "C1";
  EXPECT_EQ(visible_text("\x9b"), "\\x9b") << "a byte that is no UTF-8";
  EXPECT_EQ(visible_text("\u202e\u2066\u061c"), "\\u202e\\u2066\\u061c") << "which way text runs";
  EXPECT_EQ(visible_text("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff");
  EXPECT_EQ(visible_text("\r\t\x7f"), "\\x0d\\x09\\x7f");
}

TEST(VisibleText, LeavesWhatIsText) {
  const std::string text = "Größe 3 × 4 µs … 漢字 \U0001F600\nnext line";
  EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, IsWhatSentencesOfADocumentAre) {
  Document document;
  document.say("model a\033[2Jb\n");
  EXPECT_EQ(document.text({}), "model a\\x1b[2Jb\n");
}

TEST(CsvLine, GuardsFormulasAndLeavesNumbers) {
  EXPECT_EQ(csv_line({"=1+2", "@x", "+a", "-b", "x=y"}), "'=1+2,'@x,'+a,'-b,x=y\r\n");
  EXPECT_EQ(csv_line({"-1", "-1.5e-3", "+7", "-inf", "3"}), "-1,-1.5e-3,+7,-inf,3\r\n");
}

}  // namespace
}  // namespace upsweep
