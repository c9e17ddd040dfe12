// `rollcall sim`.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/process/own_environment.hpp"
#include "command/process/program.hpp"
#include "command/process/replaced_file.hpp"
#include "command/process/supervisor.hpp"
#include "command/show/environment_text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "programs/child_start.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/sim/server.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t max_file_bytes = 64 * 1024 * 1024;

Result<std::shared_ptr<sim::Cloud>> load(const std::string& path) {
  const Result<std::string> text = file_system()->read(path, max_file_bytes);
  if (!text) return text.error();
  return sim::Cloud::parse(*text, path);
}

void report_counts(const sim::Cloud& cloud) {
  report_line(fmt::format("{:>8} {}", cloud.total(), cloud.total() == 1 ? "request" : "requests"));
  for (const auto& [route, count] : cloud.counts()) report_line(fmt::format("{:>8} {}", count, printable(route)));
}

// A connection rule for the workers behind the shared port: one for each of their ports, because an environment has little room. The names
// of Google's services and of machines' own servers, which credential files contain, are unreachable without the authority's certificate.
EnvironmentVariables variables_of(const sim::SimServer& server, bool has_authority) {
  std::set<std::string> workers;
  std::vector<std::string> google;
  for (const std::string& text : server.connect_to()) {
    const Result<ConnectTo> rule = ConnectTo::parse(text);
    if (!rule) continue;
    if (rule->to_port == server.workers_port()) {
      workers.insert(fmt::format("--connect-to :{}:{}:{}", rule->from_port, rule->to_host, rule->to_port));
    } else {
      google.push_back("--connect-to " + text);
    }
  }
  EnvironmentVariables variables = server.environment();
  if (has_authority) variables.emplace_back("ROLLCALL_SIM_GOOGLE", fmt::format("{}", fmt::join(google, " ")));
  if (!workers.empty()) variables.emplace_back("ROLLCALL_SIM_WORKERS", fmt::format("{}", fmt::join(workers, " ")));
  variables.emplace_back("ROLLCALL_SIM_PID", std::to_string(::getpid()));
  return variables;
}

// The files by which clients of a Kubernetes cluster find its address and token. A kubeconfig without --kubeconfig-out is removed at the
// end.
class Kubeconfig {
 public:
  Kubeconfig() = default;
  Kubeconfig(const Kubeconfig&) = delete;
  Kubeconfig& operator=(const Kubeconfig&) = delete;
  ~Kubeconfig() {
    std::error_code ignored;
    if (is_temporary_) std::filesystem::remove(path_, ignored);
  }

  bool write(const sim::SimServer& server, const std::string& wanted) {
    const std::string text = server.kubeconfig();
    if (text.empty()) {
      if (wanted.empty()) return true;
      complain("--kubeconfig-out: the file has no section kubernetes");
      return false;
    }
    std::error_code error;
    path_ = wanted.empty() ? std::filesystem::temp_directory_path(error) / fmt::format("rollcall-sim-{}.kubeconfig", ::getpid())
                           : std::filesystem::absolute(wanted, error);
    const bool is_quotable = path_.native().find('\'') == std::string::npos && printable_line(path_.native()) == path_.native();
    // The file holds tokens: mode 0600 even if it existed, and never through a link that another user made.
    if (wanted.empty()) std::filesystem::remove(path_, error);
    struct stat status{};
    const bool is_device = !wanted.empty() && ::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    const bool is_written =
        is_quotable && (is_device ? write_to_device(text)
                                  : replace_regular_file(path_.native(), text, Durability::against_readers, FileMode::for_owner) == 0);
    is_temporary_ = wanted.empty() && is_written;
    if (!is_written)
      complain(fmt::format("cannot write the kubeconfig to {}; --kubeconfig-out names another file", path_text(path_.native())));
    return is_written;
  }

  const std::string& path() const noexcept { return path_.native(); }

 private:
  // e.g. /dev/stdout.
  bool write_to_device(std::string_view text) const {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor >= 0 && write_and_close(descriptor, text) == 0;
  }

  std::filesystem::path path_;
  bool is_temporary_ = false;
};

using Announce = std::function<bool(std::string_view)>;

// Serves while `run` runs; `run` gets the variables that point clients here.
int serve(const std::shared_ptr<sim::Cloud>& cloud, const Arguments& arguments,
          const std::function<int(asio::io_context&, sim::SimServer&, const EnvironmentVariables&)>& run) {
  asio::io_context io(1);
  sim::SimServerOptions options;
  options.http_port = arguments.port;
  options.https_port = arguments.https_port;
  options.awaits_request = arguments.awaits_request;
  options.points_to_https = !arguments.ca_out.empty();
  const Result<std::shared_ptr<sim::SimServer>> started = sim::SimServer::start(io.get_executor(), cloud, options);
  if (!started) return refuse(started.error(), exit_failed);
  sim::SimServer& server = **started;
  if (!arguments.ca_out.empty()) {
    const Result<void> written = server.write_ca(arguments.ca_out);
    if (!written) {
      complain(fmt::format("--ca-out: {}", written.error().message()));
      return exit_usage;
    }
  }
  Kubeconfig kubeconfig;
  if (!kubeconfig.write(server, arguments.kubeconfig_out)) return exit_usage;
  EnvironmentVariables variables = variables_of(server, !arguments.ca_out.empty());
  if (!kubeconfig.path().empty()) variables.emplace(variables.begin(), "KUBECONFIG", kubeconfig.path());
  const int code = run(io, server, variables);
  if (!arguments.is_quiet) report_counts(*cloud);
  return code;
}

// Serves until a signal comes; `announce` gets the variables as text.
int serve_until_signalled(const std::shared_ptr<sim::Cloud>& cloud, const Arguments& arguments, const Announce& announce) {
  return serve(cloud, arguments, [&](asio::io_context& io, sim::SimServer& server, const EnvironmentVariables& variables) -> int {
    EndSignals signals(io.get_executor());
    signals.listen([&server] { server.stop(); });
    if (!announce(environment_text(arguments.environment_form, variables))) return exit_failed;
    io.run();
    return exit_answered;
  });
}

// Serves while a program runs, and returns the program's exit status.
int serve_program(const std::shared_ptr<sim::Cloud>& cloud, const Arguments& arguments) {
  Program program(arguments.program);
  const ProgramFailure missing = program.find();
  if (missing.code != 0) {
    complain(missing.what);
    return missing.code;
  }
  return serve(cloud, arguments, [&program](asio::io_context& io, sim::SimServer& server, const EnvironmentVariables& variables) -> int {
    program.set_environment(variables);
    Supervisor supervisor(io, 0);
    if (!supervisor.open(nullptr)) return exit_exec_failed;
    const int refused = supervisor.start(program);
    const int status = refused != 0 ? refused : supervisor.wait();
    server.stop();
    return status;
  });
}

// A process that reads our standard error to its end, as $(... 2>&1) does, must not wait for this one.
bool has_reader(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void leave_terminal() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  if (has_reader(STDERR_FILENO)) ::dup2(null, STDERR_FILENO);
  if (null > STDERR_FILENO) ::close(null);
}

std::string read_to_end(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

int fail(std::string_view what) {
  complain(fmt::format("cannot go into the background: {}: {}", what, std::strerror(errno)));
  return exit_failed;
}

// Runs `serve(announce)` in a child process of its own session; call it before starting anything that a fork would not copy correctly
// (event loops, threads). `announce(text)` hands the text over and detaches the child from the terminal's input and output; the parent then
// prints the text and 0 is returned there. If the child ends without announcing: its exit code. In the child the function does not return:
// the process ends with the result of `serve`.
int run_in_background(const std::function<int(const Announce& announce)>& serve) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe");
  const pid_t child = ::fork();
  if (child < 0) return fail("fork");
  if (child == 0) {
    ::close(ends[0]);
    ::setsid();
    forget_taken_secrets();
    std::vector<int> inherited = descriptors_past_standard_error();
    std::erase(inherited, ends[1]);
    const auto announce = [&ends, &inherited](std::string_view text) {
      leave_terminal();
      // Another process may wait for the end of a pipe, or for a lock. Until now a file could be named by such a descriptor.
      for (const int descriptor : inherited) ::close(descriptor);
      const bool is_heard = write_all(ends[1], text);
      ::close(ends[1]);
      return is_heard;
    };
    ::_exit(serve(announce));
  }
  ::close(ends[1]);
  const std::string text = read_to_end(ends[0]);
  ::close(ends[0]);
  if (!text.empty()) {
    if (try_write_result(text)) return exit_answered;
    // The parent cannot report the address and the process id any more.
    const int error = errno;
    ::kill(child, SIGTERM);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    end_unheard(error);
    return exit_failed;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_failed;
}

int simulate(const Arguments& arguments) {
  const bool has_program = !arguments.program.empty();
  if (has_program && arguments.is_background) {
    complain("--background and a program exclude each other: the cloud ends with the program");
    return exit_usage;
  }
  const Result<std::shared_ptr<sim::Cloud>> cloud = load(arguments.positionals.front());
  if (!cloud) return refuse(cloud.error(), exit_usage);
  if (has_program) return serve_program(*cloud, arguments);
  if (!arguments.is_background) return serve_until_signalled(*cloud, arguments, write_result);
  return run_in_background([&](const Announce& announce) { return serve_until_signalled(*cloud, arguments, announce); });
}

}  // namespace

// eval "$(rollcall sim ...)" ignores the exit status: a script that went on would ask the real cloud. An interactive shell stays.
int end_shell(int code) {
  if (!is_terminal(STDOUT_FILENO)) write_result(fmt::format("case $- in *i*) (exit {0});; *) exit {0};; esac\n", code));
  return code;
}

int run_sim(Arguments arguments) {
  const bool is_for_shell = arguments.is_background && arguments.environment_form == EnvironmentForm::shell;
  const int code = simulate(arguments);
  return code != exit_answered && is_for_shell ? end_shell(code) : code;
}

}  // namespace rollcall::command
