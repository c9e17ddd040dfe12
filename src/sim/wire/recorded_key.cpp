#include "sim/wire/recorded_key.hpp"

#include <algorithm>
#include <array>

namespace rollcall::sim {
namespace {

constexpr std::array<std::string_view, 2> patience_names = {"timeoutSeconds", "timeout_sec"};
constexpr std::array<std::string_view, 2> version_names = {"resourceVersion", "last_etag"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string recorded_key(std::string_view method, const ParsedTarget& target, bool is_loose) {
  std::vector<std::pair<std::string, std::string>> query;
  for (const auto& pair : target.query) {
    const bool is_left_out = is_among(patience_names, pair.first) || (is_loose && is_among(version_names, pair.first));
    if (!is_left_out) query.push_back(pair);
  }
  std::sort(query.begin(), query.end());
  std::string out = std::string(method) + ' ' + target.path;
  for (const auto& [name, value] : query) out.append(1, '\n').append(name).append(1, '=').append(value);
  return out;
}

bool is_kube_path(std::string_view path) {
  return path == "/api" || path == "/apis" || path.starts_with("/api/") || path.starts_with("/apis/") || path.starts_with("/version");
}

}  // namespace rollcall::sim
