// Reads a list page by page and passes the finds to the reader of a search.
#pragma once

#include <fmt/format.h>

#include "discover/discovery.hpp"
#include "google/list_pages.hpp"

namespace rollcall {

/// Further problems of a page are only counted.
inline void cut_problems(std::vector<Failure>& problems, const ListQuestion& question) {
  constexpr std::size_t max = 1000;
  if (problems.size() <= max) return;
  const std::size_t more = problems.size() - max;
  problems.resize(max);
  problems.emplace_back(problems.back().code(), fmt::format("{}: {} more problems of this page", question.what, more));
  problems.back().with_target(question.url.without_query());
}

/// `list.take(parser)` returns the page's items, and `list.found(item)` converts them one by one, so that memory never holds a page twice.
/// `list.problems(parser)` returns the page's problems. Errors: cancelled; a failure of the list is an item of the stream.
template <class Parser, class List>
asio::awaitable<Result<void>> discover_pages(Call& call, Discovery& search, const ListTask& task, const ListQuestion& question,
                                             List& list) {
  ListPages<Parser> pages(call, question);
  for (;;) {
    const Result<Parser*> page = co_await pages.next();
    if (!page) {
      Failure failure = page.error();
      const bool is_of_server = failure.target() == question.url.without_query();
      // The API's documentation does not promise `-` for all zones.
      const bool may_refuse_wildcard = is_of_server && (failure.last_status() == 400 || failure.last_status() == 404);
      if (may_refuse_wildcard && task.is_of_all_zones()) failure.with_hint("name the zones");
      co_return co_await search.give_up(std::move(failure), pages.count());
    }
    if (!*page) co_return Result<void>();
    auto items = list.take(**page);
    for (auto& one : items) {
      Result<Found> item(list.found(one));
      one = {};
      if (search.try_pass(item)) continue;
      const Result<void> passed = co_await search.pass(std::move(item));
      if (!passed) co_return passed;
    }
    std::vector<Failure> problems = list.problems(**page);
    cut_problems(problems, question);
    std::vector<Found> nothing;
    const Result<void> passed = co_await search.pass_on(std::move(nothing), std::move(problems));
    if (!passed) co_return passed;
  }
}

}  // namespace rollcall
