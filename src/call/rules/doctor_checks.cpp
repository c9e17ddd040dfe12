#include "call/rules/doctor_checks.hpp"

#include "call/rules/classify_status.hpp"

namespace rollcall {

DoctorCheck failed_check(std::string name, const Failure& failure) {
  std::string found = failure.what();
  if (!failure.target().empty() && found.find(failure.target()) == std::string::npos) found += " (asked " + failure.target() + ")";
  std::string hint = failure.hint();
  if (hint.ends_with(doctor_hint)) hint.resize(hint.size() - doctor_hint.size());  // the reader has run doctor already
  if (hint.ends_with("; ")) hint.resize(hint.size() - 2);
  return DoctorCheck(std::move(name), CheckOutcome::fail, std::move(found), std::move(hint));
}

DoctorCheck skipped_check(std::string name, std::string why, std::string hint) {
  return DoctorCheck(std::move(name), CheckOutcome::skipped, std::move(why), std::move(hint));
}

}  // namespace rollcall
