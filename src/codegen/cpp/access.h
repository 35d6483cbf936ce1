// How a block reads and writes a buffer: decided from the linear offset of the access and the vectorised range.
#pragma once

#include <string>

#include "codegen/cpp/block.h"

namespace litz::codegen::cpp {

struct Access {
  enum class Kind : uint8_t {
    uniform,     // the same element for all lanes, or scalar code
    contiguous,  // lane l reads element offset + l
    strided,     // lane l reads element offset + l * stride
    scattered    // offset is an i64v
  };
  Kind kind = Kind::uniform;
  std::string offset;  // C++ expression
  int64_t stride = 0;
};

class AccessPrinter {
 public:
  explicit AccessPrinter(const BlockEmitter& block) : block_(block), state_(block.state()) {}

  Access classify(const kernel_ir::Buffer& buffer, const std::vector<Expr>& index) const;
  // `e` as an i64 or, where it differs from lane to lane, an i64v.
  Value index_value(const Expr& e) const;
  // A C++ expression of the buffer's type in memory.
  Value load(const kernel_ir::Load& load) const;
  // Where the lanes of `load` start and how far they are apart, if it is contiguous along `range` and strided along
  // lanes.
  std::optional<Access> square(const kernel_ir::Load& load, const std::string& range) const;
  // A statement.
  std::string store(const kernel_ir::Store& store) const;
  // Whether the values of `e` differ between lanes.
  bool varies(const Expr& e) const;

 private:
  std::string text(const Expr& e, bool lanes) const;
  std::string vector_load(const std::string& type, const std::string& pointer, const Access& access,
                          const kernel_ir::Load& load, const std::string& otherwise) const;
  std::string offsets(const Access& access) const;
  std::string lane_mask(const Value* mask) const;

  const BlockEmitter& block_;
  const BlockState& state_;
};

}  // namespace litz::codegen::cpp
