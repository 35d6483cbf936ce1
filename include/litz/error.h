// Errors that Litz throws at its public border. Each says what to do next.
#pragma once

#include <stdexcept>
#include <string>

#include "litz/export.h"

namespace litz {

// Base of every exception that leaves the library.
class LITZ_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller did something wrong: names the public function, the argument and what was expected.
class LITZ_API UserError : public Error {
 public:
  using Error::Error;
};

// An index outside a tensor: names the op, the index and the size. Maps to Python's IndexError.
class LITZ_API IndexError : public UserError {
 public:
  using UserError::UserError;
};

// A valid program that this version of Litz does not compile. `id` is stable, for look-up.
class LITZ_API UnsupportedError : public Error {
 public:
  UnsupportedError(std::string id, const std::string& reason, const std::string& hint)
      : Error("[" + id + "] " + reason + (hint.empty() ? "" : "\n  hint: " + hint)), id_(std::move(id)) {}
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

// A fault in Litz itself: condition and location.
class LITZ_API InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace litz
