// The failures that end repeated polls.
#include "readiness/rules/what_ends.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

class OutlookRow {
 public:
  Errc code;
  Outlook outlook;
};

constexpr OutlookRow outlook_table[] = {
    {Errc::unreachable, Outlook::passes},       {Errc::unknown_host, Outlook::passes},
    {Errc::unavailable, Outlook::passes},       {Errc::rate_limited, Outlook::passes},
    {Errc::resolve_timeout, Outlook::passes},   {Errc::connect_timeout, Outlook::passes},
    {Errc::handshake_timeout, Outlook::passes}, {Errc::response_timeout, Outlook::passes},
    {Errc::deadline_exceeded, Outlook::passes}, {Errc::malformed_response, Outlook::unconfirmed},
    {Errc::http_error, Outlook::unconfirmed},   {Errc::rpc_error, Outlook::unconfirmed},
    {Errc::conflict, Outlook::unconfirmed},     {Errc::unauthenticated, Outlook::passes_if_ever},
    {Errc::tls_failed, Outlook::lasts},         {Errc::failed_precondition, Outlook::passes_if_ever},
    {Errc::invalid_argument, Outlook::lasts},   {Errc::not_found, Outlook::lasts},
    {Errc::unimplemented, Outlook::lasts},      {Errc::not_ready, Outlook::lasts},
    {Errc::permission_denied, Outlook::lasts},  {Errc::refused_by_policy, Outlook::lasts},
    {Errc::limit_exceeded, Outlook::lasts},     {Errc::cancelled, Outlook::lasts},
};

// The number of failures in a row that a follower survives.
int failures_lived_through(PollPatience patience, const Failure& failure) {
  int count = 0;
  while (count < 100 && !patience.is_over(failure)) ++count;
  return count;
}

}  // namespace

TEST_CASE("each kind of failure passes, is unconfirmed or ends a follower") {
  for (const OutlookRow& row : outlook_table) {
    const Failure failure(row.code, "failed");
    CAPTURE(to_string(row.code));
    CHECK(outlook_of(failure) == row.outlook);
    CHECK(may_pass(failure) == (row.outlook == Outlook::passes || row.outlook == Outlook::unconfirmed));
    PollPatience fresh;
    PollPatience proven;
    proven.note_success();
    const bool passes = row.outlook == Outlook::passes;
    const bool is_unconfirmed = row.outlook == Outlook::unconfirmed;
    const bool passes_once_proven = row.outlook == Outlook::passes_if_ever;
    CHECK(failures_lived_through(fresh, failure) == (passes ? 100 : is_unconfirmed ? max_unconfirmed - 1 : 0));
    CHECK(failures_lived_through(proven, failure) == (passes ? 100 : is_unconfirmed || passes_once_proven ? max_unconfirmed - 1 : 0));
  }
}

TEST_CASE("410 is unconfirmed for every error code: a new list may cure it") {
  CHECK(outlook_of(Failure(Errc::not_found, "gone").with_last_status(410)) == Outlook::unconfirmed);
  CHECK(outlook_of(Failure(Errc::not_found, "not found").with_last_status(404)) == Outlook::lasts);
}

TEST_CASE("only failures in a row count: each success resets the count") {
  PollPatience patience;
  patience.note_success();
  const Failure refused(Errc::unauthenticated, "the token has expired");
  for (int hour = 0; hour < 100; ++hour) {
    for (int i = 1; i < max_unconfirmed; ++i) CHECK_FALSE(patience.is_over(refused));
    patience.note_success();
  }
  patience.use_up();
  CHECK(patience.is_over(refused));
  CHECK_FALSE(PollPatience().is_over(Failure(Errc::unavailable, "503")));
}
