#include "upsweep/app/failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "upsweep/app/session.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/work_meter.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

template <class Error>
Failure failure(const Error& error) {
  return failure_of(std::make_exception_ptr(error));
}

TEST(Failure, EveryKindOfErrorHasItsExitCodeAndKeepsItsText) {
  const std::vector<std::pair<Failure, ExitCode>> cases = {
      {failure(UsageError("the text")), kUsage},          {failure(InputError("the text")), kInput},
      {failure(BusyError("the text")), kBackend},         {failure(BackendError("the text")), kBackend},
      {failure(ValidationFailed("the text")), kMismatch}, {failure(std::logic_error("the text")), kFault}};
  for (const auto& [failure, code] : cases) {
    EXPECT_EQ(failure.code, code);
    EXPECT_EQ(failure.message, "the text");
  }
  EXPECT_EQ(failure(Interrupted()).code, 130);
  EXPECT_EQ(failure(7).code, kFault);
}

TEST(Failure, AWrongRequestNamesItsField) {
  EXPECT_EQ(failure(RequestError("batch", "is 0, accepted is 1")).message, "`batch` is 0, accepted is 1");
  EXPECT_EQ(failure(RequestError("db", ": it is empty")).message, "`db`: it is empty");
  EXPECT_EQ(failure(RequestError("", "`run` and `study`")).message, "`run` and `study`");
  EXPECT_EQ(failure(RequestError("batch", "is 0")).code, kUsage);
}

TEST(Failure, WhatIsTooLargeIsTheInputOrTheMachineAndNoFaultOfOurs) {
  EXPECT_EQ(failure(CountOverflow()).code, kInput);
  EXPECT_EQ(failure(OutOfRoom(2, 1)).code, kBackend);
  EXPECT_EQ(failure(std::bad_alloc()).code, kBackend);
  const Failure threads = failure(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)));
  EXPECT_EQ(threads.code, kBackend);
  EXPECT_THAT(threads.message, HasSubstr("no more threads"));
  EXPECT_EQ(failure(std::system_error(std::make_error_code(std::errc::invalid_argument))).code, kFault);
}

TEST(Failure, AFileThatTheSystemRefusesIsNamed) {
  const Failure file = failure(
      std::filesystem::filesystem_error("cannot", "some/file", std::make_error_code(std::errc::filename_too_long)));
  EXPECT_EQ(file.code, kInput);
  EXPECT_THAT(file.message, HasSubstr("some/file: File name too long"));
}

}  // namespace
}  // namespace upsweep
