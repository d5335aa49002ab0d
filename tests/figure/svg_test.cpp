#include "upsweep/figure/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

#include "figure/made_run.hpp"
#include "figure/node_process.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

/// Whether what is not there is a failure: the environment says that all of it was installed.
bool is_required() {
  const char* required = std::getenv("UPSWEEP_REQUIRE_BROWSER");
  return required != nullptr && std::string(required) != "0" && !std::string(required).empty();
}

bool has_node() { return std::system("node --version > /dev/null 2>&1") == 0; }

/// Whether this process has a child, running or ended, that nobody waited for.
bool has_children() { return !(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD); }

class NodeProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_node() && !is_required()) GTEST_SKIP() << "no node on the PATH";
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
};

TEST_F(NodeProcesses, GiveBackWhatTheProgramWrites) {
  const NodeResult result = run_node("console.log('a'); console.error('b'); process.exitCode = 3;", seconds(60));
  EXPECT_EQ(result.out, "a\n");
  EXPECT_EQ(result.err, "b\n");
  EXPECT_EQ(result.exit_code, 3);
}

TEST_F(NodeProcesses, AreEndedWhereTheyHang) {
  EXPECT_THROW((void)run_node("setInterval(() => {}, 1000);", milliseconds(300)), BusyError);
  EXPECT_FALSE(has_children());
}

TEST_F(NodeProcesses, ThatEndEarlyAreNoSignalToUs) {
  // More than a pipe holds, to a node that does not start: it ends before it has read all of that.
  ASSERT_EQ(setenv("NODE_OPTIONS", "--no-such-option", 1), 0);
  const std::string program(4'000'000, ' ');
  const NodeResult result = run_node(program, seconds(60));
  ASSERT_EQ(unsetenv("NODE_OPTIONS"), 0);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("no-such-option"));
  sigset_t pending;
  ASSERT_EQ(sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_F(NodeProcesses, ThatAreKilledSaySo) {
  EXPECT_EQ(run_node("process.kill(process.pid, 'SIGKILL');", seconds(60)).exit_code, 128 + SIGKILL);
}

class DrawnFigures : public NodeProcesses {
 protected:
  void SetUp() override {
    NodeProcesses::SetUp();
    if (!has_charts() && !is_required()) GTEST_SKIP() << "built without the charting library";
  }
};

TEST_F(DrawnFigures, HaveTheirWholeTitleAndSayOfWhatTheyAre) {
  Figure figure = timeline_figure(testing::made_run("blelloch", 9, [](std::size_t id) {
                    return 1.0 + static_cast<double>(id);
                  })).value();
  figure.title = "A title of <many> words & more of them that is longer than a narrow picture is wide";
  figure.caption = "A caption of <several> words, which stands below the figure and is wrapped, too, to its very end";
  figure.context = "of a model " + std::string(200, 'x') + "\x01 with its last word";
  const std::string svg = draw_svg(figure, Theme::light, 360);
  for (const char* word : {"A title", "&lt;many&gt;", "&amp; more", "wide</text>", "of a model", "last word</text>",
                           "A caption", "&lt;several&gt; words", "end</text>"})
    EXPECT_THAT(svg, HasSubstr(word));
  EXPECT_THAT(svg, Not(HasSubstr("…")));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
  EXPECT_THAT(svg, Not(HasSubstr(std::string(100, 'x')))) << "wrapped";
}

}  // namespace
}  // namespace upsweep
