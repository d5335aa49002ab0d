#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"
#include "upsweep/upsweep.h"

namespace upsweep::testing::interface_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";
const std::string kSmall = "input: [3, 8, 8]\noperators:\n- conv2d: {name: c, out_channels: 4, kernel: 3}\n- relu\n";

using Input = std::unique_ptr<upsweep_input, decltype(&upsweep_input_close)>;
using Result = std::unique_ptr<upsweep_result, decltype(&upsweep_result_close)>;

Input file(const std::string& path) { return {upsweep_input_file(path.c_str()), upsweep_input_close}; }
Input text(const std::string& bytes) {
  return {upsweep_input_bytes("model.yaml", bytes.data(), bytes.size()), upsweep_input_close};
}

/// What a command gives; fails where anything is printed.
Result run(const char* command, const Input& input, const char* settings = "{}", const upsweep_watch* watch = nullptr) {
  upsweep_input* inputs[] = {input.get()};
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Result result(upsweep_run(command, inputs, 1, settings, watch), upsweep_result_close);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  return result;
}

std::string text_of(const Result& result, const char* format) {
  const char* found = upsweep_result_text(result.get(), format, nullptr);
  return found == nullptr ? "" : found;
}

std::string message(const Result& result) { return upsweep_result_message(result.get()); }

TEST(Interface, AnswersInAllFormats) {
  const Result result = run("search", file(kModels + "lenet5.yaml"), R"({"workers": 16, "schemes": "hybrid"})");
  ASSERT_EQ(upsweep_result_code(result.get()), UPSWEEP_DONE) << message(result);
  const Json json = Json::parse(text_of(result, "json"));
  EXPECT_EQ(json["workers"], 16);
  EXPECT_FALSE(json["best"].is_null());
  EXPECT_EQ(Json::parse(text_of(result, "packed")), json);  // its tables are short
  EXPECT_THAT(text_of(result, "csv"), HasSubstr("schedule,"));
  EXPECT_THAT(text_of(result, "table"), HasSubstr("Best: "));
  EXPECT_EQ(upsweep_result_text(result.get(), "xml", nullptr), nullptr);
}

TEST(Interface, PacksLongTablesByColumns) {
  std::string rows = "sizes,edges\n";
  for (int row = 0; row < 1000; ++row) rows += "3 " + std::to_string(1 + row) + ",10\n";
  const Result result = run("order", text(rows));
  ASSERT_EQ(upsweep_result_code(result.get()), UPSWEEP_DONE) << message(result);
  const Json json = Json::parse(text_of(result, "json"));
  const Json packed = Json::parse(text_of(result, "packed"));
  EXPECT_EQ(packed["proven"], 1000);
  Json unpacked = Json::array();
  for (const Json& cells : packed["instances"]["cells"]) {
    unpacked.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c)
      unpacked.back()[packed["instances"]["columns"][c].get<std::string>()] = cells[c];
  }
  EXPECT_EQ(unpacked, json["instances"]);
}

TEST(Interface, TakesSettingsOfEveryKind) {
  const Input model = file(kModels + "lenet5.yaml");
  const Result live = run("search", model, R"({"live": true, "memory": "1 GiB", "machine": null, "count-limit": 1e6})");
  EXPECT_EQ(upsweep_result_code(live.get()), UPSWEEP_DONE) << message(live);
  const Result all = run("search", model, R"({"live": false, "memory": 1073741824})");
  EXPECT_NE(text_of(live, "json"), text_of(all, "json"));
  const Result methods = run("solve", model, R"({"method": ["jacobi", "bicgstab"]})");
  EXPECT_EQ(upsweep_result_code(methods.get()), UPSWEEP_DONE) << message(methods);
}

TEST(Interface, NamesTheNearestOfUnknownSettings) {
  const Input model = file(kModels + "lenet5.yaml");
  const Result result = run("search", model, R"({"wrokers": 16})");
  EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_USAGE);
  EXPECT_EQ(message(result), "'wrokers' is no setting of search, the nearest is `workers`");
  EXPECT_EQ(upsweep_result_text(result.get(), "json", nullptr), nullptr);
  EXPECT_THAT(message(run("search", model, R"({"help": true})")), HasSubstr("'help' is no setting"));
}

TEST(Interface, SaysWhatIsWrongAsSettingsNotOptions) {
  const Input model = file(kModels + "lenet5.yaml");
  const auto wrong = [&](const char* settings) { return message(run("search", model, settings)); };
  EXPECT_THAT(wrong(R"({"workers": 0})"), AllOf(HasSubstr("`workers` is '0'"), Not(HasSubstr("--"))));
  EXPECT_THAT(wrong(R"({"pattern": "all"})"), HasSubstr("`pattern` is 'all', accepted are guaranteed, sample"));
  EXPECT_THAT(wrong(R"({"estimate_seed": 3})"), HasSubstr("accepted is with `estimate`"));
  EXPECT_THAT(wrong(R"({"live": 3})"), HasSubstr("`live` is 3, accepted are true and false"));
  EXPECT_THAT(wrong(R"({"workers": {"a": {"b": 1}}})"), HasSubstr("`workers` is {"));
  EXPECT_THAT(wrong("[1]"), HasSubstr("settings are no object"));
  EXPECT_THAT(wrong("{"), HasSubstr("settings are no JSON"));
  EXPECT_THAT(message(run("serch", model)),
              HasSubstr("'serch' is no command: did you mean search?, accepted are profile, search"));
  EXPECT_EQ(upsweep_result_code(run("search", file("none.yaml")).get()), UPSWEEP_INPUT);
  EXPECT_EQ(upsweep_result_code(Result(upsweep_run(nullptr, nullptr, 0, nullptr, nullptr), upsweep_result_close).get()),
            UPSWEEP_USAGE);
}

TEST(Interface, TakesModelsAndArraysFromMemoryAndLeavesNoFile) {
  // Of its own: others make folders in the common one meanwhile.
  const testing::TemporaryFolder folder;
  const char* const common = std::getenv("TMPDIR");
  const std::string was = common == nullptr ? "" : common;
  setenv("TMPDIR", folder.path("").c_str(), 1);
  {
    const Input model = text(kSmall + "weights: {masks: kept}\n");
    const std::string mask =
        npy_with_header("{'descr': '|b1', 'fortran_order': False, 'shape': (4, 3, 3, 3)}", std::string(108, '\1'));
    EXPECT_EQ(upsweep_input_add(model.get(), "kept/c.npy", mask.data(), mask.size()), UPSWEEP_DONE);
    const Result result = run("profile", model);
    EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_DONE) << message(result);
    EXPECT_EQ(upsweep_input_add(model.get(), "../c.npy", mask.data(), mask.size()), UPSWEEP_INPUT);
    EXPECT_EQ(upsweep_input_add(model.get(), "/c.npy", mask.data(), mask.size()), UPSWEEP_INPUT);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
  if (was.empty())
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", was.c_str(), 1);
}

TEST(Interface, NamesFilesInMemoryAsTheCallerDid) {
  const Result result = run("profile", text("input: [3]\noperators:\n- cnov2d: {}\n"));
  EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_INPUT);
  EXPECT_THAT(message(result), ::testing::StartsWith("model.yaml:3: "));
}

TEST(Interface, StopsWhereItsCallerSays) {
  const Input model = file(kModels + "vgg11-cifar10-pruned97.yaml");
  upsweep_watch watch = {};
  watch.progress = [](void* user, const char*) { return ++*static_cast<int*>(user) >= 1 ? 1 : 0; };
  int calls = 0;
  watch.user = &calls;
  EXPECT_EQ(upsweep_result_code(run("profile", model, "{}", &watch).get()), UPSWEEP_INTERRUPTED);
  EXPECT_GE(calls, 1);
  const std::unique_ptr<upsweep_stop, decltype(&upsweep_stop_close)> stop(upsweep_stop_new(), upsweep_stop_close);
  upsweep_stop_request(stop.get());
  watch = {};
  watch.stop = stop.get();
  EXPECT_EQ(upsweep_result_code(run("profile", model, "{}", &watch).get()), UPSWEEP_INTERRUPTED);
}

TEST(Interface, TellsItsCallerWhatIsWorthSaying) {
  const TemporaryFolder folder;
  std::string notes;
  upsweep_watch watch = {};
  watch.user = &notes;
  watch.note = [](void* user, const char* note) { *static_cast<std::string*>(user) += note; };
  const std::string settings = Json{{"db", folder.path("runs.sqlite")}}.dump();
  const Result result = run("profile", text(kSmall), settings.c_str(), &watch);
  EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_DONE) << message(result);
  EXPECT_THAT(notes, AllOf(HasSubstr("stored in "), HasSubstr(" as run")));
}

TEST(Interface, AnswersSeveralThreadsAlike) {
  const auto answer = [] {
    const Input model = text(kSmall);
    upsweep_input* inputs[] = {model.get()};
    const Result result(upsweep_run("search", inputs, 1, R"({"workers": 4})", nullptr), upsweep_result_close);
    return text_of(result, "json");
  };
  const std::string alone = answer();
  ASSERT_FALSE(alone.empty());
  std::vector<std::string> found(4);
  std::vector<std::jthread> threads;
  for (std::string& one : found) threads.emplace_back([&one, &answer] { one = answer(); });
  threads.clear();
  for (const std::string& one : found) EXPECT_EQ(one, alone);
}

TEST(Interface, SeveralThreadsKeepTheirRunsInOneDatabase) {
  const TemporaryFolder folder;
  const auto keep = [&](const std::string& name) {
    const Input model = text(kSmall);
    upsweep_input* inputs[] = {model.get()};
    const std::string settings = Json{{"db", folder.path(name)}}.dump();
    const Result result(upsweep_run("search", inputs, 1, settings.c_str(), nullptr), upsweep_result_close);
    EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_DONE) << message(result);
    EXPECT_NE(upsweep_commands(), nullptr);
  };
  const auto runs_of = [&](const std::string& name) {
    const std::string settings = Json{{"db", folder.path(name)}}.dump();
    const Result result(upsweep_run("runs", nullptr, 0, settings.c_str(), nullptr), upsweep_result_close);
    const std::string list = text_of(result, "csv");
    return std::ranges::count(list, '\n') - 1;
  };
  keep("one.sqlite");
  ASSERT_GE(runs_of("one.sqlite"), 1);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(keep, "four.sqlite");
  }
  EXPECT_EQ(runs_of("four.sqlite"), 4 * runs_of("one.sqlite"));
}

TEST(Interface, AnotherThreadStopsACall) {
  const std::unique_ptr<upsweep_stop, decltype(&upsweep_stop_close)> stop(upsweep_stop_new(), upsweep_stop_close);
  std::atomic<bool> is_told = false;
  const auto told = [](void* user, const char*) {
    *static_cast<std::atomic<bool>*>(user) = true;
    return 0;
  };
  const upsweep_watch watch{&is_told, told, nullptr, stop.get()};
  const Input model = file(kModels + "vgg11-quarter-pruned90.yaml");
  const std::jthread stops([&] {
    while (!is_told) std::this_thread::yield();
    upsweep_stop_request(stop.get());
  });
  const Result result = run("search", model, R"({"pattern": "sample"})", &watch);
  is_told = true;  // also after a call that failed before it told anything
  EXPECT_EQ(upsweep_result_code(result.get()), UPSWEEP_INTERRUPTED) << message(result);
}

TEST(Interface, ListsCommandsWithTheirSettings) {
  const Json commands = Json::parse(upsweep_commands());
  for (const Json& command : commands) {
    if (command["name"] != "search") continue;
    std::vector<std::string> names;
    for (const Json& setting : command["settings"]) names.push_back(setting["name"]);
    EXPECT_THAT(names, ::testing::IsSupersetOf({"workers", "machine", "count_limit", "live", "format"}));
    EXPECT_THAT(names, Not(::testing::Contains("help")));
    return;
  }
  FAIL() << "search is no command";
}

}  // namespace
}  // namespace upsweep::testing::interface_test
