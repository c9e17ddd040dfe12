// One case of the vector format, as read from its file. The keys are described in tests/vectors/README.md.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/json_reader.hpp"
#include "rollcall/device.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/time.hpp"

namespace rollcall::conformance {

enum class Fault { none, connect_refused, reset, dns };

/// The expected properties of a request; absent members match everything.
class HttpMatch {
 public:
  std::optional<std::string> method;
  std::optional<std::string> scheme;
  std::optional<std::string> host;  ///< with the port when it is not the scheme's
  std::vector<std::string> paths;   ///< any of them; empty: every path
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::string> query_absent;
  std::vector<std::pair<std::string, json::value>> headers;
  std::optional<json::value> body_json;
  std::optional<std::string> grpc_target;  ///< of expect_requests: attempts against it are counted instead
};

class HttpAnswer {
 public:
  Fault fault = Fault::none;
  HttpResponse response;
};

class GrpcEntry {
 public:
  std::string target;  ///< `host:port`
  std::vector<DeviceAttributes> local;
  std::vector<DeviceAttributes> remote;
  RpcStatus status = RpcStatus::ok;
  std::optional<std::int64_t> times;
  std::chrono::milliseconds delay{0};
};

class HttpEntry {
 public:
  HttpMatch request;
  std::vector<std::pair<double, HttpAnswer>> answers;  ///< the second from which on it is valid; one is at 0 unless there is a timeline
  std::optional<std::int64_t> times;
  std::chrono::milliseconds delay{0};
};

/// One acceptable end of a call: a value, or an error of one of `kinds`.
class Acceptable {
 public:
  bool is_error = false;
  json::value value;
  std::vector<std::string> kinds;
  std::vector<std::string> contains;
  std::string to_text() const;
};

class Step {
 public:
  json::object set;
  std::vector<std::pair<std::string, std::optional<std::string>>> set_env;
  std::optional<std::string> call;
  json::object call_args;
  std::vector<Acceptable> acceptable;  ///< empty: nothing is judged (a step without a call)
};

class ExpectedRequests {
 public:
  HttpMatch match;
  std::vector<std::pair<std::string, json::value>> headers;
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

class Case {
 public:
  std::string name;
  std::string resolver;
  json::object args;
  std::map<std::string, std::string, std::less<>> env;
  std::map<std::string, std::string, std::less<>> files;
  std::optional<WallTime> wall;  ///< clock.now
  bool is_virtual = false;
  std::optional<int> max_retries;
  std::optional<std::chrono::milliseconds> base_delay;
  std::optional<std::chrono::milliseconds> max_delay;
  std::optional<std::chrono::milliseconds> deadline;
  bool has_local_devices = false;
  std::vector<HttpEntry> http;
  std::vector<GrpcEntry> grpc;
  json::object set;
  std::vector<Step> steps;  ///< `call` is a single step
  std::optional<json::object> after;
  std::vector<ExpectedRequests> requests;
  std::optional<double> max_elapsed_ms;
  std::string note;
  std::vector<std::string> unknown_keys;   ///< paths of keys that affect the verdict but are not understood
  std::vector<std::string> ignored_keys;   ///< paths of other keys that are not understood
};

/// Reads the document of one file. Throws FormatError.
std::vector<Case> read_cases(const json::value& document, const std::string& file);

}  // namespace rollcall::conformance
