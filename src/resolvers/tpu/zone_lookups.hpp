// TpuLookup::automatic: which look-ups of a zone's TPUs are asked for by get, and which share one list.
//
// Decision: look-ups that the host would not take at once, and at least eight of them, share one nodes.list; others are nodes.get. Up to
// 64 gets (Limits::requests_in_flight_per_host) take one round trip, as a list does, and need no other permission; beyond, every 64 more
// are another round trip, and each is a request of the project's quota, where a page of the list answers for a thousand. The first eight
// of a zone, and eight more after each answer, are asked for at once, the others at the end of the loop's turn, when it is known how many
// came together. A list is begun
// after every look-up that it answers, so that nobody's answer is older than by get. Price: a page has other people's nodes, too. Hence
// another page is read only if the last one answered as many look-ups as a round of gets would have, and a zone in which most was in
// vain is not listed again for ten minutes. What a list does not answer (no permission, not shown, malformed) is asked for by get, which
// also names what is wrong; a service that refuses the list is not asked for it again.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "call/runtime_impl.hpp"
#include "google/list_pages.hpp"
#include "resolvers/tpu/tpu_node_lists.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

class NodeBatch;
class ZoneLookups;

/// One nodes.get among those of its zone, from before its request until after its last attempt. Given back when destroyed.
class GetPlace {
 public:
  GetPlace() {}
  explicit GetPlace(std::shared_ptr<ZoneLookups> zone) noexcept;
  GetPlace(GetPlace&&) noexcept = default;
  GetPlace& operator=(GetPlace&& other) noexcept {
    if (this != &other) {
      give_back();
      zone_ = std::move(other.zone_);
    }
    return *this;
  }
  ~GetPlace() { give_back(); }

  explicit operator bool() const noexcept { return zone_ != nullptr; }

 private:
  void give_back() noexcept;
  std::shared_ptr<ZoneLookups> zone_;
};

/// The look-ups of one project and zone by one Runtime.
class ZoneLookups : public std::enable_shared_from_this<ZoneLookups> {
 public:
  /// `nodes` is the list's URL, without a query.
  ZoneLookups(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed);

  /// What the nodes' URLs begin with.
  const Url& nodes() const noexcept { return nodes_; }
  bool is_token_allowed() const noexcept { return question_.is_token_allowed; }
  /// A place for a get at once; none: the look-up has to wait().
  GetPlace try_get();
  /// Suspends until the look-up may be asked for by get (null, with `place`), or was answered by a list. Errors: cancelled.
  asio::awaitable<Result<std::shared_ptr<const TpuNode>>> wait(Call& call, const std::string& node_id, GetPlace& place);

  bool is_idle() const noexcept { return gets_ == 0 && lists_ == 0 && waiting_.empty(); }

 private:
  friend class GetPlace;
  friend class NodeBatch;
  /// A look-up that waits: in the frame of its coroutine.
  class Entry : public boost::intrusive::list_base_hook<> {
   public:
    Entry(ZoneLookups& zone, const Call& call, const std::string& id);
    ~Entry();
    const Call& asking;
    const std::string& node_id;
    AsyncEvent event;
    GetPlace place;  // one of the two, once it is woken
    std::shared_ptr<NodeBatch> batch;

   private:
    ZoneLookups& zone_;
  };
  using IndexPointer = std::shared_ptr<const TpuNodeIndex>;

  bool may_list() const noexcept { return !is_refused_ && now() >= not_before_; }
  SteadyTime now() const noexcept;
  void decide_soon() noexcept;
  void end_turn() noexcept;
  void decide();
  void begin_list();
  void let_go() noexcept;
  void note_failure(const Failure& failure) noexcept;
  void note_in_vain() noexcept;
  static asio::awaitable<Result<IndexPointer>> read_list(Call& call, std::shared_ptr<NodeBatch> batch);

  std::weak_ptr<Runtime::Impl> runtime_;  // which owns this, but not what outlasts a call's frame
  HostLimiter& limiter_;
  const Url nodes_;
  ListQuestion question_;
  boost::intrusive::list<Entry> waiting_;
  std::size_t gets_ = 0;   // under way
  std::size_t begun_ = 0;  // at once, since one of them ended
  std::size_t lists_ = 0;  // under way
  std::size_t seen_ = 0;   // how many waited when the turn began whose end is waited for
  int turns_ = 0;          // that have been waited for, while more came
  bool is_turn_awaited_ = false;
  bool is_refused_ = false;   // the list, by the service
  SteadyTime not_before_{};   // another list
};

/// Those of all zones, made as they are asked for; what is idle is forgotten when there are many.
class ZonesLookups {
 public:
  /// `nodes` is the list's URL, without a query.
  const std::shared_ptr<ZoneLookups>& of(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed);

  /// What the zone that was asked last followed from. A program's look-ups are mostly of one: its URL is made and checked once.
  class Last {
   public:
    std::string endpoint;  ///< the option
    std::string universe;  ///< without that option
    TpuApiVersion version = TpuApiVersion::v2;
    std::string project;
    std::string zone;
    std::shared_ptr<ZoneLookups> lookups;  ///< null: nothing was asked
  };
  Last last;

 private:
  class Key {
   public:
    Key(const Url& url, bool allowed) : nodes(url), is_token_allowed(allowed) {}
    Url nodes;
    bool is_token_allowed;
  };
  class View {
   public:
    const Url& nodes;
    bool is_token_allowed;
  };
  class Less {
   public:
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      const auto ordered = [](const auto& k) {
        return std::tie(k.nodes.target, k.nodes.host, k.nodes.port, k.nodes.is_https, k.is_token_allowed);
      };
      return ordered(a) < ordered(b);
    }
  };
  std::map<Key, std::shared_ptr<ZoneLookups>, Less> zones_;
  std::size_t many_ = 64;
};

}  // namespace rollcall
