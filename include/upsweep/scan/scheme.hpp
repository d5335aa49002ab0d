#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// A name of its own for one parameter of a scheme.
struct SchemeWord {
  std::string word;
  std::uint64_t parameter = 0;
};

/// A way to schedule a scan over any number of elements: everything that the program says of it. Requests, messages,
/// help, searches and studies read it here.
struct Scheme {
  std::string name;               ///< "kogge-stone"; of one with a parameter what stands before the colon: "hybrid"
  std::vector<SchemeWord> words;  ///< names without a colon, the canonical one of a parameter first
  std::string parameter = {};     ///< its letter: "L" of hybrid:L; empty: it has none
  std::uint64_t least = 0;        ///< of the parameter
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< of the parameter
  bool is_hybrid = false;         ///< cut at the depth that is its parameter: it has a depth and closed forms
  bool has_log_products = false;  ///< about n log2 n combines; others have at most 2 n

  /// The schedule for an array of `length` elements, at least 2; the parameter is cut to what makes sense there.
  Schedule (*build)(std::size_t length, std::uint64_t parameter) = nullptr;
  /// The parameters that a search compares for `length` elements and `workers`; {0} of a scheme without one.
  std::vector<std::uint64_t> (*candidates)(std::size_t length, std::uint64_t workers) = nullptr;
};

/// All schemes: hybrids first, then the others in the order in which a search lists them.
[[nodiscard]] std::span<const Scheme> schemes();

/// The name of a scheme with a parameter, as parse_schedule() reads it: "linear", "hybrid:2", "sklansky", "blocked:4".
[[nodiscard]] std::string scheme_name(const Scheme& scheme, std::uint64_t parameter);

/// The names of all schedules that a search compares with the hybrids, without making them.
///
/// Numbers of blocks: 4, then 8, 16, ... below `workers`, `workers`, and one more, which keeps all of them busy (the
/// last block has no work on the way up, the first none on the way down); at least 3, since one or two blocks are plain
/// back-propagation, and at most as many as there are elements.
[[nodiscard]] std::vector<std::string> scheme_names(std::size_t length, std::uint64_t workers);

/// Whether the schedule is plain back-propagation at every length, under another name too: for what is not counted. Of
/// counted schedules the number of ops says more.
[[nodiscard]] bool is_plain_schedule(const std::string& name);

/// Whether a schedule of so many ops over `length` elements is plain back-propagation, whatever its name. The first two
/// results, the identity and the gradient, need no op, and plain BP has one for each other; any more multiply
/// Jacobians.
[[nodiscard]] constexpr bool has_plain_ops(std::uint64_t ops, std::uint64_t length) { return ops + 2 <= length; }

}  // namespace upsweep
