// The metadata server's token of the VM's default service account.
#include "auth/refreshed_credentials.hpp"
#include "auth/token_request.hpp"
#include "call/runtime_impl.hpp"
#include "google/metadata_client.hpp"

namespace rollcall {
namespace {

class MetadataToken final : public RefreshedCredentials {
 public:
  MetadataToken() {
    CredentialFacts facts("metadata server");
    facts.is_from_metadata = true;
    facts_ = std::make_shared<const CredentialFacts>(std::move(facts));
  }
  std::string describe() const override { return "the metadata server"; }
  Result<CredentialFacts::Pointer> facts(const Environment&, const Files&) override { return facts_; }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    Result<ApiRequest> request = metadata_request(impl_of(call), "instance/service-accounts/default/token");
    if (!request) co_return request.error();
    request->what = "metadata token";
    request->refusal_hint =
        "the metadata server gives no token: does this machine have a service account? In a pod of GKE: its Kubernetes service account "
        "must be "
        "bound to one (workload identity)";
    const WallTime requested_at = impl_of(call).time->wall_now();
    Result<HttpResponse> response = co_await metadata_send(call, *request);
    if (!response) co_return response.error();
    Result<TokenReply> reply = parse_token_reply(response->body);
    wipe(response->body.data(), response->body.size());
    if (!reply) {
      Failure failure = reply.error();
      if (failure.target().empty()) failure.with_target(request->http.url.without_query());
      co_return failure;
    }
    co_return token_of(TokenAnswer(std::move(*reply), requested_at));
  }

 private:
  CredentialFacts::Pointer facts_;
};

}  // namespace

std::shared_ptr<Credentials> metadata_token() { return std::make_shared<MetadataToken>(); }

}  // namespace rollcall
