#include "upsweep/document/short_text.hpp"

#include <gtest/gtest.h>

namespace upsweep {
namespace {

TEST(ShortText, HasAtMostSoManyCharactersAndSaysWhereItWasCut) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abcd", 3), "ab…");
  EXPECT_EQ(cut_text("ab", 1), "…");
  EXPECT_EQ(cut_text("", 1), "");
}

TEST(ShortText, NeverCutsACharacterInTwo) {
  EXPECT_EQ(cut_text("αβγδ", 4), "αβγδ");
  EXPECT_EQ(cut_text("αβγδε", 4), "αβγ…");
  EXPECT_EQ(cut_text("a€😀b", 3), "a€…");
}

TEST(ShortText, CountsBytesThatAreNoUtf8) {
  EXPECT_EQ(cut_text(std::string(500, '\xff'), 4), "\xff\xff\xff…");
  EXPECT_EQ(cut_text("a\xe2\x82", 3), "a\xe2\x82") << "the beginning of a character";
  EXPECT_EQ(cut_text("\x80\x80\x80\x80", 2), "\x80…");
}

TEST(ShortText, IsOneLine) {
  EXPECT_EQ(short_text("two\nlines\tand\x7f\x01"), "two lines and  ");
  EXPECT_EQ(short_text(std::string(100, '\n'), 3), "  …");
  EXPECT_EQ(short_text("a\xc2\x85z \u202eabc\u2069 \u2028."), "a z  abc   .")
      << "controls of UTF-8 end lines and turn texts";
  EXPECT_EQ(short_text("naïve – “é” €"), "naïve – “é” €") << "what looks like them stays";
}

}  // namespace
}  // namespace upsweep
