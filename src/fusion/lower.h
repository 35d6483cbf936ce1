// A group becomes a kernel.
#pragma once

#include "fusion/body.h"
#include "fusion/group.h"

namespace litz::fusion {

// `stored`: values that something outside the group reads. `name` becomes the kernel's name.
KernelCall lower_group(const ir::Graph& graph, const Views& views, const Group& group,
                       const std::set<ir::ValueId>& stored, const std::string& name);

// The template of a group's first member: shapes and strided operands; the epilogue is left empty. `why_not` is set and
// nothing returned if an operand is not a strided view of a buffer; `operand` then says which.
std::optional<kernel_ir::Template> make_template(const ir::Graph& graph, const Views& views, const ir::Node& node,
                                                 Body* body, uint32_t* operand, std::string* why_not);

}  // namespace litz::fusion
