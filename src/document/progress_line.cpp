#include "upsweep/document/progress_line.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

constexpr auto kReadable = std::chrono::milliseconds(100);
constexpr double kLongS = 2;

struct Share {
  std::size_t begin = 0;  ///< of its text
  std::uint64_t done = 0;
  std::uint64_t all = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The last "DONE of ALL" of a text.
std::optional<Share> share_in(const std::string& text) {
  constexpr const char* kOf = " of ";
  for (std::size_t at = text.rfind(kOf); at != std::string::npos && at > 0; at = text.rfind(kOf, at - 1)) {
    Share share;
    share.begin = at;
    while (share.begin > 0 && is_digit(text[share.begin - 1])) --share.begin;
    const char* data = text.data();
    if (share.begin < at && std::from_chars(data + share.begin, data + at, share.done).ec == std::errc() &&
        std::from_chars(data + at + 4, data + text.size(), share.all).ec == std::errc())
      return share;
  }
  return std::nullopt;
}

}  // namespace

std::string step_in(const std::string& doing) {
  const std::optional<Share> share = share_in(doing);
  return share ? doing.substr(0, share->begin) : doing;
}

std::optional<std::string> ProgressLine::next(const std::string& doing, Clock::time_point now) {
  const std::optional<Share> share = share_in(doing);
  const std::string work = step_in(doing);
  if (work != work_) {
    work_ = work;
    begin_ = now;
    first_done_ = share ? share->done : 0;
  } else if (now - shown_ < kReadable) {
    return std::nullopt;
  }
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (seconds < kLongS) return doing;
  std::string text = fmt::format("{}, {}", doing, wait_text(seconds));
  // What says itself how long it will take is not said again.
  if (!share || share->done <= first_done_ || share->all <= share->done || doing.find(" left") != std::string::npos)
    return text;
  const double left =
      seconds * static_cast<double>(share->all - share->done) / static_cast<double>(share->done - first_done_);
  return fmt::format("{}, about {} left", text, wait_text(left));
}

}  // namespace upsweep
