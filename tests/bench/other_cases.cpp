#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "cases.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep::bench {
namespace {

constexpr std::size_t kChainLength = 1'000'000;
constexpr Index kBlock = 20;
constexpr std::size_t kOperators = 100'000;

/// Reads the model and makes its patterns; counts(): number of patterns.
Task load_task(const std::string& model_file) {
  const auto patterns = std::make_shared<std::size_t>(0);
  Task task;
  task.run = [=] {
    const Model model = load_network(read_yaml(model_file), Numbers::structure);
    *patterns = guaranteed_chain(model.network, model.weights).jacobians.size();
  };
  task.counts = [=] { return Counts{*patterns}; };
  return task;
}

JacobianChain dense_chain() {
  CsrPattern dense{kBlock, kBlock, {0}, {}};
  for (Index r = 0; r < kBlock; ++r) {
    for (Index c = 0; c < kBlock; ++c) dense.indices.push_back(c);
    dense.indptr.push_back(dense.indices.size());
  }
  JacobianChain chain{kBlock, {}};
  chain.jacobians.reserve(kChainLength);
  for (std::size_t i = 0; i < kChainLength; ++i) {
    chain.jacobians.push_back(std::make_shared<const Pattern>(Pattern::from_csr(dense)));
  }
  return chain;
}

/// Profiles a long chain of dense blocks that share no memory under blelloch; counts(): the least and largest nnz, then
/// the least and largest products, of its matrix–matrix combines.
Task dense_task() {
  struct State {
    JacobianChain chain = dense_chain();
    std::vector<Schedule> schedules = {blelloch_schedule(chain.length())};
    std::vector<ScheduleProfile> profiles;
  };
  const auto state = std::make_shared<State>();
  Task task;
  task.run = [=] { state->profiles = profile_schedules(std::move(state->schedules), state->chain, 4); };
  task.counts = [=] {
    Counts nnz;
    Counts products;
    for (const OpProfile& op : state->profiles.at(0).ops) {
      if (op.is_mv) continue;
      nnz.push_back(op.nnz);
      products.push_back(op.products);
    }
    const auto [least_nnz, most_nnz] = std::minmax_element(nnz.begin(), nnz.end());
    const auto [least_products, most_products] = std::minmax_element(products.begin(), products.end());
    return Counts{*least_nnz, *most_nnz, *least_products, *most_products};
  };
  return task;
}

/// A file that is gone when the object is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("upsweep_bench_{}.yaml", getpid())) {
    std::ofstream out(path_, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}", path_.string()));
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Reads a model file of many small operators; counts(): their number.
Task yaml_task() {
  std::string text = "name: many-operators\ninput: [4]\ndtype: fp32\noperators:\n";
  for (std::size_t i = 0; i < kOperators / 2; ++i) {
    text += fmt::format("  - linear: {{name: fc{0}, out_features: 4}}\n  - relu: {{name: r{0}}}\n", i);
  }
  const auto file = std::make_shared<TemporaryFile>(text);
  const auto operators = std::make_shared<std::size_t>(0);
  Task task;
  task.run = [=] { *operators = load_network(read_yaml(file->path()), Numbers::structure).network.operators().size(); };
  task.counts = [=] { return Counts{*operators}; };
  return task;
}

}  // namespace

std::vector<Case> other_cases(const Settings& settings) {
  constexpr std::uint64_t kLinks = 21;
  constexpr std::uint64_t kNnz = std::uint64_t{kBlock} * kBlock;
  constexpr std::uint64_t kProducts = kNnz * kBlock;
  return {
      {"load/model=" + settings.model, 1, 15, [file = settings.model_file] { return load_task(file); }, {kLinks}},
      {fmt::format("load/yaml/operators={}", kOperators), 1, 5, yaml_task, {kOperators}},
      {fmt::format("profile/chain=dense{}/length={}", kBlock, kChainLength),
       0,
       1,
       dense_task,
       {kNnz, kNnz, kProducts, kProducts}},
  };
}

}  // namespace upsweep::bench
