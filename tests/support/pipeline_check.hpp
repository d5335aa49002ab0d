#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "upsweep/training/pipeline_run.hpp"

namespace upsweep::testing {

/// An operation as a key of maps.
using OpKey = std::tuple<StepOpKind, std::uint32_t, std::uint32_t>;
[[nodiscard]] inline OpKey key_of(const StepOp& op) { return {op.kind, op.layer, op.micro_batch}; }

/// Checks a simulated step against the definitions, knowing nothing of how it was made. Times have to be such that sums
/// of doubles are exact.
class PipelineCheck {
 public:
  PipelineCheck(const Pipeline& pipeline, const PipelineRun& run) : pipeline_(pipeline), run_(run) {
    for (const StepEntry& entry : run.timeline) entries_[key_of(entry.op)] = entry;
    for (const Transfer& transfer : run.transfers) transfers_[key_of(transfer.op)] = transfer;
  }

  /// What is wrong, or nothing.
  [[nodiscard]] std::string fault() const {
    for (const auto part : {&PipelineCheck::coverage, &PipelineCheck::overlap, &PipelineCheck::transfers,
                            &PipelineCheck::dependencies, &PipelineCheck::figures, &PipelineCheck::memory}) {
      if (const std::string found = (this->*part)(); !found.empty()) return found;
    }
    return "";
  }

  /// When the inputs of an operation are on its device.
  [[nodiscard]] double ready(const StepOp& op) const {
    using enum StepOpKind;
    if (op.kind == forward) return op.layer == 0 ? 0 : arrival({forward, op.layer - 1, op.micro_batch}, op.layer);
    if (op.kind != update)
      return std::max(gradient(op.layer, op.micro_batch), end({forward, op.layer, op.micro_batch}));
    double last = 0;
    for (std::uint32_t m = 0; m < pipeline_.micro_batches; ++m)
      last = std::max(last, end({weight_gradient, op.layer, m}));
    return last;
  }

  /// The end of all F of a device.
  [[nodiscard]] double forward_end(std::uint32_t device) const {
    double last = 0;
    for (const StepEntry& entry : run_.timeline) {
      if (entry.device == device && entry.op.kind == StepOpKind::forward) last = std::max(last, entry.end);
    }
    return last;
  }

 private:
  [[nodiscard]] std::vector<StepOp> wanted() const {
    using enum StepOpKind;
    std::vector<StepOp> ops;
    for (std::uint32_t layer = 0; layer < pipeline_.layers(); ++layer) {
      for (std::uint32_t m = 0; m < pipeline_.micro_batches; ++m) {
        ops.push_back({forward, layer, m});
        if (has_output(layer)) ops.push_back({output_gradient, layer, m});
        if (pipeline_.weight_gradient[layer] > 0) ops.push_back({weight_gradient, layer, m});
      }
      if (pipeline_.update[layer] > 0 && pipeline_.weight_gradient[layer] > 0) ops.push_back({update, layer, 0});
    }
    return ops;
  }

  [[nodiscard]] bool has_output(std::uint32_t layer) const {
    return layer > 0 || !pipeline_.skip_first_output_gradient;
  }
  [[nodiscard]] bool needs_gradient(std::uint32_t layer) const {
    return has_output(layer) || pipeline_.weight_gradient[layer] > 0;
  }
  [[nodiscard]] double end(const StepOp& op) const { return entries_.at(key_of(op)).end; }

  [[nodiscard]] double arrival(const StepOp& from, std::uint32_t to_layer) const {
    return pipeline_.device_of[from.layer] == pipeline_.device_of[to_layer] ? end(from)
                                                                            : transfers_.at(key_of(from)).arrival;
  }
  [[nodiscard]] double gradient(std::uint32_t layer, std::uint32_t m) const {
    if (layer + 1 == pipeline_.layers()) return end({StepOpKind::forward, layer, m});
    return arrival({StepOpKind::output_gradient, layer + 1, m}, layer);
  }

  [[nodiscard]] std::string coverage() const {
    const std::vector<StepOp> all = wanted();
    if (run_.timeline.size() != all.size()) return fmt::format("{} operations", run_.timeline.size());
    for (const StepOp& op : all) {
      if (!entries_.contains(key_of(op))) return to_string(op) + " does not run";
      const StepEntry& entry = entries_.at(key_of(op));
      if (entry.device != pipeline_.device_of[op.layer]) return to_string(op) + " is on another device";
      const double cost[] = {pipeline_.forward[op.layer], pipeline_.output_gradient[op.layer],
                             pipeline_.weight_gradient[op.layer], pipeline_.update[op.layer]};
      if (entry.end - entry.start != cost[static_cast<std::size_t>(op.kind)])
        return to_string(op) + " takes another time";
    }
    return "";
  }

  [[nodiscard]] std::string overlap() const {
    std::vector<double> free(pipeline_.devices, 0);
    double last = 0;
    for (const StepEntry& entry : run_.timeline) {
      if (entry.start < last) return to_string(entry.op) + " is not in the order of start";
      if (entry.start < free[entry.device]) return to_string(entry.op) + " overlaps";
      last = entry.start;
      free[entry.device] = entry.end;
    }
    return "";
  }

  /// Messages between neighbouring layers, in the order in which they enter a link, by pair of devices.
  [[nodiscard]] std::string transfers() const {
    using enum StepOpKind;
    using Message = std::tuple<double, int, std::uint32_t, std::uint32_t, OpKey, double>;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Message>> of_pair;
    std::size_t count = 0;
    const auto add = [&](const StepOp& op, std::uint32_t to_layer) {
      const auto from = pipeline_.device_of[op.layer];
      const auto to = pipeline_.device_of[to_layer];
      if (from == to) return;
      const double size = pipeline_.transfer_sizes[std::min(op.layer, to_layer)];
      of_pair[{from, to}].emplace_back(end(op), op.kind == forward ? 0 : 1, op.micro_batch, op.layer, key_of(op),
                                       pipeline_.bandwidth ? size / *pipeline_.bandwidth : 0);
      ++count;
    };
    for (std::uint32_t m = 0; m < pipeline_.micro_batches; ++m) {
      for (std::uint32_t layer = 0; layer + 1 < pipeline_.layers(); ++layer) {
        add({forward, layer, m}, layer + 1);
        if (needs_gradient(layer)) add({output_gradient, layer + 1, m}, layer);
      }
    }
    if (count != run_.transfers.size()) return fmt::format("{} transfers", run_.transfers.size());
    for (auto& [pair, messages] : of_pair) {
      std::ranges::sort(messages);
      double free = 0;
      for (const auto& [made, kind, m, layer, key, wire] : messages) {
        if (!transfers_.contains(key)) return "a transfer is missing";
        const Transfer& transfer = transfers_.at(key);
        const double departure = pipeline_.comm_model == CommModel::link ? std::max(made, free) : made;
        free = departure + wire;
        if (std::pair{transfer.from, transfer.to} != pair) return to_string(transfer.op) + " goes elsewhere";
        if (transfer.departure != departure) return to_string(transfer.op) + " departs at another time";
        if (transfer.arrival != departure + wire + pipeline_.latency)
          return to_string(transfer.op) + " arrives at another time";
      }
    }
    return "";
  }

  [[nodiscard]] std::string dependencies() const {
    for (const StepEntry& entry : run_.timeline) {
      if (entry.start < ready(entry.op)) return to_string(entry.op) + " starts before its inputs are there";
    }
    return "";
  }

  [[nodiscard]] std::string figures() const {
    std::vector<double> busy(pipeline_.devices, 0);
    double makespan = 0, total = 0;
    for (const StepEntry& entry : run_.timeline) {
      busy[entry.device] += entry.end - entry.start;
      total += entry.end - entry.start;
      makespan = std::max(makespan, entry.end);
    }
    if (run_.busy != busy) return "busy is wrong";
    if (run_.makespan != makespan) return "the makespan is wrong";
    const double bubbles = 1 - total / (makespan * static_cast<double>(pipeline_.devices));
    return std::abs(run_.bubble_fraction - bubbles) < 1e-12 ? "" : "the bubble fraction is wrong";
  }

  struct Held {
    double from;
    double until;
    bool is_gradient;
  };

  [[nodiscard]] std::vector<std::vector<Held>> tensors() const {
    using enum StepOpKind;
    std::vector<std::vector<Held>> on(pipeline_.devices);
    for (std::uint32_t layer = 0; layer < pipeline_.layers(); ++layer) {
      for (std::uint32_t m = 0; m < pipeline_.micro_batches; ++m) {
        std::vector<Held>& here = on[pipeline_.device_of[layer]];
        const StepEntry& first = entries_.at({forward, layer, m});
        const bool has_weight = pipeline_.weight_gradient[layer] > 0;
        // Without W the activation is kept for O, without either for F alone.
        const StepOpKind last = has_weight ? weight_gradient : has_output(layer) ? output_gradient : forward;
        here.push_back({first.start, end({last, layer, m}), false});
        if (!needs_gradient(layer)) continue;
        double from = layer + 1 == pipeline_.layers() ? 1e300 : gradient(layer, m), until = 0;
        for (const StepOpKind kind : {output_gradient, weight_gradient}) {
          const auto place = entries_.find({kind, layer, m});
          if (place == entries_.end()) continue;
          if (layer + 1 == pipeline_.layers()) from = std::min(from, place->second.start);
          until = std::max(until, place->second.end);
        }
        here.push_back({from, until, true});
      }
    }
    return on;
  }

  [[nodiscard]] std::string memory() const {
    const auto on = tensors();
    for (std::size_t device = 0; device < on.size(); ++device) {
      TensorPeaks want;
      for (const Held& now : on[device]) {
        std::uint64_t activations = 0, gradients = 0;
        for (const Held& held : on[device]) {
          if (held.from <= now.from && now.from < held.until) ++(held.is_gradient ? gradients : activations);
        }
        want = {std::max(want.activations, activations), std::max(want.gradients, gradients),
                std::max(want.together, activations + gradients)};
      }
      const TensorPeaks& got = run_.peaks.at(device);
      if (got.activations != want.activations) return fmt::format("activations on device {}", device);
      if (got.gradients != want.gradients) return fmt::format("gradients on device {}", device);
      if (got.together != want.together) return fmt::format("tensors together on device {}", device);
    }
    return "";
  }

  const Pipeline& pipeline_;
  const PipelineRun& run_;
  std::map<OpKey, StepEntry> entries_;
  std::map<OpKey, Transfer> transfers_;
};

}  // namespace upsweep::testing
