#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "option_table.hpp"

namespace upsweep::cli {
namespace {

/// Within single quotes of a shell.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string shown;
  for (const char c : text) shown += c == '\'' ? quote : std::string(1, c);
  return shown;
}

std::vector<std::string> names_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : subcommands(command)) names.push_back(sub->get_name());
  return names;
}

std::string options_of_bash(const CLI::App& command) {
  std::vector<std::string> names = names_of(command);
  for (const OptionRow& row : option_rows(command)) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// bash: words by command, values by command and option, else files.
std::string bash_script(const CLI::App& root) {
  std::string values;
  std::string words;
  for (const CLI::App* command : subcommands(root)) {
    for (const OptionRow& row : option_rows(*command)) {
      if (row.values.empty()) continue;
      values += fmt::format("    {},{}) words='{}' ;;\n", command->get_name(), row.name, fmt::join(row.values, " "));
    }
    words += fmt::format("      {}) words='{}' ;;\n", command->get_name(), options_of_bash(*command));
  }
  return fmt::format(R"(# Completion of upsweep for bash; made by upsweep --completion bash.
_upsweep() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command,$before in
{}  esac
  if [ -z "$words" ]; then
    case $command in
      '') words='{}' ;;
{}    esac
    case $command,$current in ,* | *,-*) ;; *) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o filenames -F _upsweep upsweep
)",
                     values, options_of_bash(root), words);
}

/// What _arguments of zsh takes for an option: '--name=[text]:TYPE:(values)'.
std::string zsh_argument(const OptionRow& row) {
  std::string text;
  for (const char c : quoted(row.text, "'\\''"))
    text += c == '[' || c == ']' || c == ':' ? fmt::format("\\{}", c) : std::string(1, c);
  if (row.type.empty()) return fmt::format("'{}[{}]'", row.name, text);
  const std::string values = row.values.empty() ? "_files" : fmt::format("({})", fmt::join(row.values, " "));
  return fmt::format("'{}=[{}]:value:{}'", row.name, text, values);
}

std::string zsh_script(const CLI::App& root) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : subcommands(root)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), quoted(command->get_description(), "'\\''"));
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const OptionRow& row : option_rows(*command)) cases += " \\\n      " + zsh_argument(row);
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef upsweep
# Completion of upsweep for zsh; made by upsweep --completion zsh.
_upsweep() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_upsweep "$@"
)",
                     commands, cases);
}

std::string fish_line(const std::string& condition, const OptionRow& row) {
  std::string line = fmt::format("complete -c upsweep -n '{}' -l {}", condition, row.name.substr(2));
  if (!row.type.empty()) line += row.values.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(row.values, " "));
  return line + fmt::format(" -d '{}'\n", quoted(row.text, "\\'"));
}

std::string fish_script(const CLI::App& root) {
  std::string script = "# Completion of upsweep for fish; made by upsweep --completion fish.\n";
  for (const OptionRow& row : option_rows(root)) script += fish_line("__fish_use_subcommand", row);
  for (const CLI::App* command : subcommands(root)) {
    script += fmt::format("complete -c upsweep -f -n __fish_use_subcommand -a {} -d '{}'\n", command->get_name(),
                          quoted(command->get_description(), "\\'"));
    const std::string seen = "__fish_seen_subcommand_from " + command->get_name();
    for (const OptionRow& row : option_rows(*command)) script += fish_line(seen, row);
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& root, const std::string& shell) {
  if (shell == "bash") return bash_script(root);
  return shell == "zsh" ? zsh_script(root) : fish_script(root);
}

}  // namespace upsweep::cli
