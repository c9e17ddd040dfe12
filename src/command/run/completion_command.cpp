// `rollcall completion`: scripts for shells, which call `rollcall complete` for the words that fit at the cursor.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

// bash splits words at : and =: the part of the word before them is on the line already, so it is removed from the answers.
constexpr std::string_view bash_script = R"(# bash completion for rollcall: source <(rollcall completion bash)
_rollcall() {
  local line="${COMP_LINE:0:COMP_POINT}" word before="" candidate words
  read -ra words <<< "$line"
  [[ $line == *' ' ]] && words+=("")
  word="${words[-1]}"
  [[ $COMP_WORDBREAKS == *[:=]* && $word == *[:=]* ]] && before="${word%"${word##*[:=]}"}"
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    if [[ $candidate == :files ]]; then
      compopt -o default
    else
      COMPREPLY+=("${candidate#"$before"}")
    fi
  done < <("${words[0]/#\~\//$HOME/}" complete -- "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=,.] ]]; then compopt -o nospace; fi
}
complete -F _rollcall rollcall
)";

constexpr std::string_view zsh_script = R"(#compdef rollcall
# zsh completion for rollcall: source <(rollcall completion zsh)
_rollcall() {
  local line word
  local -a open open_shown closed closed_shown
  for line in "${(@f)$(command ${~words[1]} complete -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == :files ]]; then
      _files
      continue
    fi
    word=${line%%$'\t'*}
    if [[ $word == *[:=,.] ]]; then
      open+=("$word")
      open_shown+=("$word  ${line#*$'\t'}")
    else
      closed+=("$word")
      closed_shown+=("$word  ${line#*$'\t'}")
    fi
  done
  (( $#open )) && compadd -l -S '' -d open_shown -a open
  (( $#closed )) && compadd -l -d closed_shown -a closed
  return 0
}
if [ "$funcstack[1]" = _rollcall ]; then _rollcall "$@"; else compdef _rollcall rollcall; fi
)";

constexpr std::string_view fish_script = R"(# fish completion for rollcall: rollcall completion fish | source
function __rollcall_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c rollcall -f -a '(__rollcall_complete)'
)";

}  // namespace

Result<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(bash_script);
  if (shell == "zsh") return std::string(zsh_script);
  if (shell == "fish") return std::string(fish_script);
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

}  // namespace rollcall::command
