#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/store/run_store.hpp"

// Runs of schedules that were never profiled.

namespace upsweep::testing {

/// A tiny run: a network of three ReLUs and a view under hybrid:1 at two inputs, every figure made up but consistent.
struct MadeUpRun {
  Network network{{2}, {{"a", Relu{}, {}}, {"b", Relu{}, {}}, {"f", Flatten{}, {}}, {"c", Relu{}, {}}}};
  NetworkProfile network_profile;
  ScheduleProfile profile;

  explicit MadeUpRun(Schedule schedule = hybrid_schedule(4, 1)) {
    network_profile.inputs = 2;
    network_profile.operators.resize(4);
    network_profile.operators[0] = {2, 2, 3, 40, 7};
    network_profile.linear_flops = 9;
    network_profile.baseline_flops = 11;
    network_profile.build_values = 5;
    network_profile.build_bytes = 20;
    profile.inputs = 2;
    profile.schedule = std::move(schedule);
    for (std::size_t id = 0; id < profile.schedule.combines.size(); ++id) {
      OpProfile op;
      op.m = 2;
      op.k = 3;
      op.n = 4;
      op.left_nnz = 5 + id;
      op.right_nnz = 6 + id;
      op.nnz = 7 + id;
      op.flops = 10 + id;
      op.bytes = 12 + id;
      op.dead = id == 1;
      op.is_mv = id == 0;
      profile.ops.push_back(op);
    }
    profile.value_bytes.assign(profile.schedule.values(), 8);
    profile.levels = level_profiles(profile);
  }

  [[nodiscard]] RunContext context(const std::string& model = "m", const std::string& hash = "00ff") const {
    RunContext context;
    context.tool_version = "0.0-test";
    context.command = "search";
    context.parameters = "[\"search\"]";
    context.model = model;
    context.model_file = model + ".yaml";
    context.model_hash = hash;
    context.pattern = "sample";
    context.network = &network;
    context.network_profile = &network_profile;
    return context;
  }
  [[nodiscard]] RunRecord record() const {
    return {"blelloch", &profile, pram_profile(profile, 2), 6.0, true, std::nullopt};
  }
};

/// A search that chose depth 1 on two workers.
inline SearchRecord made_up_search() { return {"time", "dag", "all", 2, std::nullopt, 1, 0.25}; }

}  // namespace upsweep::testing
