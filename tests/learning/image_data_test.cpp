#include "upsweep/learning/image_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "support/files.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::image_data_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Vector = std::vector<double>;

Vector image(const ImageData& data, std::size_t sample) {
  Vector pixels(elements(data.shape()));
  data.write(sample, pixels);
  return pixels;
}

std::string record(char label, char red, char green, char blue) {
  return std::string(1, label) + std::string(1024, red) + std::string(1024, green) + std::string(1024, blue);
}

template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string folder_error(const std::string& folder) {
  return error_of<InputError>([&] { static_cast<void>(ImageData::cifar10(folder)); });
}

TEST(Cifar10, RecordsOfAllFilesAreReadInTheirOrderAndScaled) {
  const testing::TemporaryFolder folder;
  folder.write("data_batch_2.bin", record(9, 0, 0, 0));
  folder.write("data_batch_1.bin", record(3, '\xff', '\0', '\x33') + record(0, 1, 2, 3));
  folder.write("test_batch.bin", "is no part of the training set");
  const ImageData data = ImageData::cifar10(folder.path(), {{0.5, 0.25, 0}, {0.5, 0.125, 2}});
  ASSERT_EQ(data.samples(), 3U);
  EXPECT_EQ(data.shape(), (Shape{3, 32, 32}));
  EXPECT_EQ(data.classes(), 10U);
  EXPECT_EQ(data.label(0), 3U);
  EXPECT_EQ(data.label(1), 0U);
  EXPECT_EQ(data.label(2), 9U);
  const Vector first = image(data, 0);
  EXPECT_DOUBLE_EQ(first[0], 1);                          // (255 / 255 - 0.5) / 0.5
  EXPECT_DOUBLE_EQ(first[1023], 1);                       // the last red one
  EXPECT_DOUBLE_EQ(first[1024], -2);                      // (0 - 0.25) / 0.125
  EXPECT_DOUBLE_EQ(first[3071], 0.1);                     // (51 / 255 - 0) / 2
  EXPECT_DOUBLE_EQ(image(data, 1)[2048], 3 / 255.0 / 2);  // blue of the second record
  EXPECT_DOUBLE_EQ(image(data, 2)[0], -1);
}

TEST(Cifar10, ErrorsNameTheFileWhatWasFoundAndWhatIsAccepted) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(folder_error(folder.path("none")), AllOf(HasSubstr("none: "), HasSubstr("accepted is a folder")));
  EXPECT_THAT(folder_error(folder.path()), HasSubstr("no file data_batch_*.bin, accepted is a folder"));
  const std::string path = folder.write("data_batch_1.bin", record(1, 2, 3, 4) + "x");
  EXPECT_EQ(folder_error(folder.path()),
            path + ": 3074 bytes, accepted are 1 or more records of 3073 bytes, up to 1073741824 bytes together");
  folder.write("data_batch_1.bin", "");
  EXPECT_THAT(folder_error(folder.path()), HasSubstr("data_batch_1.bin: 0 bytes, accepted are 1 or more"));
  folder.write("data_batch_1.bin", record(1, 2, 3, 4) + record(10, 0, 0, 0));
  EXPECT_EQ(folder_error(folder.path()), path + ": record 1 has the label 10, accepted are 0 to 9");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(folder_error(folder.path()), HasSubstr("data_batch_1.bin: not a regular file"));
}

TEST(SyntheticImages, AreTheSameWhateverWasAskedBeforeAndOtherForAnotherSeed) {
  const ImageData one = ImageData::synthetic({2, 5, 6}, 3, 20, 7);
  const ImageData longer = ImageData::synthetic({2, 5, 6}, 3, 30, 7);
  const ImageData other = ImageData::synthetic({2, 5, 6}, 3, 20, 8);
  for (std::size_t s = 20; s-- > 0;) {
    EXPECT_EQ(image(one, s), image(longer, s));
    EXPECT_EQ(one.label(s), longer.label(s));
    EXPECT_NE(image(one, s), image(other, s));
  }
}

TEST(SyntheticImages, AreTheSameOnEveryMachine) {
  // Numbers by position of seeded streams and basic arithmetic alone: the digits below hold everywhere.
  const ImageData data = ImageData::synthetic({3, 4, 4}, 10, 2, 1);
  const Vector first = image(data, 0);
  EXPECT_EQ(data.label(0), 5U);
  EXPECT_EQ(data.label(1), 1U);
  EXPECT_EQ(first[0], 0x1.2ab19c8p-1);
  EXPECT_EQ(first[47], 0x1.a9253p-4);
  EXPECT_EQ(image(data, 1)[20], 0x1.88748c8p-1);
}

/// Mean squared distance of two images.
double distance(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

TEST(SyntheticImages, OfOneClassAreCloserToEachOtherThanToOthers) {
  const ImageData data = ImageData::synthetic({3, 16, 16}, 4, 24, 5);
  std::set<std::uint32_t> labels;
  double same = 0;
  double other = 0;
  std::size_t same_count = 0;
  std::size_t other_count = 0;
  for (std::size_t i = 0; i < data.samples(); ++i) {
    labels.insert(data.label(i));
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_same = data.label(i) == data.label(j);
      (is_same ? same : other) += distance(image(data, i), image(data, j));
      ++(is_same ? same_count : other_count);
    }
  }
  EXPECT_EQ(labels.size(), 4U);
  // Noise of variance 1 in both; patterns of variance 1/4 differ between classes.
  EXPECT_NEAR(same / static_cast<double>(same_count), 2, 0.1);
  EXPECT_GT(other / static_cast<double>(other_count), 2.2);
}

TEST(SyntheticImages, RejectWhatIsNoImage) {
  const auto error = [](const Shape& shape, std::size_t classes, std::size_t samples) {
    return error_of<std::invalid_argument>(
        [&] { static_cast<void>(ImageData::synthetic(shape, classes, samples, 0)); });
  };
  EXPECT_THAT(error({2, 3}, 2, 2), HasSubstr("images of the shape [2, 3], accepted are"));
  EXPECT_THAT(error({3, 0, 2}, 2, 2), HasSubstr("images of the shape [3, 0, 2]"));
  EXPECT_THAT(error({3}, 0, 2), HasSubstr("0 classes and 2 samples, accepted are 1 to 256 and at least 1"));
  EXPECT_THAT(error({3}, 257, 2), HasSubstr("257 classes"));
  EXPECT_THAT(error({3}, 2, 0), HasSubstr("0 samples"));
  const ImageData data = ImageData::synthetic({3}, 2, 2, 0);
  Vector pixels(2);
  EXPECT_THAT(error_of<std::invalid_argument>([&] { data.write(0, pixels); }), HasSubstr("2 pixels, accepted are 3"));
  pixels.resize(3);
  EXPECT_THROW(data.write(2, pixels), std::out_of_range);
}

}  // namespace
}  // namespace upsweep::image_data_test
