// The streams of /v1/clusters: changes of the lines that a client may read.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "fleet/entry/rights_watch.hpp"
#include "fleet/entry/service_entry.hpp"
#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/rules/list_reader.hpp"
#include "net/server/server_exchange.hpp"

namespace rollcall::fleet {

/// Limits their number, and keeps what streams of the same identity share.
class ListStreams {
 public:
  ListStreams(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries)
      : entry_(entry), summaries_(std::move(summaries)), rights_(entry.admission()) {}
  /// Suspends until the stream has ended.
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client);

 private:
  /// One of the places for streams of lists; released by the destructor.
  class Place {
   public:
    Place(FairShares& all, const std::string& client) : all_(all), client_(client), is_taken_(all.enter(client)) {}
    ~Place() {
      if (is_taken_) all_.leave(client_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    bool is_taken() const noexcept { return is_taken_; }

   private:
    FairShares& all_;
    const std::string& client_;
    bool is_taken_;
  };

  Refusal lack_of_places() const;
  std::shared_ptr<ListReader> reader_of(const std::string& identity);
  std::uint64_t rights_since();

  ServiceEntry& entry_;
  std::shared_ptr<ClusterSummaries> summaries_;
  FairShares places_{64};  // each stream renders every change for itself
  std::map<std::string, std::shared_ptr<ListReader>> readers_;  // by identity
  RightsWatch rights_;
  std::uint64_t rights_since_ = 0;  // version() of the lines since which the rights are the same
};

}  // namespace rollcall::fleet
