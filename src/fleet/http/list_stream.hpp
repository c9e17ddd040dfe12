// The events of one stream of /v1/clusters.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fleet/entry/service_entry.hpp"
#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/rules/list_reader.hpp"

namespace rollcall::fleet {

/// Renders the events of one stream, round by round. All references outlive it.
class ListStream {
 public:
  /// `rights_since`: a position of an earlier version of the lines is not resumed, since the rights were others then.
  ListStream(ServiceEntry& entry, ClusterSummaries& summaries, std::shared_ptr<ListReader> reader, ClientPtr client,
             std::string_view last_event_id, std::uint64_t rights_since);
  ListStream(const ListStream&) = delete;
  ListStream& operator=(const ListStream&) = delete;

  /// The ids of all lines: a client that comes back drops the others.
  asio::awaitable<std::string> start();
  /// The changes since the last call, in pieces. A client that comes back with the id of any event but the last of a round gets all events
  /// of that round again.
  asio::awaitable<std::vector<std::string>> news();
  std::string heartbeat() const;
  std::string last(std::string_view event) const;

 private:
  class SentLine {
   public:
    std::uint64_t number = 0;  // of the line, for the reader
    std::uint64_t at = 0;  // Line::at
    std::optional<SteadyTime> polled_at;
    std::uint64_t round = 0;
  };
  std::string position() const;
  static std::string summary(const ClusterSummaries::Line& line, std::uint64_t number, SteadyTime now);

  ServiceEntry& entry_;
  ClusterSummaries& summaries_;
  ClientPtr client_;
  std::shared_ptr<ListReader> reader_;
  std::uint64_t known_before_ = 0;  // version of the lines that the client knew when it came
  std::uint64_t sent_version_ = 0;  // version of the lines of which everything was sent
  std::uint64_t round_ = 0;
  std::unordered_map<std::uint64_t, SentLine> sent_;  // by id of the line
};

}  // namespace rollcall::fleet
