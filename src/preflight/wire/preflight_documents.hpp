// What the members of a preflight say to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/preflight_evidence.hpp"
#include "rollcall/time.hpp"

namespace rollcall::preflight {

/// What is wrong with what a member said, in a cluster of so many; empty: nothing.
std::string member_fault(const EvidenceMember& member, std::size_t members);

/// How a member answers at its port.
class ProbeAnswer {
 public:
  ProbeAnswer() {}
  std::string run;          ///< of the list of members that it has
  int members = 0;          ///< of that list
  int place = 0;            ///< its own in it
  std::string incarnation;  ///< 16 hexadecimal digits, chosen at random by each process
  std::int64_t clock_us = 0;  ///< its clock: microseconds since 1970; 0: it was not asked for
};
/// Since 1970.
std::int64_t microseconds_of(WallTime time);
std::string write_probe_answer(const ProbeAnswer& answer);
/// Line ends may follow it, to make it large. Errors: malformed_response: it is no answer of a member.
Result<ProbeAnswer> read_probe_answer(std::string_view json);

/// What a member says to those that gather reports.
class MemberReport {
 public:
  MemberReport() {}
  std::string incarnation;
  std::int64_t order = 0;  ///< the number of the last one that it has carried out
  EvidenceMember member;
};
inline constexpr std::size_t max_report_bytes = 64 * 1024;
std::string write_report(const MemberReport& report);
/// Errors: malformed_response, limit_exceeded.
Result<MemberReport> read_report(std::string_view json, std::size_t members);

/// What the member that leads lets a member do next, in answer to a report.
class LeaderOrder {
 public:
  LeaderOrder() {}
  std::int64_t number = 0;  ///< from 1 on
  bool again = false;       ///< it probes those once more that it did not reach
  bool packages = false;    ///< it lists its packages
  int partner = -1;         ///< it measures with this one, by its place; -1: with none
  bool sends = false;       ///< to its partner; false: it receives
  /// It is to do something. False: to wait for the next one.
  bool asks() const noexcept { return again || packages || partner >= 0; }
};
std::string write_order(const LeaderOrder& order);
/// Errors: malformed_response.
Result<LeaderOrder> read_order(std::string_view json, std::size_t members);

std::string write_verdict(const PreflightVerdict& verdict);
Result<PreflightVerdict> read_verdict(std::string_view json);

}  // namespace rollcall::preflight
