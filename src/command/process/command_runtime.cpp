#include "command/process/command_runtime.hpp"

#include "base/file_warnings.hpp"
#include "command/process/command_files.hpp"

namespace rollcall::command {
namespace {

// The transport, which reads the key, cannot log.
void warn_of_open_key(const Arguments& arguments, const Files& files, const std::function<void(const std::string&)>& warn) {
  const std::string& key = arguments.client_key.empty() ? arguments.client_certificate : arguments.client_key;
  if (key.empty() || !files.is_open_to_others(key).value_or(false)) return;
  warn("warning: " + open_file_warning(key));
}

void warn_of_other_writers(const std::string& path, const LocalFiles& files, const std::function<void(const std::string&)>& warn) {
  if (path.empty() || path == "-") return;
  const std::string writers = files.other_writers(path);
  if (!writers.empty()) warn("warning: " + other_writers_warning(path, writers));
}

}  // namespace

RuntimeOptions runtime_options_of(const Arguments& arguments, std::shared_ptr<const Environment> environment,
                                  const asio::any_io_executor& executor, const std::function<void(const std::string&)>& warn) {
  RuntimeOptions options;
  options.network.connect_to = arguments.connect_to;
  options.network.ca_file = arguments.ca_file;
  options.network.certificate_file = arguments.client_certificate;
  options.network.key_file = arguments.client_key;
  if (!arguments.proxy.empty())
    options.network.proxy = ProxySettings::given(std::string(arguments.proxy.reveal()), "--proxy", *environment);
  const std::string authorities = environment->get("SSL_CERT_FILE").value_or("");
  options.environment = std::move(environment);
  options.network.http2 = !arguments.only_http1;
  options.network.dns_servers = arguments.dns_servers;
  const auto files = std::make_shared<CommandFiles>(executor);
  options.files = files;
  warn_of_open_key(arguments, *files, warn);
  for (const std::string& path : {arguments.ca_file, authorities, arguments.config_file}) warn_of_other_writers(path, *files, warn);
  for (const std::string& path : arguments.target_files) warn_of_other_writers(path, *files, warn);
  return options;
}

}  // namespace rollcall::command
