#include "command/process/command_runtime.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "command/process/command_files.hpp"
#include "rollcall/target.hpp"

namespace rollcall::tools {
namespace {

// The files that are asked for because there is a token or a key in them: named by an option, by a target, or where kubectl looks.
bool holds_secret(const Arguments& arguments, const std::string& path) {
  const std::string& key = arguments.client_key.empty() ? arguments.client_certificate : arguments.client_key;
  if (path == arguments.token_file || path == arguments.kubernetes_token_file || path == key || path.ends_with("/.kube/config"))
    return true;
  const char* const configs = ::getenv("KUBECONFIG");
  for (const std::string_view config : split(configs ? configs : "", ':'))
    if (path == config) return true;
  for (const std::string& text : arguments.positionals) {
    const Result<Target> target = Target::parse(text);
    if (target && (target->get("token_file") == path || target->get("kubeconfig") == path)) return true;
  }
  return false;
}

}  // namespace

RuntimeOptions runtime_options_of(const Arguments& arguments, std::shared_ptr<const Environment> environment,
                                  std::function<void(const std::string&)> warn) {
  RuntimeOptions options;
  options.network.connect_to = arguments.connect_to;
  options.network.ca_file = arguments.ca_file;
  options.network.certificate_file = arguments.client_certificate;
  options.network.key_file = arguments.client_key;
  if (!arguments.proxy.empty())
    options.network.proxy = ProxySettings::given(std::string(arguments.proxy.reveal()), "--proxy", *environment);
  options.environment = std::move(environment);
  options.network.dns_servers = arguments.dns_servers;
  options.files = std::make_shared<CommandFiles>(
      arguments.timeout, [&arguments](const std::string& path) { return holds_secret(arguments, path); }, std::move(warn));
  return options;
}

}  // namespace rollcall::tools
