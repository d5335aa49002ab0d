#include "../../src/page/html.hpp"

#include <gtest/gtest.h>

#include "../../src/page/sha256.hpp"

namespace upsweep {
namespace {

TEST(Html, TextCannotBecomeMarkup) {
  EXPECT_EQ(escaped("<script>alert('1')</script> & \"q\""),
            "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;q&quot;");
  EXPECT_EQ(escaped("π ⋄ 模型 😀\tnew\nline"), "π ⋄ 模型 😀\tnew\nline") << "other text stays";
}

TEST(Html, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(escaped("a\xff\xfe"), "a\uFFFD\uFFFD");
  EXPECT_EQ(escaped("\xc0\xbc"), "\uFFFD\uFFFD") << "an overlong <";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "half a surrogate pair";
  EXPECT_EQ(escaped("\xe2\x82"), "\uFFFD\uFFFD") << "cut off";
}

TEST(Html, ControlAndDirectionCharactersAreSeen) {
  EXPECT_EQ(escaped(std::string("a\0b\r\x1b\x7f", 6)), "a␀b␍␛␡");
  EXPECT_EQ(escaped("safe\u202Egnp.exe"), "safe\uFFFDgnp.exe");
  EXPECT_EQ(escaped("שלום, ‌a‍b"), "שלום, ‌a‍b") << "letters written from the right, and joiners, stay";
}

/// As UTF-8; below U+10000.
std::string utf8(unsigned code) {
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
  return {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
          static_cast<char>(0x80 | (code & 0x3f))};
}

TEST(Html, NoCharacterTurnsItsNeighboursRound) {
  std::vector<unsigned> codes = {0x061c, 0x200e, 0x200f};  // marks
  for (unsigned code = 0x80; code <= 0x9f; ++code) codes.push_back(code);
  for (unsigned code = 0x202a; code <= 0x202e; ++code) codes.push_back(code);  // embeddings and overrides
  for (unsigned code = 0x2066; code <= 0x2069; ++code) codes.push_back(code);  // isolates
  for (const unsigned code : codes) {
    const std::string text = "left" + utf8(code) + "right";
    EXPECT_EQ(escaped(text), "left\uFFFDright") << std::hex << code;
    EXPECT_EQ(script_json({{"name", text}}), "{\"name\":\"left\uFFFDright\"}") << std::hex << code;
  }
  EXPECT_EQ(escaped("\u00a0\u2030\u2060"), "\u00a0\u2030\u2060") << "their neighbours stay";
}

TEST(Html, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("ααββ", 3), "αα…");
  EXPECT_EQ(shortened(std::string(10'000, 'x')).size(), 119 + std::string("…").size());
}

TEST(Html, JsonInAScriptElementCannotEndIt) {
  const FigureData json = {{"name", "</script><!-- & \u2028\u2029 \xff"}};
  const std::string text = script_json(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(FigureData::parse(text)["name"], "</script><!-- & \u2028\u2029 \uFFFD") << "it reads back";
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
}

TEST(Html, CodeInAScriptElementCannotEndIt) {
  EXPECT_EQ(inline_code("a = '</SCRIPT>';\r\nb = 1 </re/;"), "a = '<\\/SCRIPT>';\nb = 1 </re/;");
}

TEST(Html, CellsKeepTheExactNumber) {
  HtmlTable table("A <caption>", {{"", "name", Unit::text}, {"", "FLOPs", Unit::count}});
  table.row({Value("<b>").linked("run-1"), 26061648}, true);
  table.row({Value("wrong").bad(), std::nullopt});
  const std::string html = table.markup().html();
  EXPECT_NE(html.find("<td class=\"n\" data-value=\"26061648\">26.06 M</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<tr class=\"best\"><td><a href=\"#run-1\">&lt;b&gt;</a></td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td><span class=\"bad\">wrong</span></td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td class=\"n\">-</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<caption>A &lt;caption&gt;</caption>"), std::string::npos) << html;
}

// Digests: FIPS 180-2, appendices B.1 to B.3; as Base64 by Python's base64.
TEST(Sha256, HasThePublishedDigests) {
  const auto hex = [](const std::string& text) {
    std::string out;
    for (const std::uint8_t byte : sha256(text)) {
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    }
    return out;
  };
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

}  // namespace
}  // namespace upsweep
