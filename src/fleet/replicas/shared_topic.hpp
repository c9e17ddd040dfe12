// A target as each replica of a service shows it: by its own polls while the replica leads, by the leader's stream while it follows, and
// the last known in between.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fleet/replicas/wire/replica_documents.hpp"
#include "fleet/rules/recent_changes.hpp"
#include "fleet/topic.hpp"
#include "fleet/topic_listeners.hpp"
#include "json/memory_share.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class SharedTopic;

class TopicHost {
 public:
  virtual ~TopicHost() = default;
  /// It has its first listener, or the first that wants the spec, or a poll is requested.
  virtual void on_wanted(SharedTopic& topic) = 0;
  virtual void on_change(SharedTopic& topic) = 0;
  /// False: what polls of this replica find is not shown any more.
  virtual bool may_show() const = 0;
};

class SharedTopic final : public Topic, public std::enable_shared_from_this<SharedTopic> {
 public:
  SharedTopic(std::weak_ptr<TopicHost> host, Target target, std::uint64_t number, const std::shared_ptr<MemoryAccount>& memory,
              SteadyTime now);

  const std::string& target() const noexcept override { return text_; }
  const Known& known() const noexcept override { return known_; }
  std::optional<StatusDelta> since(std::uint64_t revision) const override;
  const std::deque<PhaseChange>& history() const noexcept override { return history_; }
  std::size_t listeners() const noexcept override { return listeners_.followers(); }
  bool is_followed() const noexcept override;
  void listen(TopicListener& listener) override;
  void name(const std::string& client) override;
  void refresh_soon() override;

  const Target& parsed() const noexcept { return parsed_; }
  std::uint64_t number() const noexcept { return number_; }
  bool has_listeners() const noexcept { return !listeners_.empty(); }
  /// What listeners of this replica want.
  WantedTarget wanted_here() const;
  std::optional<SteadyTime> left_at;  ///< since when there was no listener here
  bool was_listened_to = false;

  // While this replica leads.

  /// Shows what `inner` knows from its first poll on. Its revisions are of `epoch`.
  void lead(std::shared_ptr<Topic> inner, std::uint64_t epoch);
  /// What it knows stays.
  void stop_leading();
  bool is_led() const noexcept { return inner_ != nullptr; }
  /// Replaces what a replica wants of it; null: nothing.
  void set_wanted(const std::string& replica, const WantedTarget* wanted);
  bool is_wanted_elsewhere() const noexcept { return !elsewhere_.empty(); }

  // While it follows.

  /// `difference`: of all parts. Errors: malformed_response: it does not follow from what is known; limit_exceeded: there is no memory.
  Result<void> take(const TopicDocument& document, StatusDelta difference, std::uint64_t epoch, SteadyTime sent_at);
  void take_poll(SteadyTime at);
  void note_followed(bool is_followed) noexcept { is_followed_ = is_followed; }
  /// Trouble that this replica alone reports; empty: none.
  void mark(const std::string& own_trouble);

 private:
  // Listens to the inner topic for all followers of all replicas.
  class Ear final : public TopicListener {
   public:
    explicit Ear(SharedTopic& of) : topic_(of) {}
    void on_topic() noexcept override { topic_.on_inner(); }
    bool wants_spec() const noexcept override { return topic_.wants_spec(); }
    std::size_t followers() const noexcept override { return topic_.followers(); }

   private:
    SharedTopic& topic_;
  };

  void on_inner() noexcept;
  void take_inner();
  void set_generation(const Known& inner);
  bool wants_spec() const noexcept;
  std::size_t followers() const noexcept;
  void notify();
  Result<std::shared_ptr<const ClusterStatus>> status_of(const TopicDocument& document, StatusDelta difference) const;
  Result<void> charge(const std::shared_ptr<const ClusterStatus>& status);
  void note_change(const TopicDocument& document, const std::vector<FormerMember>& former);
  void take_history(const TopicDocument& document);
  void show_leader_trouble(const std::string& trouble);
  void show_trouble();

  std::weak_ptr<TopicHost> host_;
  Target parsed_;
  std::string text_;
  std::uint64_t number_;
  Known known_;
  std::string leader_trouble_;  // of the polls
  std::string own_trouble_;
  std::deque<PhaseChange> history_;
  MemoryShare memory_;  // of a status from the leader
  RecentChanges recent_;
  std::deque<std::uint64_t> revisions_;  // revisions of the present epoch that were known here, the last ones
  bool is_followed_ = false;        // by the leader
  TopicListeners listeners_;
  bool wanted_spec_ = false;  // when the host was called last
  std::int64_t asked_ = 0;

  std::shared_ptr<Topic> inner_;
  Ear ear_{*this};
  std::uint64_t epoch_ = 0;                              // of inner_
  std::shared_ptr<const ClusterStatus> status_before_;   // of the earlier leader, to go on from its generation
  std::uint64_t generation_before_ = 0;
  std::optional<std::int64_t> generation_offset_;
  std::deque<PhaseChange> history_before_;
  std::map<std::string, WantedTarget> elsewhere_;  // by replica
};

/// The members of a status before a difference.
std::vector<FormerMember> former_members(const ClusterStatus& before, const StatusDelta& difference);

}  // namespace rollcall::fleet
