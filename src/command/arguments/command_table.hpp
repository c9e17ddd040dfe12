// The commands and their options as a table: the parser, --help, completions and the manual are made from it.
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
  std::string_view value = {};   ///< what the value is called, `DURATION`; empty for a flag
  std::string_view help;
  std::span<const std::string_view> choices = {};
  std::span<const std::string_view> items = {};  ///< what completions offer where several are joined by commas
  bool is_repeatable = false;
  bool is_hidden = false;
  bool is_general = false;       ///< not of those that the short help shows
  Completes completes = Completes::nothing;
  Result<void> (*apply)(Arguments&, const std::string& value);  ///< `value` is empty for a flag
};

struct Example {
  std::string_view command;
  std::string_view what;
};

struct CommandRow {
  std::string_view name;
  std::string_view positional = {};  ///< as in the usage line; several words if it ends in dots, none or one in brackets
  std::string_view summary;
  std::string_view description;
  std::span<const OptionRow> options = {};
  std::span<const Example> examples = {};
  bool is_hidden = false;
  bool takes_targets = false;
  Duration default_timeout = std::chrono::seconds(30);
  bool takes_program = false;      ///< behind --
  int (*run)(Arguments arguments);  ///< returns the exit code
};

/// `value` goes where the row says; empty for a flag. Errors: invalid_argument: what is accepted.
Result<void> apply_option(const OptionRow& row, const std::string& value, Arguments& arguments);

// One function for each row, in a file of its name under command/run/. Returns the exit code.
int run_spec(Arguments arguments);
int run_wait(Arguments arguments);
/// Not ready is an exit code of its own.
int run_status(Arguments arguments);
/// The program's exit status where this process stays its parent (128 + n when signal n ended it), 125 when the program could not be
/// started for a reason of ours, 126, 127, or 130 when interrupted before; else this process has become the program.
int run_exec(Arguments arguments);
int run_hosts(Arguments arguments);
int run_flags(Arguments arguments);
int run_watch(Arguments arguments);
int run_devices(Arguments arguments);
int run_topology(Arguments arguments);
/// Failure when a check failed.
int run_doctor(Arguments arguments);
int run_discover(Arguments arguments);
/// Serves until SIGINT or SIGTERM, or in the background.
int run_sim(Arguments arguments);
/// Prints a line that ends the shell which evaluates what sim --background prints, unless somebody types into it. Returns `code`.
int end_shell(int code);
/// Answers a client's requests until it goes.
int run_serve(Arguments arguments);
/// What a service follows.
int run_fleet(Arguments arguments);
int run_fleet_service(const Arguments& arguments);  ///< serve without --stdio
int run_completion(Arguments arguments);
int run_man(Arguments arguments);

/// What a shell offers for the words that are typed so far.
int run_complete(Arguments arguments);

std::span<const CommandRow> commands() noexcept;
const CommandRow* find_command(std::string_view name) noexcept;
/// Those of a session by `serve --stdio`, which its client can set as well.
std::span<const OptionRow> session_option_rows() noexcept;

}  // namespace rollcall::command
