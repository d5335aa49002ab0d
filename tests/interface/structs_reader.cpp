// Reads the JSON of a command into its outcome of upsweep/commands.hpp, and writes it again: structs_reader search
// <JSON What is null or absent is left out of objects.
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "upsweep/commands.hpp"

namespace {

using namespace upsweep::commands;  // NOLINT(google-build-using-namespace): a program of one file

std::string written(const upsweep::json::Text& value) { return value.json; }
std::string written(std::int64_t value) { return upsweep::json::written(value); }
std::string written(double value) { return upsweep::json::written(value); }
std::string written(bool value) { return upsweep::json::written(value); }
std::string written(const std::string& value) { return upsweep::json::written(value); }
template <class T>
std::string written(const std::optional<T>& value);
template <class T>
std::string written(const std::vector<T>& values);
template <class T>
std::string written(const std::map<std::string, T>& values);
template <class T, std::size_t count>
std::string written(const std::array<T, count>& values);
template <class T>
std::enable_if_t<upsweep::json::detail::HasMembers<T>::value, std::string> written(const T& object);

template <class T>
std::string written(const std::optional<T>& value) {
  return value ? written(*value) : "null";
}

template <class List>
std::string list_of(const List& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ",") + written(value);
  return '[' + text + ']';
}

template <class T>
std::string written(const std::vector<T>& values) {
  return list_of(values);
}
template <class T, std::size_t count>
std::string written(const std::array<T, count>& values) {
  return list_of(values);
}

/// Members of an object.
struct Writer {
  std::string& text;

  template <class T>
  void operator()(const std::string& name, const T& member) const {
    const std::string value = written(member);
    if (value.empty() || value == "null") return;
    text += (text.empty() ? "" : ",") + upsweep::json::in_quotes(name) + ':' + value;
  }
  template <class T>
  void operator()(upsweep::json::Prefix, const std::map<std::string, T>& members) const {
    for (const auto& [name, member] : members) (*this)(name, member);
  }
};

template <class T>
std::string written(const std::map<std::string, T>& values) {
  std::string text;
  for (const auto& [name, value] : values) Writer{text}(name, value);
  return '{' + text + '}';
}

template <class T>
std::enable_if_t<upsweep::json::detail::HasMembers<T>::value, std::string> written(const T& object) {
  std::string text;
  T::each_member(object, Writer{text});
  return '{' + text + '}';
}

std::string written(const RunsListOutcome& listed) {
  return listed.studies.empty() ? written(listed.runs) : written(listed.studies);
}

std::string written(const RunsShowOutcome& shown) {
  if (shown.schedule_run) return written(shown.schedule_run);
  if (shown.pass_run) return written(shown.pass_run);
  if (shown.training_run) return written(shown.training_run);
  return shown.anchor_run ? written(shown.anchor_run) : written(shown.stored_study);
}

template <class Outcome>
std::string again(const std::string& json) {
  return written(upsweep::json::read<Outcome>(json));
}

const std::map<std::string, std::function<std::string(const std::string&)>> kReaders = {
    {"profile", again<ProfileOutcome>},
    {"search", again<SearchOutcome>},
    {"explain", again<ExplainOutcome>},
    {"formula", again<FormulaOutcome>},
    {"import", again<ImportOutcome>},
    {"validate", again<ValidateOutcome>},
    {"solve", again<SolveOutcome>},
    {"calibrate", again<CalibrateOutcome>},
    {"new", again<NewOutcome>},
    {"machines", again<MachinesOutcome>},
    {"anchors", again<AnchorsOutcome>},
    {"order", again<OrderOutcome>},
    {"train", again<TrainOutcome>},
    {"training", again<TrainingOutcome>},
    {"study", again<StudyOutcome>},
    {"runs-list", again<RunsListOutcome>},
    {"runs-show", again<RunsShowOutcome>},
    {"runs-diff", again<RunsDiffOutcome>}};

}  // namespace

int main(int argc, char** argv) try {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  std::cout << kReaders.at(argc > 1 ? argv[1] : "")(json);
} catch (const std::exception& error) {
  std::cerr << "structs_reader: " << error.what() << '\n';
  return 1;
}
