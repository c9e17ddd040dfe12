// The environment of the object under test: loop, clocks, variables, files, servers, and a Runtime that uses only these.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <map>
#include <memory>
#include <string>

#include "conformance/authority.hpp"
#include "conformance/case_clock.hpp"
#include "conformance/grpc_service.hpp"
#include "conformance/http_service.hpp"
#include "conformance/subject.hpp"
#include "conformance/traffic.hpp"
#include "support/dns_server.hpp"

namespace rollcall::conformance {

/// Variables that a step, and the object under test, may change.
class CaseEnvironment final : public Environment {
 public:
  explicit CaseEnvironment(std::map<std::string, std::string, std::less<>> variables) : variables_(std::move(variables)) {}
  std::optional<std::string> get(std::string_view name) const override;
  Result<void> set(const std::string& name, const std::string& value) const override;
  void change(const std::string& name, std::optional<std::string> value);

 private:
  mutable std::map<std::string, std::string, std::less<>> variables_;
};

class CaseWorld {
 public:
  /// Both must outlive the world.
  CaseWorld(const Case& the_case, Authority& authority);
  ~CaseWorld();
  CaseWorld(const CaseWorld&) = delete;
  CaseWorld& operator=(const CaseWorld&) = delete;

  asio::io_context& io() { return io_; }
  CaseClock& clock() { return clock_; }
  CaseEnvironment& environment() { return *environment_; }
  const HttpScript& script() const { return script_; }
  const GrpcScript& grpc_script() const { return grpc_script_; }
  Setting setting() const;
  CallOptions call_options() const;

  /// Runs the loop until `is_done`. Virtual time advances only when no request is in flight. False when that takes too long or cannot
  /// happen.
  bool run_until(const bool& is_done);

 private:
  Runtime make_runtime();
  bool turn();

  const Case& case_;
  Traffic traffic_;  // these two are used by coroutines until the loop is gone
  HttpScript script_;
  GrpcScript grpc_script_;
  asio::io_context io_{1};
  CaseClock clock_;
  std::shared_ptr<TimerQueue> timers_;
  std::shared_ptr<CaseEnvironment> environment_;
  Authority& authority_;
  HttpService service_;
  GrpcService grpc_service_;
  testing::DnsServer dns_;  // knows no name
  asio::ip::tcp::socket silent_port_;  // bound, not listening: connections to it are refused
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace rollcall::conformance
