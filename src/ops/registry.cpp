#include <iterator>
#include <unordered_map>

#include "ops/families.h"

namespace litz::ops {

namespace {

std::vector<OpRecord> build() {
  std::vector<OpRecord> all;
  for (auto family : {pointwise_records, arithmetic_records, activation_records, compare_records, cast_records,
                      generator_records, view_records, shuffle_records, reduction_records, statistics_records,
                      softmax_records, normalization_records, matmul_records, convolution_records, attention_records,
                      pooling_records, gather_records, scatter_records, control_records}) {
    std::vector<OpRecord> records = family();
    all.insert(all.end(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
  }
  return all;
}

const std::vector<OpRecord>& table() {
  static const std::vector<OpRecord> records = build();
  return records;
}

}  // namespace

std::span<const OpRecord> all_records() { return table(); }

const OpRecord* find_record(std::string_view name) {
  static const std::unordered_map<std::string_view, const OpRecord*> by_name = [] {
    std::unordered_map<std::string_view, const OpRecord*> map;
    for (const OpRecord& r : table()) {
      LITZ_CHECK(map.emplace(r.name, &r).second, "two records named " + std::string(r.name));
    }
    return map;
  }();
  const auto it = by_name.find(name);
  return it == by_name.end() ? nullptr : it->second;
}

const OpRecord& record(std::string_view name) {
  const OpRecord* r = find_record(name);
  LITZ_CHECK(r != nullptr, "no op '" + std::string(name) + "'");
  return *r;
}

}  // namespace litz::ops
