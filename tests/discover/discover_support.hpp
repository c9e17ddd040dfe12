// The result of a search.
#pragma once

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <set>

#include "rollcall/discover.hpp"
#include "support/cloud_loop.hpp"

namespace rollcall::testing {

struct Finds {
  std::vector<Found> found;
  std::vector<Failure> missing;

  std::string names() const {
    std::set<std::string> sorted;
    for (const Found& one : found) sorted.insert(fmt::format("{} {}", to_string(one.kind), one.name));
    return fmt::format("{}", fmt::join(sorted, ", "));
  }
  const Found& of(std::string_view name) const {
    for (const Found& one : found) {
      if (one.name == name) return one;
    }
    FAIL("not found: " << name);
    throw std::logic_error("unreachable");
  }
};

inline asio::awaitable<Finds> read_all(std::shared_ptr<FoundStream> stream) {
  Finds finds;
  for (;;) {
    Result<std::optional<Found>> item = co_await stream->try_next();
    if (!item) {
      finds.missing.push_back(item.error());
      continue;
    }
    if (!*item) co_return finds;
    finds.found.push_back(std::move(**item));
  }
}

inline Finds search(CloudLoop& t, DiscoverOptions options, CallOptions call = {}) {
  return t.run(read_all(discover(t.runtime, std::move(options), std::move(call))));
}

}  // namespace rollcall::testing
