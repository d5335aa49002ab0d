#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "upsweep/io/model_file.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/store/run_store.hpp"

// Stores a run with very many ops, as no network has them: upsweep_long_run_store FILE OPS WORKERS. What makes a page
// of it is measured by reports/bench_report.

namespace {

using upsweep::OpProfile;
using upsweep::ScheduleProfile;

/// A Blelloch scan over made-up products of dense 20 x 20 matrices, some of them a thousand times as large.
ScheduleProfile long_profile(std::size_t ops) {
  ScheduleProfile profile;
  profile.schedule = upsweep::blelloch_schedule(ops / 2 + 2);
  const std::vector<upsweep::ValueRange> ranges = value_ranges(profile.schedule);
  const std::vector<bool> dead = dead_combines(profile.schedule);
  std::mt19937_64 random(1);
  for (std::size_t id = 0; id < profile.schedule.combines.size(); ++id) {
    OpProfile op;
    op.m = op.k = 20;
    op.is_mv = ranges[profile.schedule.combines[id].earlier].first == 0;
    op.n = op.is_mv ? 1 : 20;
    op.dead = dead[id];
    op.left_nnz = op.k * op.n;
    op.right_nnz = op.m * op.k;
    op.nnz = op.m * op.n;
    op.products = op.m * op.k * op.n << (random() % 10);
    op.flops = 2 * op.products;
    op.bytes = 8 * op.nnz;
    profile.ops.push_back(op);
  }
  profile.value_bytes.assign(profile.schedule.values(), 3200);
  profile.levels = level_profiles(profile);
  return profile;
}

int run(const std::string& file, std::size_t ops, std::size_t workers) {
  std::istringstream text("name: long\ninput: [20]\noperators:\n  - linear: {out_features: 20}\n  - tanh\n");
  const upsweep::Model model =
      upsweep::load_network(upsweep::parse_yaml(text, "long.yaml"), upsweep::Numbers::structure);
  upsweep::RunRecord record;
  const ScheduleProfile profile = long_profile(ops);
  record.requested = profile.schedule.name;
  record.profile = &profile;
  record.pram = pram_profile(profile, workers, upsweep::Scope::all);
  upsweep::NetworkProfile network;
  network.operators.resize(model.network.operators().size());
  network.linear_flops = 1'000'000'000;
  upsweep::RunContext context;
  context.tool_version = "bench";
  context.command = "profile";
  context.parameters = "[]";
  context.model = model.name;
  context.model_file = "long.yaml";
  context.model_hash = model.content_hash;
  context.pattern = "guaranteed";
  context.network = &model.network;
  context.network_profile = &network;
  upsweep::RunStore store(file, upsweep::RunStore::Open::create);
  const auto ids = store.save(context, {record}, std::nullopt);
  fmt::print("{}\n", ids.front());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: upsweep_long_run_store FILE OPS WORKERS\n");
    return 2;
  }
  return run(argv[1], std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
}
