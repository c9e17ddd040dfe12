// Reads the file of settings, and the files that it names.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "fleet/settings/option_faults.hpp"
#include "fleet/settings/wire/fleet_settings.hpp"
#include "net/tls/tls_context.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall {
namespace {

using fleet::SettingsFaults;

constexpr std::size_t max_settings_bytes = 1 << 20;
constexpr std::size_t max_pem_bytes = 1 << 20;

// The text; empty: it cannot be read, which is noted as a fault.
std::string read_named(const Files& files, const std::string& path, std::string setting, SettingsFaults& faults) {
  if (path.empty()) return {};
  Result<std::string> text = files.read(path, max_pem_bytes);
  if (!text) {
    faults.add(setting, fmt::format("{} cannot be read: {}", quoted_path(path), text.error().what()));
    return {};
  }
  if (text->empty()) faults.add(setting, fmt::format("{} is empty", quoted_path(path)));
  return std::move(*text);
}

void check_pem(const ServerAccess& access, std::string setting, SettingsFaults& faults) {
  const Result<std::unique_ptr<TlsContext>> made = TlsContext::create(TlsFiles(), &access);
  if (!made) faults.add(setting, made.error().what());
}

void check_authorities(const std::string& path, const std::string& setting, const Files& files, SettingsFaults& faults) {
  ServerAccess access;
  access.authorities = read_named(files, path, setting, faults);
  access.authorities_from = quoted_path(path);
  if (!access.authorities.empty()) check_pem(access, setting, faults);
}

void check_identity(const std::string& certificate, const std::string& key_file, const std::string& setting, const Files& files,
                    SettingsFaults& faults) {
  ServerAccess access;
  access.certificate = read_named(files, certificate, setting + ".certificate", faults);
  access.identity_from = quoted_path(certificate);
  const bool has_key_file = !key_file.empty();
  std::string key = has_key_file ? read_named(files, key_file, setting + ".key", faults) : access.certificate;
  if (access.certificate.empty() || key.empty()) return;
  if (has_key_file) access.identity_from += fmt::format(" with the key {}", quoted_path(key_file));
  access.key = Secret<std::string>(std::move(key));
  check_pem(access, setting + (has_key_file ? ".key" : ".certificate"), faults);
}

void check_tls_files(const FleetTls& tls, const Files& files, SettingsFaults& faults) {
  check_authorities(tls.client_authorities_file, "tls.client_authorities", files, faults);
  check_identity(tls.certificate_file, tls.key_file, "tls", files, faults);
}

void check_lease_files(const FleetLease& lease, const Files& files, SettingsFaults& faults) {
  check_authorities(lease.authorities_file, "lease.authorities", files, faults);
  check_authorities(lease.replica_authorities_file, "lease.replica_authorities", files, faults);
  check_identity(lease.certificate_file, lease.key_file, "lease", files, faults);
  const Secret<std::string> password(read_named(files, lease.password_file, "lease.password_file", faults));
  const Secret<std::string> token(read_named(files, lease.token_file, "lease.token_file", faults));
}

// Checks that it is a kubeconfig in which the context leads to a cluster and a user.
void check_kubeconfig(const FleetClients& clients, std::string setting, const Files& files, SettingsFaults& faults) {
  if (read_named(files, clients.kubeconfig, setting + ".kubeconfig", faults).empty()) return;
  const auto options = KubernetesOptions().kubeconfig(clients.kubeconfig).context(clients.context);
  const Result<std::optional<KubernetesServer>> server = find_in_kubeconfig(*fixed_environment({}), files, options);
  if (server) return;
  const bool is_of_context = !clients.context.empty() && server.error().code() == Errc::not_found;
  faults.add(setting + (is_of_context ? ".context" : ".kubeconfig"), server.error().what());
}

}  // namespace

Result<FleetServiceOptions> read_fleet_settings(const std::string& path, const Files& files) {
  const Result<std::string> text = files.read(path, max_settings_bytes);
  if (!text) return text.error();
  Result<fleet::ParsedSettings> parsed = fleet::parse_fleet_settings(path, *text);
  if (!parsed) return parsed.error();
  SettingsFaults& faults = parsed->faults;
  for (fleet::OptionFault& fault : fleet::option_faults(parsed->options)) faults.add(fault.path, std::move(fault.what));
  check_tls_files(parsed->options.tls, files, faults);
  check_lease_files(parsed->options.lease, files, faults);
  for (std::size_t i = 0; i < parsed->options.slurm.size(); ++i) {
    const Secret<std::string> token(read_named(files, parsed->options.slurm[i].token_file, fmt::format("slurm[{}].token_file", i), faults));
  }
  for (std::size_t i = 0; i < parsed->options.clients.size(); ++i)
    check_kubeconfig(parsed->options.clients[i], fmt::format("clients[{}].kubernetes", i), files, faults);
  if (!faults.empty()) return faults.failure(path);
  return std::move(parsed->options);
}

}  // namespace rollcall
