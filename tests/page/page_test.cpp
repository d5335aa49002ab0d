#include "upsweep/page/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "../../src/page/sha256.hpp"
#include "made_store.hpp"
#include "page_tags.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/svg.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using testing::make_store;
using ::testing::Not;
using testing::PageTags;
using testing::Tag;
using testing::TemporaryFolder;

std::string page_of(const std::string& file, PageOptions options = {}) {
  options.tool_version = "0.0-test";
  return report_page(StoreReader(file), options);
}

std::string attribute(const Tag& tag, const std::string& name) {
  for (const auto& [key, value] : tag.attributes) {
    if (key == name) return value;
  }
  return "";
}

/// Everything that a page may be made of; nothing here runs code or asks for another file.
void expect_harmless(const std::string& page) {
  static const std::set<std::string> kTags = {
      "html",    "head",    "meta",     "title",   "style",      "body",   "header", "main",   "nav",
      "section", "h1",      "h2",       "h3",      "h4",         "p",      "a",      "b",      "ul",
      "li",      "div",     "span",     "table",   "tr",         "th",     "td",     "thead",  "tbody",
      "dl",      "dt",      "dd",       "code",    "pre",        "time",   "script", "button", "figure",
      "details", "summary", "noscript", "caption", "figcaption", "article"};
  static const std::set<std::string> kAttributes = {
      "lang",       "charset",   "http-equiv",  "content", "name",  "class", "id",
      "href",       "type",      "hidden",      "role",    "scope", "open",  "aria-label",
      "data-value", "data-kind", "data-figure", "style",   "title"};
  const PageTags tags(page);
  std::string policy;
  for (const Tag& tag : tags.tags) {
    EXPECT_TRUE(kTags.contains(tag.name[0] == '/' ? tag.name.substr(1) : tag.name)) << tag.name;
    for (const auto& [name, value] : tag.attributes) {
      EXPECT_TRUE(kAttributes.contains(name)) << tag.name << ' ' << name;
      if (name == "href") {
        EXPECT_EQ(value[0], '#') << value;
      }
      if (name == "style") {
        EXPECT_THAT(value, ::testing::MatchesRegex("(--from|left):[0-9.]+%;(--to|width):[0-9.]+%")) << "places of bars";
      }
    }
    if (attribute(tag, "http-equiv") == "Content-Security-Policy") policy = attribute(tag, "content");
  }
  EXPECT_THAT(policy, HasSubstr("default-src &#39;none&#39;"));
  std::size_t programs = 0;
  for (const Tag& tag : tags.tags) {
    if (tag.name != "script") continue;
    if (attribute(tag, "type") == "application/json") {
      EXPECT_EQ(tag.raw.find_first_of("<>&"), std::string::npos);
      EXPECT_TRUE(FigureData::accept(tag.raw));
    } else {
      ++programs;
      EXPECT_THAT(policy, HasSubstr("sha256-" + sha256_base64(tag.raw)));
    }
  }
  EXPECT_EQ(std::count(policy.begin(), policy.end(), '='), static_cast<std::ptrdiff_t>(programs)) << policy;
}

TEST(Page, HasAPartForEverythingInTheStore) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  const std::string page = page_of(file);
  expect_harmless(page);
  std::set<std::string> ids;
  std::set<std::string> links;
  const PageTags tags(page);
  for (const Tag& tag : tags.tags) {
    const std::string id = attribute(tag, "id");
    if (!id.empty()) {
      EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
    }
    if (tag.name == "a") links.insert(attribute(tag, "href").substr(1));
  }
  for (const std::string& link : links) EXPECT_TRUE(ids.contains(link)) << link << " leads nowhere";
  for (const char* id : {"index", "search-1", "run-1", "run-2", "run-3", "run-4", "validation-5", "run-5", "run-6",
                         "run-7", "run-8", "study-1", "model-00ff-sample", "provenance"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
  EXPECT_THAT(page, HasSubstr("hybrid:1 does not fit: needs 9 bytes"));
  EXPECT_THAT(page, HasSubstr("MISMATCH: op 3 is wrong"));
  EXPECT_THAT(page, HasSubstr("did not run: no memory"));
  EXPECT_THAT(page, HasSubstr("<p class=\"verdict\">Kept, &lt;b&gt; and all. And a second sentence.</p>"));
  EXPECT_THAT(page, HasSubstr(" data-value=\"1.3333333333333333\">1.333x</td>"))
      << "the speed-up of the verdict, in the index";
  EXPECT_THAT(page, HasSubstr("An earlier version kept this without what it concluded"));
  EXPECT_THAT(page, HasSubstr("<code>upsweep validate m.yaml</code>"));
  EXPECT_EQ(page, page_of(file)) << "the same store makes the same page";
}

TEST(Page, NumbersAreThoseOfTheStore) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  const std::string page = page_of(file);
  // By hand: the ops of hybrid:1 cost 10, 11 and 12 FLOPs over 2 inputs.
  EXPECT_THAT(page, HasSubstr("<dt>FLOPs</dt><dd data-value=\"16.5\">16.50 (11 live)</dd>"));
  EXPECT_THAT(page, HasSubstr("<dt>plain back-propagation (FLOPs)</dt><dd data-value=\"4.5\">"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\" data-value=\"5\">5.000 s</td>")) << "predicted";
}

TEST(Page, RunsWithoutMeasurementsHaveNoPartAboutThem) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  PageOptions options;
  options.run = 4;
  const std::string page = page_of(file, options);
  EXPECT_THAT(page, Not(HasSubstr("Measurements")));
  EXPECT_THAT(page, Not(HasSubstr("data-kind=\"predicted\"")));
  EXPECT_THAT(page, Not(HasSubstr("data-kind=\"residuals\"")));
}

TEST(Page, IsAboutOneRunOrStudyWhereAsked) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  for (const std::int64_t run : {1, 4, 6, 7, 8}) {
    PageOptions options;
    options.run = run;
    const std::string page = page_of(file, options);
    expect_harmless(page);
    EXPECT_THAT(page, HasSubstr("id=\"run-" + std::to_string(run) + "\""));
    EXPECT_THAT(page, Not(HasSubstr("id=\"study-1\"")));
    EXPECT_THAT(page, Not(HasSubstr("id=\"run-2\"")));
  }
  PageOptions options;
  options.study = 1;
  EXPECT_THAT(page_of(file, options), HasSubstr("id=\"study-1\""));
  EXPECT_THAT(page_of(file, options), Not(HasSubstr("id=\"run-")));
}

TEST(Page, UnknownRunsAndStudiesAreNamed) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  PageOptions run;
  run.run = 99;
  EXPECT_THAT([&] { page_of(file, run); },
              ::testing::ThrowsMessage<InputError>(HasSubstr(file + ": there is no run 99")));
  PageOptions study;
  study.study = 7;
  EXPECT_THAT([&] { page_of(file, study); }, ::testing::ThrowsMessage<InputError>(HasSubstr("there is no study 7")));
}

TEST(Page, AnEmptyStoreSaysSo) {
  const TemporaryFolder folder;
  const std::string file = folder.path("empty.sqlite");
  RunStore(file, RunStore::Open::create);
  const std::string page = page_of(file);
  expect_harmless(page);
  EXPECT_THAT(page, HasSubstr("holds no runs and no studies yet"));
  EXPECT_THAT(page, HasSubstr("upsweep search MODEL.yaml --db"));
}

/// Puts a text into a column of all rows, and does so with every column of text in turn.
class TextColumns {
 public:
  explicit TextColumns(const std::string& file) {
    sqlite3_open(file.c_str(), &database_);
    const auto add = [](void* into, int, char** values, char**) {
      static_cast<std::vector<std::pair<std::string, std::string>>*>(into)->emplace_back(values[0], values[1]);
      return 0;
    };
    sqlite3_exec(database_,
                 "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c "
                 "WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'sqlite%'",
                 add, &columns_, nullptr);
  }
  ~TextColumns() { sqlite3_close(database_); }
  TextColumns(const TextColumns&) = delete;
  TextColumns& operator=(const TextColumns&) = delete;

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> columns() const { return columns_; }

  void set(const std::pair<std::string, std::string>& column, const std::string& text) const {
    sqlite3_stmt* statement = nullptr;
    const std::string sql = "UPDATE OR IGNORE " + column.first + " SET " + column.second + " = ?1";
    ASSERT_EQ(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
    sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_DONE) << sqlite3_errmsg(database_);
    sqlite3_finalize(statement);
  }

 private:
  sqlite3* database_ = nullptr;
  std::vector<std::pair<std::string, std::string>> columns_;
};

/// All that may break out of text or out of a link.
std::string hostile_text() {
  return std::string("javascript:alert(1)<script>alert(1)</script>") + "</script><script>alert(1)</script>" +
         "\"><img src=x onerror=alert(1)>" + "' onmouseover='alert(1)" + "]]><!--<script>" +
         "</style></title><svg onload=alert(1)>" + "&lt;script&gt;&#60;b&#62;" + "line\nbreak\r\n\u2028\u2029<b>" +
         std::string("nul\0<i>", 7) + "\xff\xfe\xc0\xbc<u>\xe2\x82" + std::string(10'000, '<') + "<script>";
}

/// That, and the same in the JSON that the column has, or may have where it is empty.
std::vector<std::string> hostile_texts(const std::string& starts) {
  std::vector<std::string> texts{hostile_text()};
  if (starts.empty() || starts.find('[') != std::string::npos) texts.emplace_back(R"(["</script>", "<b>"])");
  if (starts.empty() || starts.find('{') != std::string::npos)
    texts.emplace_back(R"({"</script><b>": "<script>", "faster": "<b>"})");
  return texts;
}

TEST(Page, TextOfAnyColumnIsShownAsText) {
  const TemporaryFolder folder;
  make_store(folder.path("made.sqlite"));
  testing::query(folder.path("made.sqlite"), "PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string made = testing::read_file(folder.path("made.sqlite"));
  std::size_t columns = 0;
  const auto all = TextColumns(folder.path("made.sqlite")).columns();
  for (const auto& column : all) {
    ++columns;
    const std::string starts = testing::query(
        folder.path("made.sqlite"), fmt::format("SELECT coalesce(group_concat(DISTINCT substr({}, 1, 1)), '') FROM {}",
                                                column.second, column.first));
    const std::string file = folder.write("hostile.sqlite", made);
    for (const std::string& text : hostile_texts(starts)) {
      TextColumns(file).set(column, text);
      try {
        expect_harmless(page_of(file));
      } catch (const std::exception& error) {
        ADD_FAILURE() << column.first << '.' << column.second << " = " << text.substr(0, 60) << ": " << error.what();
      }
    }
    for (const char* beside : {"-wal", "-shm"}) std::filesystem::remove(file + beside);
  }
  EXPECT_GT(columns, 40U);
}

TEST(Page, HostileNamesAreThereAsText) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  TextColumns(file).set({"schedule_runs", "model"}, "<b>\"model\" & 'co'</b>");
  TextColumns(file).set({"operators", "name"}, "</script><script>alert(1)</script>");
  const std::string page = page_of(file);
  EXPECT_THAT(PageTags(page).text, HasSubstr("&lt;b&gt;&quot;model&quot; &amp; &#39;co&#39;&lt;/b&gt;"));
  EXPECT_THAT(PageTags(page).text, HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Page, ALongTextIsCut) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  const std::size_t before = page_of(file).size();
  TextColumns(file).set({"schedule_runs", "model"}, std::string(1'000'000, 'm'));
  EXPECT_LT(page_of(file).size(), before + 100'000);
}

TEST(Page, StaysBelowItsSizeAndSaysWhatIsLeftOut) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  for (int i = 0; i < 20; ++i) make_store(file);
  const std::size_t whole = page_of(file).size();
  PageOptions options;
  options.most_bytes = whole / 2 + charts_script().size() / 2;
  const std::string half = page_of(file, options);
  expect_harmless(half);
  EXPECT_LE(half.size(), options.most_bytes);
  EXPECT_THAT(half, HasSubstr("would make this page too large"));
  EXPECT_THAT(half, HasSubstr("upsweep report --run"));
  options.most_bytes = charts_script().size() + 60'000;
  const std::string small = page_of(file, options);
  EXPECT_LE(small.size(), options.most_bytes);
  EXPECT_THAT(small, HasSubstr("older ones are not listed"));
  options.most_bytes = 10;
  expect_harmless(page_of(file, options));
}

TEST(Page, CommandLinesAreQuotedForAShell) {
  const TemporaryFolder folder;
  const std::string file = folder.path("r.sqlite");
  make_store(file);
  TextColumns(file).set({"commands", "parameters"}, R"json(["search","my model's.yaml","--db","","$(rm)"])json");
  EXPECT_THAT(page_of(file), HasSubstr("upsweep search &#39;my model&#39;\\&#39;&#39;s.yaml&#39; &#39;$(rm)&#39;"))
      << "and without --db, which names a file of whoever ran it";
}

}  // namespace
}  // namespace upsweep
