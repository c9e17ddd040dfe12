// The section `members` of a simulation file.
#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "sim/file/file.hpp"

namespace rollcall::sim {
namespace {

constexpr std::size_t max_simulated_members = 256;

class MembersDraft {
 public:
  MembersModel cluster;
  std::string base = "127.0.9.1";
  int port = 29500;
  std::size_t count = 8;
  std::vector<std::size_t> yours;
  std::set<std::size_t> excepted;
  MemberModel usual;
};

struct MemberException {
  std::size_t place = 0;
  MemberModel member;
};

template <class T, auto Member>
void read_member_facts(T& into, const FileValue& value) {
  read_entries(value, [&into](const std::string& name, const FileValue& of) { of.read((into.*Member).facts[name]); });
}

void read_own_place(MembersDraft& draft, const FileValue& value) {
  const auto place = value.integer(0, static_cast<std::int64_t>(draft.count) - 1);
  if (place) draft.yours.push_back(static_cast<std::size_t>(*place));
}

// Addresses of this machine, since each member listens at its own.
void make_members(MembersDraft& draft, const FileValue& value) {
  for (std::size_t i = 0; i < draft.count; ++i) {
    const std::optional<std::string> ip = address_plus(draft.base, i);
    if (!ip || !ip->starts_with("127.")) return value.complain("base: the members need addresses within 127.0.0.0/8");
    MemberModel& member = draft.cluster.members.emplace_back(draft.usual);
    member.address = Endpoint(*ip, static_cast<std::uint16_t>(draft.port));
  }
  if (draft.yours.empty()) draft.yours.push_back(0);
  for (const std::size_t place : draft.yours) draft.cluster.members[place].is_simulated = false;
}

constexpr auto member_form =
    file_form<MemberException>("member", whole<&MemberException::place>("member", 0, max_simulated_members - 1),
                               word<&MemberException::member, &MemberModel::fault>("fault", "fault", member_fault_words),
                               member<&MemberException::member, &MemberModel::starts_after>("starts_after"),
                               member<&MemberException::member, &MemberModel::clock_ahead>("clock_ahead"),
                               member<&MemberException::member, &MemberModel::clock_behind>("clock_behind"),
                               member<&MemberException::member, &MemberModel::delay>("delay"),
                               by<read_member_facts<MemberException, &MemberException::member>>("facts"));

void read_member(MembersDraft& draft, const FileValue& value) {
  if (draft.cluster.members.empty()) make_members(draft, value);
  MemberException exception;
  exception.member = draft.usual;
  read_object(value, member_form, exception);
  if (value.has_problem()) return;
  if (exception.place >= draft.count) return value.complain(fmt::format("member: there are {} members, numbered from 0", draft.count));
  MemberModel& member = draft.cluster.members[exception.place];
  if (!member.is_simulated) return value.complain("member: it is one of yours, which are not simulated");
  if (!draft.excepted.insert(exception.place).second) return value.complain("member: it has two entries");
  exception.member.address = member.address;
  member = std::move(exception.member);
}

// In the order of parsing: entries change what all have.
constexpr auto members_form = file_form<MembersDraft>(
    "members", whole<&MembersDraft::count>("count", 2, max_simulated_members),
    label<&MembersDraft::cluster, &MembersModel::job>("job", "job"), member<&MembersDraft::cluster, &MembersModel::run>("job_id"),
    member<&MembersDraft::cluster, &MembersModel::secret_file>("secret_file"), member<&MembersDraft::base>("base"),
    whole<&MembersDraft::port>("port", 1, 65535), each<read_own_place>("yours"),
    by<read_member_facts<MembersDraft, &MembersDraft::usual>>("facts"), each<read_member, describe<member_form>>("except"));

}  // namespace

void read_members(Model& model, const FileValue& value) {
  MembersDraft draft;
  read_object(value, members_form, draft);
  if (draft.cluster.members.empty() && !value.has_problem()) make_members(draft, value);
  if (!value.has_problem()) model.members = std::make_shared<const MembersModel>(std::move(draft.cluster));
}

void describe_members(FileSections& out) { describe<members_form>(out); }

}  // namespace rollcall::sim
