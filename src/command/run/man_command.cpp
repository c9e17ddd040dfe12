// `rollcall man`: the manual page in troff form, from the tables.
#include <fmt/format.h>

#include <iterator>

#include "command/arguments/texts.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::tools {
namespace {

// troff: backslash and hyphen are special everywhere, a dot or quote at the start of a line.
std::string troff(std::string_view text) {
  std::string out;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) out += "\\&";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("\xE2\x80\xA6")) {  // the ellipsis of the synopses
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
    if (row.letter) fmt::format_to(std::back_inserter(out), "\\fB\\-{}\\fR, ", row.letter);
    fmt::format_to(std::back_inserter(out), "\\fB{}\\fR", troff(row.name));
    if (!row.choices.empty()) {
      fmt::format_to(std::back_inserter(out), " {}", troff(fmt::format("{}", fmt::join(row.choices, "|"))));
    } else if (!row.value.empty()) {
      fmt::format_to(std::back_inserter(out), " \\fI{}\\fR", troff(row.value));
    }
    fmt::format_to(std::back_inserter(out), "\n{}{}\n", troff(row.help), row.is_repeatable ? "; may be repeated" : "");
  }
}

void append_troff_examples(std::string& out, std::span<const Example> examples) {
  for (const Example& example : examples) {
    fmt::format_to(std::back_inserter(out), ".PP\n{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", troff(example.what), troff(example.command));
  }
}

}  // namespace

std::string manual_page(std::string_view version) {
  std::string out = fmt::format(".TH ROLLCALL 1 \"\" \"rollcall {}\" \"User Commands\"\n", version);
  out += ".ad l\n";  // the variables' and targets' names are too long to be stretched
  out += ".SH NAME\nrollcall \\- find the machines of a training cluster\n.SH SYNOPSIS\n";
  for (const CommandRow& row : commands()) {
    if (!row.is_hidden) fmt::format_to(std::back_inserter(out), ".B rollcall {}\n[OPTIONS] {}\n.br\n", row.name, troff(row.positional));
  }
  out +=
      ".B rollcall \\-\\-version\n.SH VERSION\n\\-\\-version prints the version, and on further lines the libraries that were linked, each "
      "with its version and "
      "whether it is part of the command (static) or the system's (shared).\n.SH COMMANDS\n";
  for (const CommandRow& row : commands()) {
    if (row.is_hidden) continue;
    fmt::format_to(std::back_inserter(out), ".SS rollcall {} {}\n{}\n", row.name, troff(row.positional), troff(row.description));
    append_options(out, row);
    append_troff_examples(out, row.examples);
  }
  out += ".SH TARGETS\n";
  for (const TargetScheme* scheme : target_schemes()) {
    fmt::format_to(std::back_inserter(out), ".SS {}\n{}, such as\n.B {}\n", troff(scheme->synopsis), troff(scheme->summary),
                   troff(scheme->example));
    for (const TargetKey& key : scheme->keys)
      fmt::format_to(std::back_inserter(out), ".TP\n\\fB{}\\fR\n{}\n", troff(key.name), troff(key.meaning));
  }
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& row : exit_codes())
    fmt::format_to(std::back_inserter(out), ".TP\n.B {}\n{}: {}\n", row.code, troff(row.meaning), troff(row.detail));
  out += ".SH ENVIRONMENT\n";
  constexpr Example variables[] = {
      {"ROLLCALL_ACCESS_TOKEN",
       "the access token; without it the metadata server is asked for one. Programs that are started do not get it"},
      {"ROLLCALL_SERVER",
       "https://HOST[:PORT], several joined by commas: servers that follow clusters for many, asked instead of the clouds"},
      {"ROLLCALL_SERVER_TOKEN_FILE, ROLLCALL_SERVER_CA",
       "the file of the token for those servers, and the PEM file of their trust anchors"},
      {"ROLLCALL_MAX_AGE", "nothing is ready by what such a server saw longer ago; default: 30s"},
      {"ROLLCALL_SERVER_FALLBACK",
       "while no such server answers: auto (default), the cloud is asked directly, late and rarely, so that all who do so stay within its "
       "quota; now, at once; never"},
      {"TPU_NAME", "the TPU when the target is tpu: alone"},
      {"GOOGLE_CLOUD_PROJECT, CLOUDSDK_COMPUTE_ZONE", "the project and the zone when neither the target nor an option says them"},
      {"GCE_METADATA_HOST", "where the metadata server is"},
      {"KUBECONFIG", "the files of kubernetes: targets, separated by colons; without it ~/.kube/config"},
      {"ROLLCALL_EXEC_PLUGINS",
       "never: no program is run for the credentials of a kubeconfig; always, or not set: those that it names are"},
      {"TF_CONFIG", "the cluster of tfconfig: targets"},
      {"SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE, SLURM_STEP_NUM_TASKS", "the cluster of slurm: targets"},
      {"SM_HOSTS, SM_CURRENT_HOST", "the cluster of sagemaker: targets"},
      {"HTTPS_PROXY, ALL_PROXY, NO_PROXY",
       "the proxy for https: http://, https://, socks5:// or socks5h://[USER:PASSWORD@]HOST[:PORT]; and the hosts that are reached without "
       "it. In lower "
       "case, too, which comes first"},
      {"SSL_CERT_FILE, SSL_CERT_DIR", "trust anchors instead of the system's, when --ca names none"},
      {"NO_COLOR", "when not empty: no colours"},
  };
  for (const Example& row : variables) fmt::format_to(std::back_inserter(out), ".TP\n.B {}\n{}\n", troff(row.command), troff(row.what));
  return out;
}

int run_man(Arguments) { return write_result(manual_page(version())) ? exit_answered : exit_failed; }

}  // namespace rollcall::tools
