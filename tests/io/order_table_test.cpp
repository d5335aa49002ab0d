#include "upsweep/io/order_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OrderTable : public ::testing::Test {
 protected:
  std::vector<OrderInstance> read(const std::string& text) { return load_order_table(folder_.write("c.csv", text)); }
  std::string refusal(const std::string& text) {
    return testing::refusal_of([&] { return read(text); });
  }

  testing::TemporaryFolder folder_;
};

constexpr const char* kTable = "length,id,sizes,edges,best,proven\n2,7,3 4 5,10 20,90 80,1 0\n";

TEST_F(OrderTable, HasChainsAndWhatIsPublished) {
  const std::vector<OrderInstance> instances = read(kTable);
  ASSERT_EQ(instances.size(), 1U);
  EXPECT_EQ(instances[0].id, 7U);
  EXPECT_THAT(instances[0].chain.sizes, ElementsAre(3, 4, 5));
  EXPECT_THAT(instances[0].chain.edges, ElementsAre(10, 20));
  EXPECT_THAT(instances[0].published, ElementsAre(90, 80));
  EXPECT_THAT(instances[0].published_proven, ElementsAre(1, 0));
}

TEST_F(OrderTable, NeedsSizesAndEdgesAlone) {
  const std::vector<OrderInstance> instances = read("edges,sizes\n7,1 2\n8,3 4\n");
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[1].id, 1U) << "the row's number";
  EXPECT_THAT(instances[1].published, IsEmpty());
}

TEST_F(OrderTable, MayBePackedByGzip) {
  const std::string path = folder_.path("c.csv.gz");
  const gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, kTable);
  gzclose(file);
  EXPECT_THAT(load_order_table(path).front().chain.sizes, ElementsAre(3, 4, 5));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THROW(static_cast<void>(load_order_table(path)), InputError);
}

TEST_F(OrderTable, ThatIsWrongIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("length,id,sizes\n1,0,1 2\n"), HasSubstr("c.csv:1: there is no column edges"));
  EXPECT_THAT(refusal("sizes,edges\n1 2,5\n1 2 3,5\n"), HasSubstr("c.csv:3: sizes is '1 2 3', accepted is 2 numbers"));
  EXPECT_THAT(refusal("sizes,edges\n1 0,5\n"), HasSubstr("sizes is '1 0'"));
  EXPECT_THAT(refusal("sizes,edges\n1 2,0\n"), HasSubstr("edges is '0', accepted is 1 to"));
  EXPECT_THAT(refusal("sizes,edges\n1 2,\n"), HasSubstr("edges is ''"));
  EXPECT_THAT(refusal("sizes,edges\n1 x,5\n"), HasSubstr("sizes is '1 x', accepted is whole numbers"));
  EXPECT_THAT(refusal("sizes,edges,length\n1 2,5,2\n"), HasSubstr("length is '2', accepted is 1,"));
  EXPECT_THAT(refusal("sizes,edges,best\n1 2,5,1 2\n"), HasSubstr("best is '1 2'"));
  EXPECT_THAT(refusal("sizes,edges\n4000000000 4000000000,5\n"), HasSubstr("exceeds 64 bits"));
  EXPECT_THAT(refusal("sizes,edges\n"), HasSubstr("without rows"));
}

}  // namespace
}  // namespace upsweep
