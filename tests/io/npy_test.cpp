#include "upsweep/io/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "support/files.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::npy_test {
namespace {

using testing::npy;
using testing::npy_with_header;
using Doubles = std::vector<double>;

NpyArray parse(const std::string& file) {
  std::istringstream in(file);
  return read_npy(in, file.size(), "x.npy");
}

std::string refusal(const std::string& file) {
  try {
    return "accepted " + std::to_string(parse(file).size());
  } catch (const InputError& error) {
    return error.what();
  }
}

template <class T>
void expect_values(const std::string& descr, const std::vector<T>& values) {
  const NpyArray array = parse(npy<T>(descr, "(" + std::to_string(values.size()) + ",)", values));
  const Doubles got = array.to_doubles();
  ASSERT_EQ(got.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(got[i], static_cast<double>(values[i])) << descr;
    EXPECT_EQ(array.nonzero()[i], values[i] != 0 ? 1 : 0) << descr;
  }
}

TEST(ReadNpy, ReadsEveryTypeOfTheContract) {
  expect_values<std::uint8_t>("|b1", {0, 1, 1});
  expect_values<std::uint8_t>("|u1", {0, 200, 255});
  expect_values<std::int8_t>("|i1", {0, -128, 127});
  expect_values<std::int16_t>("<i2", {0, -30000, 5});
  expect_values<std::int32_t>("<i4", {0, -2000000000, 5});
  expect_values<std::int64_t>("<i8", {0, -(std::int64_t{1} << 50), 5});
  expect_values<float>("<f4", {0.0F, -0.0F, 1.5F, -3e38F});
  expect_values<double>("<f8", {0.0, 1e-300, -1e300});
  const NpyArray half = parse(npy<std::uint16_t>("<f2", "(6,)", {0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000, 0x0400}));
  EXPECT_EQ(half.to_doubles(), (Doubles{1, -2, std::ldexp(1, -24), 65504, 0, std::ldexp(1, -14)}));
}

TEST(ReadNpy, TurnsFortranOrderAndForeignByteOrderIntoOurs) {
  const NpyArray fortran = parse(npy<std::int32_t>("<i4", "(2, 3)", {1, 4, 2, 5, 3, 6}, "True"));
  EXPECT_EQ(fortran.to_doubles(), (Doubles{1, 2, 3, 4, 5, 6}));
  const NpyArray cube = parse(npy<std::int32_t>("<i4", "(2, 2, 2)", {0, 4, 2, 6, 1, 5, 3, 7}, "True"));
  EXPECT_EQ(cube.to_doubles(), (Doubles{0, 1, 2, 3, 4, 5, 6, 7}));
  const NpyArray big = parse(npy<std::uint8_t>(">i2", "(2,)", {0x01, 0x02, 0xff, 0xfe}).append(""));
  EXPECT_EQ(big.to_doubles(), (Doubles{258, -2}));
}

TEST(ReadNpy, ReadsFormatVersionsOneToThreeAndEmptyShapes) {
  const std::string dictionary = "{'shape': (), 'fortran_order': False, 'descr': '|u1'}";
  for (const char major : {'\1', '\2', '\3'})
    EXPECT_EQ(parse(npy_with_header(dictionary, "\x07", major)).to_doubles(), (Doubles{7}));
  EXPECT_EQ(refusal(npy_with_header(dictionary, "\x07", 4)), "x.npy: .npy format version 4, accepted are 1 to 3");
  EXPECT_EQ(parse(npy<float>("<f4", "(0, 5)", {})).size(), 0U);
}

TEST(ReadNpy, FindsTheFirstNumberThatIsNotFinite) {
  EXPECT_EQ(parse(npy<float>("<f4", "(3,)",
                             {1, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}))
                .first_non_finite(),
            1U);
  EXPECT_EQ(parse(npy<float>("<f4", "(1,)", {1})).first_non_finite(), 1U);
}

TEST(ReadNpy, RefusesHostileHeadersWithoutAllocatingWhatTheyClaim) {
  const auto with_shape = [](const std::string& shape) {
    return npy_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", "1234");
  };
  EXPECT_EQ(refusal(with_shape("(1152921504606846976,)")),
            "x.npy: its header claims 4611686018427387904 bytes of elements (shape (1152921504606846976), type f4), "
            "accepted is what the file has, 4");
  EXPECT_EQ(refusal(with_shape("(4294967296, 4294967296, 4)")),
            "x.npy: the sizes in its header exceed 64 bits, accepted is what the file holds, 93 bytes");
  EXPECT_NE(refusal(with_shape("(99999999999999999999999,)")).find("exceed 64 bits"), std::string::npos);
  EXPECT_NE(refusal(with_shape("(-1,)")).find("has '-' in 'shape'"), std::string::npos);
  EXPECT_NE(refusal(with_shape("(1.5,)")).find("has '.' at position"), std::string::npos);
  EXPECT_NE(refusal(with_shape("(2,)"))
                .find("its header claims 8 bytes of elements (shape (2), type f4), accepted is what the file has, 4"),
            std::string::npos);
  EXPECT_NE(refusal(with_shape("()")).find("accepted 1"), std::string::npos) << "a scalar";
  EXPECT_NE(refusal(with_shape("__import__('os')")).find("the .npy header has"), std::string::npos);
}

TEST(ReadNpy, RefusesTypesThatAreNoNumbers) {
  const auto with_type = [](const std::string& type) {
    return npy_with_header("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,)}", "12345678");
  };
  EXPECT_EQ(refusal(with_type("'|O'")),
            "x.npy: the element type is '|O', accepted are b1, u1, i1, i2, i4, i8, f2, f4, f8");
  EXPECT_NE(refusal(with_type("'<c8'")).find("the element type is '<c8'"), std::string::npos);
  EXPECT_NE(refusal(with_type("'<U2'")).find("the element type is '<U2'"), std::string::npos);
  EXPECT_NE(refusal(with_type("[('a', '<f4'), ('b', '<f4')]")).find("the element type is a structured type"),
            std::string::npos);
}

TEST(ReadNpy, RefusesFilesThatAreCutOffOrSomethingElse) {
  const std::string whole = npy<double>("<f8", "(2,)", {1, 2});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(whole.substr(0, size)).find("x.npy: "), std::string::npos) << size;
  EXPECT_NE(refusal(whole + "x").find("what the file has, 17"), std::string::npos);
  EXPECT_EQ(refusal("PK\x03\x04 a zip file"),
            "x.npy: it does not start with \\x93NUMPY, accepted is a NumPy .npy file");
  EXPECT_THROW(static_cast<void>(read_npy("/nonexistent/x.npy")), InputError);
  EXPECT_THROW(static_cast<void>(read_npy("/")), InputError);
}

}  // namespace
}  // namespace upsweep::npy_test
