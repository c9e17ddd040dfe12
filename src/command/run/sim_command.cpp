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
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/signals.hpp"
#include "programs/child_start.hpp"
#include "rollcall/sim/server.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall::tools {
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

// The workers behind the shared port: one rule for each of their ports, for an environment has little room.
std::string workers_line(const sim::SimServer& server) {
  std::set<std::string> rules;
  for (const std::string& text : server.connect_to()) {
    const Result<ConnectTo> rule = ConnectTo::parse(text);
    if (rule && rule->to_port == server.workers_port())
      rules.insert(fmt::format("--connect-to :{}:{}:{}", rule->from_port, rule->to_host, rule->to_port));
  }
  return rules.empty() ? "" : fmt::format("export ROLLCALL_SIM_WORKERS='{}'\n", fmt::join(rules, " "));
}

// The names of Google's services and of machines' own servers: credential files have those. Without the authority's certificate they lead
// nowhere.
std::string google_line(const sim::SimServer& server) {
  std::vector<std::string> rules;
  for (const std::string& text : server.connect_to()) {
    const Result<ConnectTo> rule = ConnectTo::parse(text);
    if (rule && rule->to_port != server.workers_port()) rules.push_back("--connect-to " + text);
  }
  return fmt::format("export ROLLCALL_SIM_GOOGLE='{}'\n", fmt::join(rules, " "));
}

std::string environment_text(const sim::SimServer& server, bool has_authority) {
  return fmt::format("{}{}{}export ROLLCALL_SIM_PID='{}'\n", server.export_lines(), has_authority ? google_line(server) : "",
                     workers_line(server), ::getpid());
}

// Where clients of a Kubernetes cluster find their way and their token. One that nobody asked for by name is removed at the end.
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
    // It holds tokens: for nobody else, and through no link that somebody laid.
    if (wanted.empty()) std::filesystem::remove(path_, error);
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (wanted.empty() ? O_EXCL : O_TRUNC);
    const int descriptor = is_quotable ? ::open(path_.c_str(), flags, 0600) : -1;
    const bool is_written = descriptor >= 0 && write_all(descriptor, text);
    is_temporary_ = wanted.empty() && descriptor >= 0;
    if (descriptor >= 0) ::close(descriptor);
    if (!is_written) complain(fmt::format("cannot write the kubeconfig to {}; --kubeconfig-out names another file", path_.native()));
    return is_written;
  }

  std::string export_line() const { return path_.empty() ? "" : fmt::format("export KUBECONFIG='{}'\n", path_.native()); }

 private:
  std::filesystem::path path_;
  bool is_temporary_ = false;
};

// Serves until a signal comes; `announce` gets the environment lines once the ports are open.
int serve(const std::shared_ptr<sim::Cloud>& cloud, const Arguments& arguments, const std::function<bool(std::string_view)>& announce) {
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
  EndSignals signals(io.get_executor());
  signals.listen([&server] { server.stop(); });
  if (!announce(kubeconfig.export_line() + environment_text(server, !arguments.ca_out.empty()))) return exit_failed;
  io.run();
  if (!arguments.is_quiet) report_counts(*cloud);
  return exit_answered;
}

// Whoever reads our standard error to its end, as $(... 2>&1) does, must not have to wait for us.
bool is_read_by_somebody(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void leave_terminal() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  if (is_read_by_somebody(STDERR_FILENO)) ::dup2(null, STDERR_FILENO);
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

// Runs `serve(announce)` in a child process of its own session; call it before anything that a fork would copy wrongly (event loops,
// threads). `announce(text)` hands the text over and cuts the child off from the terminal's input and output; the parent then prints the
// text and 0 is returned there. A child that ends without announcing: its exit code. In the child the function does not return: the
// process ends with what `serve` returns.
int run_in_background(const std::function<int(const std::function<bool(std::string_view)>& announce)>& serve) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe");
  const pid_t child = ::fork();
  if (child < 0) return fail("fork");
  if (child == 0) {
    ::close(ends[0]);
    ::setsid();
    forget_secrets();
    std::vector<int> inherited = descriptors_past_standard_error();
    std::erase(inherited, ends[1]);
    const auto announce = [&ends, &inherited](std::string_view text) {
      leave_terminal();
      // Somebody may wait for the end of a pipe, or for a lock. Until now a file could be named by such a descriptor.
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
    // Nobody will ever learn where it listens, nor whom to stop.
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

}  // namespace

int run_sim(Arguments arguments) {
  const std::string& path = arguments.positionals.front();
  const Result<std::shared_ptr<sim::Cloud>> cloud = load(path);
  if (!cloud) return refuse(cloud.error(), exit_usage);
  if (!arguments.is_background) return serve(*cloud, arguments, write_result);
  return run_in_background([&](const std::function<bool(std::string_view)>& announce) { return serve(*cloud, arguments, announce); });
}

}  // namespace rollcall::tools
