// One search: what it looks for, where, and where the finds go.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <string>
#include <vector>

#include "async/item_queue.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "rollcall/discover.hpp"

namespace rollcall {

/// What a search shall show: `state=READY`, `type=v4-*+v5p-*`, `name!=test-*`. Pure.
class FoundFilter {
 public:
  FoundFilter() {}
  /// All of `texts` must hold. Errors: invalid_argument naming the nearest key on a misspelling.
  static Result<FoundFilter> parse(const std::vector<std::string>& texts);
  bool matches(const Found& found) const;
  /// False when no find of that kind can match: it need not be asked for.
  bool admits(FoundKind kind) const;
  /// True when a term asks for that kind by its name.
  bool names(FoundKind kind) const;

 private:
  enum class Key { kind, name, project, zone, namespace_name, state, health, type, queued_resource };
  class Term {
   public:
    Term() {}
    Key key = Key::name;
    bool is_negated = false;
    std::vector<std::string> patterns;
    bool holds(std::string_view value) const;
  };
  static Result<Term> parse_term(const std::string& text);
  std::vector<Term> terms_;
};

/// Shared by the stream and the search.
class Discovery {
 public:
  Discovery(asio::any_io_executor on, DiscoverOptions by)
      : executor(std::move(on)), options(std::move(by)), queue(options.max_buffered(), std::size_t{16} << 20) {}

  asio::any_io_executor executor;
  DiscoverOptions options;
  ItemQueue<Result<Found>> queue;
  asio::cancellation_signal stop;
  FoundFilter filter;
  TpuApiRoot tpu_root;
  Url compute_root;
  KubernetesServer kubernetes;

  /// Passes on what the filter lets through, and what is missing. Suspends while nobody reads. Errors: cancelled.
  asio::awaitable<Result<void>> pass_on(std::vector<Found> finds, std::vector<Failure> problems);
  /// The same of one find; false when there is no room yet for `item`.
  bool try_pass(Result<Found>& item);
  asio::awaitable<Result<void>> pass(Result<Found> item);
  /// A list ends before its end; `pages` of it were read. Errors: cancelled, when it ended because the search was stopped.
  asio::awaitable<Result<void>> give_up(Failure failure, int pages);
};

/// One list to be read.
class ListTask {
 public:
  ListTask() {}
  FoundKind kind = FoundKind::tpu;
  std::string project;
  std::string zone;    ///< empty: all
  std::string region;  ///< of regional instance groups
  std::string namespace_name;  ///< of jobs; empty: all
  /// `project 'p', zone 'z'`
  std::string place() const;
  bool is_of_all_zones() const noexcept { return kind != FoundKind::job && zone.empty() && region.empty(); }
};

/// Reads the list to its end; what is wrong with it is an item of the stream. Errors: cancelled.
asio::awaitable<Result<void>> list_tpus(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_queued_resources(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_instance_groups(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_jobs(Call& call, Discovery& search, const ListTask& task);

/// The whole search. Errors: invalid_argument, and what keeps it from beginning.
asio::awaitable<Result<void>> run_discovery(Call& call, std::shared_ptr<Discovery> search);

}  // namespace rollcall
