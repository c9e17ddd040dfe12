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

class SharedFleet;

/// Listens to the topic of its own polls for all followers of all replicas.
class SharedTopic final : public Topic, private TopicListener, public std::enable_shared_from_this<SharedTopic> {
 public:
  SharedTopic(std::weak_ptr<SharedFleet> fleet, Target target, std::uint64_t number, const std::shared_ptr<MemoryAccount>& memory,
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

  /// Shows what `inner`, of this leader, knows from its first poll on.
  void lead(std::shared_ptr<Topic> inner);
  /// What it knows stays.
  void stop_leading();
  bool is_led() const noexcept { return inner_ != nullptr; }
  /// Replaces what a replica wants of it.
  void set_wanted(const std::string& replica, WantedTarget wanted);
  void forget_wanted(const std::string& replica) { elsewhere_.erase(replica); }
  bool is_wanted_elsewhere() const noexcept { return !elsewhere_.empty(); }

  // While it follows.

  /// Errors: malformed_response: it does not follow from what is known; limit_exceeded: there is no memory, which the topic shows as
  /// trouble.
  Result<void> take(TopicDocument document);
  void take_poll(SteadyTime at);
  /// The leader has forgotten it.
  void note_gone() noexcept { is_followed_ = false; }
  /// Trouble that this replica alone reports; empty: none.
  void mark(const std::string& own_trouble) { report(own_trouble_, own_trouble); }

 private:
  void on_topic() noexcept override;
  bool wants_spec() const noexcept override;
  std::size_t followers() const noexcept override;
  void take_inner();
  Result<void> take_status(TopicDocument& document);
  void report(std::string& slot, const std::string& trouble);
  void show_trouble() { known_.trouble = own_trouble_.empty() ? leader_trouble_ : own_trouble_; }
  void notify();

  std::weak_ptr<SharedFleet> fleet_;
  Target parsed_;
  std::string text_;
  std::uint64_t number_;
  Known known_;
  std::string leader_trouble_;  // of the polls
  std::string own_trouble_;
  std::deque<PhaseChange> history_;
  TopicListeners listeners_;
  bool wanted_spec_ = false;  // when the fleet was called last
  std::int64_t asked_ = 0;

  // Of the leader's stream.
  MemoryShare memory_;         // of the status
  MemoryShare recent_memory_;
  RecentChanges recent_;
  bool is_followed_ = false;   // by the leader

  // Of this leader.
  std::shared_ptr<Topic> inner_;
  std::uint64_t epoch_ = 0;  // of inner_
  Known before_;             // of the earlier leader, to go on from its generation
  std::optional<std::uint64_t> generation_offset_;
  std::deque<PhaseChange> history_before_;
  std::map<std::string, WantedTarget> elsewhere_;  // by replica
};

}  // namespace rollcall::fleet
