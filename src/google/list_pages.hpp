// The pages of a list in sequence, parsed while they are received.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "base/page_cursor.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {

class ListQuestion {
 public:
  ListQuestion() {}
  std::string what;  ///< for messages: "TPUs of project 'p', all zones"
  Url url;           ///< of the first page, with a query
  std::string body;  ///< empty: a GET; else a POST that lists as well
  const Service* service = &other_service;
  bool is_token_allowed = true;
};

/// `Parser` has feed(), finish() and next_page_token().
template <class Parser>
class ListPages {
 public:
  ListPages(Call& call, ListQuestion question)
      : ListPages(call, std::move(question), [limits = parse_limits(impl_of(call))] { return Parser(limits); }) {}
  /// `make` creates the parser for each page.
  ListPages(Call& call, ListQuestion question, std::function<Parser()> make)
      : call_(call), request_options_(std::move(question)), cursor_(request_options_.what, impl_of(call).limits.max_pages),
        sink_(std::move(make)), bytes_left_(impl_of(call).limits.max_stream_bytes) {}

  /// True once the last page was read.
  bool is_at_end() const noexcept { return is_at_end_; }
  int count() const noexcept { return count_; }

  /// The next page, valid until the next call; null after the last one. Errors: the request's; malformed_response, limit_exceeded.
  asio::awaitable<Result<Parser*>> next() {
    if (is_at_end_) co_return static_cast<Parser*>(nullptr);
    Url url = request_options_.url;
    if (!cursor_.token().empty()) url.target += "&pageToken=" + percent_encode_path_segment(cursor_.token());
    ApiRequest request = cloud_request(*request_options_.service, std::move(url), request_options_.what, request_options_.is_token_allowed);
    if (!request_options_.body.empty()) {
      request.http.method = HttpMethod::post;
      request.http.is_repeatable = true;
      request.http.headers.add("Content-Type", "application/json");
      request.http.body = request_options_.body;
    }
    const std::string asked = request.http.url.without_query();
    const Result<HttpResponse> response = co_await api_stream(call_, request, sink_, bytes_left_);
    if (!response) co_return response.error();
    bytes_left_ -= std::min(bytes_left_, sink_.bytes());
    const Result<void> complete = sink_.parser().finish();
    const Result<bool> has_more = complete ? cursor_.advance(sink_.parser().next_page_token()) : Result<bool>(complete.error());
    if (!has_more) {
      Failure failure = has_more.error();
      if (!failure.what().starts_with(request_options_.what)) failure.with_what(request_options_.what + ": " + failure.what());
      co_return failure.with_target(asked).with_last_status(response->status);
    }
    is_at_end_ = !*has_more;
    ++count_;
    co_return &sink_.parser();
  }

 private:
  Call& call_;
  ListQuestion request_options_;
  PageCursor cursor_;
  ParserSink<Parser> sink_;
  std::size_t bytes_left_;  // of all pages
  bool is_at_end_ = false;
  int count_ = 0;
};

}  // namespace rollcall
