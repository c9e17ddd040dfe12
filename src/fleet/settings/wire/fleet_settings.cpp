// The form of the file: keys and kinds of values. option_faults() checks what the options mean together.
#include "fleet/settings/wire/fleet_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/duration.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "fleet/rights/rules/right_table.hpp"

namespace rollcall::fleet {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 11> top_keys = {"listen", "xds",     "tls",    "lease",  "follow", "slurm",
                                                       "allow",  "clients", "rights", "limits", "quota"};
constexpr std::array<std::string_view, 1> xds_keys = {"listen"};
constexpr std::array<std::string_view, 3> tls_keys = {"certificate", "key", "client_authorities"};
constexpr std::array<std::string_view, 12> lease_keys = {"kubernetes", "etcd",      "authorities",         "certificate",
                                                         "key",        "user",      "password_file",       "fleet",
                                                         "ttl",        "serves_at", "replica_authorities", "token_file"};
constexpr std::array<std::string_view, 6> etcd_lease_keys = {"authorities", "certificate", "key", "user", "password_file", "fleet"};
constexpr std::array<std::string_view, 3> cluster_lease_keys = {"namespace", "name", "context"};
constexpr std::array<std::string_view, 2> project_place_keys = {"project", "zones"};
constexpr std::array<std::string_view, 2> cluster_place_keys = {"context", "namespaces"};
constexpr std::array<std::string_view, 3> slurm_place_keys = {"cluster", "users", "partitions"};
constexpr std::array<std::string_view, 4> slurm_keys_of_settings = {"cluster", "restd", "token_file", "login"};
constexpr std::array<std::string_view, 1> certificate_keys = {"as"};
constexpr std::array<std::string_view, 5> kubernetes_keys = {"as", "audience", "context", "kubeconfig", "reviews"};
constexpr std::array<std::string_view, 3> google_keys = {"as", "audience", "projects"};
constexpr std::array<Keys, 3> keys_of_method = {certificate_keys, kubernetes_keys, google_keys};
constexpr std::array<std::string_view, 5> right_keys = {"who", "read", "metrics", "replica", "barrier"};
constexpr std::int64_t max = 1'000'000;

constexpr std::string_view patterns_expected = R"(a list of patterns: ["tpu:*,project=p", "kubernetes:train"])";

class SettingsParser {
 public:
  SettingsParser(std::string_view path, ParsedSettings& out)
      : folder_(path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1)), options_(out.options) {}

  void read(const SettingsNode& file) {
    // A file that was cut, or is empty, must not pass for a file of defaults.
    if (file.is_null() || (file.is_mapping() && file.entries().empty()))
      return file.complain("says nothing: the file may have been cut; for a service with all as by default leave --config out");
    if (const auto old = file.child("store"))
      return old->complain(
          "is now called lease, with the same keys: lease: {etcd: [\"https://etcd-0:2379\"], fleet: prod}; or {kubernetes: {}}");
    if (!file.has_keys(top_keys)) return;
    if (const auto node = file.child("listen")) options_.listen = node->texts(R"(a list of addresses: ["127.0.0.1:7070", "[::1]:7070"])");
    if (const auto node = file.child("xds")) read_xds(*node);
    if (const auto node = file.child("tls")) read_tls(*node);
    if (const auto node = file.child("lease")) read_lease(*node);
    if (const auto node = file.child("slurm")) read_slurm(*node);
    if (const auto node = file.child("follow")) read_places(*node);
    if (const auto node = file.child("clients")) read_clients(*node);
    if (const auto node = file.child("allow")) read_allowed(*node);
    if (const auto node = file.child("rights")) read_rights(*node);
    if (const auto node = file.child("limits")) read_limits(*node);
    if (const auto node = file.child("quota")) read_quota(*node);
  }

 private:
  void read_file(const SettingsNode& object, std::string_view key, std::string& into) {
    const auto node = object.child(key);
    if (node) into = node->text();
    if (holds_content(into)) {
      into.clear();
      return node->complain("holds a file's content, not its path");
    }
    if (!into.empty() && !into.starts_with('/')) into.insert(0, folder_);
  }

  void read_text(const SettingsNode& object, std::string_view key, std::string& into) {
    if (const auto node = object.child(key)) into = node->text();
  }

  void read_xds(const SettingsNode& node) {
    if (!node.has_keys(xds_keys)) return;
    const auto addresses = node.child("listen");
    if (!addresses) return node.complain("the addresses are missing: {listen: [\"127.0.0.1:7071\"]}");
    options_.xds_listen = addresses->texts(R"(a list of addresses: ["127.0.0.1:7071"])");
  }

  void read_tls(const SettingsNode& node) {
    if (!node.has_keys(tls_keys)) return;
    read_file(node, "certificate", options_.tls.certificate_file);
    read_file(node, "key", options_.tls.key_file);
    read_file(node, "client_authorities", options_.tls.client_authorities_file);
    if (!node.child("certificate")) node.complain("the certificate is missing: the PEM file of the service's own, and its chain");
  }

  void read_lease(const SettingsNode& node) {
    if (!node.has_keys(lease_keys)) return;
    FleetLease& lease = options_.lease;
    const auto cluster = node.child("kubernetes");
    const auto servers = node.child("etcd");
    if (cluster && servers) return node.complain("names both kubernetes and etcd: services have one lease");
    if (!cluster && !servers) return node.complain(R"(the engine is missing: {kubernetes: {}}, or {etcd: ["https://etcd-0:2379"]})");
    if (const auto ttl = node.child("ttl")) read_ttl(*ttl, lease.ttl);
    read_text(node, "serves_at", lease.serves_at);
    read_file(node, "replica_authorities", lease.replica_authorities_file);
    read_file(node, "token_file", lease.token_file);
    if (cluster) {
      lease.engine = FleetLease::Engine::kubernetes;
      for (const std::string_view key : etcd_lease_keys) {
        if (const auto other = node.child(key))
          other->complain("is for etcd; a Lease of Kubernetes is found by its namespace and name, and asked as kubectl would");
      }
      if (cluster->is_null() || !cluster->has_keys(cluster_lease_keys)) return;  // `kubernetes:`
      read_text(*cluster, "namespace", lease.namespace_name);
      read_text(*cluster, "name", lease.name);
      read_text(*cluster, "context", lease.context);
      return;
    }
    lease.engine = FleetLease::Engine::etcd;
    lease.etcd = servers->texts(R"(a list of etcd's servers: ["https://etcd-0:2379"])");
    if (servers->is_empty_list()) servers->complain("no server is named; leave the lease out for a service without others");
    read_file(node, "authorities", lease.authorities_file);
    read_file(node, "certificate", lease.certificate_file);
    read_file(node, "key", lease.key_file);
    read_text(node, "user", lease.user);
    read_file(node, "password_file", lease.password_file);
    read_text(node, "fleet", lease.fleet);
  }

  static void read_ttl(const SettingsNode& node, Duration& into) {
    const std::string text = node.text();
    if (text.empty()) return;
    const Result<Duration> ttl = parse_duration(text);
    if (!ttl) return node.complain(ttl.error().what());
    into = *ttl;
  }

  void read_slurm(const SettingsNode& node) {
    for (const SettingsNode& item : node.items("a list of clusters: [{cluster: c, restd: \"https://slurm.example\"}]")) {
      FleetSlurm slurm;
      if (item.has_keys(slurm_keys_of_settings)) {
        read_text(item, "cluster", slurm.cluster);
        read_text(item, "restd", slurm.restd);
        read_file(item, "token_file", slurm.token_file);
        read_text(item, "login", slurm.login);
      }
      options_.slurm.push_back(std::move(slurm));
    }
  }

  void read_places(const SettingsNode& node) {
    for (const SettingsNode& item : node.items("a list of places: [{tpu: {project: p}}, {kubernetes: {namespaces: [train]}}]")) {
      FleetPlace place;
      if (const auto chosen = read_choice(item, place_kinds, "one place: {tpu: {project: p}}")) {
        place.kind = static_cast<FleetPlace::Kind>(chosen->first);
        read_place(chosen->second, place);
      }
      options_.follow.push_back(std::move(place));
    }
  }

  static void read_place(const SettingsNode& node, FleetPlace& place) {
    const bool is_cluster = place.kind == FleetPlace::Kind::kubernetes;
    if (place.kind == FleetPlace::Kind::slurm) return read_slurm_place(node, place);
    if (!node.has_keys(is_cluster ? Keys(cluster_place_keys) : Keys(project_place_keys))) return;
    if (const auto project = node.child("project")) place.project = project->text();
    if (const auto context = node.child("context")) place.context = context->text();
    if (const auto names = node.child("namespaces")) place.namespaces = names->texts("a list of namespaces: [train], or [-] for all");
    const auto zones = node.child("zones");
    if (!zones) return;
    place.zones = zones->texts("a list of zones: [us-central2-b]");
    if (zones->is_empty_list()) zones->complain("no zone is named; leave it out for all of them");
  }

  static void read_slurm_place(const SettingsNode& node, FleetPlace& place) {
    if (node.is_null() || !node.has_keys(slurm_place_keys)) return;  // `- slurm:`
    if (const auto cluster = node.child("cluster")) place.cluster = cluster->text();
    if (const auto users = node.child("users")) place.users = users->texts("a list of users: [alice]");
    if (const auto partitions = node.child("partitions")) place.partitions = partitions->texts("a list of partitions: [main]");
  }

  // Reads a mapping of one key, which is one of `kinds`: returns its number and its value.
  static std::optional<std::pair<std::size_t, SettingsNode>> read_choice(const SettingsNode& item, Keys kinds, std::string_view expected) {
    const auto entries = item.entries();
    if (entries.size() != 1) {
      item.complain(fmt::format("expected {}", expected));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (entries.front().first == kinds[i]) return std::make_pair(i, entries.front().second);
    }
    const auto close = nearest(entries.front().first, kinds);
    item.complain(fmt::format("{} is unknown{}; expected {}", quoted(entries.front().first, 80),
                              close ? fmt::format(", did you mean '{}'?", *close) : "", expected));
    return std::nullopt;
  }

  void read_allowed(const SettingsNode& node) {
    options_.allow = node.texts(patterns_expected);
    if (node.is_empty_list() && options_.clients.empty())
      node.complain(
          "where there are no clients an empty list would allow everything; leave it out for that, or name what may be asked for");
  }

  void read_clients(const SettingsNode& node) {
    for (const SettingsNode& item : node.items("a list of ways to prove who one is: [{certificate: {}}]")) {
      FleetClients clients;
      if (const auto chosen = read_choice(item, client_methods, "one way: {certificate: {}}")) {
        clients.method = static_cast<FleetClients::Method>(chosen->first);
        read_way(chosen->second, keys_of_method[chosen->first], clients);
      }
      options_.clients.push_back(std::move(clients));
    }
  }

  void read_way(const SettingsNode& node, Keys keys, FleetClients& clients) {
    const bool says_nothing = clients.method == FleetClients::Method::certificate && node.is_null();  // `- certificate:`
    if (says_nothing || !node.has_keys(keys)) return;
    read_text(node, "as", clients.as);
    read_text(node, "audience", clients.audience);
    read_text(node, "context", clients.context);
    read_file(node, "kubeconfig", clients.kubeconfig);
    if (const auto projects = node.child("projects")) clients.projects = projects->texts("a list of projects: [p]");
    if (const auto reviews = node.child("reviews")) clients.reviews = reviews->flag().value_or(false);
  }

  void read_rights(const SettingsNode& node) {
    for (const SettingsNode& item : node.items(R"(a list of rights: [{who: "certificate:sre", read: ["*"]}])")) {
      FleetRight right;
      if (item.has_keys(right_keys)) {
        read_text(item, "who", right.who);
        if (const auto read = item.child("read")) right.read = read->texts(patterns_expected);
        if (const auto metrics = item.child("metrics")) right.metrics = metrics->flag().value_or(false);
        if (const auto replica = item.child("replica")) right.replica = replica->flag().value_or(false);
        if (const auto barrier = item.child("barrier")) right.barrier = barrier->flag().value_or(false);
      }
      options_.rights.push_back(std::move(right));
    }
  }

  void read_limits(const SettingsNode& node) {
    std::vector<std::string_view> keys;
    for_each_bound(options_.bounds, [&keys](std::string_view key, const auto&) { keys.push_back(key); });
    if (!node.has_keys(keys)) return;
    const auto read = [&node](std::string_view key, auto& into) {
      const auto child = node.child(key);
      if (!child) return;
      if (const auto number = child->whole(1, max)) into = static_cast<std::remove_reference_t<decltype(into)>>(*number);
    };
    for_each_bound(options_.bounds, read);
  }

  void read_quota(const SettingsNode& node) {
    if (!node.is_mapping()) return node.complain("expected looks a minute by project: {p: 300}");
    for (const auto& [project, value] : node.entries()) {
      if (const auto polls = value.whole(1, max)) options_.polls_per_minute[project] = static_cast<int>(*polls);
    }
  }

  std::string folder_;
  FleetServiceOptions& options_;
};

}  // namespace

Result<ParsedSettings> parse_fleet_settings(const std::string& path, std::string_view text) {
  const Result<YamlNode::Pointer> root = parse_yaml(path_text(path), text);
  if (!root) return root.error();
  ParsedSettings out;
  SettingsParser(path, out).read(SettingsNode(**root, SettingsPlace((*root)->line, ""), out.faults));
  return out;
}

}  // namespace rollcall::fleet
