#include "support/edit_distance.h"

#include <algorithm>
#include <vector>

#include "support/check.h"

namespace litz {

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 256);
  b = b.substr(0, 256);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> names) {
  LITZ_CHECK(!names.empty(), "no names to choose from");
  return *std::min_element(names.begin(), names.end(), [&](std::string_view x, std::string_view y) {
    return edit_distance(name, x) < edit_distance(name, y);
  });
}

}  // namespace litz
