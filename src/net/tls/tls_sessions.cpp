#include "net/tls/tls_sessions.hpp"

#include <algorithm>

namespace rollcall {

void TlsSessions::put(std::string_view origin, SslSessionPtr session) {
  auto found = origins_.find(origin);
  if (found == origins_.end()) {
    if (origins_.size() >= max_origins) {
      origins_.erase(
          std::min_element(origins_.begin(), origins_.end(), [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    found = origins_.emplace(std::string(origin), Entry()).first;
  }
  Entry& entry = found->second;
  entry.used = ++uses_;
  entry.sessions.push_back(std::move(session));
  if (entry.sessions.size() > max_per_origin) entry.sessions.pop_front();
}

SslSessionPtr TlsSessions::take(std::string_view origin) {
  const auto found = origins_.find(origin);
  if (found == origins_.end()) return nullptr;
  Entry& entry = found->second;
  entry.used = ++uses_;
  while (!entry.sessions.empty() && SSL_SESSION_is_resumable(entry.sessions.back().get()) == 0) entry.sessions.pop_back();
  if (entry.sessions.empty()) return nullptr;
  if (entry.sessions.size() == 1) {
    SSL_SESSION* const session = entry.sessions.back().get();
    return SslSessionPtr(SSL_SESSION_up_ref(session) == 1 ? session : nullptr);
  }
  SslSessionPtr latest = std::move(entry.sessions.back());
  entry.sessions.pop_back();
  return latest;
}

}  // namespace rollcall
