// /page/NAME: the files of the overview page.
#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "fleet/entry/body.hpp"
#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/page/page_files.hpp"

namespace rollcall::fleet {
namespace {

class PageFiles final : public Page {
 public:
  explicit PageFiles(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, std::string_view name);

  ServiceEntry& entry_;
  std::map<std::string, Body, std::less<>> bodies_;  // by name; compressed when they are asked for first
};

}  // namespace

asio::awaitable<void> PageFiles::answer(PageRequest request) { return send(request.exchange, request.rest); }

asio::awaitable<void> PageFiles::send(ServerExchange& exchange, std::string_view name) {
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

std::unique_ptr<Page> make_page_files(ServiceEntry& entry) { return std::make_unique<PageFiles>(entry); }

}  // namespace rollcall::fleet
