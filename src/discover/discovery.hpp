// One search: its options, its lists, and the queue of its finds.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <string>
#include <vector>

#include "async/item_queue.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "rollcall/discover.hpp"

namespace rollcall {

/// The filter of a search: `state=READY`, `type=v4-*+v5p-*`, `name!=test-*`. Pure.
class FoundFilter {
 public:
  FoundFilter() {}
  /// A filter with all of `texts`, which must all hold. Errors: invalid_argument naming the nearest key for a misspelling.
  static Result<FoundFilter> parse(const std::vector<std::string>& texts);
  bool matches(const Found& found) const;
  /// The same by what a find is called, before its state and health are known.
  bool may_match(const Found& found) const;
  /// False if no find of that kind can match: its lists need not be requested.
  bool admits(FoundKind kind) const;
  /// The one value that the key may have, such as `user`; empty: there are several, or any.
  std::string only(std::string_view key) const;
  /// True if a term names that kind explicitly.
  bool names(FoundKind kind) const;

 private:
  enum class Key { kind, name, project, zone, namespace_name, state, health, type, queued_resource, user, partition };
  class Term {
   public:
    Term() {}
    Key key = Key::name;
    bool is_negated = false;
    std::vector<std::string> patterns;
    bool holds(std::string_view value) const;
    bool holds(const Found& found) const;
  };
  static Result<Term> parse_term(const std::string& text);
  std::vector<Term> terms_;
};

/// The state shared by the stream and the search.
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

  /// Passes on the finds that match the filter, and the problems. Suspends while the queue is full. Errors: cancelled.
  asio::awaitable<Result<void>> pass_on(std::vector<Found> finds, std::vector<Failure> problems);
  /// The same for one find. False if the queue has no room for `item`.
  bool try_pass(Result<Found>& item);
  asio::awaitable<Result<void>> pass(Result<Found> item);
  /// Reports a list that failed after `pages` pages. Errors: cancelled, if the search was stopped.
  asio::awaitable<Result<void>> give_up(Failure failure, int pages);
};

/// One list of a search.
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

/// Reads the list to its end. A failure of the list is an item of the stream. Errors: cancelled.
asio::awaitable<Result<void>> list_tpus(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_queued_resources(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_instance_groups(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_jobs(Call& call, Discovery& search, const ListTask& task);
asio::awaitable<Result<void>> list_slurm_jobs(Call& call, Discovery& search);

/// Checks the keys of DiscoverOptions::slurm(). Errors: invalid_argument.
Result<void> check_slurm_keys(const std::string& keys);

/// Runs the search. Errors: invalid_argument, and failures that prevent all lists.
asio::awaitable<Result<void>> run_discovery(Call& call, std::shared_ptr<Discovery> search);

}  // namespace rollcall
