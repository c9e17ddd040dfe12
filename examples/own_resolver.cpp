// A custom resolver, with its target `inventory:`. It asks a service by HTTP; deadline, retries, cancellation and tracing come from the
// library. Here it is one part of a union.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>

#include "rollcall/target_scheme.hpp"
#include "rollcall/union_resolver.hpp"

class InventoryResolver final : public rollcall::ClusterResolver {
 public:
  InventoryResolver(rollcall::Runtime runtime, rollcall::Url url) : ClusterResolver(std::move(runtime)), url_(std::move(url)) {}

  std::string describe() const override { return "inventory:" + url_.origin(); }

  // The service answers with one word, the zone; the machines are named after it.
  asio::awaitable<rollcall::Result<rollcall::ClusterSpec>> do_cluster_spec(rollcall::Call& call) override {
    rollcall::HttpRequest request(url_);
    request.headers.add("Metadata-Flavor", "Google");
    const auto answer = co_await call.fetch(std::move(request));
    if (!answer) co_return answer.error();
    const std::string zone = answer->body.substr(answer->body.rfind('/') + 1);
    rollcall::ClusterSpec spec;
    spec.set_job("worker", {zone + "-0:8470", zone + "-1:8470"});
    co_return spec;
  }

 private:
  rollcall::Url url_;
};

rollcall::Result<std::shared_ptr<rollcall::ClusterResolver>> make_inventory(rollcall::Runtime runtime, const rollcall::Target& target) {
  const auto url = rollcall::Url::parse("http://" + target.body);
  if (!url) return url.error();
  return std::make_shared<InventoryResolver>(std::move(runtime), *url);
}

constexpr rollcall::TargetScheme own[] = {{.name = "inventory", .synopsis = "inventory:HOST/PATH", .make = make_inventory}};

namespace whole_process {

constexpr rollcall::ServedKey served_keys[] = {{"port"}, {"task", true}};  // true: concerns the client alone
constexpr rollcall::SchemeRules inventory_rules = {.scheme = "inventory", .keys = served_keys};
constexpr rollcall::TargetScheme inventory = {
    .name = "inventory", .synopsis = "inventory:HOST/PATH", .make = make_inventory, .rules = &inventory_rules};

const rollcall::AddedScheme added(inventory);

}  // namespace whole_process

int main() {
  const char* host = std::getenv("GCE_METADATA_HOST");
  const std::string text = fmt::format("inventory:{}/computeMetadata/v1/instance/zone", host ? host : "169.254.169.254");
  asio::io_context io;
  rollcall::Runtime runtime(io.get_executor());
  const auto inventory = make_resolver(runtime, text, own);
  const auto known = make_resolver(runtime, "simple:job.worker=spare:8470,job.ps=store:2222", own);
  if (!inventory || !known) return 2;
  auto answer = asio::co_spawn(io, make_union_resolver(runtime, {*inventory, *known})->try_cluster_spec(), asio::use_future);
  io.run();
  const rollcall::Result<rollcall::ClusterSpec> spec = answer.get();
  fmt::print("{}\n", spec ? spec->to_text() : spec.error().message());
  return spec ? 0 : 1;
}
