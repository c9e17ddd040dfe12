// The command line, parsed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/discover.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/wait.hpp"

namespace rollcall::command {

enum class Format { text, json };
/// The output format of environment variables.
enum class EnvironmentForm { shell, github, json, dotenv };
enum class LogForm { none, json };
enum class ProgressForm { table, lines, json, none };

/// The arguments of the command line, checked.
class Arguments {
 public:
  Arguments() {}
  std::vector<std::string> positionals;  ///< targets, an accelerator type, a simulation file, a shell's name
  bool has_default_target = false;       ///< the only target is that of ROLLCALL_TARGET
  std::string project;
  std::string zone;
  std::optional<TpuApiVersion> api;
  Duration timeout = std::chrono::seconds(30);
  std::optional<int> retries;
  Format format = Format::text;
  bool has_format = false;  ///< --format was given
  std::optional<LaunchFormat> launch_format;  ///< given instead of `format`
  std::vector<LaunchFormat> launch_as;        ///< the forms in which the program gets the cluster
  LaunchFacts launch;                         ///< values of the options; the rest is looked up
  HostsForm hosts_form = HostsForm::lines;
  std::optional<FlagsFor> flags_for;
  std::string output_file;                    ///< instead of standard output
  bool probes_coordinator = false;
  bool preflights = false;  ///< exec --preflight
  std::optional<std::uint16_t> preflight_port;  ///< none: each task's own
  bool waits_at_barrier = false;
  std::optional<std::uint16_t> barrier_port;  ///< none: each task's own
  std::string secret_file;                    ///< that tasks share
  TpuLookup lookup = TpuLookup::automatic;
  CountFrom count_from = CountFrom::automatic;
  DeviceQuery device_query = DeviceQuery::master;
  LogForm log = LogForm::none;
  std::string token_file;             ///< for Google's services
  std::string target_token_file;  ///< of the same option, where each target takes a token of its own
  std::string ca_file;
  std::string client_certificate;
  std::string client_key;
  Secret<std::string> proxy;
  std::vector<ConnectTo> connect_to;
  bool only_http1 = false;
  std::vector<std::string> dns_servers;
  std::vector<std::string> target_files;
  std::vector<std::string> projects;  ///< of a search, as are its zones, kinds and filters
  std::vector<std::string> zones;
  std::vector<std::string> namespaces;
  std::string context;
  std::string slurm;
  std::vector<FoundKind> kinds;
  std::vector<std::string> filters;
  std::string columns;
  std::string sort;
  std::string trace_file;
  std::string metrics_file;
  std::string svg_file;
  std::string stage_target;     ///< of `stage`, whose positional is a name
  std::string saved_evidence;   ///< the file of --save; empty: none
  std::string judged_evidence;  ///< the file of --judge; empty: none
  bool leaves_nvml = false;
  std::vector<std::string> checks;  ///< of a host
  std::vector<std::string> verdict_from;  ///< commands whose verdict on the host counts
  std::string machine_root;
  bool is_partial = false;
  bool is_verbose = false;
  std::uint16_t port = 0;
  std::uint16_t https_port = 0;
  std::string ca_out;
  std::string kubeconfig_out;
  bool is_quiet = false;
  bool awaits_request = false;
  EnvironmentForm environment_form = EnvironmentForm::shell;
  bool is_background = false;
  bool is_stdio = false;
  bool is_watching = false;
  std::vector<std::string> listen;
  std::vector<std::string> xds_listen;
  std::vector<std::string> allow;  ///< patterns
  std::string config_file;
  bool is_check = false;
  Duration drain = std::chrono::seconds(20);
  std::string webhook_listen = ":8443";
  std::string webhook_certificate;
  std::string webhook_key;
  std::string webhook_image;
  bool refuses_bad_annotations = true;
  Duration webhook_drain = std::chrono::seconds(5);
  Readiness until = usually_ready;
  std::optional<Duration> queue_timeout;
  std::optional<Duration> provision_timeout;
  int members = 0;
  bool is_for_existence = false;
  bool is_for_start = false;
  bool is_for_return = false;
  bool fails_if_unschedulable = false;
  std::optional<ProgressForm> progress;
  std::optional<Duration> record_time;  ///< to follow the cluster; none: it is asked once
  bool is_anonymous = false;
  std::string hook;
  Duration hook_timeout = std::chrono::minutes(1);
  std::vector<std::string> program;  ///< the words behind --
  bool requires_task = false;
  int on_preempt = 0;                ///< signal number
  bool restarts_on_lost = false;
  bool restarts_on_failed = false;
  std::optional<int> max_restarts;
  std::optional<Duration> grace;     ///< between a signal and KILL
  int min_members = 0;               ///< 0: all
  std::optional<Duration> last_call;
  bool restarts() const noexcept { return restarts_on_lost || restarts_on_failed; }
};

struct CommandRow;

enum class Request { run, help, full_help, topic, version };

class CommandLine {
 public:
  CommandLine() {}
  Request request = Request::run;
  const CommandRow* command = nullptr;  ///< null: help or version of the whole program
  std::string topic;                    ///< for help
  Arguments arguments;
};

/// `words` without the program's name. `default_target` is used when a command that takes targets gets none; it may be empty. Errors:
/// invalid_argument naming the word and the nearest spelling, or the accepted values.
Result<CommandLine> parse_arguments(std::vector<std::string> words, std::string default_target = {});

/// Checks that the client certificate and its key are usable together. Called before any request, since they may be needed only late.
/// Errors: invalid_argument naming the file.
Result<void> check_identity(const Arguments& arguments);

}  // namespace rollcall::command
