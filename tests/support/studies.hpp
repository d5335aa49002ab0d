#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "refusal.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep::testing {

/// The least of a study: its base is a chain.
inline const std::string kStudyBase =
    "base:\n"
    "  model: {dtype: fp32, chain: {length: 1000, size: 20, kind: dense}}\n";
inline const std::string kStudyMachine =
    "name: m\n"
    "kind: cpu\n"
    "memory_GiB: 16\n"
    "provenance: {origin: datasheet, device: none}\n"
    "rates:\n"
    "  - workers: 4\n"
    "    op_latency_us: 2\n"
    "    level_latency_us: 1\n"
    "    bandwidth_GBps: 10\n"
    "    fp32: {compute_GFLOPps: 100}\n"
    "    fp64: {compute_GFLOPps: 50}\n";
inline const std::string kStudyNetwork =
    "input: [3, 8, 8]\n"
    "operators:\n"
    "  - conv2d: {name: conv1, out_channels: 4, kernel: 3}\n"
    "  - relu\n";

[[nodiscard]] inline StudyFile parse_study(const std::string& text, const std::string& path = "studies/long.yaml") {
  std::istringstream in(text);
  return load_study(in, path);
}

/// What a study is refused with, or "accepted".
[[nodiscard]] inline std::string study_refusal(const std::string& text, const std::string& path = "studies/long.yaml") {
  return refusal_of([&] { return parse_study(text, path); });
}

/// The study of the base with one axis.
[[nodiscard]] inline std::string study_of_axis(const std::string& settings) {
  return kStudyBase + "axes:\n  - {" + settings + "}\n";
}
/// With the axes length and workers, and one question.
[[nodiscard]] inline std::string study_of_question(const std::string& text) {
  return kStudyBase +
         "axes:\n"
         "  - {path: model.chain.length, values: [10, 100]}\n"
         "  - {path: workers, values: [1, 2]}\n"
         "questions:\n  - " +
         text + "\n";
}
/// The base with another setting.
[[nodiscard]] inline std::string study_of_setting(const std::string& line) { return kStudyBase + "  " + line + "\n"; }

/// Models and machines beside a study.
class StudyFolderTest : public ::testing::Test {
 protected:
  StudyFolderTest() {
    folder_.write("net.yaml", kStudyNetwork);
    folder_.write("long.yaml", "chain: {length: 10, size: 20, kind: dense}\n");
    folder_.write("a.yaml", kStudyMachine);
    folder_.write("b.yaml", kStudyMachine + "# edited\n");
  }

  [[nodiscard]] std::string path() const { return folder_.path("study.yaml"); }

  TemporaryFolder folder_;
};

}  // namespace upsweep::testing
