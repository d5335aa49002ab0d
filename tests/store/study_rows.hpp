#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "sql_query.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/store/study_store.hpp"

// Rows of studies that were never run.

namespace upsweep::testing {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline ContentKey key_of(std::uint8_t first, std::uint8_t last = 0) {
  ContentKey key{};
  key[0] = first;
  key[15] = last;
  return key;
}

inline StudyRecord study_record(const std::string& hash = "00ff") {
  StudyRecord record;
  record.tool_version = "0.0-test";
  record.parameters = "[\"study\"]";
  record.rule = kCountingRule;
  record.name = "lengths";
  record.file = "lengths.yaml";
  record.content_hash = hash;
  record.text = "base: {}\n";
  record.points = 4;
  record.axes = {"workers", "schedule"};
  record.values = {"[1,2]", "[\"linear\",\"best\"]"};
  return record;
}

inline PointSchedule schedule(const std::string& name, double score) {
  PointSchedule schedule;
  schedule.schedule = name;
  schedule.depth = 2;
  schedule.score = score;
  schedule.levels = 5;
  schedule.ops = 7;
  schedule.flops = 100.5;
  schedule.critical_path_flops = 60;
  schedule.steps = 6;
  schedule.per_step_flops = 12;
  schedule.peak_live_bytes = 4096;
  return schedule;
}

inline PointRecord done_record(std::uint8_t key, double score = 2) {
  PointRecord record;
  record.key = key_of(key);
  record.status = PointStatus::done;
  record.figures.is_in_seconds = true;
  record.figures.workers = 3;
  record.figures.elements = 9;
  record.figures.plain = schedule("linear", 8);
  record.figures.plain.depth = 0;
  record.figures.plain.peak_live_bytes = 1024;
  record.figures.best = schedule("hybrid:2", score);
  record.figures.scan = record.figures.best;
  record.figures.dense_score = 6;
  record.figures.graph_score = 12;
  record.figures.blocks_score = 3;
  record.figures.margin = 0.25;
  record.bppsa_bytes = 2048;
  record.pipeline_bytes = 512;
  record.memory_limit = 1e9;
  record.model_hash = "aa";
  record.machine_hash = "bb";
  record.settings = "workers=3";
  return record;
}

inline StudyPoint point(std::uint64_t position, PointRecord record) {
  return {position, "{\"workers\":" + std::to_string(position) + "}", std::move(record)};
}

}  // namespace upsweep::testing
