#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::kernels {

/// Finds functions of an open library; remembers the first that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class F>
  void bind_optional(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(library_, name));
  }
  template <class F>
  void bind(F& function, const char* name) {
    bind_optional(function, name);
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

/// What came of looking for a library.
template <class Library>
struct Loaded {
  const Library* library = nullptr;  ///< null where it was not found
  std::string reason;                ///< then: which files were tried, and what was missing
};

/// Opens the first file that fits, of `files` where the system looks for libraries, in folders below what `homes` have
/// (an environment variable and a folder each), and in /usr/local/cuda/lib64. It stays open.
///
/// `fault_of(file, opened)` fills `library` in and says what is wrong with a file, or nothing. `name`: of the library.
template <class Library, class FaultOf>
Loaded<Library> load_library(const char* name, std::initializer_list<const char*> files,
                             std::initializer_list<std::pair<const char*, const char*>> homes, const Library& library,
                             const FaultOf& fault_of) {
  std::vector<std::string> folders = {""};
  for (const auto& [variable, folder] : homes) {
    const char* const home = std::getenv(variable);
    if (home != nullptr && *home != '\0') folders.push_back(fmt::format("{}{}", home, folder));
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> tried;
  std::string problem;
  for (const std::string& folder : folders) {
    for (const char* file : files) {
      tried.push_back(folder + file);
      void* const opened = dlopen(tried.back().c_str(), RTLD_NOW | RTLD_LOCAL);
      if (opened == nullptr) continue;
      problem = fault_of(tried.back(), opened);
      if (problem.empty()) return {&library, ""};
      static_cast<void>(dlclose(opened));
    }
  }
  if (problem.empty()) problem = fmt::format("{} was not found, tried {}", name, fmt::join(tried, ", "));
  return {nullptr, problem};
}

}  // namespace upsweep::kernels
