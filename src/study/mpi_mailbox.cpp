#include "mpi_mailbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

namespace upsweep {
namespace {

/// Waits longer and longer while nothing happens: large letters come in many parts, one soon after another; units take
/// half a second, and who looks too often takes time from those who evaluate.
class Patience {
 public:
  void lose() { turns_ = 0; }

  void wait() {
    constexpr int kYields = 10;
    constexpr int kShortSleeps = 100;
    ++turns_;
    if (turns_ < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(turns_ < kShortSleeps ? std::chrono::microseconds(50) : std::chrono::milliseconds(2));
    }
  }

 private:
  int turns_ = 0;
};

}  // namespace

void check_mpi(int error, const char* call) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  throw MpiError(fmt::format("{} failed: {}", call, text.data()));
}

void wait_for_request(MPI_Request& request) {
  Patience patience;
  while (true) {
    int is_over = 0;
    check_mpi(MPI_Test(&request, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_over != 0) return;
    patience.wait();
  }
}

void Mailbox::send(int rank, LetterKind kind, std::shared_ptr<const std::string> bytes) {
  if (bytes->size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw MpiError(fmt::format("a message of {} bytes is too long for MPI", bytes->size()));
  const auto count = static_cast<int>(bytes->size());
  Outgoing& letter = out_.emplace_back(Outgoing{std::move(bytes)});
  check_mpi(
      MPI_Isend(letter.bytes->data(), count, MPI_BYTE, rank, static_cast<int>(kind), MPI_COMM_WORLD, &letter.request),
      "MPI_Isend");
}

void Mailbox::send(int rank, LetterKind kind, std::string bytes) {
  send(rank, kind, std::make_shared<const std::string>(std::move(bytes)));
}

bool Mailbox::release_sent() {
  const std::size_t before = out_.size();
  for (auto letter = out_.begin(); letter != out_.end();) {
    int has_arrived = 0;
    check_mpi(MPI_Test(&letter->request, &has_arrived, MPI_STATUS_IGNORE), "MPI_Test");
    letter = has_arrived != 0 ? out_.erase(letter) : std::next(letter);
  }
  return out_.size() != before;
}

bool Mailbox::pump() {
  bool has_changed = release_sent();
  while (true) {
    int has_come = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_come, &message, &status), "MPI_Improbe");
    if (has_come == 0) return has_changed;
    has_changed = true;
    int count = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    Letter letter{status.MPI_SOURCE, static_cast<LetterKind>(status.MPI_TAG),
                  std::string(static_cast<std::size_t>(count), '\0')};
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Imrecv(letter.bytes.data(), count, MPI_BYTE, &message, &request), "MPI_Imrecv");
    wait_for_request(request);
    in_.push_back(std::move(letter));
  }
}

std::optional<Letter> Mailbox::take() {
  if (in_.empty()) return std::nullopt;
  Letter letter = std::move(in_.front());
  in_.pop_front();
  return letter;
}

void Mailbox::wait(const std::function<bool()>& is_over) {
  Patience patience;
  while (!is_over()) {
    if (pump()) {
      patience.lose();
    } else {
      patience.wait();
    }
  }
}

bool Mailbox::has(LetterKind kind) const {
  return std::any_of(in_.begin(), in_.end(), [kind](const Letter& letter) { return letter.kind == kind; });
}

Letter Mailbox::wait_for(LetterKind kind) {
  wait([&] { return has(kind); });
  const auto found = std::find_if(in_.begin(), in_.end(), [kind](const Letter& letter) { return letter.kind == kind; });
  Letter letter = std::move(*found);
  in_.erase(found);
  return letter;
}

void Mailbox::flush() {
  wait([this] { return out_.empty(); });
}

}  // namespace upsweep
