// Text to Kernel IR.
//
//   kernel    := 'kernel' '@' name '(' [buffer {',' buffer}] ')' '{' {header} [template] {statement} '}'
//   buffer    := name ':' type ['strides' '(' exprs ')'] ('in' | 'out' | 'in_out' | 'local') [quoted]
//   header    := 'ops' '(' quoteds ')' | 'checks' '(' quoteds ')' | 'schedule' '(' fields ')' | 'refs' integer
//   template  := 'template' ('matmul' | 'conv' | 'attention') '(' fields ')' 'epilogue' '(' ref ')' block
//   field     := name '=' (expr | float | 'true' | 'false' | dtype | '[' integers ']' | '[' names ']' | operand |
//   'none') operand   := buffer-name ['offset' expr] 'strides' '(' exprs ')' block     := '{' {statement} '}' statement
//   := ref '=' 'const' number ':' dtype
//              | ref '=' 'index' expr
//              | ref '=' op ref {',' ref} ':' dtype
//              | ref '=' 'load' place ['if' ref] ['else' number] ':' dtype
//              | ref '=' 'check' ref '<' expr '#' integer
//              | 'store' place ',' ref ['if' ref]
//              | [ref {',' ref} '='] ('parallel' | 'loop') [range {',' range}] ['reduce' '(' reductions ')'] block
//   place     := buffer-name '[' exprs ']'
//   range     := name '<' expr
//   reduction := op dtype ref
//   ref       := '%' integer
#include <algorithm>
#include <map>

#include "ir/text.h"
#include "kernel_ir/fields.h"
#include "kernel_ir/kernel.h"

namespace litz::kernel_ir {

namespace {

using ir::TextReader;

constexpr int kMaxDepth = 32;           // of loops
constexpr Ref kMaxRef = 1u << 24;       // so that tables by ref stay small
constexpr size_t kMaxText = 64u << 20;  // bytes

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Kernel parse() {
    in_.expect("kernel");
    in_.expect("@");
    kernel_.name = in_.name();
    in_.expect("(");
    while (!in_.accept(")")) {
      buffer();
      if (!in_.peek(")")) in_.expect(",");
    }
    in_.expect("{");
    Ref refs = 0;
    while (header(&refs)) {
    }
    if (in_.accept("template")) templ();
    kernel_.body = block_rest(0);
    if (!in_.at_end()) in_.fail("expected the end of the text after the kernel");
    kernel_.next_ref = std::max(refs, used_refs_);
    return std::move(kernel_);
  }

 private:
  void buffer() {
    const size_t position = in_.position();
    Buffer b;
    b.name = in_.name();
    in_.expect(":");
    const ir::TensorType type = in_.type();
    if (!type.layout.is_default()) in_.fail_at(position, "a buffer has physical dimensions only, no layout");
    b.dtype = type.dtype;
    b.shape = type.shape;
    b.strides = ir::contiguous_strides(b.shape);
    if (in_.accept("strides")) {
      in_.expect("(");
      b.strides = in_.expr_list(")");
      if (b.strides.size() != b.shape.size()) in_.fail_at(position, "a buffer has as many strides as dimensions");
    }
    if (in_.accept("in")) {
      b.role = BufferRole::in;
    } else if (in_.accept("out")) {
      b.role = BufferRole::out;
    } else if (in_.accept("in_out")) {
      b.role = BufferRole::in_out;
    } else if (in_.accept("local")) {
      b.role = BufferRole::local;
    } else {
      in_.fail("expected the buffer's role (in, out, in_out, local)");
    }
    if (in_.peek_quoted()) b.source = in_.quoted();
    if (!buffers_.emplace(b.name, static_cast<uint32_t>(kernel_.buffers.size())).second) {
      in_.fail_at(position, "two buffers have the name '" + b.name + "'");
    }
    kernel_.buffers.push_back(std::move(b));
  }

  bool header(Ref* refs) {
    if (in_.accept("ops")) {
      kernel_.source_ops = quoteds();
    } else if (in_.accept("checks")) {
      kernel_.checks = quoteds();
    } else if (in_.accept("schedule")) {
      fields(kernel_.schedule);
    } else if (in_.accept("refs")) {
      const int64_t count = in_.integer();
      if (count < 0 || count > kMaxRef) in_.fail("the number of refs is out of range");
      *refs = static_cast<Ref>(count);
    } else {
      return false;
    }
    return true;
  }

  std::vector<std::string> quoteds() {
    std::vector<std::string> items;
    in_.expect("(");
    while (!in_.accept(")")) {
      items.push_back(in_.quoted());
      if (!in_.peek(")")) in_.expect(",");
    }
    return items;
  }

  template <typename T>
  void fields(T& object) {
    in_.expect("(");
    std::vector<std::string> seen;
    while (!in_.accept(")")) {
      const size_t position = in_.position();
      const std::string name = in_.name();
      in_.expect("=");
      bool found = false;
      for_each_field(object, [&](std::string_view field, auto& value) {
        if (field != name) return;
        found = true;
        read(value);
      });
      if (!found) in_.fail_at(position, "no field '" + name + "' here");
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        in_.fail_at(position, "field '" + name + "' is given twice");
      }
      seen.push_back(name);
      if (!in_.peek(")")) in_.expect(",");
    }
  }

  void read(Expr& v) { v = in_.expr(); }
  void read(int64_t& v) { v = in_.integer(); }
  void read(double& v) { v = in_.floating(); }
  void read(DType& v) { v = in_.dtype(); }
  void read(bool& v) {
    v = in_.accept("true");
    if (!v) in_.expect("false");
  }
  void read(std::vector<int64_t>& v) {
    in_.expect("[");
    v = in_.integer_list("]");
  }
  void read(std::vector<std::string>& v) {
    v.clear();
    in_.expect("[");
    while (!in_.accept("]")) {
      v.push_back(in_.name());
      if (!in_.peek("]")) in_.expect(",");
    }
  }
  void read(Operand& v) {
    v.buffer = buffer_ref();
    v.offset = in_.accept("offset") ? in_.expr() : Expr(0);
    in_.expect("strides");
    in_.expect("(");
    v.strides = in_.expr_list(")");
  }
  void read(std::vector<Operand>& v) {
    v.clear();
    in_.expect("[");
    while (!in_.accept("]")) {
      read(v.emplace_back());
      if (!in_.peek("]")) in_.expect(",");
    }
  }
  void read(std::optional<Operand>& v) {
    v.reset();
    if (!in_.accept("none")) read(v.emplace());
  }

  void templ() {
    Template& t = kernel_.templ.emplace();
    if (in_.accept("matmul")) {
      fields(t.what.emplace<MatmulTemplate>());
    } else if (in_.accept("conv")) {
      fields(t.what.emplace<ConvTemplate>());
    } else if (in_.accept("attention")) {
      fields(t.what.emplace<AttentionTemplate>());
    } else {
      in_.fail("expected a template (matmul, conv, attention)");
    }
    in_.expect("epilogue");
    in_.expect("(");
    if (!in_.accept("_")) t.accumulator = ref();
    in_.expect(")");
    in_.expect("{");
    t.epilogue = block_rest(0);
  }

  Ref ref() {
    const size_t position = in_.position();
    in_.expect("%");
    const int64_t number = in_.integer();
    if (number < 0 || number >= kMaxRef) in_.fail_at(position, "the number of a scalar value is out of range");
    used_refs_ = std::max(used_refs_, static_cast<Ref>(number) + 1);
    return static_cast<Ref>(number);
  }

  uint32_t buffer_ref() {
    const size_t position = in_.position();
    const auto it = buffers_.find(in_.name());
    if (it == buffers_.end()) in_.fail_at(position, "no buffer has this name");
    return it->second;
  }

  std::vector<Expr> index() {
    in_.expect("[");
    return in_.expr_list("]");
  }

  // Up to and with '}'.
  Block block_rest(int depth) {
    if (depth > kMaxDepth) in_.fail("loops are nested too deeply");
    Block block;
    while (!in_.accept("}")) block.statements.push_back(statement(depth));
    return block;
  }

  Statement statement(int depth) {
    if (in_.accept("store")) return store();
    const size_t position = in_.position();
    std::vector<Ref> results;
    if (in_.peek("%")) {
      do {
        results.push_back(ref());
      } while (in_.accept(","));
      in_.expect("=");
    }
    if (in_.accept("parallel")) return loop(RangeKind::parallel, results, position, depth);
    if (in_.accept("loop")) return loop(RangeKind::serial, results, position, depth);
    if (results.empty()) in_.fail("expected a statement (%n = …, store, loop, parallel) or '}'");
    if (results.size() != 1) in_.fail_at(position, "only a loop has several results");
    return scalar_statement(results[0]);
  }

  Statement store() {
    Store s;
    s.buffer = buffer_ref();
    s.index = index();
    in_.expect(",");
    s.value = ref();
    if (in_.accept("if")) s.mask = ref();
    return s;
  }

  Statement scalar_statement(Ref result) {
    if (in_.accept("const")) {
      Constant s{.result = result};
      s.value = in_.scalar(&s.dtype);
      return s;
    }
    if (in_.accept("index")) return Index{.result = result, .value = in_.expr()};
    if (in_.accept("load")) return load(result);
    if (in_.accept("check")) {
      Check s{.result = result, .value = ref()};
      in_.expect("<");
      s.size = in_.expr();
      s.wraps = in_.accept("wraps");
      in_.expect("#");
      const int64_t check = in_.integer();
      if (check < 0 || check > INT32_MAX) in_.fail("the number of a check is out of range");
      s.check = static_cast<uint32_t>(check);
      return s;
    }
    return compute(result);
  }

  Statement load(Ref result) {
    Load s{.result = result};
    s.buffer = buffer_ref();
    s.index = index();
    if (in_.accept("if")) s.mask = ref();
    if (in_.accept("else")) {
      s.otherwise = in_.scalar(&s.dtype);
    } else {
      in_.expect(":");
      s.dtype = in_.dtype();
    }
    return s;
  }

  Statement compute(Ref result) {
    Compute s{.result = result};
    const size_t position = in_.position();
    const std::string name = in_.name();
    if (!ir::parse_scalar_op(name, &s.op)) in_.fail_at(position, "no scalar op '" + name + "'");
    do {
      s.args.push_back(ref());
    } while (in_.accept(","));
    in_.expect(":");
    s.dtype = in_.dtype();
    return s;
  }

  Statement loop(RangeKind kind, const std::vector<Ref>& results, size_t position, int depth) {
    Loop l{.kind = kind};
    if (!in_.peek("{") && !in_.peek("reduce")) {
      do {
        Range r{.name = in_.name(), .extent = {}};
        in_.expect("<");
        r.extent = in_.expr();
        l.ranges.push_back(std::move(r));
      } while (in_.accept(","));
    }
    if (kind == RangeKind::serial && in_.accept("reduce")) {
      l.kind = RangeKind::reduction;
      reductions(l, results, position);
    } else if (!results.empty()) {
      in_.fail_at(position, "a loop without reduce(…) has no results");
    }
    in_.expect("{");
    l.body = block_rest(depth + 1);
    return l;
  }

  void reductions(Loop& l, const std::vector<Ref>& results, size_t position) {
    size_t next = 0;
    in_.expect("(");
    while (!in_.accept(")")) {
      Reduction r;
      const size_t at = in_.position();
      const std::string name = in_.name();
      if (!ir::parse_reduce_op(name, &r.op)) in_.fail_at(at, "no reduction '" + name + "'");
      r.dtype = in_.dtype();
      r.input = ref();
      const size_t count = r.op == ir::ReduceOp::argmax || r.op == ir::ReduceOp::argmin ? 2 : 1;
      if (next + count > results.size()) in_.fail_at(position, "fewer results than the reductions have");
      r.results.assign(results.begin() + static_cast<ptrdiff_t>(next),
                       results.begin() + static_cast<ptrdiff_t>(next + count));
      next += count;
      l.reductions.push_back(std::move(r));
      if (!in_.peek(")")) in_.expect(",");
    }
    if (next != results.size()) in_.fail_at(position, "more results than the reductions have");
  }

  TextReader in_;
  Kernel kernel_;
  std::map<std::string, uint32_t> buffers_;
  Ref used_refs_ = 0;
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text) {
  if (text.size() > kMaxText) return Failure{"the text is larger than " + std::to_string(kMaxText >> 20) + " MiB"};
  try {
    return Parser(text).parse();
  } catch (const Error& e) {
    return Failure{e.what()};
  }
}

}  // namespace litz::kernel_ir
