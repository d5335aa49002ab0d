#include "upsweep/io/anchor_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

class AnchorFileTest : public ::testing::Test {
 protected:
  std::vector<AnchorRow> read(const std::string& text) {
    const std::string path = folder_.path() + "/t.csv";
    std::ofstream(path, std::ios::binary) << text;
    return load_anchors(path);
  }
  std::string refusal(const std::string& text) {
    return testing::refusal_of([&] { return read(text); });
  }

 private:
  TemporaryFolder folder_;
};

const std::string kHead = "family,device,library,time_ms,status,products,notes\n";

TEST_F(AnchorFileTest, ReadsQuotedCellsLineBreaksAndEmptyOnes) {
  const std::vector<AnchorRow> rows =
      read("\xef\xbb\xbf" + kHead +
           "spgemm,A,\"x, \"\"y\"\"\",1.5,ok,2147483648,\"two\nlines\"\r\n\r\nscan,B,z,,library_error,,\n");
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].family, "spgemm");
  EXPECT_EQ(rows[0].library, "x, \"y\"");
  EXPECT_EQ(rows[0].time_s, 1.5e-3);
  EXPECT_EQ(rows[0].products, 2147483648U);
  EXPECT_EQ(rows[0].line, 2);
  EXPECT_EQ(rows[1].line, 5);
  EXPECT_FALSE(rows[1].time_s.has_value());
  EXPECT_FALSE(rows[1].products.has_value());
  EXPECT_TRUE(rows[1].is_library_failure());
  EXPECT_NE(rows[0].key, rows[1].key);
}

TEST_F(AnchorFileTest, SaysWhereATableIsWrong) {
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("family,device,library,status\n"), HasSubstr("t.csv:1: there is no column time_ms"));
  EXPECT_THAT(refusal("family,family,device,library,time_ms,status\n"), HasSubstr("the column 'family' stands twice"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,1,ok,1,\nscan,A\n"), HasSubstr("t.csv:3: it has 2 cells"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,one,ok,1,\n"), HasSubstr("t.csv:2: time_ms is 'one'"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,-1,ok,1,\n"), HasSubstr("time_ms is '-1'"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,nan,ok,1,\n"), HasSubstr("time_ms is 'nan'"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,0,ok,1,\n"), HasSubstr("accepted is a number above 0 where the status is ok"));
  EXPECT_THAT(refusal(kHead + "scan,A,z,1,ok,1.5,\n"), HasSubstr("products is '1.5', accepted is a whole number"));
  EXPECT_THAT(refusal(kHead + "scan,A,\"z,1,ok,1,\n"), HasSubstr("t.csv:2: a cell in double quotes does not end"));
  EXPECT_THAT(refusal(kHead + "scan,A,\"z\"z,1,ok,1,\n"), HasSubstr("t.csv:2: found 'z' after a cell in quotes"));
  EXPECT_THAT(refusal(kHead + "scan,A\xff,z,1,ok,1,\n"), HasSubstr("t.csv:2: a cell is no UTF-8 text"));
}

}  // namespace
}  // namespace upsweep
