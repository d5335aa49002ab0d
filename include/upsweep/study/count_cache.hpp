#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/image_formula.hpp"

namespace upsweep {

/// Where counted models are kept beyond this process; both may be called from several threads at a time and must lock
/// for themselves. An InputError of either is taken for "not there". Empty functions: nowhere.
struct CountStorage {
  std::function<std::optional<std::string>(const ContentKey& key)> load;
  std::function<void(const ContentKey& key, std::string_view bytes)> save;
};

/// How the counted models of a study were come by.
struct CountStatistics {
  std::uint64_t asked = 0;       ///< times that a counted network was needed
  std::uint64_t in_memory = 0;   ///< of these, found in this process
  std::uint64_t stored = 0;      ///< of these, found in storage
  std::uint64_t counted = 0;     ///< of these, counted
  std::uint64_t by_formula = 0;  ///< of these, from formulas of the image's size that counted ones gave (ImageLine)
  std::uint64_t damaged = 0;     ///< found in storage, but not as they were kept: counted again

  /// Share that was not counted, 0 to 1; 0 where none was asked for.
  [[nodiscard]] double hit_rate() const;
};

/// Networks counted under schedules, each once: by content hash of the model and pattern. Thread-safe; two threads that
/// need the same model wait for one count. The ones used last stay in memory, up to a limit.
class CountCache {
 public:
  /// `memory_limit`: bytes of counted networks to keep in memory, about; the one asked for last always stays.
  CountCache(CountStorage storage, std::uint64_t memory_limit);
  ~CountCache();
  CountCache(const CountCache&) = delete;
  CountCache& operator=(const CountCache&) = delete;

  /// Names of schedules; parse_schedule() reads them.
  using ScheduleNames = std::function<std::vector<std::string>()>;
  using ImageSizes = std::function<std::vector<ImageSize>()>;

  /// The network counted under at least `schedules` (names, linear among them). Throws InputError as located() errors
  /// of the model; CountOverflow.
  ///
  /// `others`, asked only where something has to be counted, names schedules that will be asked for later: they are
  /// counted along, so that products which schedules share are counted once. Where that fails, `schedules` are counted
  /// without them.
  ///
  /// `images`, asked likewise: sizes of images at which the same network is asked for, too. Where they are many, a few
  /// are counted and the others follow by formulas that hold at all of these.
  [[nodiscard]] std::shared_ptr<const Analysis> counted(const Model& model, PatternKind pattern,
                                                        std::span<const std::string> schedules,
                                                        const ScheduleNames& others = {},
                                                        const ImageSizes& images = {});

  [[nodiscard]] CountStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
