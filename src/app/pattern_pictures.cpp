#include "upsweep/app/pattern_pictures.hpp"

#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/pattern_picture.hpp"
#include "upsweep/store/stored_picture.hpp"

namespace upsweep {
namespace {

/// The name of a[position]: of the link's operator, of a block that of the join at its end.
const std::string& element_name(const Network& network, std::uint32_t position) {
  const std::size_t links = network.links().size();
  return network.operators()[network.link(links - position).output()].name;
}

std::string picture_name(const Network& network, std::uint32_t first, std::uint32_t last) {
  const std::string& earlier = element_name(network, first);
  if (first == last) return earlier;
  const std::string& later = element_name(network, last);
  if (last == first + 1) return fmt::format("{} ⋄ {}", earlier, later);
  return fmt::format("{} ⋄ ({} more) ⋄ {}", earlier, last - first - 1, later);
}

JacobianChain chain_of(const Model& model, PatternKind pattern) {
  // Pictures look at every row, which counts need not.
  model.at_operators([&] { require_pattern_memory(model.network, model.weights, available_memory()); });
  if (pattern == PatternKind::guaranteed) return guaranteed_chain(model.network, model.weights, StepPatterns::drop);
  return SampleChains(model.network, model.weights).at(*model.sample, 0, StepPatterns::drop);
}

std::vector<StoredPicture> pictures_of(const Model& model, PatternKind pattern) {
  std::vector<StoredPicture> stored;
  for (ChainPicture& one : chain_pictures(chain_of(model, pattern))) {
    PatternPicture& picture = one.picture;
    stored.push_back({one.first, one.last, picture_name(model.network, one.first, one.last), picture.rows, picture.cols,
                      picture.nnz, picture.grid_rows, picture.grid_cols, std::move(picture.cells)});
  }
  return stored;
}

/// Makes and keeps them. Throws what these throw.
void save_new_pictures(RunStore& store, const Model& model, PatternKind pattern) {
  const std::string kind = to_string(pattern);
  if (store.reader().has_pictures(model.content_hash, kind)) return;
  store.save_pictures(model.content_hash, kind, pictures_of(model, pattern));
}

void say_missing(const Watch& watch, const char* why) {
  watch.say(fmt::format("no pictures of sparsity patterns are kept: {}", why));
}

}  // namespace

void save_pictures(RunStore& store, const Model& model, PatternKind pattern, const Watch& watch) {
  try {
    save_new_pictures(store, model, pattern);
  } catch (const std::bad_alloc&) {
    say_missing(watch, "out of memory");
  } catch (const CountOverflow& error) {
    say_missing(watch, error.what());
  } catch (const InputError& error) {
    say_missing(watch, error.what());
  }
}

}  // namespace upsweep
