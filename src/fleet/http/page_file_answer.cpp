#include "fleet/http/page_file_answer.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/page/page_files.hpp"

namespace rollcall::fleet {

asio::awaitable<void> PageFileAnswer::answer(PageRequest request) { return send(request.exchange, request.rest); }

asio::awaitable<void> PageFileAnswer::send(ServerExchange& exchange, std::string_view name) {
  const std::span<const PageFile> files = page_files();
  const auto file = std::find_if(files.begin(), files.end(), [name](const PageFile& one) { return one.name == name; });
  if (file == files.end()) {
    Refusal refusal(404, Failure(Errc::not_found, "the page has no file " + quoted(name, 80)));
    co_await refuse(entry_, exchange, std::move(refusal));
    co_return;
  }
  HttpResponse head = browser_head(file->type);
  head.headers.add("ETag", std::string(file->etag));
  if (matches_etag(joined_field(exchange.request().headers, "If-None-Match"), file->etag)) {
    head.status = 304;
    co_await exchange.reply(head);
    co_return;
  }
  if (!bodies_.contains(name)) {
    Body packed = co_await pack(std::string(file->text));
    bodies_.insert_or_assign(std::string(name), std::move(packed));
  }
  Body body = bodies_.find(name)->second;
  co_await reply_body(exchange, std::move(head), std::move(body));
}

}  // namespace rollcall::fleet
