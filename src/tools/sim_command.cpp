#include "tools/sim_command.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>

#include <csignal>
#include <iterator>
#include <set>

#include "core/text.hpp"
#include "rollcall/sim/server.hpp"
#include "rollcall/surroundings.hpp"
#include "tools/background.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"

namespace rollcall::tools {
namespace {

constexpr std::size_t max_file_bytes = 64 * 1024 * 1024;

Result<std::shared_ptr<sim::Cloud>> load(const std::string& path) {
  const Result<std::string> text = file_system()->read(path, max_file_bytes);
  if (!text) return text.error();
  return sim::Cloud::parse(*text, path);
}

std::string counts_text(const sim::Cloud& cloud) {
  std::string out = fmt::format("{:>8} {}\n", cloud.total(), cloud.total() == 1 ? "request" : "requests");
  for (const auto& [route, count] : cloud.counts()) fmt::format_to(std::back_inserter(out), "{:>8} {}\n", count, printable(route));
  return out;
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

std::string environment_text(const sim::SimServer& server) {
  return fmt::format("{}{}export ROLLCALL_SIM_PID='{}'\n", server.export_lines(), workers_line(server), ::getpid());
}

// Serves until a signal comes; `announce` gets the environment lines once the ports are open.
int serve(const std::shared_ptr<sim::Cloud>& cloud, const Arguments& arguments, const std::function<bool(std::string_view)>& announce) {
  asio::io_context io(1);
  sim::SimServerOptions options;
  options.http_port = static_cast<std::uint16_t>(arguments.port);
  options.https_port = static_cast<std::uint16_t>(arguments.https_port);
  options.points_to_https = !arguments.ca_out.empty();
  const Result<std::shared_ptr<sim::SimServer>> started = sim::SimServer::start(io.get_executor(), cloud, options);
  if (!started) {
    complain(started.error().message());
    return exit_failed;
  }
  sim::SimServer& server = **started;
  if (!arguments.ca_out.empty()) {
    const Result<void> written = server.write_ca(arguments.ca_out);
    if (!written) {
      complain(fmt::format("--ca-out: {}", written.error().message()));
      return exit_usage;
    }
  }
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const std::error_code& error, int) {
    if (error) return;
    signals.clear();  // the next one kills
    server.stop();
  });
  if (!announce(environment_text(server))) return exit_failed;
  io.run();
  if (!arguments.is_quiet) report(counts_text(*cloud));
  return exit_answered;
}

}  // namespace

int run_sim(const Arguments& arguments) {
  const std::string& path = arguments.positionals.front();
  const Result<std::shared_ptr<sim::Cloud>> cloud = load(path);
  if (!cloud) {
    complain(cloud.error().message());
    return exit_usage;
  }
  if (!arguments.is_background) return serve(*cloud, arguments, write_result);
  return run_in_background([&](const std::function<bool(std::string_view)>& announce) { return serve(*cloud, arguments, announce); });
}

}  // namespace rollcall::tools
