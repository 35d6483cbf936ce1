// The accumulators of a reduction loop in generated code.
//
// A long sum of floats is added up in levels, so that its error grows like the logarithm of its length: every kChain
// additions an accumulator is emptied into one of the next level.
#pragma once

#include <string>
#include <vector>

#include "codegen/cpp/block.h"

namespace litz::codegen::cpp {

class Accumulators {
 public:
  // `vector`: one accumulator a lane. `copies`: independent accumulators, for instructions in flight.
  // `combine_lanes`: lanes are iterations of the reduced range, so results are the same for all lanes.
  struct Form {
    bool vector = false;
    int copies = 1;
    bool combine_lanes = false;
  };
  static constexpr int64_t kChain = 32;

  Accumulators(BlockEmitter* block, const kernel_ir::Loop& loop, Form form);

  // Whether the loop adds up floats, so that long chains matter.
  bool has_float_sum() const;
  bool has_arg() const;
  // Prints accumulators with the identities. Returns the level's number.
  int open_level();
  // Prints the update of accumulators of `level`, `copy` being the text of their subscript, with the values bound to
  // the reductions' inputs. `position`: the row-major index along the reduced ranges, of lane 0. With `valid_lanes`
  // lanes from there on are left out.
  void update(int level, const std::string& copy, const std::string& position, const std::string& valid_lanes);
  // Prints: accumulators of `from` are added to those of `to`. Only sums have more than one level.
  void flush(int from, int to);
  // Prints the combination of copies and, where asked for, of lanes; binds the reductions' results.
  void finish(int level);

 private:
  struct Names {
    std::string value;
    std::string index;  // argmax and argmin
  };
  bool is_arg(const kernel_ir::Reduction& r) const;
  std::string index_type() const;
  std::string element(const std::string& name, const std::string& copy) const;
  std::string combine(const kernel_ir::Reduction& r, const std::string& a, const std::string& b) const;
  void update_arg(const kernel_ir::Reduction& r, const Names& names, const Value& input, const std::string& position,
                  const std::string& valid_lanes);
  void finish_arg(const kernel_ir::Reduction& r, const Names& names);

  BlockEmitter* block_;
  const kernel_ir::Loop& loop_;
  Form form_;
  bool wide_index_ = false;
  std::vector<std::vector<Names>> levels_;
};

}  // namespace litz::codegen::cpp
