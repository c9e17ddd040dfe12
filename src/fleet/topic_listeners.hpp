// The listeners of one topic, notified one after the other while some of them leave and others come.
#pragma once

#include "fleet/topic.hpp"

namespace rollcall::fleet {

class TopicListeners {
 public:
  TopicListeners() {}
  void add(TopicListener& listener) { listeners_.push_back(listener); }
  bool empty() const noexcept { return listeners_.empty() && unreported_.empty(); }
  /// The number of followers that they stand for together.
  std::size_t followers() const noexcept {
    std::size_t sum = 0;
    for (const Listeners* const some : {&listeners_, &unreported_}) {
      for (const TopicListener& one : *some) sum += one.followers();
    }
    return sum;
  }
  bool want_spec() const noexcept {
    for (const Listeners* const some : {&listeners_, &unreported_}) {
      for (const TopicListener& one : *some) {
        if (one.wants_spec()) return true;
      }
    }
    return false;
  }
  /// A listener may unlink itself or others, and new ones may come; `this` must stay alive.
  void notify() {
    unreported_.splice(unreported_.end(), listeners_);
    while (!unreported_.empty()) {
      TopicListener& listener = unreported_.front();
      unreported_.pop_front();
      listeners_.push_back(listener);
      listener.on_topic();
    }
  }

 private:
  using Listeners = boost::intrusive::list<TopicListener, boost::intrusive::constant_time_size<false>>;
  Listeners listeners_;
  Listeners unreported_;  // those that the present run has not notified yet
};

}  // namespace rollcall::fleet
