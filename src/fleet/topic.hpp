// What the service knows of one target, and its listeners.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "fleet/wire/documents.hpp"
#include "fleet/wire/known.hpp"
#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// True if a reader cannot distinguish the failures.
bool is_same_failure(const Failure& a, const Failure& b) noexcept;

/// Is notified of a topic's changes, on the Runtime's executor, within the change: it must only wake a waiting coroutine. Unlinks itself
/// when destroyed.
class TopicListener : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  TopicListener() {}
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;
  virtual ~TopicListener() = default;
  /// Something of Known has changed, or a poll had an answer that changed nothing.
  virtual void on_topic() noexcept = 0;
  virtual bool wants_spec() const noexcept { return false; }
  /// The number of followers that it stands for.
  virtual std::size_t followers() const noexcept { return 1; }
};

class Topic {
 public:
  virtual ~Topic() = default;
  virtual const std::string& target() const noexcept = 0;  ///< its text
  virtual const Known& known() const noexcept = 0;
  /// The difference between the status at `revision` of the present epoch and the present status. None: it is not known any more, or is too
  /// large.
  virtual std::optional<StatusDelta> since(std::uint64_t revision) const = 0;
  virtual const std::deque<PhaseChange>& history() const noexcept = 0;
  /// The followers of all listeners together.
  virtual std::size_t listeners() const noexcept = 0;
  /// True if it is polled: it has a listener, or had one recently.
  virtual bool is_followed() const noexcept = 0;
  /// Adds a listener. From now on the target is followed, and for some time after the listener's end.
  virtual void listen(TopicListener& listener) = 0;
  /// Notes that this client asks for the topic: an identity or an address; empty: clients are not distinguished. When the memory of the
  /// fleet is used up, what is known of the topic counts as taken by this client.
  virtual void name(const std::string& client) { (void)client; }
  /// Requests a poll soon, but at most every two seconds. on_topic() reports the result.
  virtual void refresh_soon() = 0;
};

}  // namespace rollcall::fleet
