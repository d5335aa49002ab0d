#include "upsweep/document/size.hpp"

#include <gtest/gtest.h>

namespace upsweep {
namespace {

TEST(Size, IsANumberOfBytesWithItsUnit) {
  EXPECT_EQ(size_of("4096"), 4096U);
  EXPECT_EQ(size_of("16GiB"), std::uint64_t{16} << 30U);
  EXPECT_EQ(size_of("1.5 GB"), 1'500'000'000U);
  EXPECT_EQ(size_of("2 kB"), 2000U);
  EXPECT_EQ(size_of("1.5B"), 1U) << "rounded down";
}

TEST(Size, IsNothingForAnotherText) {
  for (const char* text : {"", "GiB", "0", "-1GiB", "3 bytes", "3GiBs", "0.5B", "1e30TB", "nanB"})
    EXPECT_EQ(size_of(text), std::nullopt) << text;
}

TEST(Size, WithoutUnitAndSmallIsPointedOut) {
  EXPECT_EQ(bare_size_note("16"), "is 16 bytes; 16 GiB are written 16GiB");
  EXPECT_EQ(bare_size_note("1"), "is 1 byte; 1 GiB is written 1GiB");
  for (const char* text : {"16B", "16GiB", "1 kB", "1048576", "none"}) EXPECT_EQ(bare_size_note(text), "") << text;
  EXPECT_EQ(bare_size_note("16", "tensor"), "is 16 tensors; 16 GiB are written 16GiB");
  EXPECT_EQ(bare_size_note("17179869184", "tensor"), "is 17179869184 tensors; as many bytes are written 17179869184B");
}

TEST(Size, UnitsThatAreMisspeltAreNamed) {
  EXPECT_EQ(size_hint("400Mib"), ": did you mean 400MiB?");
  EXPECT_EQ(size_hint("16 gb"), ": did you mean 16 GB?");
  EXPECT_EQ(size_hint("16G"), ": did you mean 16GB?");
  for (const char* text : {"16XB", "many", "", "16", "-1Gib"}) EXPECT_EQ(size_hint(text), "") << text;
}

}  // namespace
}  // namespace upsweep
