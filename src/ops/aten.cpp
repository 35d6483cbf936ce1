#include "ops/aten.h"

#include <algorithm>
#include <map>
#include <variant>

#include "ops/aten_context.h"

namespace litz::ops {

namespace {

// How a name is imported: by a function, or by the plain rule for a record.
using Route = std::variant<AtenImporter, const OpRecord*>;

std::map<std::string, Route> build_routes() {
  std::map<std::string, Route> routes;
  for (auto table : {aten_pointwise, aten_activations, aten_views, aten_generators, aten_reductions, aten_products,
                     aten_norms, aten_pools, aten_resampling, aten_indexing}) {
    for (auto& [name, importer] : table()) {
      LITZ_CHECK(routes.emplace(name, std::move(importer)).second, name + " is imported twice");
    }
  }
  for (const OpRecord& r : all_records()) {
    for (std::string_view name : r.aten) {
      LITZ_CHECK(routes.emplace(std::string(name), &r).second, std::string(name) + " is imported twice");
    }
  }
  return routes;
}

const std::map<std::string, Route>& routes() {
  static const std::map<std::string, Route> table = build_routes();
  return table;
}

ir::Attribute plain_attribute(AtenContext& c, size_t i, const AttrSpec& spec) {
  switch (spec.kind) {
    case AttrKind::number:
      return c.real(i);
    case AttrKind::integer:
      return c.integer(i);
    case AttrKind::boolean:
      return c.boolean(i);
    case AttrKind::text:
      return c.text_or(i, "");
    case AttrKind::integers:
      return c.integers(i);
    default:
      not_imported("argument " + std::to_string(i) + " has no plain form");
  }
}

// Tensors are the operands in order, then come the attributes in the order of the record; what is left is of no meaning
// (memory formats).
AtenResults import_plain(AtenContext& c, const OpRecord& r) {
  std::vector<ValueId> operands;
  for (const OperandSpec& spec : r.operands) {
    const size_t i = operands.size();
    operands.push_back(spec.kind == OperandKind::optional ? c.tensor_or_none(i) : c.tensor(i));
  }
  Attributes attributes;
  for (size_t k = 0; k < r.attributes.size(); ++k) {
    const size_t i = operands.size() + k;
    if (!c.is_none(i)) attributes.set(r.attributes[k].name, plain_attribute(c, i, r.attributes[k]));
  }
  return c.b.add_all(r.name, std::move(operands), attributes);
}

}  // namespace

Result<std::vector<ValueId>> import_aten(Builder& builder, const AtenCall& call) {
  const auto it = routes().find(call.name);
  if (it == routes().end()) return Failure{"Litz has no " + call.name};
  AtenContext context(builder, call);
  try {
    const auto* importer = std::get_if<AtenImporter>(&it->second);
    return importer != nullptr ? (*importer)(context) : import_plain(context, *std::get<const OpRecord*>(it->second));
  } catch (const NotImported& e) {
    return Failure{e.reason};
  } catch (const UserError& e) {
    return Failure{e.what()};
  }
}

std::vector<std::string_view> aten_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, route] : routes()) names.push_back(name);
  return names;
}

}  // namespace litz::ops
