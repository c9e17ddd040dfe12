#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/base64.hpp"
#include "base/path_text.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/yaml.hpp"

namespace rollcall {
namespace {

// Reads fields and keeps the first fault.
class KubeReader {
 public:
  explicit KubeReader(std::string_view path)
      : path_(path_text(path)), folder_(path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1)) {}

  std::optional<Failure> fault;

  std::string where(const YamlNode& node) const { return fmt::format("{}, line {}", path_, node.line); }

  void refuse(const YamlNode& node, std::string_view field, std::string_view what) {
    if (!fault)
      fault.emplace(Errc::invalid_argument,
                    fmt::format("the kubeconfig {}: {} {} (line {})", path_, printable(field, 80), what, node.line));
  }

  void read(const YamlNode& object, std::string_view key, std::string& into) {
    const YamlNode* const value = object.find(key);
    if (!value) return;
    if (value->kind != YamlNode::Kind::scalar) return refuse(*value, key, "is not a text");
    into = value->text;
  }

  void read(const YamlNode& object, std::string_view key, Secret<std::string>& into) {
    std::string text;
    read(object, key, text);
    into = Secret<std::string>(std::move(text));
  }

  void read(const YamlNode& object, std::string_view key, bool& into) {
    std::string text;
    read(object, key, text);
    if (text.empty()) return;
    const YamlNode& value = *object.find(key);
    const std::string word = value.is_plain ? yaml_as_json(value) : text;  // `yes` is true without quotes
    if (word == "true" || word == "false") {
      into = word == "true";
    } else {
      refuse(value, key, "is neither true nor false");
    }
  }

  void read(const YamlNode& object, std::string_view key, std::vector<std::string>& into) {
    const YamlNode* const value = object.find(key);
    if (!value) return;
    if (value->kind != YamlNode::Kind::sequence) return refuse(*value, key, "is not a list");
    for (const YamlNode::Pointer& item : value->items) {
      if (item->kind != YamlNode::Kind::scalar) return refuse(*item, key, "holds something that is not a text");
      into.push_back(item->text);
    }
  }

  // A path that is not absolute is relative to this file's folder.
  void read_path(const YamlNode& object, std::string_view key, std::string& into) {
    read(object, key, into);
    if (holds_content(into)) return refuse(*object.find(key), key, "holds a file's content, not its path");
    if (!into.empty() && into.front() != '/') into.insert(0, folder_);
  }

  void read_data(const YamlNode& object, std::string_view key, std::string& into) {
    std::string text;
    read(object, key, text);
    std::optional<std::string> bytes = base64_decode(text);
    wipe(text.data(), text.size());
    if (!bytes) return refuse(*object.find(key), key, "is not base64");
    into = std::move(*bytes);
  }

  void read_data(const YamlNode& object, std::string_view key, Secret<std::string>& into) {
    std::string bytes;
    read_data(object, key, bytes);
    into = Secret<std::string>(std::move(bytes));
  }

 private:
  std::string path_;
  std::string folder_;
};

void read_inner(KubeReader& reader, const YamlNode& node, KubeCluster& cluster) {
  reader.read(node, "server", cluster.server);
  reader.read(node, "tls-server-name", cluster.tls_server_name);
  reader.read(node, "insecure-skip-tls-verify", cluster.skips_verification);
  reader.read_path(node, "certificate-authority", cluster.authority_file);
  reader.read_data(node, "certificate-authority-data", cluster.authority_data);
  reader.read(node, "proxy-url", cluster.proxy_url);
  reader.read(node, "disable-compression", cluster.disables_compression);
  if (const YamlNode* const extensions = node.find("extensions")) {
    for (const YamlNode::Pointer& item : extensions->items) {
      std::string name;
      reader.read(*item, "name", name);
      if (name != "client.authentication.k8s.io/exec" || !cluster.exec_config.empty()) continue;
      if (const YamlNode* const extension = item->find("extension")) cluster.exec_config = yaml_as_json(*extension);
    }
  }
}

KubeExec read_exec(KubeReader& reader, const YamlNode& node) {
  KubeExec exec;
  reader.read(node, "apiVersion", exec.api_version);
  reader.read(node, "command", exec.command);
  if (exec.command.find('/') != std::string::npos) reader.read_path(node, "command", exec.command);
  reader.read(node, "args", exec.arguments);
  reader.read(node, "interactiveMode", exec.interactive_mode);
  reader.read(node, "provideClusterInfo", exec.provides_cluster_info);
  reader.read(node, "installHint", exec.install_hint);
  if (const YamlNode* const variables = node.find("env")) {
    if (variables->kind != YamlNode::Kind::sequence) reader.refuse(*variables, "env", "is not a list");
    for (const YamlNode::Pointer& item : variables->items) {
      auto& [name, value] = exec.variables.emplace_back();
      reader.read(*item, "name", name);
      reader.read(*item, "value", value);
      if (name.empty()) reader.refuse(*item, "env", "has a variable without a name");
    }
  }
  return exec;
}

// `as-user-extra: {reason: [text, …]}`.
void read_extra(KubeReader& reader, const YamlNode& node, KubeUser& user) {
  const YamlNode* const extra = node.find("as-user-extra");
  if (!extra) return;
  if (extra->kind != YamlNode::Kind::mapping) return reader.refuse(*extra, "as-user-extra", "is not a mapping");
  for (const auto& [key, value] : extra->entries)
    reader.read(*extra, key, user.as_extra.emplace_back(key, std::vector<std::string>()).second);
}

void read_provider(KubeReader& reader, const YamlNode& node, KubeUser& user) {
  const YamlNode* const provider = node.find("auth-provider");
  if (!provider) return;
  reader.read(*provider, "name", user.auth_provider);
  if (user.auth_provider.empty()) return reader.refuse(*provider, "auth-provider", "has no name");
  const YamlNode* const settings = provider->find("config");
  if (!settings) return;
  Secret<std::string> refresh_token;
  reader.read(*settings, "id-token", user.id_token);
  reader.read(*settings, "refresh-token", refresh_token);
  reader.read(*settings, "idp-issuer-url", user.issuer);
  reader.read(*settings, "client-id", user.client_id);
  user.can_be_refreshed = !refresh_token.empty();
}

void read_inner(KubeReader& reader, const YamlNode& node, KubeUser& user) {
  reader.read(node, "token", user.token);
  reader.read_path(node, "tokenFile", user.token_file);
  reader.read(node, "username", user.username);
  reader.read(node, "password", user.password);
  reader.read_path(node, "client-certificate", user.certificate_file);
  reader.read_data(node, "client-certificate-data", user.certificate_data);
  reader.read_path(node, "client-key", user.key_file);
  reader.read_data(node, "client-key-data", user.key_data);
  reader.read(node, "as", user.as);
  reader.read(node, "as-uid", user.as_uid);
  reader.read(node, "as-groups", user.as_groups);
  read_extra(reader, node, user);
  if (const YamlNode* const exec = node.find("exec")) user.exec = read_exec(reader, *exec);
  read_provider(reader, node, user);
}

void read_inner(KubeReader& reader, const YamlNode& node, KubeContext& context) {
  reader.read(node, "cluster", context.cluster);
  reader.read(node, "user", context.user);
  reader.read(node, "namespace", context.namespace_name);
}

// `clusters: [{name: …, cluster: {…}}]`. As client-go: no name may stand twice in one file.
template <class Entry>
void read_list(KubeReader& reader, const YamlNode& root, std::string_view list, std::string_view inner, std::vector<Entry>& into) {
  const YamlNode* const found = root.find(list);
  if (!found) return;
  if (found->kind != YamlNode::Kind::sequence) return reader.refuse(*found, list, "is not a list");
  std::map<std::string, std::size_t> lines;
  for (const YamlNode::Pointer& item : found->items) {
    Entry entry;
    entry.where = reader.where(*item);
    reader.read(*item, "name", entry.name);
    if (entry.name.empty()) return reader.refuse(*item, list, "has an entry without a name");
    const auto [first, is_new] = lines.emplace(entry.name, item->line);
    if (!is_new) {
      const std::string what = fmt::format("has {} twice, first in line {}: rename or remove one, since kubectl refuses both, too",
                                           quoted_words(entry.name, 80), first->second);
      return reader.refuse(*item, list, what);
    }
    const YamlNode* const node = item->find(inner);
    if (node && node->kind != YamlNode::Kind::mapping) return reader.refuse(*node, inner, "is not a mapping");
    if (node) read_inner(reader, *node, entry);
    into.push_back(std::move(entry));
  }
}

template <class Entry>
const Entry* entry_named(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [name](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

// Look-ups take the first entry of a name, hence later entries are appended.
template <class Entry>
void append(std::vector<Entry>& entries, std::vector<Entry>&& later) {
  std::move(later.begin(), later.end(), std::back_inserter(entries));
}

}  // namespace

void Kubeconfig::merge(Kubeconfig later) {
  if (current_context.empty()) current_context = std::move(later.current_context);
  append(clusters, std::move(later.clusters));
  append(users, std::move(later.users));
  append(contexts, std::move(later.contexts));
}

const KubeCluster* Kubeconfig::cluster(std::string_view name) const { return entry_named(clusters, name); }
const KubeUser* Kubeconfig::user(std::string_view name) const { return entry_named(users, name); }
const KubeContext* Kubeconfig::context(std::string_view name) const { return entry_named(contexts, name); }

Result<Kubeconfig> parse_kubeconfig(std::string_view path, std::string_view text) {
  const std::string origin = "the kubeconfig " + path_text(path);
  const Result<YamlNode::Pointer> root = parse_yaml(origin, text);
  if (!root) return root.error();
  Kubeconfig config;
  const YamlNode& top = **root;
  if (top.kind == YamlNode::Kind::null) return config;
  if (top.kind != YamlNode::Kind::mapping) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not a mapping (line {})", origin, top.line));
  }
  KubeReader reader(path);
  std::string kind;
  reader.read(top, "kind", kind);
  if (!kind.empty() && kind != "Config") reader.refuse(*top.find("kind"), "kind", fmt::format("is {}, not Config", quoted_words(kind, 64)));
  reader.read(top, "current-context", config.current_context);
  read_list(reader, top, "clusters", "cluster", config.clusters);
  read_list(reader, top, "users", "user", config.users);
  read_list(reader, top, "contexts", "context", config.contexts);
  if (reader.fault) return *reader.fault;
  return config;
}

}  // namespace rollcall
