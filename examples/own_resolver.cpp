// A resolver of one's own: asks an inventory service by HTTP. Deadline, retries, cancellation and tracing come from the library.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "rollcall/call.hpp"
#include "rollcall/resolver.hpp"

class InventoryResolver final : public rollcall::ClusterResolver {
 public:
  InventoryResolver(rollcall::Runtime runtime, std::string url) : ClusterResolver(std::move(runtime)), url_(std::move(url)) {}

  std::string describe() const override { return "inventory:" + url_; }

  // The service answers with one word, the zone; the machines are named after it.
  asio::awaitable<rollcall::Result<rollcall::ClusterSpec>> do_cluster_spec(rollcall::Call& call) override {
    const rollcall::Result<rollcall::Url> url = rollcall::Url::parse(url_);
    if (!url) co_return url.error();
    rollcall::HttpRequest request(*url);
    request.headers.add("Metadata-Flavor", "Google");
    const auto answer = co_await call.fetch(std::move(request));
    if (!answer) co_return answer.error();
    const std::string zone = answer->body.substr(answer->body.rfind('/') + 1);
    rollcall::ClusterSpec spec;
    spec.set_job("worker", {zone + "-0:8470", zone + "-1:8470"});
    co_return spec;
  }

 private:
  std::string url_;
};

int main() {
  const char* host = std::getenv("GCE_METADATA_HOST");
  const std::string url = std::string("http://") + (host ? host : "169.254.169.254") + "/computeMetadata/v1/instance/zone";
  asio::io_context io;
  rollcall::Runtime runtime(io.get_executor());
  const auto inventory = std::make_shared<InventoryResolver>(runtime, url);
  auto answer = asio::co_spawn(io, inventory->try_cluster_spec(), asio::use_future);
  io.run();
  const rollcall::Result<rollcall::ClusterSpec> spec = answer.get();
  fmt::print("{}\n", spec ? spec->to_text() : spec.error().message());
  return spec ? 0 : 1;
}
