#include "preflight/order_book.hpp"

namespace rollcall::preflight {

void OrderBook::begin() {
  ++number_;
  LeaderOrder none;
  none.number = number_;
  orders_.assign(orders_.size(), none);
}

void OrderBook::order(const std::vector<std::pair<std::size_t, std::size_t>>& flows) {
  begin();
  for (const auto& [from, to] : flows) {
    orders_[to].partner = static_cast<int>(from);
    orders_[from].partner = static_cast<int>(to);
    orders_[from].sends = true;
  }
}

void OrderBook::order_again(const std::vector<std::size_t>& places) {
  begin();
  for (const std::size_t place : places) orders_[place].again = true;
}

void OrderBook::order_packages(const std::vector<std::size_t>& places) {
  begin();
  for (const std::size_t place : places) orders_[place].packages = true;
}

}  // namespace rollcall::preflight
