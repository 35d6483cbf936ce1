// A value or the reason why there is none; for places where failure is normal (caches, importers, parsers).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "support/check.h"

namespace litz {

struct Failure {
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}            // NOLINT(google-explicit-constructor): meant to convert
  Result(Failure failure) : state_(std::move(failure)) {}  // NOLINT(google-explicit-constructor): meant to convert

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }
  const std::string& error() const { return std::get<Failure>(state_).message; }

 private:
  std::variant<T, Failure> state_;
};

}  // namespace litz
