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
    entries_.push_back({access, ++last_number_, 0, nullptr});
    found = entries_.end() - 1;
  }
  found->used = ++uses_;
  return *found;
}

std::uint64_t AccessTable::number(const Pointer& access) { return access ? entry(access).number : 0; }

Result<std::shared_ptr<TlsContext>> AccessTable::context(const Pointer& access) {
  std::shared_ptr<TlsContext>& slot = access ? entry(access).context : common_;
  if (!slot) {
    Result<std::unique_ptr<TlsContext>> made = TlsContext::create(files_, access.get());
    if (made.has_error()) return made.error();
    slot = std::move(*made);
  }
  return slot;
}

}  // namespace rollcall
