#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sections.hpp"
#include "upsweep/page/page.hpp"

namespace upsweep {

/// Chooses what a page shows and puts its parts together.
///
/// Room is given out newest first: half of it at most to text, the rest to figures; then candidates of searches other
/// than the best and plain back-propagation get what is left.
class PageMaker {
 public:
  PageMaker(const StoreReader& store, const PageOptions& options);

  [[nodiscard]] std::string page();

 private:
  /// A part of the page that is made when its turn comes.
  struct Item {
    enum class Kind : std::uint8_t { search, profile, validation, passes, training, anchors, study };
    Kind kind = Kind::profile;
    std::size_t place = 0;  ///< in the list of its kind
    SectionEntry entry;
    Markup section;
  };

  void collect();
  void collect_run(std::int64_t id);
  void add_group(RunGroup group);
  /// False where there is no such run.
  bool add_stored(Item::Kind kind, std::int64_t id, const auto& stored);
  void add_study(std::int64_t id);
  void make_sections();
  [[nodiscard]] Markup section_of(Item& item);
  void add_model(const StoredRun& run);
  void add_candidates();
  [[nodiscard]] std::vector<SectionEntry> entries(bool with_studies) const;
  [[nodiscard]] Markup introduction() const;
  [[nodiscard]] Markup cards() const;
  [[nodiscard]] Markup index() const;
  [[nodiscard]] Markup sections() const;

  const StoreReader& store_;
  const PageOptions& options_;
  FigureShelf shelf_;
  SectionContext context_;
  std::size_t text_room_ = 0;
  std::size_t most_entries_ = 0;  ///< of the index
  std::vector<RunGroup> groups_;
  std::vector<std::int64_t> ids_;  ///< of passes, trainings and published times
  std::vector<StoredStudy> studies_;
  std::vector<Item> items_;
  std::map<std::size_t, SearchParts> searches_;  ///< by group
  std::set<std::string> models_;
  Markup model_sections_;
};

}  // namespace upsweep
