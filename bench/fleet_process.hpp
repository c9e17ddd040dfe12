// The other processes of a run with many followers: the service, and the cloud that it asks.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "../tests/support/certificates.hpp"
#include "command/process/large_buffers.hpp"
#include "fleet_herd.hpp"
#include "measure.hpp"
#include "rollcall/fleet_service.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/server.hpp"

namespace bench {

/// A process of this program's own that runs a loop: writes a line when it is ready, and one at its end.
class Process {
 public:
  using Script = std::string (*)(asio::io_context& io, const std::map<std::string, std::string>& given, std::string (*&last)());

  Process(Script script, const std::map<std::string, std::string>& given) {
    int ends[2];
    if (pipe(ends) != 0) die("pipe");
    id_ = fork();
    if (id_ == 0) {
      ::close(ends[0]);
      close_sockets();
      run(script, given, ends[1]);
    }
    ::close(ends[1]);
    out_ = ends[0];
    line = read_some();
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::string line;  ///< the line that it wrote when it was ready

  /// Ends it in order; returns its last line.
  std::string end() {
    if (id_ == 0) return {};
    ::kill(id_, SIGTERM);
    const std::string said = read_some();
    wait();
    return said;
  }
  void kill() {
    ::kill(id_, SIGKILL);
    wait();
  }
  long resident_kb() const { return status("VmRSS:"); }
  /// The maximum since reset_peak().
  long peak_kb() const { return status("VmHWM:"); }
  void reset_peak() const {
    std::FILE* const file = std::fopen(fmt::format("/proc/{}/clear_refs", id_).c_str(), "w");
    if (!file) return;
    std::fputs("5", file);
    std::fclose(file);
  }
  double cpu() const {
    char text[1024] = {};
    std::FILE* const file = std::fopen(fmt::format("/proc/{}/stat", id_).c_str(), "r");
    if (!file || std::fread(text, 1, sizeof text - 1, file) == 0) die("a process has ended");
    std::fclose(file);
    unsigned long user = 0, system = 0;
    std::sscanf(std::strrchr(text, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

 private:
  [[noreturn]] static void run(Script script, const std::map<std::string, std::string>& given, int out) {
    static asio::io_context io(1);
    std::string (*last)() = nullptr;
    const std::string ready = script(io, given, last) + "\n";
    if (write(out, ready.data(), ready.size()) < 0) std::abort();
    std::signal(SIGTERM, [](int) { io.stop(); });
    io.run();
    const std::string said = last ? last() : std::string();
    if (write(out, said.data(), said.size()) < 0) std::abort();
    std::_Exit(0);
  }
  std::string read_some() const {
    char text[4096];
    const ssize_t size = read(out_, text, sizeof text);
    std::string said(text, size > 0 ? static_cast<std::size_t>(size) : 0);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
  }
  long status(const char* key) const {
    std::FILE* const file = std::fopen(fmt::format("/proc/{}/status", id_).c_str(), "r");
    if (!file) die("a process has ended");
    char line_of[256];
    long kb = 0;
    while (std::fgets(line_of, sizeof line_of, file)) {
      if (std::strncmp(line_of, key, std::strlen(key)) == 0) kb = std::strtol(line_of + std::strlen(key), nullptr, 10);
    }
    std::fclose(file);
    return kb;
  }
  // Closes the connections of a herd that exists already: ten thousand are half of a process's limit, and a socket is only closed when all
  // processes have closed it.
  static void close_sockets() {
    struct stat what{};
    for (int fd = 3, end = static_cast<int>(sysconf(_SC_OPEN_MAX)); fd < end; ++fd) {
      if (fstat(fd, &what) == 0 && S_ISSOCK(what.st_mode)) ::close(fd);
    }
  }
  void wait() {
    waitpid(id_, nullptr, 0);
    ::close(out_);
    id_ = 0;
  }

  pid_t id_ = 0;
  int out_ = -1;
};

/// A file through which processes share data: without a name, open in processes that are forked later.
class Exchange {
 public:
  Exchange() : file_(::memfd_create("exchange", 0)), path(fmt::format("/proc/self/fd/{}", file_)) {}
  ~Exchange() { ::close(file_); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  int file_;

 public:
  const std::string path;

  static void write(const std::string& path, const std::string& text) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) die("cannot write " + path);
    std::fclose(file);
  }
};

/// A simulated cloud from a file's text, over HTTP, and HTTPS for Kubernetes. Its last line is the number of its requests.
class BenchCloud {
 public:
  explicit BenchCloud(const std::string& text) : process_(serve, {{"text", text}, {"file", kubeconfig_.path}}) {}
  /// The variables that point to it, as `NAME=value` lines.
  const std::string& variables() const noexcept { return process_.line; }
  std::string end() { return process_.end(); }

 private:
  static std::string serve(asio::io_context& io, const std::map<std::string, std::string>& given, std::string (*&last)()) {
    static std::shared_ptr<rollcall::sim::Cloud> cloud;
    static std::shared_ptr<rollcall::sim::SimServer> server;
    const auto parsed = rollcall::sim::Cloud::parse(given.at("text"), "bench");
    if (!parsed) die(parsed.error().what());
    cloud = *parsed;
    server = rollcall::sim::SimServer::start(io.get_executor(), cloud).value();
    std::string lines;
    for (const auto& [name, value] : server->environment()) lines += fmt::format("{}={}\n", name, value);
    if (!server->kubeconfig().empty()) {
      Exchange::write(given.at("file"), server->kubeconfig());
      lines += "KUBECONFIG=" + given.at("file") + "\n";
    }
    last = [] { return fmt::format("{} requests to the cloud", cloud->total()); };
    return lines;
  }

  Exchange kubeconfig_;
  Process process_;
};

/// `rollcall serve` as a process of this program, on loopback.
class BenchService {
 public:
  /// `port` 0: any.
  BenchService(const std::string& variables, bool is_tls, std::uint16_t port = 0)
      : process_(serve, {{"variables", variables}, {"certificate", is_tls ? certificate_.path : ""}, {"port", std::to_string(port)}}) {}
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::strtoul(process_.line.c_str() + process_.line.rfind(':') + 1, nullptr, 10));
  }
  Process& process() noexcept { return process_; }

 private:
  static std::string serve(asio::io_context& io, const std::map<std::string, std::string>& given, std::string (*&)()) {
    rollcall::command::keep_large_buffers_apart();  // as in the command
    std::map<std::string, std::string, std::less<>> variables;
    const std::string& lines = given.at("variables");
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      const std::size_t equals = lines.find('=', at);
      variables[lines.substr(at, equals - at)] = lines.substr(equals + 1, end - equals - 1);
      at = end + 1;
    }
    rollcall::RuntimeOptions options;
    options.environment = rollcall::fixed_environment(std::move(variables));
    options.credentials = rollcall::static_token(rollcall::Secret<std::string>("test-token"));
    static rollcall::Runtime runtime(io.get_executor(), std::move(options));
    rollcall::FleetServiceOptions service_options;
    service_options.listen = {"127.0.0.1:" + given.at("port")};
    if (!given.at("certificate").empty()) {
      const rollcall::testing::CertifiedKey identity(rollcall::testing::CertificateRequest({"IP:127.0.0.1"}));
      service_options.tls.certificate_file = given.at("certificate");
      Exchange::write(service_options.tls.certificate_file, identity.pem() + identity.key_pem());
    }
    static const auto service = rollcall::FleetService::start(runtime, service_options);
    if (!service) die(service.error().what());
    return (*service)->urls().front();
  }

  Exchange certificate_;
  Process process_;
};

}  // namespace bench
