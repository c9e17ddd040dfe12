// The section `sign_in` of a simulation file.
#include <fmt/format.h>

#include <algorithm>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {

namespace {

// Names, secrets and tokens are sent in headers, forms and paths.
template <auto Member>
void read_sign_in_text(SignInIdentity& identity, const FileValue& value) {
  constexpr std::size_t max_bytes = 4096;
  value.read(identity.*Member);
  const std::string& text = identity.*Member;
  if (!value.has_problem() && (!is_graphic(text) || text.size() > max_bytes)) value.complain("expected a text without blanks");
}

constexpr auto sign_in_user_form = file_form<SignInIdentity>(
    "sign_in_user", by<read_sign_in_text<&SignInIdentity::name>>("name"), by<read_sign_in_text<&SignInIdentity::client_id>>("client_id"),
    by<read_sign_in_text<&SignInIdentity::client_secret>>("client_secret"),
    by<read_sign_in_text<&SignInIdentity::refresh_token>>("refresh_token"), member<&SignInIdentity::revoked_at>("revoked_at"),
    member<&SignInIdentity::missing>("missing_permissions"));

constexpr auto sign_in_account_form =
    file_form<SignInIdentity>("sign_in_service_account", by<read_sign_in_text<&SignInIdentity::name>>("email"),
                              member<&SignInIdentity::actors>("actors"), member<&SignInIdentity::missing>("missing_permissions"));

constexpr auto sign_in_provider_form = file_form<SignInIdentity>(
    "sign_in_provider", by<read_sign_in_text<&SignInIdentity::audience>>("audience"), by<read_sign_in_text<&SignInIdentity::name>>("name"),
    member<&SignInIdentity::subject_tokens>("subject_tokens"), member<&SignInIdentity::missing>("missing_permissions"));

// Checks that the key that identifies an entry of a list is present and unique.
template <const auto& Form, auto List, auto Key>
void read_identities(SignInModel& model, const FileValue& value) {
  constexpr std::string_view key = Key == &SignInIdentity::name ? "email" : Key == &SignInIdentity::audience ? "audience" : "refresh_token";
  std::vector<SignInIdentity>& list = (model.*List).emplace();
  read_list(value, [&list, key](const FileValue& one) {
    SignInIdentity identity;
    read_object(one, Form, identity);
    if (one.has_problem()) return;
    const bool is_known = std::any_of(list.begin(), list.end(), [&](const SignInIdentity& known) { return known.*Key == identity.*Key; });
    if ((identity.*Key).empty()) return one.complain(fmt::format("{} is missing", key));
    if (is_known) return one.complain(fmt::format("{}: another one has the same", key));
    if (identity.name.empty()) identity.name = identity.audience.empty() ? "user@example.com" : identity.audience;
    list.push_back(std::move(identity));
  });
}

template <auto Member>
void read_aws_text(AwsMachine& machine, const FileValue& value) {
  std::string& text = machine.*Member;
  value.read(text);
  if (!value.has_problem() && (!is_graphic(text) || text.size() > 4096)) value.complain("expected a text without blanks");
}

constexpr auto aws_form = file_form<AwsMachine>("sign_in_aws", id<&AwsMachine::role>("role", "role"), id<&AwsMachine::zone>("zone", "zone"),
                                                by<read_aws_text<&AwsMachine::access_key_id>>("access_key_id"),
                                                by<read_aws_text<&AwsMachine::secret_access_key>>("secret_access_key"),
                                                by<read_aws_text<&AwsMachine::session_token>>("session_token"));

void read_aws(SignInModel& model, const FileValue& value) { read_object(value, aws_form, model.aws.emplace()); }

constexpr auto sign_in_form = file_form<SignInModel>(
    "sign_in", member<&SignInModel::lifetime>("lifetime"), member<&SignInModel::missing>("missing_permissions"),
    by<read_identities<sign_in_user_form, &SignInModel::users, &SignInIdentity::refresh_token>, describe<sign_in_user_form>>("users"),
    by<read_identities<sign_in_account_form, &SignInModel::service_accounts, &SignInIdentity::name>, describe<sign_in_account_form>>(
        "service_accounts"),
    by<read_identities<sign_in_provider_form, &SignInModel::providers, &SignInIdentity::audience>, describe<sign_in_provider_form>>(
        "providers"),
    by<read_aws, describe<aws_form>>("aws"));

}  // namespace

void read_sign_in(Model& model, const FileValue& value) { read_object(value, sign_in_form, model.sign_in); }
void describe_sign_in(FileSections& out) { describe<sign_in_form>(out); }

}  // namespace rollcall::sim
