#include "upsweep/study/work_units.hpp"

#include <algorithm>
#include <utility>

#include "unit_size.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kFirstNeighbours = 64;
constexpr std::size_t kMostNeighbours = 8192;
// Points of a network may take a second each: what is under way is little before anybody knows.
constexpr std::size_t kFirstPiece = 8;
constexpr std::size_t kLargestPiece = 256;
// Models that are handed out by turns and pieces of all of them, for each thread: enough to keep threads on models of
// their own, few enough to stay in the cache.
constexpr std::size_t kModelsPerThread = 2;
constexpr std::size_t kPiecesPerThread = 8;

/// Points of one model that are not handed out yet: places [begin, end) of the sorted positions.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

}  // namespace

struct WorkUnits::Impl {
  Impl(std::vector<bool> open, bool is_of_networks)
      : has_networks(is_of_networks),
        size(is_of_networks ? kFirstPiece : kFirstNeighbours, is_of_networks ? kLargestPiece : kMostNeighbours),
        is_open(std::move(open)) {}

  std::vector<std::uint64_t> next_neighbours();
  void sort_by_model(const PointFactory& factory);
  void open_window();
  std::vector<std::uint64_t> next_piece();

  std::size_t sharing = 1;
  bool has_networks;
  UnitSize size;
  // Of chains.
  std::vector<bool> is_open;
  std::size_t place = 0;
  // Of networks, sorted, and the models whose turn it is.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_model;  ///< (model number, position)
  std::vector<Piece> window;
  std::size_t share = kLargestPiece;  ///< that a piece has at most: all threads get some
  std::size_t turn = 0;
};

std::vector<std::uint64_t> WorkUnits::Impl::next_neighbours() {
  const std::size_t most = size.points();
  std::vector<std::uint64_t> positions;
  positions.reserve(most);
  for (; place < is_open.size() && positions.size() < most; ++place) {
    if (is_open[place]) positions.push_back(place);
  }
  return positions;
}

void WorkUnits::Impl::sort_by_model(const PointFactory& factory) {
  for (std::size_t i = 0; i < is_open.size(); ++i) {
    if (is_open[i]) by_model.emplace_back(factory.model_number(i), i);
  }
  is_open = {};
  std::sort(by_model.begin(), by_model.end());
}

void WorkUnits::Impl::open_window() {
  window.clear();
  turn = 0;
  const std::size_t first = place;
  const std::size_t most_models = sharing == 1 ? 1 : kModelsPerThread * sharing;
  while (place < by_model.size() && window.size() < most_models) {
    const std::size_t begin = place;
    while (place < by_model.size() && by_model[place].first == by_model[begin].first) ++place;
    window.push_back({begin, place});
  }
  const std::size_t pieces = sharing == 1 ? 1 : kPiecesPerThread * sharing;
  share = std::clamp<std::size_t>((place - first) / pieces, 1, kLargestPiece);
}

std::vector<std::uint64_t> WorkUnits::Impl::next_piece() {
  if (window.empty()) open_window();
  if (window.empty()) return {};
  turn %= window.size();
  Piece& model = window[turn];
  const std::size_t end = std::min(model.end, model.begin + std::min(share, size.points()));
  std::vector<std::uint64_t> positions;
  for (std::size_t i = model.begin; i < end; ++i) positions.push_back(by_model[i].second);
  model.begin = end;
  if (model.begin == model.end) {
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(turn));
  } else {
    ++turn;
  }
  return positions;
}

WorkUnits::WorkUnits(const PointFactory& factory, std::vector<bool> is_open, std::size_t sharing)
    : impl_(std::make_unique<Impl>(std::move(is_open), factory.has_networks())) {
  impl_->sharing = std::max<std::size_t>(1, sharing);
  if (impl_->has_networks) impl_->sort_by_model(factory);
}

WorkUnits::~WorkUnits() = default;

std::vector<std::uint64_t> WorkUnits::next() {
  return impl_->has_networks ? impl_->next_piece() : impl_->next_neighbours();
}

void WorkUnits::took(std::size_t points, double seconds) { impl_->size.took(points, seconds); }

}  // namespace upsweep
