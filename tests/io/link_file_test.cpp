#include "upsweep/io/link_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::link_file_test {
namespace {

Link parse(const std::string& text) {
  std::istringstream in(text);
  return load_link(parse_yaml(in, "l.yaml"));
}

std::string refusal(const std::string& text) {
  return testing::refusal_of([&] { return parse(text); });
}

Link preset(const std::string& name) {
  return load_link(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/configs/links/" + name + ".yaml"));
}

TEST(LinkFile, KeepsBytesPerSecondAndSeconds) {
  const Link link = parse("name: x\nbandwidth_MBps: 2.5\nlatency_us: {value: 30, source: measured}\n");
  EXPECT_EQ(link.name, "x");
  EXPECT_EQ(link.bytes_per_s, 2.5e6);
  EXPECT_EQ(link.latency_s, 30e-6);
  EXPECT_EQ(link.sources, (std::map<std::string, std::string>{{"latency", "measured"}}));
}

TEST(LinkFile, ErrorsSayWhatIsAccepted) {
  EXPECT_EQ(refusal("name: x\nlatency_us: 1\n"),
            "l.yaml:1: bandwidth of the link is missing, found are 'name', 'latency_us', accepted are bandwidth_Bps, "
            "bandwidth_KBps, bandwidth_MBps, bandwidth_GBps, bandwidth_TBps, bandwidth_GiBps");
  EXPECT_EQ(refusal("name: x\nbandwidth_GBps: 1\n"),
            "l.yaml:1: latency of the link is missing, found are 'name', 'bandwidth_GBps', accepted are latency_s, "
            "latency_ms, latency_us, latency_ns, latency_ps");
  EXPECT_EQ(refusal("name: x\nbandwidth_GBps: 0\nlatency_us: 1\n"),
            "l.yaml:2: bandwidth_GBps of the link is '0', accepted is a finite number above 0");
  EXPECT_EQ(refusal("name: x\nbandwidth_GBps: 1\nlatency_us: -1\n"),
            "l.yaml:3: latency_us of the link is '-1', accepted is a finite number of at least 0");
  EXPECT_EQ(refusal("name: x\nbandwidth_GBps: 1\nlatency_us: 1\nduplex: full\n"),
            "l.yaml:4: unknown key 'duplex' in the link, accepted are name, bandwidth_GBps, latency_us");
  EXPECT_EQ(refusal("name: x\nbandwidth: 1\nlatency_us: 1\n"),
            "l.yaml:2: key 'bandwidth' of the link has no unit, accepted are bandwidth_Bps, bandwidth_KBps, "
            "bandwidth_MBps, bandwidth_GBps, bandwidth_TBps, bandwidth_GiBps");
}

TEST(LinkFile, PresetsAreReadAndNameTheirSources) {
  EXPECT_EQ(preset("nvlink").bytes_per_s, 50e9);
  EXPECT_EQ(preset("pcie3-x16").bytes_per_s, 16e9);
  EXPECT_EQ(preset("ethernet-10gb").bytes_per_s, 1.25e9);
  EXPECT_EQ(preset("ethernet-10gb").latency_s, 10e-6);
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UPSWEEP_SOURCE_DIR) + "/configs/links")) {
    const Link link = load_link(read_yaml(entry.path().string()));
    EXPECT_EQ(link.name, entry.path().stem()) << entry.path();
    EXPECT_EQ(link.sources.size(), 2U) << entry.path();
  }
}

}  // namespace
}  // namespace upsweep::link_file_test
