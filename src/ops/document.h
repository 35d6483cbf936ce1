// The reference of all ops, from their records.
#pragma once

#include <string>

namespace litz::ops {

// Markdown: the ops by kind, with operands, attributes and meaning, then the ATen calls that are imported. What
// docs/ops.md holds.
std::string document_ops();

}  // namespace litz::ops
