#include "net/tls/access_table.hpp"

#include <algorithm>

namespace rollcall {

AccessTable::Entry& AccessTable::entry(const Pointer& access) {
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&access](const Entry& entry) { return entry.access == access || *entry.access == *access; });
  if (found == entries_.end()) {
    if (entries_.size() >= max_entries) {
      entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; }));
    }
    entries_.push_back({access, ++last_number_, 0, Made()});
    found = entries_.end() - 1;
  }
  found->used = ++uses_;
  return *found;
}

std::uint64_t AccessTable::number(const Pointer& access) { return access ? entry(access).number : 0; }

Result<std::shared_ptr<TlsContext>> AccessTable::context(const Pointer& access) {
  Made& made = access ? entry(access).made : common_;
  std::string stamp = files_.stamp();  // before they are read: the next connection reads changes made meanwhile
  if (made.context && made.stamp == stamp) return made.context;
  Result<std::unique_ptr<TlsContext>> fresh = TlsContext::create(files_, access.get());
  if (fresh) {
    made.context = std::move(*fresh);
    made.stamp = std::move(stamp);
  } else if (!made.context) {
    return fresh.error();
  }
  return made.context;
}

}  // namespace rollcall
