// What browsers are shown: the page, its files, and the shape of an accelerator for its drawings.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/page/fleet_table.hpp"
#include "fleet/page/page_files.hpp"
#include "json/json_text.hpp"
#include "render/render_topology.hpp"

namespace rollcall::fleet {
namespace {

HttpResponse page_head_of(std::string_view type) {
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", std::string(type));
  head.headers.add(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
      "base-uri 'none'; form-action 'none'");
  head.headers.add("X-Content-Type-Options", "nosniff");
  head.headers.add("Referrer-Policy", "no-referrer");
  head.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  return head;
}

std::string source_json(const SourceFacts& source, SteadyTime now) {
  std::string out = "{";
  append_json_field(out, "source", source.key);
  fmt::format_to(std::back_inserter(out), ",\"told\":{},\"targets\":{},\"requests_a_minute\":{},\"quota_a_minute\":{}",
                 source.supports_watch, source.targets, source.requests_a_minute, source.quota_a_minute);
  if (const Age age = age_at(source.polled_at, now)) {
    fmt::format_to(std::back_inserter(out), ",\"age_ms\":{}", age->count());
  } else {
    out += ",\"age_ms\":null";
  }
  append_json_field(out, "trouble", source.trouble);
  return out + "}";
}

}  // namespace

// A browser opens the page before it can send a token.
asio::awaitable<void> FleetRequests::open_page(ServerExchange& exchange, RequestNotes& notes) {
  notes.place = "/";
  const ServerRequest& request = exchange.request();
  bool is_stranger = false;
  if (options_.access && joined_field(request.headers, "Authorization").empty()) {
    const Result<Identity> nobody = co_await options_.access->identify(request);
    is_stranger = !nobody;
  }
  ClientPtr client;
  if (!is_stranger) {
    client = co_await admit(exchange);
    if (!client) co_return;
    notes.client = client;
  }
  co_await show_page(exchange, std::move(client));
}

asio::awaitable<void> FleetRequests::show_page(ServerExchange& exchange, ClientPtr client) {
  if (is_bodiless(exchange)) {
    co_await reply_bodiless(exchange, page_head_of("text/html; charset=utf-8"));
    co_return;
  }
  const Result<bool> made = co_await summaries_->refresh();
  if (!made && made.error().code() == Errc::cancelled) co_return;  // another failure: what was known is shown
  std::vector<FleetCluster> clusters;
  const SteadyTime present = now();
  const TellLine tell = [&clusters, present](const ClusterSummaries::Line& line) {
    clusters.push_back(line.cluster);
    clusters.back().age = age_at(line.polled_at, present);
  };
  if (client) co_await tell_lines(*client, tell);
  std::string text = render_fleet_page(clusters, !client);
  clusters = std::vector<FleetCluster>();
  const Client stranger;
  co_await reply_own(exchange, client ? *client : stranger, page_head_of("text/html; charset=utf-8"), std::move(text));
}

asio::awaitable<void> FleetRequests::show_page_file(ServerExchange& exchange, std::string_view name) {
  const std::span<const PageFile> files = page_files();
  const auto file = std::find_if(files.begin(), files.end(), [name](const PageFile& one) { return one.name == name; });
  if (file == files.end()) {
    Refusal refusal(404, Failure(Errc::not_found, "the page has no file " + quoted(name, 80)));
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  HttpResponse head = page_head_of(file->type);
  head.headers.add("ETag", std::string(file->etag));
  if (matches_etag(joined_field(exchange.request().headers, "If-None-Match"), file->etag)) {
    head.status = 304;
    co_await exchange.reply(head);
    co_return;
  }
  if (!files_.contains(name)) {
    Body packed = co_await pack(std::string(file->text));
    files_.insert_or_assign(std::string(name), std::move(packed));
  }
  Body body = files_.find(name)->second;
  co_await reply_body(exchange, std::move(head), std::move(body));
}

asio::awaitable<void> FleetRequests::list_sources(ServerExchange& exchange, const Client& client) {
  std::string text = "{\"sources\":[";
  const bool may_see_any = may_see_sources(client);
  for (const SourceFacts& source : fleet_->sources()) {
    if (!may_see_any) break;
    if (text.back() == '}') text += ',';
    text += source_json(source, now());
  }
  text += "]}";
  co_await reply_own(exchange, client, page_head_of("application/json"), std::move(text));
}

asio::awaitable<void> FleetRequests::tell_topology(ServerExchange& exchange, std::string_view type) {
  const Result<AcceleratorType> known = AcceleratorType::parse(type);
  if (!known) {
    Refusal refusal(404, known.error());
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  HttpResponse response = page_head_of("application/json");
  response.body = render_topology_json(TpuLayout(*known));
  co_await exchange.reply(response);
}

}  // namespace rollcall::fleet
