// The requests in flight, seen from both ends: the loop is quiet when only delays are left.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

namespace rollcall::conformance {

class Traffic {
 public:
  std::uint64_t next_id() { return ++last_id_; }

  // gRPC calls have no identifying mark: calls of one method to one address arrive in the order in which they were started.
  std::uint64_t begin_call(const std::string& where) {
    begun_[where].push_back(next_id());
    return last_id_;
  }
  std::uint64_t arrived(const std::string& where) {
    std::deque<std::uint64_t>& waiting = begun_[where];
    if (waiting.empty()) return next_id();
    const std::uint64_t id = waiting.front();
    waiting.pop_front();
    return id;
  }

  /// True when every request in flight waits for a scripted delay: only then may virtual time advance.
  bool is_only_delayed() const {
    for (const std::uint64_t id : under_way_) {
      if (!delayed_.contains(id)) return false;
    }
    return true;
  }

  /// Keeps an id in one of the sets for as long as it lives.
  class Mark {
   public:
    Mark(std::multiset<std::uint64_t>& set, std::uint64_t id) : set_(set), at_(set.insert(id)) {}
    ~Mark() { set_.erase(at_); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    std::multiset<std::uint64_t>& set_;
    std::multiset<std::uint64_t>::iterator at_;
  };
  std::multiset<std::uint64_t>& under_way() { return under_way_; }
  std::multiset<std::uint64_t>& delayed() { return delayed_; }

 private:
  std::uint64_t last_id_ = 0;
  std::map<std::string, std::deque<std::uint64_t>> begun_;
  std::multiset<std::uint64_t> under_way_;
  std::multiset<std::uint64_t> delayed_;
};

/// The header with which a server names the client's request that it is handling.
inline constexpr const char* traffic_header = "X-Conformance-Request";

}  // namespace rollcall::conformance
