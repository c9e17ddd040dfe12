// Recorded exchanges with real services: written by a Recorder, and as a section of a simulation file answered again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// A line of an answer that continues, such as an event of a watch.
struct RecordedLine {
  Duration at{0};  // since the request
  std::string text;
};

/// A request and its answer, without credentials.
struct RecordedExchange {
  Duration at{0};    // of the request, since the start
  Duration took{0};  // until the answer's head
  std::string method = "GET";
  std::string host;         // as asked; not compared
  std::string path = "/";   // with the query
  int status = 0;           // 0: no answer came while the recording lasted
  std::string failure;      // the transport's, such as `unreachable`; empty: none
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  bool is_stream = false;   // the answer is `lines`
  std::vector<RecordedLine> lines;
  std::optional<Duration> ended;  // since the request: the server ended the stream
};

/// The version of the section's form.
inline constexpr std::int64_t recorded_version = 1;

struct RecordedModel {
  std::vector<std::string> targets;  // as they can be asked for again
  std::string context;               // of the kubeconfig that the targets name
  std::string namespace_name;        // of the kubeconfig
  bool has_cluster = false;          // a Kubernetes API was asked
  std::vector<RecordedExchange> exchanges;
  // The numbers of the exchanges by what they ask for: see recorded_key().
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_key;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_loose_key;
};

}  // namespace rollcall::sim
