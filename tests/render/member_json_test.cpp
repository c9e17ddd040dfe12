// A member's machine, accelerators and part in JSON: what is written is read back, and nonsense is refused.
#include <string>

#include "render/status_fields.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr JsonForm<Member> member_form = json_form<whole_member_fields>("the member");

Result<Member> member_read(const std::string& more) { return read_json(member_form, R"({"job":"worker","index":0)" + more + "}", {}); }

}  // namespace

TEST_CASE("what is known of a member's machine, accelerators and part comes back") {
  Member member("worker", 3);
  member.host = "gpu-b12";
  Accelerators& accelerators = member.accelerators.emplace("GPU", 8, "resource limits");
  accelerators.model = "H100";
  accelerators.is_shared = true;
  MemberPart& part = member.part.emplace("slice", 1, 4);
  part.member = 3;
  part.members = 16;
  part.name = "jax-node-1";
  CHECK(value_of(read_json(member_form, to_json(whole_member_fields, member), {})) == member);
  const Member plain("worker", 0);
  const std::string text = to_json(member_fields, plain);
  for (const char* const name : {"host", "accelerators", "part"}) CHECK(text.find(name) == std::string::npos);
  CHECK(value_of(member_read(R"(,"accelerators":null,"part":null)")) == plain);
}

TEST_CASE("numbers and words of accelerators and parts are checked") {
  check_failure(member_read(R"(,"accelerators":{"kind":"GPU","count":-1,"of":"member"})"), Errc::malformed_response, "count", "-1");
  check_failure(member_read(R"(,"accelerators":{"kind":"GPU","count":1,"of":"rack"})"), Errc::malformed_response, "'rack'");
  check_failure(member_read(R"(,"part":{"kind":"slice","index":-1})"), Errc::malformed_response, "index", "-1");
  check_failure(member_read(R"(,"part":3)"), Errc::malformed_response, "part");
}
