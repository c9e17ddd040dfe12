#include "store/asking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace rollcall::store {

Result<void> check_transaction(const Store& store, const Transaction& transaction) {
  const std::size_t most = std::max(transaction.compares.size(), transaction.writes.size());
  if (most > store.max_writes())
    return Failure(Errc::invalid_argument, fmt::format("{}: {} operations in one transaction, of which the store takes {}",
                                                       shown(transaction), most, store.max_writes()));
  std::set<std::string_view> written;
  std::size_t bytes = 0;
  for (const Compare& compare : transaction.compares) {
    if (compare.key.empty()) return Failure(Errc::invalid_argument, shown(transaction) + ": an empty key is compared");
    bytes += compare.key.size();
  }
  for (const Write& write : transaction.writes) {
    if (write.key.empty()) return Failure(Errc::invalid_argument, shown(transaction) + ": an empty key is written");
    if (!written.insert(write.key).second)
      return Failure(Errc::invalid_argument, fmt::format("{}: {} is written twice", shown(transaction), quoted(write.key)));
    bytes += write.key.size() + (write.value ? write.value->size() : 0);
  }
  if (bytes > store.max_transaction_bytes())
    return Failure(Errc::invalid_argument, fmt::format("{}: {} bytes in one transaction, of which the store takes {}", shown(transaction),
                                                       bytes, store.max_transaction_bytes()));
  return {};
}

std::string shown(const Transaction& transaction) {
  if (transaction.writes.empty()) return "a transaction that writes nothing";
  const std::string first = "a write of " + quoted(transaction.writes.front().key);
  return transaction.writes.size() == 1 ? first : fmt::format("{} and {} more", first, transaction.writes.size() - 1);
}

}  // namespace rollcall::store
