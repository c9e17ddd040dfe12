// `rollcall man`: the manual page in troff form, from the tables.
#include <fmt/format.h>

#include "base/append_formatted.hpp"
#include "command/arguments/environment_table.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

// troff: escape backslashes and hyphens everywhere, and a dot or quote at the start of a line.
std::string troff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out += "\\&";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("\xE2\x80\xA6")) {  // the ellipsis of usage lines
      out += "...";
      i += 2;
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void append_options(std::string& out, const CommandRow& command) {
  for (const OptionRow& row : command.options) {
    if (row.is_hidden) continue;
    out += ".TP\n";
    if (row.letter) append_formatted(out, "\\fB\\-{}\\fR, ", row.letter);
    append_formatted(out, "\\fB{}\\fR", troff(row.name));
    if (!row.choices.empty()) {
      append_formatted(out, " {}", troff(fmt::format("{}", fmt::join(row.choices, "|"))));
    } else if (!row.value.empty()) {
      append_formatted(out, " \\fI{}\\fR", troff(row.value));
    }
    append_formatted(out, "\n{}{}\n", troff(row.help), row.is_repeatable ? "; may be repeated" : "");
  }
}

void append_troff_examples(std::string& out, std::span<const Example> examples) {
  for (const Example& example : examples) {
    append_formatted(out, ".PP\n{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", troff(example.what), troff(example.command));
  }
}

}  // namespace

std::string manual_page(std::string_view version) {
  std::string out = fmt::format(".TH ROLLCALL 1 \"\" \"rollcall {}\" \"User Commands\"\n", version);
  out += ".ad l\n";  // names of variables and targets are too long for justified lines
  out += ".SH NAME\nrollcall \\- find the machines of a training cluster\n.SH SYNOPSIS\n";
  for (const CommandRow& row : commands()) {
    if (!row.is_hidden) append_formatted(out, ".B rollcall {}\n[OPTIONS] {}\n.br\n", row.name, troff(row.positional));
  }
  out +=
      ".B rollcall \\-\\-version\n.SH VERSION\n\\-\\-version prints the version, and on further lines the libraries that were linked, each "
      "with its version and "
      "whether it is part of the command (static) or the system's (shared).\n.SH COMMANDS\n";
  for (const CommandRow& row : commands()) {
    if (row.is_hidden) continue;
    append_formatted(out, ".SS rollcall {} {}\n{}\n", row.name, troff(row.positional), troff(row.description));
    append_options(out, row);
    append_troff_examples(out, row.examples);
  }
  out += ".SH TARGETS\n";
  for (const TargetScheme* scheme : target_schemes()) {
    append_formatted(out, ".SS {}\n{}, such as\n.B {}\n", troff(scheme->synopsis), troff(scheme->summary), troff(scheme->example));
    for (const TargetKey& key : scheme->keys) append_formatted(out, ".TP\n\\fB{}\\fR\n{}\n", troff(key.name), troff(key.meaning));
  }
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& row : exit_codes()) append_formatted(out, ".TP\n.B {}\n{}: {}\n", row.code, troff(row.meaning), troff(row.detail));
  out += ".SH ENVIRONMENT\n";
  for (const VariableRow& row : environment_variables()) append_formatted(out, ".TP\n.B {}\n{}\n", troff(row.names), troff(row.meaning));
  return out;
}

int run_man(Arguments) { return write_result(manual_page(version())) ? exit_answered : exit_failed; }

}  // namespace rollcall::command
