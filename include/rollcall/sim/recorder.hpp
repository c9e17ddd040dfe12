// Records what services answer, as a simulation file that a Cloud answers from again.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/http.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

/// What a Recorder keeps.
class RecorderOptions {
 public:
  RecorderOptions() {}
  /// Names of namespaces, pods, machines, projects, images and accounts, and addresses, are replaced, each by the same one everywhere.
  bool is_anonymous = false;
  std::size_t max_bytes = std::size_t{10} * 1024 * 1024;  ///< of all answers
  std::size_t max_exchanges = 10'000;
  std::shared_ptr<TimeSource> time;  ///< default: system_time()
};

/// Sits between a Runtime and the network (RuntimeOptions::around_http) and keeps requests and answers of the services that the library
/// knows: method, host, path, status, a few headers, body; of a watch each line with its time. Credentials are never kept: headers and
/// bodies of requests, answers of token endpoints; values in answers that may be secrets are replaced by `***`. gRPC is not recorded. Not
/// thread-safe: made and used on the Runtime's executor.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// A transport that sends by `http` and records. It may outlive the Recorder.
  std::shared_ptr<HttpTransport> around(std::shared_ptr<HttpTransport> http);

  /// Requests recorded so far.
  std::size_t exchanges() const noexcept;
  /// Why later answers are missing: a limit was reached. Empty: nothing is missing.
  std::string left_out() const;
  /// The simulation file. `targets`: what was asked for; options that name files and servers are left out.
  std::string file(const std::vector<std::string>& targets) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall::sim
