#include "upsweep/document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace upsweep::document_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Op {
  std::uint64_t flops;
  std::optional<double> seconds;
};

Table ops_table(const std::vector<Op>& ops, const std::string& name = "ops") {
  using Row = const Op*;
  return {
      name, each_of(ops),
      std::vector<Field<Row>>{{"cost/flops", "FLOPs", Unit::count, [](Row op) { return Value(op->flops); }},
                              {"seconds", "time", Unit::seconds, [](Row op) { return Value(op->seconds); }},
                              {"detail",
                               {},
                               Unit::object,
                               [](Row op) {
                                 return Value::object({{"is_slow", op->flops > 10'000}});
                               }},
                              {"", "", Unit::text, [](Row op) { return Value(op->flops > 10'000 ? "slow" : ""); }}}};
}

const std::vector<Op> kOps = {{26061648, 0.01234}, {5, {}}};

TEST(Value, IsNothingWhereAnOptionalIsEmptyOrANumberIsNone) {
  EXPECT_TRUE(Value(std::optional<int>()).is_nothing());
  EXPECT_TRUE(Value(std::numeric_limits<double>::quiet_NaN()).is_nothing());
  EXPECT_TRUE(Value().json().is_null());
  EXPECT_EQ(Value().exact(), "");
  EXPECT_EQ(Value().text(Unit::count), "-") << "nothing is not 0";
  EXPECT_EQ(Value().otherwise("?").text(Unit::count), "?");
  EXPECT_EQ(Value(0).otherwise("?").text(Unit::count), "0");
}

TEST(Value, IsExactForProgramsAndShortForPeople) {
  EXPECT_EQ(Value::mean(9, 4).json().dump(), "2.25");
  EXPECT_EQ(Value::mean(8, 4).json().dump(), "2") << "no fraction where it has none";
  EXPECT_EQ(Value(~std::uint64_t{0}).exact(), "18446744073709551615");
  EXPECT_EQ(Value(-1).json().dump(), "-1");
  EXPECT_EQ(Value(26061648).text(Unit::count), "26.06 M");
  EXPECT_EQ(Value(26061648).text(Unit::exact), "26061648");
  EXPECT_EQ(Value(0.125).text(Unit::change), "+12.5 %");
  EXPECT_EQ(Value(true).text(Unit::text), "yes");
  EXPECT_EQ(Value(1e-3).in(Unit::seconds).text(Unit::count), "1.000 ms") << "its own unit goes before its column's";
  EXPECT_EQ(Value(0.1 + 0.2).exact(), "0.30000000000000004");
}

TEST(Value, ShownDoesNotChangeWhatProgramsGet) {
  const Value value = Value(3).shown("three");
  EXPECT_EQ(value.text(Unit::count), "three");
  EXPECT_EQ(value.json(), 3);
  EXPECT_EQ(value.exact(), "3");
}

TEST(Table, HasTheSameValuesInEveryRendering) {
  const Table table = ops_table(kOps);
  EXPECT_EQ(table.json(),
            Json::parse(R"([{"cost": {"flops": 26061648}, "seconds": 0.01234, "detail": {"is_slow": true}},
                                          {"cost": {"flops": 5}, "seconds": null, "detail": {"is_slow": false}}])"));
  EXPECT_EQ(table.csv(), "cost_flops,seconds\r\n26061648,0.01234\r\n5,\r\n") << "objects are for JSON alone";
  EXPECT_EQ(table.text(),
            "  FLOPs      time\n"
            "-------  --------  ----\n"
            "26.06 M  12.34 ms  slow\n"
            "      5         -\n");
}

TEST(Table, OfManyRowsShowsTheFirstOrALineInstead) {
  EXPECT_EQ(ops_table(kOps).at_most(1, "2 ops\n").text(), "2 ops\n");
  EXPECT_THAT(ops_table(kOps).first(1, "... of 2\n").text(), HasSubstr("12.34 ms  slow\n... of 2\n"));
  EXPECT_EQ(ops_table(kOps).at_most(1, "2 ops\n").json().size(), 2) << "programs get all";
}

TEST(Table, NamesTheBestWhereNothingElseSaysIt) {
  TextStyle style;
  style.marks_best = true;
  const Table table = ops_table(kOps).marks([](std::size_t row) { return row == 1; });
  EXPECT_THAT(table.text(style), HasSubstr("      5         -  <- best\n"));
  EXPECT_THAT(table.text(), Not(HasSubstr("best")));
}

TEST(Table, HasTwoColumnsOfAnIntervalInCsv) {
  const Table table("t", {{"a", "A", Unit::interval}}, {{Interval{1, 2.5}}, {std::optional<Interval>()}});
  EXPECT_EQ(table.json(), Json::parse(R"([{"a": [1.0, 2.5]}, {"a": null}])"));
  EXPECT_EQ(table.csv(), "a_low,a_high\r\n1,2.5\r\n,\r\n");
  EXPECT_EQ(table.text(), "         A\n----------\n1 to 2.500\n         -\n");
}

TEST(Table, OfReadyRowsIsLikeOneOfFields) {
  const Table table("t", {{"a", "A", Unit::exact}, {"b"}}, {{1, "x"}, {2, std::nullopt}});
  EXPECT_EQ(table.json(), Json::parse(R"([{"a": 1, "b": "x"}, {"a": 2, "b": null}])"));
  EXPECT_EQ(table.text(), "A\n-\n1\n2\n");
}

TEST(Document, MergesFactsAndPutsTablesAtTheirNames) {
  Document document;
  document.facts([] {
            return Json{{"model", {{"name", "n"}}}, {"x", 1}};
          })
      .facts([] {
        return Json{{"model", {{"input", 3}}}, {"x", {{"y", 2}}}};
      })
      .show(ops_table(kOps, "model/ops"));
  const Json json = document.json();
  EXPECT_EQ(json["model"]["name"], "n");
  EXPECT_EQ(json["model"]["input"], 3);
  EXPECT_EQ(json["model"]["ops"].size(), 2);
  EXPECT_EQ(json["x"], Json({{"y", 2}})) << "the later of values that are no objects";
}

TEST(Document, IsReadInTheOrderInWhichItWasWritten) {
  Document document;
  document.say("one\n").list(ops_table(kOps)).show(ops_table(kOps, "")).say("two\n");
  EXPECT_EQ(document.text(), "one\n" + ops_table(kOps).text() + "two\n");
}

TEST(Document, PrintsTheLastSheetAsCsv) {
  Document document;
  EXPECT_EQ(document.show(ops_table(kOps)).csv(), "") << "no table that was meant for it";
  EXPECT_EQ(document.sheet(ops_table(kOps)).csv(), ops_table(kOps).csv());
}

TEST(Document, BecomesAnObjectOfAnother) {
  Document inner;
  inner.facts([] { return Json{{"a", 1}}; }).show(ops_table(kOps)).say("inner\n");
  Document document;
  document.facts([] { return Json{{"b", 2}}; }).add_under("predicted", std::move(inner));
  EXPECT_EQ(document.json()["predicted"]["a"], 1);
  EXPECT_EQ(document.json()["predicted"]["ops"].size(), 2);
  EXPECT_FALSE(document.json().contains("ops"));
  EXPECT_THAT(document.text(), HasSubstr("slow\n"));
  EXPECT_THAT(document.text(), HasSubstr("inner\n"));
}

TEST(Document, MayBeRowsAlone) {
  Document document;
  document.rows(ops_table(kOps));
  EXPECT_TRUE(document.json().is_array());
}

}  // namespace
}  // namespace upsweep::document_test
