#include "upsweep/app/new.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "outputs.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/io/embedded_files.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/io/text_file.hpp"

namespace upsweep {
namespace {

constexpr const char* kStandardOutput = "-";

const EmbeddedFile& template_of(const std::string& kind) {
  const std::vector<EmbeddedFile>& all = embedded_templates();
  const auto found = std::ranges::find(all, kind, &EmbeddedFile::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const EmbeddedFile& one : all) names.push_back(one.name);
  throw RequestError("kind", fmt::format("is '{}'{}", kind, accepted_text(kind, names)));
}

/// The command that takes a file of a kind.
std::string next_command(const NewOutcome& outcome) {
  if (outcome.kind == "machine") return "search MODEL --machine " + outcome.file;
  const bool is_command = outcome.kind == "study" || outcome.kind == "training" || outcome.kind == "train";
  return (is_command ? outcome.kind : "search") + ' ' + outcome.file;
}

}  // namespace

Document document(const NewOutcome& outcome) {
  Document document;
  document.facts([outcome] {
            return Json{{"kind", outcome.kind}, {"file", outcome.file}, {"text", outcome.text}};
          })
      .sheet({"",
              {{"kind", {}, Unit::text}, {"file", {}, Unit::text}},
              std::vector<std::vector<Value>>{{outcome.kind, outcome.file}}});
  if (outcome.file == kStandardOutput) return std::move(document.say(outcome.text));
  document.say(fmt::format("Wrote {}; `upsweep {}` takes it{}.\n", outcome.file, next_command(outcome),
                           outcome.kind == "train" ? ", with the file that `upsweep new model` writes beside it" : ""));
  return document;
}

NewOutcome run(const NewRequest& request, const Caller&, const Watch&) {
  const EmbeddedFile& made = template_of(request.kind);
  NewOutcome outcome{request.kind, request.file.value_or(request.kind + ".yaml"), made.text};
  if (outcome.file == kStandardOutput) return outcome;
  const bool is_unchanged =
      std::ranges::any_of(embedded_templates(), [&](const auto& one) { return is_file_of(outcome.file, one.text); });
  if (!request.force && std::filesystem::exists(outcome.file) && !is_unchanged) {
    throw RequestError("file",
                       fmt::format("is {}, which is there already, accepted is a new name, or `force`", outcome.file));
  }
  check_output({"file", outcome.file, ""}, {}, true);
  write_text_file(outcome.file, made.text);
  return outcome;
}

}  // namespace upsweep
