// A search reads a list: page after page goes on to its reader.
#pragma once

#include "resolve/discovery.hpp"
#include "resolve/list_pages.hpp"

namespace rollcall {

/// `take(parser, finds, problems)` adds what a page tells. Errors: cancelled; what is wrong with the list is an item of the stream.
template <class Parser, class Take>
asio::awaitable<Result<void>> discover_pages(Call& call, Discovery& search, const ListQuestion& question, const Take& take) {
  ListPages<Parser> pages(call, question);
  for (;;) {
    const Result<Parser*> page = co_await pages.next();
    if (!page) {
      const Result<void> told = co_await search.give_up(page.error(), pages.count());
      co_return told;
    }
    if (!*page) co_return Result<void>();
    std::vector<Found> finds;
    std::vector<Failure> problems;
    take(**page, finds, problems);
    const Result<void> passed = co_await search.pass_on(std::move(finds), std::move(problems));
    if (!passed) co_return passed;
  }
}

}  // namespace rollcall
