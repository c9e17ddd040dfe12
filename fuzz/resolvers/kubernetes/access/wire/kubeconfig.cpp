// A kubeconfig: no message contains a value that may be a secret, and the walk of the tree is bounded.
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Kubeconfig> config = parse_kubeconfig("/k/config", text);
  require_sane(config);
  if (!config) return 0;
  require(config->clusters.size() <= 65'536 && config->users.size() <= 65'536);
  for (const KubeUser& user : config->users) {
    require(config->user(user.name) != nullptr);
    require(user.id_token.empty() || !user.auth_provider.empty());
    require(user.token_file.empty() || user.token_file.front() == '/');
  }
  Kubeconfig twice = *config;
  twice.merge(*config);
  require(twice.current_context == config->current_context);
  return 0;
}
