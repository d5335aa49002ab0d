#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace upsweep {

/// MPI itself failed: there is nobody to tell any more.
class MpiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws MpiError that names the call and what MPI says of the error, unless there is none.
void check_mpi(int error, const char* call);

/// Waits until a request is fulfilled, without taking in letters, and leaves the processor to others meanwhile.
void wait_for_request(MPI_Request& request);

/// What ranks of a study say to each other; the tag of the message.
enum class LetterKind : std::uint8_t {
  keys,     ///< from rank 0: keys of results that the store has, ascending from letter to letter
  unit,     ///< from rank 0: positions of points to evaluate; answered by points, or by failure
  stop,     ///< from rank 0: leave what is not begun; units that are out are still answered
  counted,  ///< from rank 0: the answer to ask
  end,      ///< from rank 0, last: the FailureMessage of the study, or nothing
  points,   ///< to rank 0: a UnitMessage
  ask,      ///< to rank 0: the key of a counted model
  failure,  ///< to rank 0, last: a FailureMessage, why this rank cannot go on
};

struct Letter {
  int rank = 0;  ///< of the sender
  LetterKind kind = LetterKind::end;
  std::string bytes;
};

/// Letters to and from other ranks. Nothing blocks for good: a sender that waited for its receiver to take a letter
/// would wait for ever where that one does the same.
///
/// Waiting leaves the processor to others, which a wait inside of MPI does not: more ranks than cores work well.
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Begins to send; the letter may still be under way. Throws MpiError, also for a letter of 2 GiB and more.
  void send(int rank, LetterKind kind, std::shared_ptr<const std::string> bytes);
  void send(int rank, LetterKind kind, std::string bytes);

  /// Takes in what has come and lets go of what has arrived; returns at once. Whether anything came or arrived.
  bool pump();

  /// The next letter where there is one, of any sender.
  [[nodiscard]] std::optional<Letter> take();

  /// Waits until `is_over` says so, every two milliseconds and with each letter that comes.
  void wait(const std::function<bool()>& is_over);

  /// Waits for the next letter of a kind; others stay in their order.
  [[nodiscard]] Letter wait_for(LetterKind kind);

  /// Waits until all letters have arrived.
  void flush();

  [[nodiscard]] bool is_empty() const { return in_.empty(); }
  /// Whether a letter of this kind is there.
  [[nodiscard]] bool has(LetterKind kind) const;

 private:
  struct Outgoing {
    std::shared_ptr<const std::string> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool release_sent();

  std::list<Outgoing> out_;
  std::deque<Letter> in_;
};

}  // namespace upsweep
