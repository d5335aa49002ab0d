#include "io/array_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep::array_source_test {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(number >> (8 * i) & 255) : '\0';
  return text;
}

std::string floats(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

std::string npy(const std::vector<float>& numbers, const std::string& shape) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0", 8) + little(header.size(), 2) + header + floats(numbers);
}

/// A zip archive as NumPy writes it, without checksums, which are not read. Method 8 here is one block that is not
/// compressed.
class Zip {
 public:
  Zip& add(const std::string& name, const std::string& content, int method = 0) {
    const std::string packed =
        method == 8 ? "\1" + little(content.size(), 2) + little(~content.size(), 2) + content : content;
    const std::string sizes = little(0, 4) + little(packed.size(), 4) + little(content.size(), 4);
    const std::uint64_t start = text_.size();
    text_ += "PK\3\4" + little(20, 2) + little(0, 2) + little(static_cast<std::uint64_t>(method), 2) + little(0, 4) +
             sizes + little(name.size(), 2) + little(0, 2) + name + packed;
    directory_ += "PK\1\2" + little(20, 2) + little(20, 2) + little(0, 2) +
                  little(static_cast<std::uint64_t>(method), 2) + little(0, 4) + sizes + little(name.size(), 2) +
                  little(0, 12) + little(start, 4) + name;
    ++count_;
    return *this;
  }
  [[nodiscard]] std::string text() const {
    return text_ + directory_ + "PK\5\6" + little(0, 4) + little(count_, 2) + little(count_, 2) +
           little(directory_.size(), 4) + little(text_.size(), 4) + little(0, 2);
  }

 private:
  std::string text_, directory_;
  std::uint64_t count_ = 0;
};

std::string safetensors(const std::string& header, const std::string& data) {
  return little(header.size(), 8) + header + data;
}

class Arrays : public ::testing::Test {
 protected:
  std::vector<double> read(const std::string& file, const std::string& text, const std::string& name,
                           const Shape& shape = {2, 2}) {
    folder_.write(file, text);
    return open_arrays(folder_.path(file))->read(name, shape).to_doubles();
  }
  std::string refusal(const std::string& file, const std::string& text, const std::string& name,
                      const Shape& shape = {2, 2}) {
    const std::string what = testing::refusal_of([&] { return read(file, text, name, shape); });
    EXPECT_EQ(what.find('\n'), std::string::npos);
    EXPECT_THAT(what, AnyOf(HasSubstr(file), "accepted"));
    return what;
  }
  static std::string text_refusal(const auto& reader, const std::string& text, const Shape& shape = {2, 3}) {
    std::istringstream in(text);
    return testing::refusal_of([&] { return reader(in, text.size(), shape, "m"); });
  }
  static std::vector<double> matrix(const auto& reader, const std::string& text, const Shape& shape = {2, 3}) {
    std::istringstream in(text);
    return reader(in, text.size(), shape, "m").to_doubles();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Arrays, OfAnNpzFileAreReadStoredAndDeflated) {
  const std::string text =
      Zip().add("a.npy", npy({1, 2, 3, 4}, "(2, 2)")).add("b.weight.npy", npy({5}, "(1,)"), 8).text();
  EXPECT_THAT(read("x.npz", text, "a"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read("x.npz", text, "b"), ElementsAre(5)) << "PyTorch calls it b.weight";
  EXPECT_THAT(refusal("x.npz", text, "c"), HasSubstr("it has no array 'c' or 'c.weight'"));
}

TEST_F(Arrays, OfABrokenNpzFileAreRefused) {
  const std::string good = Zip().add("a.npy", npy({1, 2, 3, 4}, "(2, 2)"), 8).text();
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(refusal("x.npz", good.substr(0, size), "a"), "accepted") << size;
  EXPECT_THAT(refusal("x.npz", "no archive", "a"), HasSubstr("no zip archive, or a truncated one"));
  const std::string twice = Zip().add("a.npy", npy({1}, "(1,)")).add("a.npy", npy({1}, "(1,)")).text();
  EXPECT_THAT(refusal("x.npz", twice, "a"), HasSubstr("'a' is there twice"));
  const std::string method = Zip().add("a.npy", npy({1}, "(1,)"), 12).text();
  EXPECT_THAT(refusal("x.npz", method, "a"), HasSubstr("compression method 12"));
  std::string longer = good;  // claims more than deflate could have packed
  longer.replace(longer.find("PK\1\2") + 24, 4, little(1U << 30, 4));
  EXPECT_THAT(refusal("x.npz", longer, "a"), HasSubstr("it claims 1073741824 bytes"));
  const std::string infinite = Zip().add("a.npy", npy({1, INFINITY}, "(2,)")).text();
  EXPECT_THAT(refusal("x.npz", infinite, "a"), HasSubstr("has inf at element 1"));
}

TEST_F(Arrays, OfASafetensorsFileAreReadByType) {
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},)"
      R"("__metadata__":{"format":"pt"},"c.weight":{"dtype":"U8","shape":[2],"data_offsets":[10,12]}})";
  const std::string text = safetensors(header, floats({1.5, -2}) + std::string("\x20\xC0\1\0", 4));
  EXPECT_THAT(read("x.safetensors", text, "a"), ElementsAre(1.5, -2));
  EXPECT_THAT(read("x.safetensors", text, "b"), ElementsAre(-2.5));
  EXPECT_THAT(read("x.safetensors", text, "c"), ElementsAre(1, 0));
}

TEST_F(Arrays, OfABrokenSafetensorsFileAreRefused) {
  const auto with = [](const std::string& entry) { return safetensors("{\"a\":" + entry + "}", std::string(8, '\0')); };
  const std::string good = with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})");
  EXPECT_EQ(refusal("x.safetensors", good, "a"), "accepted");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(refusal("x.safetensors", good.substr(0, size), "a"), "accepted") << size;
  EXPECT_THAT(refusal("x.safetensors", with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), "a"),
              HasSubstr("8 bytes of shape [3] and type F32"));
  EXPECT_THAT(refusal("x.safetensors", with(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})"), "a"),
              HasSubstr("16 bytes from"));
  EXPECT_THAT(refusal("x.safetensors", with(R"({"dtype":"F8","shape":[8],"data_offsets":[0,8]})"), "a"),
              HasSubstr("type F8 is not read"));
  EXPECT_THAT(refusal("x.safetensors", with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "a"),
              HasSubstr("accepted is an integer of at least 8"));
  EXPECT_THAT(
      refusal("x.safetensors", with(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"), "a"),
      HasSubstr("exceed 64 bits"));
  EXPECT_NE(refusal("x.safetensors", little(1U << 30, 8) + "{}", "a"), "accepted") << "a header longer than the file";
}

TEST_F(Arrays, OfSparseMasksStandWhereTheCollectionPutsThem) {
  // Columns (ky · 2 + kx) · inputs + input: 3 is kernel position 1 of input 1.
  EXPECT_THAT(matrix(read_smtx, "1, 8, 2\n0 2\n0 3\n", {1, 2, 2, 2}), ElementsAre(1, 0, 0, 0, 0, 1, 0, 0));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 1\n0 1 1\n3\n"), HasSubstr("column 3 of row 0"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 2\n0 2 2\n1 1\n"), HasSubstr("column 1 of row 0"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 1\n0 2 1\n0\n"), HasSubstr("row pointer 1 is 2"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 4, 1\n0 1 1\n0\n"), HasSubstr("accepted are those of a weight [2, 3]"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 1\n0 1\n"), HasSubstr("a row pointer is missing"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 1\n0 1 1\n0 7\n"), HasSubstr("text behind the last number"));
  EXPECT_THAT(text_refusal(read_smtx, "2, 3, 99999999\n0 1 1\n0\n"), HasSubstr("more than it holds"));
}

TEST_F(Arrays, OfMatrixMarketFilesHaveARowForEachOutput) {
  const std::string banner = "%%MatrixMarket matrix ";
  EXPECT_THAT(matrix(read_matrix_market, banner + "coordinate real general\n% by hand\n%\n2 3 2\n1 3 -0.5\n2 1 2e1\n"),
              ElementsAre(0, 0, -0.5, 20, 0, 0));
  EXPECT_THAT(matrix(read_matrix_market, banner + "coordinate pattern general\n2 3 1\n2 2\n"),
              ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(matrix(read_matrix_market, banner + "array integer general\n2 3\n1\n2\n3\n4\n5\n6\n"),
              ElementsAre(1, 3, 5, 2, 4, 6))
      << "column after column";
  const auto refused = [](const std::string& text) { return text_refusal(read_matrix_market, text); };
  EXPECT_THAT(refused("2 3 1\n1 1 1\n"), HasSubstr("it begins with '2 3 1'"));
  EXPECT_THAT(refused(banner + "coordinate complex general\n2 3 0\n"), HasSubstr("accepted is"));
  EXPECT_THAT(refused(banner + "coordinate real symmetric\n2 3 0\n"), HasSubstr("accepted is"));
  EXPECT_THAT(refused(banner + "coordinate real general\n3 2 0\n"), HasSubstr("3 rows and 2 columns"));
  EXPECT_THAT(refused(banner + "coordinate real general\n2 3 1\n0 1 1\n"), HasSubstr("entry (0, 1)"));
  EXPECT_THAT(refused(banner + "coordinate real general\n2 3 2\n1 1 1\n1 1 2\n"), HasSubstr("is there twice"));
  EXPECT_THAT(refused(banner + "coordinate real general\n2 3 1\n1 1 nan\n"), HasSubstr("accepted are finite numbers"));
  EXPECT_THAT(refused(banner + "coordinate real general\n2 3 1\n1 1\n"), HasSubstr("a value is missing"));
  EXPECT_THAT(refused(banner + "array real general\n2 3\n1 2 3\n"), HasSubstr("a value is missing"));
}

TEST_F(Arrays, OfAFolderAreFoundByTheirEndings) {
  folder_.write("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n");
  folder_.write("b.smtx", "2, 2, 1\n0 1 1\n0\n");
  const auto source = open_arrays(folder_.path(""));
  EXPECT_TRUE(source->exists("a"));
  EXPECT_FALSE(source->exists("c"));
  EXPECT_THAT(source->read("a", {2, 2}).to_doubles(), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(source->read("b", {2, 2}).to_doubles(), ElementsAre(1, 0, 0, 0));
  EXPECT_THROW(static_cast<void>(source->read("c", {2, 2})), InputError);
  EXPECT_THROW(static_cast<void>(open_arrays(folder_.path("none.npz"))), InputError);
  EXPECT_THROW(static_cast<void>(open_arrays(folder_.path("x.bin"))), InputError);
}

}  // namespace
}  // namespace upsweep::array_source_test
