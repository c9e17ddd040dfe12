#include "google/credential_facts.hpp"

#include "call/runtime_impl.hpp"

namespace rollcall {

Result<CredentialFacts> credential_facts(Runtime::Impl& impl) {
  if (auto* const teller = dynamic_cast<TellsCredentialFacts*>(impl.credentials.get())) return teller->facts(impl);
  CredentialFacts facts;
  facts.kind = impl.credentials->describe();
  return facts;
}

}  // namespace rollcall
