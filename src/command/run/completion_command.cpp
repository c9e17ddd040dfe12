// `rollcall completion`: scripts for shells, from the tables.
#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "base/text.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::tools {
namespace {

std::vector<const CommandRow*> shown_commands() {
  std::vector<const CommandRow*> rows;
  for (const CommandRow& row : commands()) {
    if (!row.is_hidden) rows.push_back(&row);
  }
  return rows;
}

std::string schemes(std::string_view separator) {
  std::vector<std::string> words;
  for (const TargetScheme* scheme : target_schemes()) words.push_back(fmt::format("{}:", scheme->name));
  return fmt::format("{}", fmt::join(words, separator));
}

// The texts are ours: the only character that a quoted string of the three shells would mind is the quote itself.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash() {
  std::string out =
      "# bash completion for rollcall: source <(rollcall completion bash)\n"
      "_rollcall() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"${COMP_WORDS[1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n";
  std::vector<std::string_view> names;
  for (const CommandRow* row : shown_commands()) names.push_back(row->name);
  fmt::format_to(std::back_inserter(out),
                 "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n  case \"$command\" in\n",
                 fmt::join(names, " "));
  for (const CommandRow* row : shown_commands()) {
    fmt::format_to(std::back_inserter(out), "    {})\n      case \"$before\" in\n", row->name);
    std::vector<std::string_view> options;
    for (const OptionRow& option : row->options) {
      if (option.is_hidden) continue;
      options.push_back(option.name);
      const std::string pattern = option.letter ? fmt::format("{}|-{}", option.name, option.letter) : std::string(option.name);
      if (option.completes == Completes::choice) {
        fmt::format_to(std::back_inserter(out), "        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", pattern,
                       fmt::join(option.choices, " "));
      } else if (option.completes == Completes::file) {
        fmt::format_to(std::back_inserter(out), "        {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", pattern);
      } else if (!option.value.empty()) {
        fmt::format_to(std::back_inserter(out), "        {}) return ;;\n", pattern);
      }
    }
    fmt::format_to(std::back_inserter(out),
                   "      esac\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{} --help' -- \"$word\"))\n",
                   fmt::join(options, " "));
    if (row->takes_targets) {
      fmt::format_to(std::back_inserter(out), "      else COMPREPLY=($(compgen -W '{}' -- \"$word\")); compopt -o nospace 2>/dev/null\n",
                     schemes(" "));
    } else {
      out += "      else COMPREPLY=($(compgen -f -- \"$word\"))\n";
    }
    out += "      fi ;;\n";
  }
  return out + "  esac\n}\ncomplete -F _rollcall rollcall\n";
}

// Inside [...] of an _arguments specification brackets and colons are special.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh() {
  std::string out =
      "#compdef rollcall\n# zsh completion for rollcall: source <(rollcall completion zsh)\n_rollcall() {\n  local -a commands\n  "
      "commands=(\n";
  for (const CommandRow* row : shown_commands())
    fmt::format_to(std::back_inserter(out), "    {}\n", shell_quoted(fmt::format("{}:{}", row->name, row->summary)));
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  "
      "(( CURRENT-- ))\n  case $command in\n";
  for (const CommandRow* row : shown_commands()) {
    fmt::format_to(std::back_inserter(out), "    {})\n      _arguments \\\n", row->name);
    for (const OptionRow& option : row->options) {
      if (option.is_hidden) continue;
      std::string spec = fmt::format("{}{}[{}]", option.is_repeatable ? "*" : "", option.name, zsh_text(option.help));
      if (!option.value.empty()) {
        const std::string action = option.completes == Completes::file     ? "_files"
                                   : option.completes == Completes::choice ? fmt::format("({})", fmt::join(option.choices, " "))
                                                                           : std::string(" ");
        spec += fmt::format(":{}:{}", zsh_text(option.value), action);
      }
      fmt::format_to(std::back_inserter(out), "        {} \\\n", shell_quoted(spec));
    }
    out += "        '--help[help]' \\\n";
    out += row->takes_targets ? fmt::format("        '*:target:({})'\n      ;;\n", schemes(" "))
                              : std::string("        '*:file:_files'\n      ;;\n");
  }
  return out + "  esac\n}\nif [ \"$funcstack[1]\" = _rollcall ]; then _rollcall \"$@\"; else compdef _rollcall rollcall; fi\n";
}

std::string fish() {
  std::string out = "# fish completion for rollcall: rollcall completion fish | source\ncomplete -c rollcall -f\n";
  for (const CommandRow* row : shown_commands()) {
    fmt::format_to(std::back_inserter(out), "complete -c rollcall -n __fish_use_subcommand -a {} -d {}\n", row->name,
                   shell_quoted(row->summary));
    for (const OptionRow& option : row->options) {
      if (option.is_hidden) continue;
      fmt::format_to(std::back_inserter(out), "complete -c rollcall -n '__fish_seen_subcommand_from {}' -l {}", row->name,
                     option.name.substr(2));
      if (option.letter) fmt::format_to(std::back_inserter(out), " -s {}", option.letter);
      if (option.completes == Completes::choice) fmt::format_to(std::back_inserter(out), " -x -a '{}'", fmt::join(option.choices, " "));
      if (option.completes == Completes::file) out += " -r -F";
      if (option.completes == Completes::nothing && !option.value.empty()) out += " -x";
      fmt::format_to(std::back_inserter(out), " -d {}\n", shell_quoted(option.help));
    }
    if (row->takes_targets) {
      fmt::format_to(std::back_inserter(out), "complete -c rollcall -n '__fish_seen_subcommand_from {}' -a '{}'\n", row->name,
                     schemes(" "));
    } else {
      fmt::format_to(std::back_inserter(out), "complete -c rollcall -n '__fish_seen_subcommand_from {}' -F\n", row->name);
    }
  }
  return out;
}

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  constexpr std::string_view known[] = {"bash", "zsh", "fish"};
  const auto meant = nearest(shell, known);
  return Failure(Errc::invalid_argument, fmt::format("{} is no known shell; known are bash, zsh and fish", quoted(shell, 64)))
      .with_hint(meant ? fmt::format("did you mean {}?", *meant) : std::string());
}

int run_completion(Arguments arguments) {
  const Result<std::string> script = completion_script(arguments.positionals.front());
  if (!script) return refuse(script.error(), exit_usage);
  return write_result(*script) ? exit_answered : exit_failed;
}

}  // namespace rollcall::tools
