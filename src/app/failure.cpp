#include "upsweep/app/failure.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ios>
#include <new>
#include <system_error>

#include "upsweep/app/session.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/work_meter.hpp"

namespace upsweep {
namespace {

/// "`workers` is 0, accepted is ...": the field, and what its text goes on with.
std::string text_of(const RequestError& error) {
  const std::string text = error.what();
  if (error.field().empty()) return text;
  return fmt::format("`{}`{}{}", error.field(), text.starts_with(':') || text.starts_with(',') ? "" : " ", text);
}

/// What the system refused, of a file that no reader had in its care.
std::string text_of(const std::filesystem::filesystem_error& error) {
  return fmt::format("{}: {}, accepted is a file or folder that can be read and written", error.path1().string(),
                     error.code().message());
}

/// What the system refused: more threads or memory than it gives is no fault of ours.
Failure failure_of(const std::system_error& error) {
  const bool is_scarce =
      error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory;
  if (!is_scarce) return {kFault, error.what()};
  return {kBackend, fmt::format("the system gives no more threads or memory ({}), accepted are fewer workers or jobs",
                                error.code().message())};
}

}  // namespace

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& usage) {
    return {kUsage, usage.what()};
  } catch (const RequestError& request) {
    return {kUsage, text_of(request)};
  } catch (const InputError& input) {
    return {kInput, input.what()};
  } catch (const BusyError& busy) {
    return {kBackend, busy.what()};
  } catch (const BackendError& backend) {
    return {kBackend, backend.what()};
  } catch (const ValidationFailed& mismatch) {
    return {kMismatch, mismatch.what()};
  } catch (const Interrupted& interrupted) {
    return {kInterrupted, interrupted.what()};
  } catch (const CountOverflow& overflow) {
    return {kInput, fmt::format("{}, accepted are smaller models", overflow.what())};
  } catch (const OutOfRoom& room) {
    return {kBackend, room.what()};
  } catch (const std::bad_alloc&) {
    return {kBackend, "out of memory, accepted is a smaller model, batch or number of steps"};
  } catch (const std::filesystem::filesystem_error& file) {
    return {kInput, text_of(file)};
  } catch (const std::ios_base::failure& stream) {
    return {kInput, fmt::format("a file cannot be read to its end: {}, accepted is one that can", stream.what())};
  } catch (const std::system_error& system) {
    return failure_of(system);
  } catch (const std::exception& other) {
    return {kFault, other.what()};
  } catch (...) {
    return {kFault, "an exception of an unknown kind"};
  }
}

}  // namespace upsweep
