// TpuLookup::automatic: decides which look-ups of a zone's TPUs are requested by get, and which share one list.
//
// Decision: look-ups that the host would not accept at once, if at least eight, share one nodes.list; others are nodes.get. Up to
// 64 gets (Limits::requests_in_flight_per_host) take one round trip, as a list does, and need no other permission. Beyond that, every 64
// more are another round trip, and each is a request of the project's quota, while a page of the list answers for a thousand. The first
// eight of a zone, and eight more after each answer, are requested at once. The others wait until the end of the event loop's turn, when
// the number of look-ups is known. A list begins after every look-up that it answers, so no answer is older than by get. Price: a page also
// contains unrelated nodes. Hence another page is read only if the last one answered as many look-ups as a round of gets would have, and a
// zone whose list answered few look-ups is not listed again for ten minutes. Look-ups that a list does not answer (no permission, not
// listed, malformed) are requested by get, which also reports the reason. A service that refuses the list is not asked for it again.
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

/// A permit for one nodes.get of the zone, held from before its request until after its last attempt. The destructor returns it.
class GetPermit {
 public:
  GetPermit() {}
  explicit GetPermit(std::shared_ptr<ZoneLookups> zone) noexcept;
  GetPermit(GetPermit&&) noexcept = default;
  GetPermit& operator=(GetPermit&& other) noexcept {
    if (this != &other) {
      give_back();
      zone_ = std::move(other.zone_);
    }
    return *this;
  }
  ~GetPermit() { give_back(); }

  explicit operator bool() const noexcept { return zone_ != nullptr; }

 private:
  void give_back() noexcept;
  std::shared_ptr<ZoneLookups> zone_;
};

/// The look-ups of one project and zone in one Runtime.
class ZoneLookups : public std::enable_shared_from_this<ZoneLookups> {
 public:
  /// `nodes` is the list's URL, without a query.
  ZoneLookups(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed);

  /// The beginning of the nodes' URLs.
  const Url& nodes() const noexcept { return nodes_; }
  bool is_token_allowed() const noexcept { return question_.is_token_allowed; }
  /// A permit for a get at once. If there is none, the look-up must wait().
  GetPermit try_get();
  /// Suspends until the look-up may be requested by get (null, with `permit`), or was answered by a list. Errors: cancelled.
  asio::awaitable<Result<std::shared_ptr<const TpuNode>>> wait(Call& call, const std::string& node_id, GetPermit& permit);

  bool is_idle() const noexcept { return gets_ == 0 && lists_ == 0 && waiting_.empty(); }

 private:
  friend class GetPermit;
  friend class NodeBatch;
  /// A waiting look-up, in the frame of its coroutine.
  class Entry : public boost::intrusive::list_base_hook<> {
   public:
    Entry(ZoneLookups& zone, const Call& call, const std::string& id);
    ~Entry();
    const Call& asking;
    const std::string& node_id;
    AsyncEvent event;
    GetPermit permit;  // `permit` or `batch` is set when it is woken
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
  void start_gets() noexcept;
  void note_failure(const Failure& failure) noexcept;
  void note_few_answers() noexcept;
  static asio::awaitable<Result<IndexPointer>> read_list(Call& call, std::shared_ptr<NodeBatch> batch);

  std::weak_ptr<Runtime::Impl> runtime_;  // weak: the Runtime owns this object. Strong pointers live only in a call's frame.
  HostLimiter& limiter_;
  const Url nodes_;
  ListQuestion question_;
  boost::intrusive::list<Entry> waiting_;
  std::size_t gets_ = 0;  // in flight
  std::size_t begun_ = 0;  // gets started at once since the last one ended
  std::size_t lists_ = 0;  // in flight
  std::size_t seen_ = 0;  // the number of waiting look-ups at the start of the awaited turn
  int turns_ = 0;  // turns awaited because more look-ups arrived
  bool is_turn_awaited_ = false;
  bool is_refused_ = false;  // the service refuses the list
  SteadyTime not_before_{};  // the earliest time of another list
};

/// The look-ups of all zones, made on demand. Idle ones are removed when there are many.
class ZonesLookups {
 public:
  /// `nodes` is the list's URL, without a query.
  const std::shared_ptr<ZoneLookups>& of(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed);

  /// The inputs and the result of the last zone. Most look-ups of a program are in one zone: its URL is made and checked once.
  class Last {
   public:
    std::string endpoint;  ///< the option `endpoint`
    std::string universe;  ///< the universe, if that option is not given
    TpuApiVersion version = TpuApiVersion::v2;
    std::string project;
    std::string zone;
    std::shared_ptr<ZoneLookups> lookups;  ///< null before the first look-up
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
