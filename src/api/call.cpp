#include "api/call.h"

#include <cstring>

#include "api/eager.h"
#include "api/session.h"
#include "api/state.h"

namespace litz::api {

Argument::Value Argument::make(const Operand& operand) {
  if (operand.tensor() != nullptr) return make(*operand.tensor());
  return std::visit([](auto number) { return Value(number); }, operand.number());
}

bool is_tracing() { return Session::current() != nullptr; }

std::vector<Tensor> call_all(const char* function, std::source_location at, std::string_view aten,
                             const std::vector<Argument>& arguments) {
  const CallSite site{function, at};
  return with_site(site, [&] {
    if (Session* session = Session::current()) return session->call(site, aten, arguments);
    return run_eagerly(site, aten, arguments);
  });
}

Tensor call(const char* function, std::source_location at, std::string_view aten,
            const std::vector<Argument>& arguments) {
  return call_all(function, at, aten, arguments).at(0);
}

Tensor view(const char* function, std::source_location at, const Tensor& x, std::string_view op,
            const ir::Attributes& attributes) {
  const CallSite site{function, at};
  return with_site(site, [&] {
    if (Session* session = Session::current()) return session->view(site, x, op, attributes);
    return view_eagerly(site, x, op, attributes);
  });
}

const Tensor& tensor_of(const char* function, const Operand& operand) {
  if (operand.tensor() != nullptr) return *operand.tensor();
  throw UserError(site_text({function, operand.at()}) + ": the operand must be a tensor, but is a number");
}

int64_t wrap_dim(const CallSite& site, int64_t dim, int64_t rank) {
  const int64_t extent = rank == 0 ? 1 : rank;
  if (dim < -extent || dim >= extent) {
    throw UserError(site_text(site) + ": dimension " + std::to_string(dim) + " is out of range for a tensor of " +
                    std::to_string(rank) + " dimensions");
  }
  return dim < 0 ? dim + extent : dim;
}

namespace {

// Empty if the place is not known.
std::string place_text(const std::source_location& at) {
  if (at.line() == 0) return "";
  const char* slash = std::strrchr(at.file_name(), '/');
  return std::string(slash != nullptr ? slash + 1 : at.file_name()) + ":" + std::to_string(at.line());
}

}  // namespace

std::string site_text(const CallSite& site) {
  const std::string place = place_text(site.at);
  return place.empty() ? site.function : std::string(site.function) + " (" + place + ")";
}

ir::Location location_of(const CallSite& site) {
  return {.source = place_text(site.at), .op = "litz::" + std::string(site.function)};
}

// Called in a catch block.
void rethrow_with_site(const CallSite& site) {
  try {
    throw;
  } catch (const IndexError& e) {
    throw IndexError(site_text(site) + ": " + e.what());
  } catch (const UserError& e) {
    throw UserError(site_text(site) + ": " + e.what());
  }
}

}  // namespace litz::api
