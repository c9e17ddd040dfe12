// The addresses of a job's tasks by index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rollcall {

/// Has the interface of a std::map<int, std::string>, and is a list in the order of the indices: one allocation, since most jobs have few
/// tasks, and are built in order. References and iterators are valid until it changes.
class TaskAddresses {
 public:
  using value_type = std::pair<int, std::string>;
  using const_iterator = std::vector<value_type>::const_iterator;
  using const_reverse_iterator = std::vector<value_type>::const_reverse_iterator;

  TaskAddresses() {}
  /// Of two with the same index the first is kept.
  TaskAddresses(std::initializer_list<value_type> tasks) {
    for (const value_type& task : tasks) emplace(task.first, task.second);
  }
  /// For tasks in any order.
  TaskAddresses(std::map<int, std::string> tasks) {
    reserve(tasks.size());
    for (auto& [index, address] : tasks) list_.emplace_back(index, std::move(address));
  }

  const_iterator begin() const noexcept { return list_.begin(); }
  const_iterator end() const noexcept { return list_.end(); }
  const_reverse_iterator rbegin() const noexcept { return list_.rbegin(); }
  const_reverse_iterator rend() const noexcept { return list_.rend(); }
  std::size_t size() const noexcept { return list_.size(); }
  bool empty() const noexcept { return list_.empty(); }

  const_iterator find(int index) const noexcept {
    const const_iterator at = place_of(index);
    return at != end() && at->first == index ? at : end();
  }
  bool contains(int index) const noexcept { return find(index) != end(); }
  /// Throws std::out_of_range.
  const std::string& at(int index) const {
    const const_iterator found = find(index);
    if (found == end()) throw std::out_of_range("no task has that index");
    return found->second;
  }

  void reserve(std::size_t tasks) { list_.reserve(tasks); }
  /// Adds a task if none has that index, and returns true if it did. Fast at the end; elsewhere the tasks that follow are moved: if the
  /// order is not known, build a std::map first.
  std::pair<const_iterator, bool> emplace(int index, std::string address) {
    if (list_.empty() || list_.back().first < index) {
      list_.emplace_back(index, std::move(address));
      return {end() - 1, true};
    }
    const const_iterator at = place_of(index);
    if (at->first == index) return {at, false};
    return {list_.emplace(at, index, std::move(address)), true};
  }
  /// The same, but a task that has that index gets the address.
  void insert_or_assign(int index, std::string address) {
    const const_iterator found = find(index);
    if (found == end()) {
      emplace(index, std::move(address));
    } else {
      list_[static_cast<std::size_t>(found - begin())].second = std::move(address);
    }
  }

  friend bool operator==(const TaskAddresses&, const TaskAddresses&) = default;

 private:
  const_iterator place_of(int index) const noexcept {
    return std::lower_bound(begin(), end(), index, [](const value_type& task, int wanted) { return task.first < wanted; });
  }

  std::vector<value_type> list_;
};

}  // namespace rollcall
