// The nearest of several names, for error messages.
#pragma once

#include <span>
#include <string_view>

namespace litz {

// Levenshtein distance: insertions, deletions and substitutions that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);
// The first name with the smallest distance; `names` must not be empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names);

}  // namespace litz
