#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Modules by row: a file includes only from rows below its own, and from its own folder.
const std::map<std::string, int> kRow = {
    {"base", 0},     {"document", 1}, {"sparse", 1},    {"network", 1},    {"jacobian", 2}, {"onnx", 2},
    {"scan", 2},     {"profile", 3},  {"machine", 3},   {"sim", 4},        {"backend", 4},  {"calibrate", 5},
    {"validate", 5}, {"solve", 5},    {"recurrent", 5}, {"training", 5},   {"scaling", 5},  {"order", 5},
    {"search", 6},   {"learning", 6}, {"kernels", 6},   {"grid", 7},       {"anchors", 7},  {"devices", 7},
    {"store", 8},    {"io", 8},       {"study", 9},     {"report", 10},    {"figure", 11},  {"trace", 11},
    {"page", 12},    {"app", 13},     {"cli", 14},      {"interface", 15}, {"program", 16}};

/// Headers of libraries, and the folders that may include them.
const std::map<std::string, std::set<std::string>> kHomes = {
    {"tbb/", {"base"}},
    {"sqlite3.h", {"store"}},
    {"yaml-cpp/", {"io"}},
    {"xxhash.h", {"io"}},
    {"zlib.h", {"io"}},
    {"CLI/", {"cli"}},
    {"mpi.h", {"study"}},
    {"nlohmann/", {"document", "report", "study", "figure", "trace", "page", "app", "cli", "interface"}},
    {"Eigen/", {"backend", "solve"}},
    {"onnx/", {"onnx"}},
    {"google/protobuf", {"onnx"}},
    {"cblas.h", {"calibrate"}}};

struct Include {
  fs::path file;
  std::string module;
  std::string header;
  bool is_quoted = false;
};

/// The header that a line includes, or nothing.
std::string included_header(const std::string& line) {
  const std::string word = "#include ";
  const std::size_t at = line.find(word);
  if (at == std::string::npos || line.find_first_not_of(' ') != at) return "";
  const std::size_t open = line.find_first_of("<\"", at + word.size());
  const std::size_t close = open == std::string::npos ? open : line.find_first_of(">\"", open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

/// The folder of a file below `top`. Headers at the top of include/upsweep are those of the library: its interface.
std::string module_of(const fs::path& file, const fs::path& top) {
  if (top.filename() == "kernels") return "kernels";
  return file.parent_path() == top ? "interface" : fs::relative(file, top).begin()->string();
}

std::vector<Include> includes() {
  const fs::path root = UPSWEEP_SOURCE_DIR;
  std::vector<Include> found;
  for (const fs::path& top : {root / "include" / "upsweep", root / "src", root / "kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (!entry.is_regular_file()) continue;
      const std::string module = module_of(entry.path(), top);
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        const std::string header = included_header(line);
        if (header.empty()) continue;
        const bool is_quoted = line.find('"') != std::string::npos && entry.path().extension() != ".in";
        found.push_back({entry.path(), module, header, is_quoted});
      }
    }
  }
  return found;
}

/// What is wrong with an include, or nothing.
std::string fault(const Include& include) {
  if (!kRow.contains(include.module)) return "the folder has no row";
  for (const auto& [prefix, homes] : kHomes) {
    if (include.header.starts_with(prefix) && !homes.contains(include.module)) return prefix + " has another home";
  }
  if (!include.header.starts_with("upsweep/")) {
    const bool is_private = !include.is_quoted || fs::exists(include.file.parent_path() / include.header);
    return is_private ? "" : "neither public nor of its own folder";
  }
  const std::size_t slash = include.header.find('/', 8);
  const std::string module = slash == std::string::npos ? "interface" : include.header.substr(8, slash - 8);
  if (!kRow.contains(module)) return "of a folder without a row";
  if (module != include.module && kRow.at(module) >= kRow.at(include.module)) return "points sideways or up";
  return "";
}

TEST(Layout, IncludesPointDownOnly) {
  const std::vector<Include> all = includes();
  ASSERT_GT(all.size(), 300U) << "the sources were not found";
  for (const Include& include : all) EXPECT_EQ(fault(include), "") << include.file << " includes " << include.header;
}

TEST(Layout, ThatCheckCanFail) {
  EXPECT_EQ(included_header("#include \"upsweep/sparse/row.hpp\""), "upsweep/sparse/row.hpp");
  EXPECT_EQ(included_header("// no #include <x>"), "");
  EXPECT_NE(fault({"x.cpp", "sparse", "upsweep/profile/profile.hpp"}), "");
  EXPECT_NE(fault({"x.cpp", "search", "upsweep/store/run_store.hpp"}), "");
  EXPECT_NE(fault({"x.cpp", "profile", "sqlite3.h"}), "");
  EXPECT_NE(fault({"x.cpp", "kernels", "recurrent/step_jacobians.hpp", true}), "");
  EXPECT_NE(fault({"x.cpp", "kernels", "upsweep/devices/registry.hpp"}), "");
  EXPECT_EQ(fault({"x.cpp", "profile", "upsweep/sparse/product.hpp"}), "");
}

TEST(Layout, EveryHeaderHasAGuardAndNoUsingNamespace) {
  const fs::path root = UPSWEEP_SOURCE_DIR;
  for (const fs::path& top : {root / "include", root / "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream in(entry.path());
      std::string first;
      std::getline(in, first);
      EXPECT_EQ(first, "#pragma once") << entry.path();
      for (std::string line; std::getline(in, line);)
        EXPECT_EQ(line.find("using namespace"), std::string::npos) << entry.path();
    }
  }
}

/// The type that a line at the top of a namespace defines, or nothing.
std::string defined_type(const std::string& line) {
  for (const std::string word : {"struct ", "class "}) {
    if (!line.starts_with(word) || line.find('{') == std::string::npos) continue;
    const std::size_t end = line.find_first_of(" {<", word.size());
    const std::string name = line.substr(word.size(), end - word.size());
    // No specialisation, and no part of another type.
    return line[end] == '<' || name.find(':') != std::string::npos ? "" : name;
  }
  return "";
}

TEST(Layout, NoTypeHasTwoDefinitions) {
  // Two of one name would be one for the linker, whatever they hold: the kernels have a namespace of their own.
  std::map<std::string, fs::path> homes;
  const fs::path root = UPSWEEP_SOURCE_DIR;
  for (const fs::path& top : {root / "include" / "upsweep", root / "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream in(entry.path());
      std::vector<std::string> spaces;
      for (std::string line; std::getline(in, line);) {
        if (line.starts_with("namespace ")) spaces.push_back(line);
        if (line.starts_with("}  // namespace") && !spaces.empty()) spaces.pop_back();
        const std::string type = defined_type(line);
        if (type.empty()) continue;
        const std::string where = std::accumulate(spaces.begin(), spaces.end(), std::string());
        const auto [home, is_new] = homes.emplace(where + type, entry.path());
        EXPECT_TRUE(is_new) << type << " is defined in " << home->second << " and " << entry.path();
      }
    }
  }
  EXPECT_GT(homes.size(), 300U);
  EXPECT_EQ(defined_type("struct ModelFile {"), "ModelFile");
  EXPECT_EQ(defined_type("class Store final : public Base {"), "Store");
  EXPECT_EQ(defined_type("struct hash<Shape> {"), "");
  EXPECT_EQ(defined_type("class Store::Parts {"), "");
  EXPECT_EQ(defined_type("class Store;"), "");
}

/// What a line of the library has that belongs to a program: printing, ending the process, handlers of signals. Empty
/// without.
std::string program_word(const std::string& line) {
  if (const std::size_t at = line.find("//"); at != std::string::npos) return program_word(line.substr(0, at));
  static const std::set<std::string> calls = {"print",     "printf", "fprintf", "vprintf", "puts",   "fputs",
                                              "putchar",   "exit",   "_exit",   "_Exit",   "abort",  "signal",
                                              "sigaction", "cout",   "cerr",    "clog",    "fwrite", "quick_exit"};
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t begin = 0; begin < line.size();) {
    const auto first = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), is_of_name);
    const auto last = std::find_if_not(first, line.end(), is_of_name);
    const std::string word(first, last);
    const bool is_stream = word.starts_with('c') && calls.contains(word);
    if (calls.contains(word) && (is_stream || (last != line.end() && *last == '('))) return word;
    begin = static_cast<std::size_t>(last - line.begin());
  }
  return "";
}

TEST(Layout, OnlyTheCommandLinePrintsExitsOrHandlesSignals) {
  const fs::path root = UPSWEEP_SOURCE_DIR;
  for (const fs::path& top : {root / "include", root / "src", root / "kernels"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".hpp" && ending != ".cpp" && ending != ".cu" && ending != ".cuh") continue;
      if (*fs::relative(entry.path(), root / "src").begin() == "cli") continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) EXPECT_EQ(program_word(line), "") << entry.path() << ": " << line;
    }
  }
}

TEST(Layout, ThatSearchCanFindSome) {
  EXPECT_EQ(program_word("  fmt::print(stderr, text);"), "print");
  EXPECT_EQ(program_word("  std::cerr << text;"), "cerr");
  EXPECT_EQ(program_word("  std::exit(1);"), "exit");
  EXPECT_EQ(program_word("  find_inputs(exit);  // printf(text)"), "");
}

}  // namespace
