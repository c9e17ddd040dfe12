#include "fleet/rights/access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/field_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/signature.hpp"
#include "fleet/rights/rules/right_table.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/token_method.hpp"
#include "fleet/rights/verified_tokens.hpp"

namespace rollcall::fleet {
namespace {

bool is_same(const FleetClients& a, const FleetClients& b) {
  return a.method == b.method && client_name_of(a) == client_name_of(b) && a.audience == b.audience && a.projects == b.projects &&
         a.context == b.context && a.kubeconfig == b.kubeconfig && a.reviews == b.reviews;
}

class TokenClients {
 public:
  FleetClients settings;
  std::shared_ptr<TokenMethod> method;
};

// One version of the settings.
class AccessRules {
 public:
  RightTable table;
  std::vector<TokenClients> tokens;
  VerifiedTokens verified;
};

Failure not_proven(std::string what) { return Failure(Errc::unauthenticated, std::move(what)); }

Result<RightTable> make_table(const FleetServiceOptions& options) {
  RightTable table;
  table.distinguishes_clients = !options.clients.empty();
  for (const FleetClients& clients : options.clients) {
    if (clients.method == FleetClients::Method::certificate) table.certificates_as = client_name_of(clients);
  }
  for (std::size_t i = 0; i < options.rights.size(); ++i) {
    const FleetRight& right = options.rights[i];
    Result<std::vector<TargetPattern>> read = parse_patterns(right.read, fmt::format("rights[{}].read", i));
    if (!read) return read.error();
    RightRow& row = table.rows.emplace_back();
    row.who = right.who;
    row.read = std::move(*read);
    row.metrics = right.metrics;
    row.replica = right.replica;
    row.barrier = right.barrier;
  }
  Result<std::vector<TargetPattern>> allowed = parse_patterns(options.allow, "allow");
  if (!allowed) return allowed.error();
  table.allowed = std::move(*allowed);
  table.followed = options.follow;
  return table;
}

// Absent: the request has no such field. Prometheus sends the token alone by default.
Result<std::optional<std::string_view>> shown_token(const HeaderList& headers) {
  constexpr std::string_view scheme = "Bearer";
  std::vector<std::string_view> fields;
  headers.each([&fields](std::string_view name, std::string_view value) {
    if (equals_ignoring_case(name, "Authorization")) fields.push_back(value);
  });
  if (fields.empty()) return std::optional<std::string_view>();
  if (fields.size() > 1) return not_proven("the request has several Authorization fields");
  std::string_view token = trim(fields.front());
  const std::size_t blank = token.find(' ');
  if (equals_ignoring_case(token.substr(0, blank), scheme)) token = blank == std::string_view::npos ? "" : trim(token.substr(blank));
  if (token.find(' ') != std::string_view::npos) return not_proven("the Authorization field has another scheme than Bearer");
  if (!is_graphic(token)) return not_proven("the Authorization field holds no token");
  return std::optional<std::string_view>(token);
}

bool has_ended(const Identity& who, WallTime now) { return who.expires && now >= saturating_sum(*who.expires, clock_grace); }

class LocalAccess final : public Access, public std::enable_shared_from_this<LocalAccess> {
 public:
  explicit LocalAccess(Runtime runtime) : runtime_(std::move(runtime)) {}

  std::optional<Identity> recognize(const ServerRequest& request) override {
    if (!rules_->table.distinguishes_clients) return Identity();
    const Result<std::optional<std::string_view>> shown = shown_token(request.headers);
    if (!shown) return std::nullopt;
    if (*shown) return verified(*rules_, sha256(**shown));
    Result<Identity> who = identify_by_certificate(*rules_, request.certificate.get());
    if (!who) return std::nullopt;
    return std::move(*who);
  }

  bool is_signed(const ServerRequest& request) const override {
    const Result<std::optional<std::string_view>> shown = shown_token(request.headers);
    if (!shown || !*shown || rules_->tokens.empty()) return false;
    const Result<JsonWebToken> parsed = parse_json_web_token(**shown);
    const auto is_of = [&parsed](const TokenClients& clients) { return clients.method->is_signed(*parsed); };
    return parsed && std::any_of(rules_->tokens.begin(), rules_->tokens.end(), is_of);
  }

  asio::awaitable<Result<Identity>> identify(const ServerRequest& request) override {
    const std::shared_ptr<LocalAccess> self = shared_from_this();
    const std::shared_ptr<AccessRules> rules = rules_;  // the settings may change during the await
    if (!rules->table.distinguishes_clients) co_return Identity();
    const Result<std::optional<std::string_view>> shown = shown_token(request.headers);
    if (!shown) co_return shown.error();
    if (*shown) {
      const std::string text(**shown);
      Result<Identity> who = co_await identify_by_token(rules, Secret<std::string>(text));
      co_return who;
    }
    co_return identify_by_certificate(*rules, request.certificate.get());
  }

  bool may_read(const Identity& who, const Target& target) const override { return rules_->table.may_read(who.text, target); }
  bool may_read_metrics(const Identity& who) const override { return rules_->table.has_flag(who.text, &RightRow::metrics); }
  bool may_join(const Identity& who) const override { return rules_->table.has_flag(who.text, &RightRow::replica); }
  bool may_meet(const Identity& who) const override { return rules_->table.has_flag(who.text, &RightRow::barrier); }
  bool is_allowed(const Target& target) const override { return rules_->table.is_allowed(target); }
  std::uint64_t version() const noexcept override { return version_; }

  Result<void> change(const FleetServiceOptions& options) override {
    Result<RightTable> table = make_table(options);
    if (!table) return table.error();
    auto rules = std::make_shared<AccessRules>();
    rules->table = std::move(*table);
    for (const FleetClients& clients : options.clients) {
      if (clients.method != FleetClients::Method::certificate) rules->tokens.push_back(token_clients(clients));
    }
    rules_ = std::move(rules);
    ++version_;
    return {};
  }

 private:
  // A method that exists already is kept, with its issuer's keys.
  TokenClients token_clients(const FleetClients& clients) const {
    TokenClients made;
    made.settings = clients;
    if (rules_) {
      for (const TokenClients& known : rules_->tokens) {
        if (is_same(known.settings, clients)) return known;
      }
    }
    const bool is_google = clients.method == FleetClients::Method::google;
    const std::shared_ptr<Runtime::Impl>& impl = shared_impl_of(runtime_);
    made.method = is_google ? make_google_method(impl, clients) : make_kubernetes_method(impl, clients);
    return made;
  }

  WallTime wall_now() const { return impl_of(runtime_).time->wall_now(); }
  SteadyTime now() const { return impl_of(runtime_).time->now(); }

  static Identity identity_of(const FleetClients& clients, const TokenOwner& owner) {
    Identity who;
    who.text = fmt::format("{}:{}", client_name_of(clients), owner.name);
    who.expires = WallTime(std::chrono::seconds(owner.expires.value_or(0)));
    who.proof = owner.proof;
    return who;
  }

  std::optional<Identity> verified(const AccessRules& rules, const std::string& digest) const {
    std::optional<Identity> found;
    if (const Identity* const known = rules.verified.find(digest, now())) found = *known;
    for (const TokenClients& clients : rules.tokens) {
      if (found) break;
      if (const std::optional<TokenOwner> owner = clients.method->recall(digest)) found = identity_of(clients.settings, *owner);
    }
    if (found && has_ended(*found, wall_now())) found.reset();
    return found;
  }

  asio::awaitable<Result<Identity>> identify_by_token(std::shared_ptr<AccessRules> rules, Secret<std::string> text) {
    if (rules->tokens.empty()) co_return not_proven("the service takes no tokens, but certificates");
    auto token = std::make_shared<ShownToken>();
    token->digest = sha256(text.reveal());
    std::optional<Identity> known = verified(*rules, token->digest);
    if (known) co_return std::move(*known);
    Result<JsonWebToken> parsed = parse_json_web_token(text.reveal());
    if (!parsed) co_return parsed.error();
    token->text = std::move(text);
    token->parsed = std::move(*parsed);
    Failure why = not_proven("the token is of an issuer (iss) that the service does not know");
    for (const TokenClients& clients : rules->tokens) {
      const std::shared_ptr<TokenMethod> method = clients.method;
      Result<TokenOwner> owner = co_await method->owner_of(token);
      if (owner) {
        owner->expires = token->parsed.expires;
        Identity who = identity_of(clients.settings, *owner);
        if (!who.proof) rules->verified.keep(token->digest, who, now());  // reviews are cached by their own method
        co_return who;
      }
      const Errc code = owner.error().code();
      if (code == Errc::cancelled) co_return owner.error();
      // If one issuer could not be asked, the token may still be valid.
      if (code != Errc::not_found && why.code() != Errc::unavailable) why = owner.error();
    }
    co_return why;
  }

  Result<Identity> identify_by_certificate(const AccessRules& rules, const ClientCertificate* certificate) const {
    if (rules.table.certificates_as.empty()) return not_proven("the request shows no token (Authorization: Bearer TOKEN)");
    if (!certificate) {
      return not_proven(rules.tokens.empty() ? "the client shows no certificate"
                                             : "the request shows neither a token (Authorization: Bearer TOKEN) nor a certificate");
    }
    Identity who;
    who.expires = certificate->expires;
    if (has_ended(who, wall_now())) return not_proven("the client's certificate has expired");
    for (const std::string& name : certificate->names) {
      if (!is_graphic(name) || name.size() > 512) continue;
      const std::string text = fmt::format("{}:{}", rules.table.certificates_as, name);
      if (who.text.empty()) who.text = text;
      if (!rules.table.mentions(text)) continue;
      who.text = text;
      break;
    }
    if (who.text.empty()) return not_proven("the client's certificate has no name of its own (subjectAltName)");
    return who;
  }

  Runtime runtime_;
  std::shared_ptr<AccessRules> rules_;
  std::uint64_t version_ = 0;
};

}  // namespace

Result<std::shared_ptr<Access>> make_access(Runtime runtime, const FleetServiceOptions& options) {
  auto access = std::make_shared<LocalAccess>(std::move(runtime));
  if (const Result<void> made = access->change(options); !made) return made.error();
  return std::shared_ptr<Access>(std::move(access));
}

}  // namespace rollcall::fleet
