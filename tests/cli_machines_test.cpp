#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModel = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";
const std::string kMachine = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/rtx-4090.yaml";

class MachinesCommand : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(MachinesCommand, NamesStandForTheirFiles) {
  const Json listed = json_of({"machines"});
  std::size_t gpus = 0;
  for (const Json& machine : listed["machines"]) {
    if (machine["kind"] != "gpu") continue;
    ++gpus;
    EXPECT_GT(machine["bandwidth_GBps"], 0) << machine;
  }
  EXPECT_EQ(gpus, 17);
  const auto answer = [&](const std::string& machine) { return upsweep({"search", kModel, "--machine", machine}); };
  const Finished by_file = answer(kMachine);
  ASSERT_EQ(by_file.exit_code, 0) << by_file.err;
  EXPECT_EQ(answer("rtx-4090").out, by_file.out);
  EXPECT_EQ(answer("nvidia-rtx-4090").out, by_file.out) << "the name in the file";
  EXPECT_THAT(answer("rtx-4091").err,
              HasSubstr("rtx-4091: no such file and no preset: did you mean rtx-4090?, accepted is"));
  EXPECT_THAT(answer("h100").err, HasSubstr("no preset: did you mean h100-sxm5-80gb?, accepted is"));
  EXPECT_THAT(answer("folder/rtx-4090").err, HasSubstr("no such file, accepted is a YAML file"));
}

TEST_F(MachinesCommand, WriteAFileThatSaysTheSame) {
  const std::string file = folder_.path("mine.yaml");
  EXPECT_EQ(upsweep({"machines", "rtx-4090", "--out", file}).exit_code, 0);
  EXPECT_EQ(read_file(file), read_file(kMachine));
  EXPECT_EQ(upsweep({"search", kModel, "--machine", file}).exit_code, 0);
  EXPECT_EQ(upsweep({"machines", "rtx-3060", "--out", file}).exit_code, 0) << "what nobody has changed is replaced";
  std::ofstream(file) << "mine";
  const Finished again = upsweep({"machines", "rtx-4090", "--out", file});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("a file that upsweep did not write"));
  EXPECT_THAT(upsweep({"machines", "--out", file}).err, HasSubstr("accepted is with NAME"));
  EXPECT_THAT(upsweep({"machines", "abacus"}).err, HasSubstr("is 'abacus', accepted are a100-pcie-80gb, "));
  EXPECT_THAT(upsweep({"machines", "h200"}).err, HasSubstr("is 'h200': did you mean h200-sxm-141gb?, accepted are"));
}

TEST(FirstSteps, NewWritesFilesThatTheirCommandsTake) {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& kind) {
    const std::string file = folder.path(kind + ".yaml");
    const Finished finished = upsweep({"new", kind, file});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, HasSubstr(file));
    return file;
  };
  const std::string model = made("model");
  EXPECT_EQ(upsweep({"profile", model}).exit_code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"search", made("recurrent")}, {"search", made("chain")},      {"search", model, "--machine", made("machine")},
      {"study", made("study")},      {"training", made("training")}, {"train", made("train")}};
  for (const std::vector<std::string>& command : commands) {
    const Finished finished = upsweep(command);
    EXPECT_EQ(finished.exit_code, 0) << command.front() << ": " << finished.err;
  }
}

TEST(FirstSteps, NewReplacesOnlyWhatNobodyHasChanged) {
  const TemporaryFolder folder;
  const std::string file = folder.path("mine.yaml");
  EXPECT_EQ(json_of({"new", "model", file})["file"], file);
  EXPECT_EQ(upsweep({"new", "model", file}).exit_code, 0) << "as it was written";
  std::ofstream(file, std::ios::app) << "# mine";
  const std::string mine = read_file(file);
  const Finished again = upsweep({"new", "model", file});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("which is there already, accepted is a new name, or --force"));
  EXPECT_EQ(read_file(file), mine);
  EXPECT_EQ(upsweep({"new", "study", file, "--force"}).exit_code, 0);
  EXPECT_NE(read_file(file), mine);
  EXPECT_THAT(upsweep({"new", "modell", file}).err,
              HasSubstr("is 'modell': did you mean model?, accepted are chain, "));
}

TEST(FirstSteps, NewPrintsAndHasATable) {
  const TemporaryFolder folder;
  const std::string file = folder.path("m.yaml");
  EXPECT_EQ(upsweep({"new", "model", file, "--format", "csv"}).out, "kind,file\r\nmodel," + file + "\r\n");
  EXPECT_EQ(upsweep({"new", "model", "-"}).out, read_file(file));
  EXPECT_EQ(json_of({"new", "model", "-"})["text"], read_file(file));
  EXPECT_FALSE(std::filesystem::exists("-")) << "no file of that name";
}

TEST(FirstSteps, AFileOfAnotherKindIsNamedWithWhatTakesIt) {
  const TemporaryFolder folder;
  const auto said_of = [&](const std::string& name, const std::string& bytes, const char* command = "search") {
    const Finished finished = upsweep({command, folder.write(name, bytes)});
    EXPECT_EQ(finished.exit_code, 3) << name;
    return finished.err;
  };
  EXPECT_THAT(said_of("picture.png", "\x89PNG\r\n\x1a\n"),
              HasSubstr("picture.png: it is a picture, which no command reads"));
  EXPECT_THAT(said_of("net.pt", std::string("PK\x03\x04\x14\0", 6)), HasSubstr("torch.onnx.export()"));
  EXPECT_THAT(said_of("old.pt", "\x80\x02}q"), HasSubstr("a Python pickle"));
  EXPECT_THAT(said_of("net.h5", "\x89HDF\r\n\x1a\n"), HasSubstr("HDF5"));
  EXPECT_THAT(said_of("net.yaml.gz", "\x1f\x8b\x08"), HasSubstr("gzip -d"));
  EXPECT_THAT(said_of("w.npy", "\x93NUMPY\x01"), HasSubstr("an array of NumPy"));
  EXPECT_THAT(said_of("runs.sqlite", std::string("SQLite format 3\0", 16)), HasSubstr("upsweep runs --db"));
  EXPECT_THAT(said_of("w.safetensors", std::string("\x40\0\0\0\0\0\0\0{\"", 10)), HasSubstr("safetensors"));
  EXPECT_THAT(said_of("net.onnx", "\x08\x07\x12\x01", "training"), HasSubstr("search, profile and import take"));
}

TEST_F(MachinesCommand, ListedRunsNameTheirsAndAreChosenByIt) {
  const std::string db = folder_.path("runs.sqlite");
  for (const char* machine : {"rtx-4090", "v100-sxm2-32gb"})
    EXPECT_EQ(upsweep({"search", kModel, "--machine", machine, "--schemes", "hybrid", "--db", db}).exit_code, 0);
  EXPECT_EQ(upsweep({"search", kModel, "--schemes", "hybrid", "--db", db}).exit_code, 0);
  const Finished all = upsweep({"runs", "--db", db});
  EXPECT_THAT(all.out, AllOf(HasSubstr("machine"), HasSubstr("nvidia-rtx-4090"), HasSubstr("v100")));
  const Finished one = upsweep({"runs", "--machine", "4090", "--db", db});
  EXPECT_THAT(one.out, AllOf(HasSubstr("nvidia-rtx-4090"), Not(HasSubstr("v100"))));
  const std::string run = json_of({"runs", "--machine", "4090", "--db", db})[0]["id"].dump();
  const Finished shown = upsweep({"runs", "show", run, "--db", db});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("nvidia-rtx-4090"), Not(HasSubstr("machine id"))));
  EXPECT_EQ(json_of({"runs", "show", run, "--db", db})["machine"], "nvidia-rtx-4090");
  EXPECT_TRUE(json_of({"runs", "show", run, "--db", db})["machine_id"].is_number()) << "programs still get it";
}

TEST(FirstSteps, SlipsAreToldWhatTheyMayHaveMeant) {
  EXPECT_THAT(upsweep({"serch", kModel}).err, HasSubstr("'serch' is no command: did you mean search?"));
  EXPECT_THAT(upsweep({"search", kModel, "--worker", "2"}).err,
              HasSubstr("--worker is no option of upsweep search: did you mean --workers?"));
  EXPECT_THAT(upsweep({"search", kModel, "--machine", "RTX-4090"}).err,
              HasSubstr("no preset: did you mean rtx-4090?, accepted is"));
  EXPECT_THAT(upsweep({"search", kModel, "--pattern", "smaple"}).err,
              HasSubstr("--pattern is 'smaple': did you mean sample?, accepted are"));
  EXPECT_THAT(upsweep({"search", kModel, "--memory", "16"}).err,
              HasSubstr("--memory 16 is 16 bytes; 16 GiB are written 16GiB"));
  EXPECT_THAT(upsweep({"plot", "timelin", "--run", "1", "--out", "x.svg"}).err, HasSubstr("did you mean timeline?"));
  EXPECT_THAT(upsweep({"plot", "fronts", "--run", "1", "--out", "x.svg"}).err, HasSubstr("did you mean study-front?"))
      << "a part of a name";
  EXPECT_THAT(upsweep({"machines", "4090"}).err, HasSubstr("did you mean rtx-4090?"));
  EXPECT_THAT(upsweep({"profile", kModel, "--schedule", "hybird:1"}).err,
              HasSubstr("--schedule is 'hybird:1': did you mean hybrid:1?, accepted are linear"));
  EXPECT_THAT(upsweep({"profile", std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet6.yml"}).err,
              HasSubstr("lenet6.yml: no such file: did you mean lenet5.yaml?, accepted is a YAML file"));
  EXPECT_THAT(
      upsweep({"search", kModel, "--memory", "16Gib"}).err,
      HasSubstr("--memory is '16Gib': did you mean 16GiB?, accepted is a positive number of bytes, or one with"));
  EXPECT_THAT(upsweep({"search", kModel, "--step", "9"}).err, HasSubstr("did you mean --steps?")) << "not --setup";
  EXPECT_THAT(upsweep({"search", kModel, "--exec=level"}).err, HasSubstr("did you mean --execution?")) << "half a name";
  EXPECT_THAT(upsweep({"search", kModel, "--colour", "red"}).err,
              HasSubstr("--colour is no option of upsweep search, accepted are"));
}

TEST(FirstSteps, AWrongKindOfFileIsSaidWhatItIs) {
  EXPECT_THAT(upsweep({"search", kMachine}).err,
              HasSubstr("the file looks like a machine file, which --machine takes"));
  EXPECT_THAT(upsweep({"search", kModel, "--machine", kModel}).err,
              HasSubstr("the file looks like a model file, which `profile` and `search` take"));
  const std::string study = std::string(UPSWEEP_SOURCE_DIR) + "/configs/studies/which-gpu.yaml";
  EXPECT_THAT(upsweep({"study", kModel}).err, HasSubstr("the file looks like a model file"));
  EXPECT_THAT(upsweep({"profile", study}).err, HasSubstr("the file looks like a study file, which `study` takes"));
}

TEST(FirstSteps, HelpIsACommandToo) {
  EXPECT_EQ(upsweep({"help"}).out, upsweep({"--help"}).out);
  EXPECT_EQ(upsweep({"help", "search"}).out, upsweep({"search", "--help"}).out);
  EXPECT_EQ(upsweep({"help", "serch"}).exit_code, 2);
  EXPECT_THAT(upsweep({"help", "serch"}).err, HasSubstr("'serch' is no command: did you mean search?"));
  EXPECT_THAT(upsweep({"help", "search", "me"}).err, HasSubstr("'me' is one argument too many"));
}

TEST(FirstSteps, SizesHaveUnitsOfEitherKind) {
  // 20 kB are too few for any schedule: what is refused shows what was read.
  for (const auto& [size, bytes] : {std::pair{"20kB", "20000"}, std::pair{"20 KiB", "20480"}}) {
    const Finished run = upsweep({"search", kModel, "--memory", size, "--format", "json"});
    EXPECT_THAT(run.out + run.err, HasSubstr(bytes)) << size;
  }
  EXPECT_THAT(upsweep({"search", kModel, "--memory", "16gb"}).err, HasSubstr("GB, TB, KiB"));
}

TEST(FirstSteps, ExamplesOfTheHelpHaveOptionsThatThereAre) {
  std::size_t seen = 0;
  std::istringstream commands(upsweep({"--help"}).out);
  for (std::string line; std::getline(commands, line);) {
    const bool is_command = line.starts_with("  ") && !line.starts_with("   ") && !line.starts_with("  -");
    if (!is_command) continue;
    const std::string command = line.substr(2, line.find(' ', 2) - 2);
    const std::string help = upsweep({command, "--help"}).out;
    const std::size_t examples = help.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << command;
    std::istringstream words(help.substr(examples));
    for (std::string word; words >> word;) {
      if (word == "upsweep") {
        words >> word;
        EXPECT_EQ(word, command);
        ++seen;
      } else if (word.starts_with("--")) {
        EXPECT_THAT(help.substr(0, examples), HasSubstr("  " + word + " ")) << command;
      } else if (word.starts_with("models/") || word.starts_with("configs/")) {
        EXPECT_TRUE(std::ifstream(std::string(UPSWEEP_SOURCE_DIR) + "/" + word).good()) << word;
      }
    }
  }
  EXPECT_GE(seen, 34U);
}

/// Runs the program in a folder, in an environment that says nothing of databases.
Finished in_folder(const std::string& folder, const std::string& words, const std::string& before = "") {
  return run_program(
      {"/bin/sh", "-c", "unset UPSWEEP_DB; cd " + folder + " && " + before + " " + UPSWEEP_BINARY + " " + words});
}

TEST_F(MachinesCommand, RunsOfATableAreKeptUnasked) {
  const std::string folder = folder_.path("");
  const std::string search = std::string("search ") + kModel + " --workers 2";
  const Finished first = in_folder(folder, search);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("stored in upsweep.sqlite as runs 1, 2"));
  const Finished listed = in_folder(folder, "runs");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("lenet5"));
  EXPECT_EQ(in_folder(folder, "runs").out, listed.out) << "the command that lists keeps nothing";
  EXPECT_EQ(in_folder(folder, search).out, first.out) << "the answer is the same";
}

TEST_F(MachinesCommand, NothingIsKeptWhereNobodyWantsIt) {
  const std::string folder = folder_.path("");
  const std::string search = std::string("search ") + kModel + " --workers 2";
  const auto is_kept = [&] { return std::filesystem::exists(folder_.path("upsweep.sqlite")); };
  for (const std::string& words : {search + " --no-db", search + " --format json", search + " --format csv"}) {
    const Finished run = in_folder(folder, words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "") << words;
    EXPECT_FALSE(is_kept()) << words;
  }
  EXPECT_EQ(in_folder(folder, search, "UPSWEEP_DB=").err, "");
  EXPECT_FALSE(is_kept());
  EXPECT_EQ(in_folder(folder, search + " --no-db --db x.sqlite").err, "") << "the safer of both";
  EXPECT_EQ(in_folder(folder, search + " --no-db", "UPSWEEP_DB=named.sqlite").err, "") << "what is said counts";
  EXPECT_EQ(in_folder(folder, "search none.yaml").exit_code, 3);
  EXPECT_FALSE(is_kept()) << "nothing is made for what fails";
}

TEST_F(MachinesCommand, WhatCannotBeKeptUnaskedIsAnsweredAllTheSame) {
  const std::string folder = folder_.path("");
  const Finished batch = in_folder(folder, std::string("search ") + kModel + " --workers 2 --batch 4");
  EXPECT_EQ(batch.exit_code, 0) << batch.err;
  EXPECT_THAT(batch.err, HasSubstr("nothing is kept: a database keeps runs of one input"));
  EXPECT_THAT(batch.out, HasSubstr("Best: "));
  folder_.write("upsweep.sqlite",
                "no database at all, and longer than a header of one hundred bytes, which SQLite reads first of all");
  const Finished foreign = in_folder(folder, std::string("search ") + kModel + " --workers 2");
  EXPECT_EQ(foreign.exit_code, 0) << foreign.err;
  EXPECT_THAT(foreign.err, HasSubstr("nothing is kept: upsweep.sqlite"));
  EXPECT_THAT(foreign.out, HasSubstr("Best: "));
}

TEST_F(MachinesCommand, ADatabaseThatNobodyNamedTakesNoAnswerAwayWhenItFails) {
  const std::string folder = folder_.path("");
  const std::string search = std::string("search ") + kModel + " --workers 2";
  const Finished full = in_folder(folder, search, "ulimit -f 20;");
  EXPECT_EQ(full.exit_code, 0) << full.err;
  EXPECT_THAT(full.err, HasSubstr("nothing is kept: upsweep.sqlite"));
  EXPECT_THAT(full.out, HasSubstr("Best: "));
  std::filesystem::remove(folder_.path("upsweep.sqlite"));
  std::filesystem::create_symlink("nowhere/gone.sqlite", folder_.path("upsweep.sqlite"));
  const Finished dangling = in_folder(folder, search);
  EXPECT_EQ(dangling.exit_code, 0) << dangling.err;
  EXPECT_THAT(dangling.out, HasSubstr("Best: "));
  const Finished rank = in_folder(folder, search, "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2");
  EXPECT_EQ(rank.err, "") << "the first rank alone keeps and says";
}

TEST_F(MachinesCommand, AQuietCommandSaysNothingAndAVerboseOneEachStep) {
  const std::string folder = folder_.path("");
  const std::string search = std::string("search ") + kModel + " --workers 2";
  EXPECT_EQ(in_folder(folder, search + " --quiet").err, "");
  const Finished verbose = in_folder(folder, search + " --verbose --no-db");
  EXPECT_THAT(verbose.err, ::testing::ContainsRegex("upsweep: +[0-9]+\\.[0-9]{3} s  "));
  EXPECT_THAT(in_folder(folder, "search none.yaml --quiet").err, HasSubstr("upsweep: error: "));
  EXPECT_EQ(in_folder(folder, search + " --quiet --verbose").exit_code, 2);
}

TEST_F(MachinesCommand, TheEnvironmentSaysWhereRunsAreKept) {
  const std::string db = folder_.path("mine.sqlite");
  const Finished search =
      run_program({"/usr/bin/env", "UPSWEEP_DB=" + db, UPSWEEP_BINARY, "search", kModel, "--workers", "2"});
  EXPECT_EQ(search.exit_code, 0) << search.err;
  EXPECT_THAT(search.err, HasSubstr("stored in " + db));
  const Finished runs = run_program({"/usr/bin/env", "UPSWEEP_DB=" + db, UPSWEEP_BINARY, "runs"});
  EXPECT_THAT(runs.out, HasSubstr("lenet5"));
  const std::string other = folder_.path("other.sqlite");
  const Finished asked =
      run_program({"/usr/bin/env", "UPSWEEP_DB=" + db, UPSWEEP_BINARY, "search", kModel, "--db", other});
  EXPECT_THAT(asked.err, HasSubstr("stored in " + other)) << "what is asked for counts";
}

}  // namespace
}  // namespace upsweep::testing
