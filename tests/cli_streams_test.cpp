#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "store/sql_query.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/sanitized.hpp"

// Streams and files that cannot be written, and text of others on its way to a terminal.

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kModels = UPSWEEP_SOURCE_DIR "/models/";

/// The program in a shell: "$U search ...", with redirections.
Finished shell(const std::string& command) {
  return run_program({"/bin/sh", "-c", std::string("U=") + UPSWEEP_BINARY + "; " + command});
}

TEST(Streams, AStandardOutputThatCannotBeWrittenIsNoFaultOfOurs) {
  const Finished full = shell("$U search " + kModels + "lenet5.yaml >/dev/full");
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_THAT(full.err, HasSubstr("standard output cannot be written: No space left on device"));
  EXPECT_EQ(shell("$U --version >/dev/full").exit_code, 3) << "so that a script that keeps it knows";
  EXPECT_EQ(shell("$U search --help >/dev/full").exit_code, 3);
}

TEST(Streams, NoFileGetsTheNumberOfAStandardOutputThatIsClosed) {
  const TemporaryFolder folder;
  const Finished closed =
      shell("$U search " + kModels + "lenet5.yaml --db " + folder.path("r.sqlite") + " >&- && echo done >&2");
  EXPECT_EQ(closed.exit_code, 3) << "an answer that nobody can read is not done";
  EXPECT_THAT(closed.err, HasSubstr("standard output cannot be written"));
  EXPECT_EQ(shell("$U runs --db " + folder.path("r.sqlite")).exit_code, 0) << "and what was stored is whole";
}

TEST(Streams, AStandardErrorThatCannotBeWrittenDoesNotChangeTheExitCode) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  EXPECT_EQ(shell("$U search 2>/dev/full").exit_code, 2);
  EXPECT_EQ(shell("$U search none.yaml 2>/dev/full").exit_code, 3);
  EXPECT_EQ(shell("$U profile " + kModels + "lenet5.yaml --db " + db + " 2>/dev/full").exit_code, 0);
  EXPECT_EQ(shell("$U profile " + kModels + "lenet5.yaml --db " + db + " 2>&-").exit_code, 0);
}

TEST(Streams, AReaderThatGoesEndsAStudyWithoutRemains) {
  const TemporaryFolder folder;
  const std::string study = UPSWEEP_SOURCE_DIR "/configs/studies/rnn-length-workers-latency.yaml";
  std::filesystem::create_directory(folder.path("tmp"));
  const Finished run = shell("export TMPDIR=" + folder.path("tmp") + "; { $U study " + study +
                             " --format json; echo $? >&2; } | head -1 >/dev/null");
  EXPECT_EQ(run.err, "141\n") << "as any program whose reader goes, and without a word";
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("tmp")));
}

TEST(Streams, ALimitOfFileSizesLeavesNoTemporaryFiles) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  ASSERT_EQ(shell("$U search " + kModels + "lenet5.yaml --db " + db + " >/dev/null").exit_code, 0);
  std::filesystem::create_directory(folder.path("out"));
  const Finished run = shell("ulimit -f 1; $U report --db " + db + " --out " + folder.path("out/page.html"));
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("File too large"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("out")));
}

TEST(Streams, ADatabaseIsReadWhereNothingCanBeWrittenBesideIt) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  ASSERT_EQ(shell("$U search " + kModels + "lenet5.yaml --db " + db + " >/dev/null").exit_code, 0);
  const Finished run = shell("(ulimit -f 0; $U runs --db " + db + ") 2>&1 | cat");
  EXPECT_THAT(run.out, HasSubstr("lenet5"));
}

TEST(Streams, AValidationThatCannotBeKeptIsShownAllTheSame) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  ASSERT_EQ(shell("$U search " + kModels + "lenet5.yaml --db " + db + " >/dev/null").exit_code, 0);
  // 32 KiB: what reading needs beside the database, and less than what a validation writes.
  const Finished run = shell("(ulimit -f 64; $U validate " + kModels + "lenet5.yaml --backend reference --db " + db +
                             " --format json) 2>&1 | cat");
  EXPECT_THAT(run.out, HasSubstr("\"schedules\""));
  EXPECT_THAT(run.out, HasSubstr("upsweep: error: " + db));
}

// A limit of the address space (GiB) stands for any other of memory: tests/base/memory_limits_test.cpp.

TEST(Streams, AStudyThatWouldNotFitIntoMemoryIsRefusedBeforeItIsEvaluated) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take more address space than the limit leaves";
  const TemporaryFolder folder;
  const std::string study =
      folder.write("large.yaml",
                   "name: large\nbase:\n  model: {name: made, chain: {length: 100, size: 4, kind: dense}}\n"
                   "axes:\n  - {path: workers, range: {from: 1, to: 100000}}\n"
                   "  - {path: batch, range: {from: 1, to: 1000}}\n");
  const Finished run = shell("ulimit -v 1048576; $U study " + study);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("large.yaml: its grid has 100000000 points, of which "));
  EXPECT_THAT(run.err, HasSubstr("accepted are fewer values on its axes"));
}

TEST(Streams, PipelinesThatWouldNotFitIntoMemoryAreRefusedBeforeTheyAreSimulated) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers take more address space than the limit leaves";
  const TemporaryFolder folder;
  const std::string file =
      folder.write("large.yaml",
                   "name: large\nkind: pipeline\nlayers: 1000\ndevices: 8\nmicro_batches: 20000\n"
                   "F: 1\nO: 1\nW: 1\nskip_o1: false\nalloc: contiguous\npolicies: [gpipe, 1f1b]\n");
  const Finished run = shell("ulimit -v 1048576; $U training " + file);
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the operations of the policies up to gpipe need about "));
  EXPECT_THAT(run.err, HasSubstr("accepted are fewer layers, micro-batches, devices or policies"));
}

TEST(Streams, ARankOfNoRunIsNoExcuseForAWrongCommandLine) {
  const Finished run = shell("OMPI_COMM_WORLD_RANK=1 $U study --bogus");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, StartsWith("upsweep: error: "));
}

TEST(Streams, AFileThatCannotBeReadToItsEndIsNamed) {
  const Finished run = shell("$U search /proc/self/mem");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("/proc/self/mem: cannot be read to its end"));
}

TEST(TextOfOthers, DoesNotReachATerminalRaw) {
  const TemporaryFolder folder;
  const Finished option = shell("$U search --pattern \"$(printf 'a\\033[31mb\\302\\233c')\" m.yaml");
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("a\\x1b[31mb\\u009bc"));
  const Finished file = shell("$U search \"$(printf 'm\\033]0;x\\007\\377.yaml')\"");
  EXPECT_EQ(file.exit_code, 3);
  EXPECT_THAT(file.err, StartsWith("upsweep: error: m\\x1b]0;x\\x07\\xff.yaml: no such file"));
  const std::string model = folder.write("m.yaml", "name: \"a\\u202Ec\"\ninput: [3]\noperators: [relu, tanh]\n");
  const std::string db = folder.path("r.sqlite");
  EXPECT_THAT(shell("$U search " + model + " --db " + db).out, HasSubstr("a\\u202ec"));
  EXPECT_EQ(query(db, "UPDATE schedule_runs SET model = char(27) || '[2J' || char(155) || 'x'"), "");
  for (const char* command : {"runs --db ", "runs show 1 --db "}) {
    const Finished run = shell("$U " + (command + db));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    for (const char* raw : {"\033", "\xc2\x9b", "\u202e"}) EXPECT_THAT(run.out, Not(HasSubstr(raw))) << command;
  }
}

TEST(TextOfOthers, IsNoFormulaInASpreadsheet) {
  const TemporaryFolder folder;
  const std::string model =
      folder.write("m.yaml", "name: \"=cmd|' /C calc'!A0\"\ninput: [3]\noperators: [relu, tanh]\n");
  const std::string db = folder.path("r.sqlite");
  ASSERT_EQ(shell("$U search " + model + " --db " + db).exit_code, 0);
  const Finished runs = shell("$U runs --db " + db + " --format csv");
  EXPECT_THAT(runs.out, HasSubstr("'=cmd|"));
  EXPECT_THAT(runs.out, Not(HasSubstr(",=cmd|")));
}

TEST(Plot, TakesNothingFromAProgramThatIsCalledNodeAndIsNone) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  ASSERT_EQ(shell("$U search " + kModels + "lenet5.yaml --db " + db + " >/dev/null").exit_code, 0);
  const std::string node = folder.write("bin/node", "#!/bin/sh\ncat >/dev/null\necho '<p>no figure</p>'\n");
  std::filesystem::permissions(node, std::filesystem::perms::owner_all);
  const Finished run = shell("PATH=" + folder.path("bin") + ":$PATH $U plot op-flops --run 1 --db " + db + " --out " +
                             folder.path("f.svg"));
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("f.svg")));
}

}  // namespace
}  // namespace upsweep::testing
