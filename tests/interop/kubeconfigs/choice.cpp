// Prints how the library reads $KUBECONFIG, as one line of JSON like client-go's of go/main.go. No server is asked: the transport answers
// itself.
#include <fmt/format.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <cstdio>
#include <vector>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "json/json_text.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {
namespace {

class Recorder final : public HttpTransport {
 public:
  std::optional<HttpRequest> request;

  class Body final : public HttpStream {
   public:
    Body() { head_.status = 200; }
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override { co_return std::exchange(left_, std::string_view()); }

   private:
    HttpResponse head_;
    std::string_view left_ = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";
  };

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    co_return Failure(Errc::unimplemented, "lists are streams");
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& asked, const ExchangeOptions&) override {
    request = asked;
    co_return std::unique_ptr<HttpStream>(std::make_unique<Body>());
  }
  void close() override {}
};

std::string namespace_in(const std::string& target) {
  constexpr std::string_view before = "/api/v1/namespaces/";
  const std::size_t at = target.find(before);
  if (at == std::string::npos) return {};
  const std::size_t start = at + before.size();
  return target.substr(start, target.find('/', start) - start);
}

std::string choice_of(const HttpRequest& asked) {
  std::string out = "{";
  const ServerAccess access = asked.access ? *asked.access : ServerAccess();
  const auto field = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) append_json_field(out, name, value);
  };
  field("server", to_lower(asked.url.origin()));
  field("namespace", namespace_in(asked.url.target));
  field("token", asked.bearer.reveal());
  std::vector<std::string> persons;
  asked.headers.each([&persons](std::string_view name, std::string_view value) {
    if (to_lower(name).starts_with("impersonate-")) persons.push_back(fmt::format("{}: {}", to_lower(name), value));
  });
  std::sort(persons.begin(), persons.end());
  out += fmt::format("{}\"impersonate\":[", out == "{" ? "" : ",");
  for (const std::string& person : persons) {
    if (!out.ends_with('[')) out += ',';
    append_json_string(out, person);
  }
  out += ']';
  field("authorities", base64_encode(access.authorities));
  field("certificate", base64_encode(access.certificate));
  field("server_name", access.server_name);
  if (access.skips_verification) out += R"(,"insecure":true)";
  field("proxy", access.proxy.reveal());
  return out + "}";
}

int print_choice(const std::string& context) {
  asio::io_context io(1);
  const auto recorder = std::make_shared<Recorder>();
  RuntimeOptions options;
  options.http = recorder;
  const Runtime runtime(io.get_executor(), std::move(options));
  KubernetesOptions wanted;
  wanted.namespace_name(".").context(context);
  std::string error;
  asio::co_spawn(io, make_kubernetes_resolver(runtime, wanted)->try_cluster_spec(),
                 [&error](std::exception_ptr thrown, const Result<ClusterSpec>& spec) {
                   if (thrown) std::rethrow_exception(thrown);
                   if (!spec) error = spec.error().message();
                 });
  io.run();
  std::string line;
  if (!error.empty()) {
    line = "{";
    append_json_field(line, "error", error);
    line += R"(,"impersonate":[]})";
  } else {
    line = choice_of(*recorder->request);
  }
  std::puts(line.c_str());
  return 0;
}

}  // namespace
}  // namespace rollcall

int main(int argc, char** argv) { return rollcall::print_choice(argc > 1 ? argv[1] : ""); }
