// The commands and their options as one table: the parser, --help, the completions and the manual are generated from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command/arguments/parse_arguments.hpp"

namespace rollcall::command {

enum class Completes { nothing, file, choice, list };

struct OptionRow {
  std::string_view name;         ///< `--timeout`
  char letter = 0;               ///< its short form, or 0
  char also = 0;                 ///< another short form, or 0
  std::string_view value = {};   ///< the name of the value in help, `DURATION`; empty for a flag
  std::string_view help;
  std::span<const std::string_view> choices = {};
  std::span<const std::string_view> items = {};  ///< the choices that completions offer when the value is a comma-separated list
  bool is_repeatable = false;
  bool is_hidden = false;
  bool is_general = false;       ///< left out of the short help
  Completes completes = Completes::nothing;
  Result<void> (*apply)(Arguments&, const std::string& value);  ///< `value` is empty for a flag
};

struct Example {
  std::string_view command;
  std::string_view what;
};

struct CommandRow {
  std::string_view name;
  std::string_view positional = {};  ///< as in the usage line: one word; several if it ends in "...", optional if it is in brackets
  std::string_view summary;
  std::string_view description;
  std::span<const OptionRow> options = {};
  std::span<const Example> examples = {};
  bool is_hidden = false;
  bool is_seldom = false;  ///< the program's help names it without its summary
  bool takes_targets = false;
  bool takes_this_host = false;  ///< in place of targets: local_word
  Duration default_timeout = std::chrono::seconds(30);
  bool takes_program = false;      ///< takes a program behind --
  bool ends_as_program = false;    ///< its exit code is the program's: its own failures have others, see exec_code()
  int (*run)(Arguments arguments);  ///< returns the exit code
};

/// Stores `value` in the field of the row; `value` is empty for a flag. Errors: invalid_argument: names the accepted values.
Result<void> apply_option(const OptionRow& row, const std::string& value, Arguments& arguments);

// One function for each row, in a file of its name under command/run/. Returns the exit code.
int run_spec(Arguments arguments);
int run_wait(Arguments arguments);
/// A cluster that is not ready has an exit code of its own.
int run_status(Arguments arguments);
int run_why(Arguments arguments);
/// Returns the program's exit status where this process stays its parent (128 + n when signal n ended it); 125 when this command could not
/// start the program, 126 or 127 when the program cannot be run, 130 when interrupted before the start. Otherwise this process has become
/// the program.
int run_exec(Arguments arguments);
/// Returns the program's exit status as run_exec() does; 0 without a program.
int run_stage(Arguments arguments);
int run_hosts(Arguments arguments);
int run_flags(Arguments arguments);
/// Returns failure when the task is not known.
int run_whoami(Arguments arguments);
int run_watch(Arguments arguments);
int run_devices(Arguments arguments);
/// The word that stands for this host in place of a target. A target has a colon, so it is none.
inline constexpr std::string_view local_word = "local";
int run_local_devices(const Arguments& arguments);
inline constexpr std::string_view nvml_report_word = "nvml-report";
/// Prints what NVIDIA's library says. For a process of its own.
int run_nvml_report(Arguments arguments);
/// Returns exit_preflight_failed when something keeps a program from running here.
int run_preflight(Arguments arguments);
inline constexpr std::string_view host_report_word = "host-report";
/// Prints what a folder, or the software of this host, looks like. For a process of its own.
int run_host_report(Arguments arguments);
int run_topology(Arguments arguments);
/// Returns failure when a check failed.
int run_doctor(Arguments arguments);
int run_discover(Arguments arguments);
/// Prints the recording, also that of a question that failed.
int run_record(Arguments arguments);
/// Serves until SIGINT or SIGTERM; with --background in a process of its own.
int run_sim(Arguments arguments);
/// Prints a line that ends the shell which evaluates the output of sim --background, unless that shell is interactive. Returns `code`.
int end_shell(int code);
/// Answers a client's requests until the client disconnects.
int run_serve(Arguments arguments);
/// Prints the clusters that a service follows.
int run_fleet(Arguments arguments);
int run_fleet_service(const Arguments& arguments);  ///< serve without --stdio
/// Answers the reviews of API servers until a signal comes.
int run_webhook(Arguments arguments);
/// Writes this program to a file.
int run_copy(Arguments arguments);
int run_completion(Arguments arguments);
int run_man(Arguments arguments);

/// Prints the completions of the words that are typed so far.
int run_complete(Arguments arguments);

std::span<const CommandRow> commands() noexcept;
const CommandRow* find_command(std::string_view name) noexcept;
/// The options of a session by `serve --stdio`, which its client can set as well.
std::span<const OptionRow> session_option_rows() noexcept;

}  // namespace rollcall::command
