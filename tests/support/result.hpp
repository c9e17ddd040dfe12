// Lets Catch print a Result<T>: the failure's message, or "value". Include it where a Result stands in a CHECK.
#pragma once

#include <catch2/catch.hpp>

#include "rollcall/error.hpp"

template <class T>
struct Catch::StringMaker<boost::system::result<T, rollcall::Failure>> {
  static std::string convert(const boost::system::result<T, rollcall::Failure>& result) {
    if (result) return "value";
    return "failure " + std::string(to_string(result.error().code())) + ": " + result.error().message();
  }
};
