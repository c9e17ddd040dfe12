// What credentials tell of themselves without asking anybody: for project defaults, and for doctor().
#pragma once

#include <string>
#include <vector>

#include "rollcall/runtime.hpp"

namespace rollcall {

/// Never a secret; printable.
class CredentialFacts {
 public:
  CredentialFacts() {}
  std::string kind;           ///< "authorized_user", "access token", "metadata server"
  std::string account;        ///< whose they are; empty: that is not known
  std::string path;           ///< of the file that they lie in; empty: none
  std::string named_by;       ///< what led there: "named by GOOGLE_APPLICATION_CREDENTIALS"; may be empty
  std::string project;        ///< that the file names; may be empty
  std::string quota_project;  ///< that is named in every request; may be empty
  std::string quota_project_from;
  std::vector<std::string> missing;  ///< what was looked for before: "GOOGLE_APPLICATION_CREDENTIALS is not set"
};

/// The credentials that know more of themselves than their describe() derive from it.
class TellsCredentialFacts {
 public:
  /// Reads files at most. Errors: those of the files.
  virtual Result<CredentialFacts> facts(Runtime::Impl& impl) = 0;

 protected:
  ~TellsCredentialFacts() = default;
};

/// Of the Runtime's credentials. Errors: as TellsCredentialFacts::facts.
Result<CredentialFacts> credential_facts(Runtime::Impl& impl);

}  // namespace rollcall
