// The commands and their options as a table: the parser, --help, completions and the manual are made from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/job_environment.hpp"
#include "rollcall/call.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::tools {

enum class Format { text, json };
enum class LogForm { none, json };
enum class ProgressForm { table, lines, json, none };

/// What the command line says, checked.
class Arguments {
 public:
  Arguments() {}
  std::vector<std::string> positionals;  ///< targets, an accelerator type, a simulation file, a shell's name
  std::string project;
  std::string zone;
  std::string api;
  Duration timeout = std::chrono::seconds(30);
  std::optional<int> retries;
  Format format = Format::text;
  bool has_format = false;  ///< format was given
  TpuLookup lookup = TpuLookup::each;
  CountFrom count_from = CountFrom::automatic;
  DeviceQuery device_query = DeviceQuery::master;
  LogForm log = LogForm::none;
  std::string token_file;
  std::string ca_file;
  std::vector<ConnectTo> connect_to;
  std::vector<std::string> dns_servers;
  std::vector<std::string> target_files;
  std::vector<std::string> projects;  ///< of a search, as its zones, kinds and filters
  std::vector<std::string> zones;
  std::vector<std::string> namespaces;
  std::string context;
  std::vector<FoundKind> kinds;
  std::vector<std::string> filters;
  std::string columns;
  std::string sort;
  std::string trace_file;
  std::string metrics_file;
  std::string svg_file;
  bool is_partial = false;
  bool is_verbose = false;
  int port = 0;
  int https_port = 0;
  std::string ca_out;
  std::string kubeconfig_out;
  bool is_quiet = false;
  bool is_background = false;
  Readiness until = usually_ready;
  std::optional<Duration> queue_timeout;
  std::optional<Duration> provision_timeout;
  int members = 0;
  bool is_for_existence = false;
  bool is_for_start = false;
  bool fails_if_unschedulable = false;
  std::optional<ProgressForm> progress;
  std::string hook;
  Duration hook_timeout = std::chrono::minutes(1);
  std::vector<std::string> program;  ///< what stands behind --
  std::optional<LaunchedTask> task;
  int on_preempt = 0;                ///< a signal
};

enum class Completes { nothing, file, choice };

struct OptionRow {
  std::string_view name;         ///< `--timeout`
  char letter = 0;               ///< its short form, or 0
  std::string_view value = {};   ///< what the value is called, `DURATION`; empty for a flag
  std::string_view help;
  std::span<const std::string_view> choices = {};
  bool is_repeatable = false;
  bool is_hidden = false;
  Completes completes = Completes::nothing;
  Result<void> (*apply)(Arguments&, const std::string& value);  ///< `value` is empty for a flag
};

struct Example {
  std::string_view command;
  std::string_view what;
};

struct CommandRow {
  std::string_view name;
  std::string_view positional = {};  ///< as in the usage line; several words if it ends in dots
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

// One function for each row, in a file of its name under command/run/. Returns the exit code.
int run_spec(Arguments arguments);
int run_wait(Arguments arguments);
/// The program's exit status where this process stays its parent (128 + n when signal n ended it), 125 when the program could not be
/// started for a reason of ours, 126, 127, or 130 when interrupted before; else this process has become the program.
int run_exec(Arguments arguments);
int run_watch(Arguments arguments);
int run_devices(Arguments arguments);
int run_topology(Arguments arguments);
int run_discover(Arguments arguments);
/// Serves until SIGINT or SIGTERM, or in the background.
int run_sim(Arguments arguments);
int run_completion(Arguments arguments);
int run_man(Arguments arguments);

std::span<const CommandRow> commands() noexcept;
const CommandRow* find_command(std::string_view name) noexcept;
/// `--help`, `--version`: what the program itself takes.
std::span<const Example> program_examples() noexcept;

}  // namespace rollcall::tools
