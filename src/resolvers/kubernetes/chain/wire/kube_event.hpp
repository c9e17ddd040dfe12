// Kubernetes Events (core v1): one page of a list, read as bytes arrive. Only the latest event of each object, reason and container that
// the reader wants is kept. Source: Kubernetes API v1, Event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// An event. All texts are printable and bounded.
class KubeEvent {
 public:
  KubeEvent() {}
  std::string kind;  ///< of the object that it is about
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string container;  ///< by the field path `spec.containers{trainer}`; empty: the whole object
  std::string type;       ///< `Normal`; any other word is a warning
  std::string reason;
  std::string message;
  std::string component;  ///< the program that reports it
  std::int64_t count = 1;
  std::optional<WallTime> at;     ///< the last time
  std::optional<WallTime> first;  ///< the first time

  /// `Pod trainer-1-9z6wn`.
  std::string label() const { return kind + " " + name; }
  friend bool operator==(const KubeEvent&, const KubeEvent&) = default;
};

/// The latest event of each object, reason and container; of FailedScheduling, of each program.
class EventBook {
 public:
  EventBook() {}
  using Wanted = std::function<bool(const KubeEvent&)>;
  static constexpr std::size_t max_events = 20'000;

  /// Without one, all events are kept. `wanted` sees texts that are printable.
  void set_wanted(Wanted wanted) { wanted_ = std::move(wanted); }
  void take(KubeEvent event);
  /// Null: there is none. `container` empty: of any container, the latest.
  const KubeEvent* find(std::string_view uid, std::string_view reason, std::string_view container = {}) const;
  /// Of an object, the latest last. The pointers are valid until the next take().
  std::vector<const KubeEvent*> of(std::string_view uid) const;
  /// All events of this reason, in the order of their objects' uids.
  std::vector<const KubeEvent*> with(std::string_view reason) const;
  std::size_t size() const noexcept { return events_.size(); }
  /// True if more events were wanted than are kept.
  bool is_cut() const noexcept { return is_cut_; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // uid, or kind and name without one; reason; container or program
  std::map<Key, KubeEvent, std::less<>> events_;
  Wanted wanted_;
  bool is_cut_ = false;
};

/// Reads one page of a list of events into a book.
class EventListParser {
 public:
  /// `book` must outlive it.
  EventListParser(EventBook& book, const ParseLimits& limits);
  ~EventListParser();
  EventListParser(EventListParser&&) noexcept;
  EventListParser& operator=(EventListParser&&) noexcept;

  /// As JsonShapeParser.
  Result<void> feed(std::string_view chunk);
  Result<void> finish();
  /// The token of the next page; empty on the last one.
  const std::string& next_page() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
