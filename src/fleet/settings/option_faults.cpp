#include "fleet/settings/option_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/ip.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "fleet/rights/rules/right_table.hpp"
#include "fleet/rights/rules/target_pattern.hpp"
#include "fleet/settings/lease_settings.hpp"
#include "fleet/settings/wire/fleet_settings.hpp"
#include "resolvers/slurm/slurm_doctor.hpp"
#include "rollcall/discover.hpp"

namespace rollcall {
namespace fleet {
namespace {

constexpr std::size_t max_named = 10;    // in one message
constexpr std::size_t max_items = 1000;  // of `clients`, and of `rights`: checking them takes a step for each pair

std::string text_with_hint(const Failure& failure) {
  return failure.hint().empty() ? failure.what() : fmt::format("{}; {}", failure.what(), failure.hint());
}

// True if the pattern, where * stands for any text, may match a longer text that begins with `start`.
bool can_begin(std::string_view pattern, std::string_view start) {
  const std::string_view fixed = pattern.substr(0, pattern.find('*'));
  if (fixed.size() < pattern.size()) return start.starts_with(fixed) || fixed.starts_with(start);
  return pattern.size() > start.size() && pattern.starts_with(start);
}

bool is_client_name(std::string_view text) {
  const auto is_fine = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  return text.size() <= 63 && std::all_of(text.begin(), text.end(), is_fine);
}

class OptionChecker {
 public:
  explicit OptionChecker(const FleetServiceOptions& options) : options_(options) {
    for (const FleetClients& clients : options.clients) names_.push_back(client_name_of(clients));
  }

  std::vector<OptionFault> check() {
    check_tls();
    check_listen();
    check_lease();
    check_slurm();
    for (std::size_t i = 0; i < options_.follow.size(); ++i) check_place(fmt::format("follow[{}]", i), options_.follow[i]);
    check_patterns("allow", options_.allow);
    check_clients();
    check_rights();
    check_bounds();
    for (const auto& [project, polls] : options_.polls_per_minute) {
      check_project(setting_below("quota", project), project);
      if (polls < 1) add(setting_below("quota", project), fmt::format("{} looks a minute: at least one is needed", polls));
    }
    return std::move(faults_);
  }

 private:
  void add(std::string path, std::string what, Errc code = Errc::invalid_argument) {
    faults_.emplace_back(std::move(path), std::move(what), code);
  }

  void check_tls() {
    const FleetTls& tls = options_.tls;
    if (tls.certificate_file.empty() && !(tls.key_file.empty() && tls.client_authorities_file.empty()))
      add("tls", "the certificate is missing: the PEM file of the service's own, and its chain");
  }

  void check_lease() {
    for (OptionFault& fault : lease_faults(options_.lease, !options_.tls.certificate_file.empty())) faults_.push_back(std::move(fault));
  }

  void check_slurm() {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < options_.slurm.size(); ++i) {
      const FleetSlurm& slurm = options_.slurm[i];
      const std::string path = fmt::format("slurm[{}]", i);
      if (slurm.cluster.empty() && options_.slurm.size() > 1) add(path + ".cluster", "is missing: each of several clusters needs its name");
      if (!seen.insert(slurm.cluster).second) add(path + ".cluster", fmt::format("{} is here twice", quoted(slurm.cluster, 80)));
      const auto access = SlurmJobOptions().restd(slurm.restd).token_file(slurm.token_file).login(slurm.login);
      if (const auto fault = slurm_access_fault(access)) add(path, text_with_hint(*fault));
    }
  }

  void check_listen() {
    if (options_.listen.empty()) add("listen", R"(names no address; leave it out for ["127.0.0.1:7070"])");
    std::vector<ListenAddress> seen;
    check_addresses("listen", options_.listen, seen);
    check_addresses("xds.listen", options_.xds_listen, seen);
  }

  void check_addresses(std::string_view name, const std::vector<std::string>& texts, std::vector<ListenAddress>& seen) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string& text = texts[i];
      const std::string path = fmt::format("{}[{}]", name, i);
      const Result<ListenAddress> address = ListenAddress::parse(text);
      if (!address) {
        add(path, text_with_hint(address.error()));
        continue;
      }
      const bool is_taken = std::any_of(seen.begin(), seen.end(), [&address](const ListenAddress& one) { return one.overlaps(*address); });
      seen.push_back(*address);
      if (is_taken) {
        add(path, fmt::format("{} stands here twice, or within another address of the list", quoted_words(text, 80)));
      } else if (!address->is_loopback) {
        check_exposure(path, text);
      }
    }
  }

  void check_exposure(const std::string& path, const std::string& text) {
    const bool has_tls = !options_.tls.certificate_file.empty();
    const bool has_clients = !options_.clients.empty();
    if (has_tls && has_clients) return;
    const std::string_view lacks = has_tls ? "clients" : has_clients ? "tls" : "tls and clients";
    add(path,
        fmt::format("{} can be reached from other machines, which needs {} in the settings; 127.0.0.1 and [::1] do without",
                    printable(text, 80), lacks),
        Errc::refused_by_policy);
  }

  // Those of a program: a file's are read as numbers from 1 on.
  void check_bounds() {
    const auto check = [this](std::string_view name, auto number) {
      if (number < 1) add(setting_below("limits", name), fmt::format("is {}: at least 1 is needed", number));
    };
    fleet::for_each_bound(options_.bounds, check);
  }

  void check_place(const std::string& path, const FleetPlace& place) {
    const std::string inner = fmt::format("{}.{}", path, place_kinds.at(static_cast<std::size_t>(place.kind)));
    if (place.kind == FleetPlace::Kind::slurm) {
      const auto is_it = [&place](const FleetSlurm& slurm) { return slurm.cluster == place.cluster; };
      if (std::none_of(options_.slurm.begin(), options_.slurm.end(), is_it) && !(place.cluster.empty() && options_.slurm.empty()))
        add(inner + ".cluster",
            fmt::format("{} is no cluster of the settings: slurm: [{{cluster: …, restd: …}}]", quoted(place.cluster, 80)));
      return;
    }
    if (place.kind != FleetPlace::Kind::kubernetes) {
      if (place.project.empty()) add(inner + ".project", "is missing: the project's name");
      if (!place.project.empty()) check_project(inner + ".project", place.project);
      for (std::size_t i = 0; i < place.zones.size(); ++i)
        check_search(fmt::format("{}.zones[{}]", inner, i), DiscoverOptions().zones({place.zones[i]}));
      return;
    }
    if (place.namespaces.empty()) add(inner + ".namespaces", "are missing: a list such as [train]; [-] are all of them");
    for (std::size_t i = 0; i < place.namespaces.size(); ++i)
      check_search(fmt::format("{}.namespaces[{}]", inner, i), DiscoverOptions().namespaces({place.namespaces[i]}));
  }

  void check_project(std::string path, const std::string& project) { check_search(std::move(path), DiscoverOptions().projects({project})); }

  void check_search(std::string path, const DiscoverOptions& search) {
    if (const Result<void> fine = check_discovery(search); !fine) add(std::move(path), text_with_hint(fine.error()));
  }

  void check_patterns(const std::string& path, const std::vector<std::string>& patterns) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (const auto pattern = TargetPattern::parse(patterns[i]); !pattern)
        add(fmt::format("{}[{}]", path, i), text_with_hint(pattern.error()));
    }
  }

  void check_clients() {
    if (options_.clients.size() > max_items)
      return add("clients", fmt::format("are {}; at most {} are taken", options_.clients.size(), max_items));
    std::set<std::string> seen;
    bool has_certificates = false;
    for (std::size_t i = 0; i < options_.clients.size(); ++i) {
      const FleetClients& clients = options_.clients[i];
      const std::string path = fmt::format("clients[{}].{}", i, client_methods.at(static_cast<std::size_t>(clients.method)));
      if (!is_client_name(names_[i]))
        add(path + ".as", fmt::format("{} is no name for clients: at most 63 of a-z, 0-9 and -", quoted(names_[i], 80)));
      if (!seen.insert(names_[i]).second) add(path, fmt::format("others are called '{}' too; give them another name by as", names_[i]));
      const bool is_certificate = clients.method == FleetClients::Method::certificate;
      if (is_certificate && has_certificates) add(path, "is here twice: clients with certificates are one kind of client");
      has_certificates = has_certificates || is_certificate;
      check_way(path, clients);
    }
  }

  void check_way(const std::string& path, const FleetClients& clients) {
    if (clients.method == FleetClients::Method::certificate) {
      if (options_.tls.client_authorities_file.empty())
        add(path, "needs tls.client_authorities: the PEM file of those who sign clients' certificates");
      return;
    }
    if (clients.audience.empty())
      add(path + ".audience", "is missing: the audience of tokens, such as rollcall; a token for another audience is refused");
    if (clients.method != FleetClients::Method::google) return;
    if (clients.projects.empty()) add(path + ".projects", "are missing: those whose instances and accounts are let in, such as [p]");
    for (std::size_t i = 0; i < clients.projects.size(); ++i) check_project(fmt::format("{}.projects[{}]", path, i), clients.projects[i]);
  }

  void check_rights() {
    if (options_.rights.size() > max_items)
      return add("rights", fmt::format("are {}; at most {} are taken", options_.rights.size(), max_items));
    if (options_.clients.empty() != options_.rights.empty()) {
      add(options_.rights.empty() ? "clients" : "rights",
          options_.rights.empty()
              ? R"(have no rights, so that they could read nothing: rights: [{who: "*", read: ["*"]}] are all for all)"
              : "belong to no client: there are no clients, and all that can reach the service may read all that is allowed");
      return;
    }
    for (std::size_t i = 0; i < options_.rights.size(); ++i) {
      const FleetRight& right = options_.rights[i];
      const std::string path = fmt::format("rights[{}]", i);
      if (right.who.empty()) add(path + ".who", "is missing: AS:NAME of clients, where * is any text");
      if (!right.who.empty()) check_identity(path + ".who", right.who);
      if (right.read.empty() && !right.metrics && !right.replica && !right.barrier)
        add(path + ".read", R"(is missing: a list of patterns of targets, such as ["tpu:*,project=p"])");
      check_patterns(path + ".read", right.read);
    }
  }

  void check_identity(std::string path, const std::string& who) {
    const auto is_meant = [&who](const std::string& name) { return can_begin(who, name + ":"); };
    if (std::any_of(names_.begin(), names_.end(), is_meant)) return;
    const std::string_view name = std::string_view(who).substr(0, who.find(':'));
    const std::set<std::string_view> different(names_.begin(), names_.end());
    std::vector<std::string_view> known(different.begin(), different.end());
    known.resize(std::min(known.size(), max_named));
    const auto close = nearest(name, known);
    add(std::move(path), fmt::format("{} is no client: expected AS:NAME with {}{}", quoted(who, 80), fmt::join(known, " or "),
                                     close && *close != name ? fmt::format(" as AS, did you mean '{}'?", *close) : " as AS"));
  }

  const FleetServiceOptions& options_;
  std::vector<std::string> names_;
  std::vector<OptionFault> faults_;
};

}  // namespace

bool ListenAddress::overlaps(const ListenAddress& other) const {
  if (port == 0 || port != other.port) return false;
  if (host.empty() || other.host.empty()) return true;
  if (is_ipv4_literal(host) != is_ipv4_literal(other.host)) return false;
  const auto bytes = read_ip(host);
  const auto others = read_ip(other.host);
  const auto all = read_ip(is_ipv4_literal(host) ? "0.0.0.0" : "::");
  return bytes == others || bytes == all || others == all;
}

Result<ListenAddress> ListenAddress::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon == std::string_view::npos ? text.size() : colon);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  const auto port = parse_decimal<std::uint16_t>(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  const bool is_host = has_brackets ? is_ipv6_literal(host, true) : host.empty() || is_ipv4_literal(host);
  if (!port || !is_host) {
    return Failure(Errc::invalid_argument, fmt::format("{} is no address to listen on", quoted_words(text, 80)))
        .with_hint("give an IP address and a port: 127.0.0.1:7070, [::1]:7070; :7070 are all of this machine's");
  }
  ListenAddress address;
  address.host = std::string(host);
  address.port = *port;
  address.is_loopback = is_loopback_literal(host);
  return address;
}

std::vector<OptionFault> option_faults(const FleetServiceOptions& options) { return OptionChecker(options).check(); }

}  // namespace fleet

Result<void> check_fleet_options(const FleetServiceOptions& options) {
  const std::vector<fleet::OptionFault> faults = fleet::option_faults(options);
  if (faults.empty()) return Result<void>();
  std::vector<std::string> lines;
  for (const fleet::OptionFault& fault : faults) lines.push_back(fmt::format("{}: {}", fault.path, fault.what));
  return Failure(faults.front().code, fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace rollcall
