#include "kernel_ir/walk.h"

#include <algorithm>

namespace litz::kernel_ir {

std::vector<Ref> results_of(const Statement& statement) {
  struct Results {
    std::vector<Ref> operator()(const Constant& s) const { return {s.result}; }
    std::vector<Ref> operator()(const Index& s) const { return {s.result}; }
    std::vector<Ref> operator()(const Compute& s) const { return {s.result}; }
    std::vector<Ref> operator()(const Load& s) const { return {s.result}; }
    std::vector<Ref> operator()(const Store&) const { return {}; }
    std::vector<Ref> operator()(const Check& s) const { return {s.result}; }
    std::vector<Ref> operator()(const Loop& s) const {
      std::vector<Ref> refs;
      for (const Reduction& r : s.reductions) refs.insert(refs.end(), r.results.begin(), r.results.end());
      return refs;
    }
  };
  return std::visit(Results{}, statement);
}

std::vector<Ref> refs_of(const Expr& e) {
  std::vector<Ref> refs;
  for (const std::string& s : e.symbols()) {
    if (const auto ref = symbol_ref(s)) refs.push_back(*ref);
  }
  return refs;
}

std::vector<Expr*> expressions(Statement& statement) {
  struct Each {
    static std::vector<Expr*> all(std::vector<Expr>& index) {
      std::vector<Expr*> out;
      for (Expr& e : index) out.push_back(&e);
      return out;
    }
    std::vector<Expr*> operator()(Constant&) const { return {}; }
    std::vector<Expr*> operator()(Index& s) const { return {&s.value}; }
    std::vector<Expr*> operator()(Compute&) const { return {}; }
    std::vector<Expr*> operator()(Load& s) const { return all(s.index); }
    std::vector<Expr*> operator()(Store& s) const { return all(s.index); }
    std::vector<Expr*> operator()(Check& s) const { return {&s.size}; }
    std::vector<Expr*> operator()(Loop& s) const {
      std::vector<Expr*> out;
      for (Range& r : s.ranges) out.push_back(&r.extent);
      return out;
    }
  };
  return std::visit(Each{}, statement);
}

std::vector<const Expr*> expressions(const Statement& statement) {
  const std::vector<Expr*> found = expressions(const_cast<Statement&>(statement));  // NOLINT: only read below
  return {found.begin(), found.end()};
}

std::vector<Ref> refs_read(const Statement& statement) {
  std::vector<Ref> refs;
  for (const Expr* e : expressions(statement)) {
    for (const Ref ref : refs_of(*e)) refs.push_back(ref);
  }
  const std::vector<Ref> results = results_of(statement);
  for_each_ref(const_cast<Statement&>(statement), [&](const Ref& ref) {  // NOLINT: only read
    if (std::find(results.begin(), results.end(), ref) == results.end()) refs.push_back(ref);
  });
  return refs;
}

Ref used_refs(const Kernel& kernel) {
  Ref used = 0;
  auto note = [&](Ref ref) {
    if (ref != kNoRef) used = std::max(used, ref + 1);
  };
  if (kernel.templ) note(kernel.templ->accumulator);
  for_each_statement(kernel, [&](const Statement& s, const LoopPath&) {
    for (const Ref ref : results_of(s)) note(ref);
    for (const Ref ref : refs_read(s)) note(ref);
  });
  return used;
}

std::vector<Range> template_ranges(const Template& templ) {
  struct Ranges {
    std::vector<Range> operator()(const MatmulTemplate& t) const {
      std::vector<Range> ranges = {{"m", t.m}, {"n", t.n}};
      if (t.batch != Expr(1)) ranges.insert(ranges.begin(), {"b", t.batch});
      return ranges;
    }
    std::vector<Range> operator()(const ConvTemplate& t) const {
      return {{"b", t.batch},
              {"co", ceil_div(t.out_channels, std::max<int64_t>(t.out_block, 1))},
              {"oh", t.out_h},
              {"ow", t.out_w},
              {"ci", t.out_block}};
    }
    std::vector<Range> operator()(const AttentionTemplate& t) const {
      return {{"b", t.batch}, {"h", t.heads}, {"q", t.queries}, {"d", t.value_dim}};
    }
  };
  return std::visit(Ranges{}, templ.what);
}

namespace {

// Adds to `into` what an expression depends on: ranges by name, refs by what they depend on.
void add_dependence(const Expr& e, const std::vector<std::set<std::string>>& of_ref, std::set<std::string>& into) {
  for (const std::string& s : e.symbols()) {
    const auto ref = symbol_ref(s);
    if (!ref) {
      into.insert(s);
    } else if (*ref < of_ref.size()) {
      into.insert(of_ref[*ref].begin(), of_ref[*ref].end());
    }
  }
}

}  // namespace

std::vector<std::set<std::string>> range_dependence(const Kernel& kernel) {
  std::vector<std::set<std::string>> of_ref(std::max(kernel.next_ref, used_refs(kernel)));
  std::vector<Range> outside;
  if (kernel.templ) {
    outside = template_ranges(*kernel.templ);
    if (kernel.templ->accumulator != kNoRef) {
      for (const Range& r : outside) of_ref[kernel.templ->accumulator].insert(r.name);
    }
  }
  // Sets of a loop's results need the whole body first: statements are visited in order, loops after their bodies.
  auto run = [&](auto& self, const Block& block, LoopPath& path) -> void {
    for (const Statement& s : block.statements) {
      if (const Loop* loop = std::get_if<Loop>(&s)) {
        path.push_back(loop);
        self(self, loop->body, path);
        path.pop_back();
      }
      std::set<std::string> names;
      for (const Expr* e : expressions(s)) add_dependence(*e, of_ref, names);
      for (const Ref ref : refs_read(s)) names.insert(of_ref[ref].begin(), of_ref[ref].end());
      if (const Load* load = std::get_if<Load>(&s)) {
        if (kernel.buffers.at(load->buffer).role != BufferRole::in) {
          for (const Loop* l : path) {
            for (const Range& r : l->ranges) names.insert(r.name);
          }
          for (const Range& r : outside) names.insert(r.name);
        }
      }
      if (const Loop* loop = std::get_if<Loop>(&s)) {
        for (const Range& r : loop->ranges) names.erase(r.name);
      }
      for (const Ref ref : results_of(s)) of_ref[ref] = names;
    }
  };
  LoopPath path;
  if (kernel.templ) run(run, kernel.templ->epilogue, path);
  run(run, kernel.body, path);
  return of_ref;
}

std::vector<LiveRange> live_ranges(const Kernel& kernel) {
  const size_t count = std::max(kernel.next_ref, used_refs(kernel));
  std::vector<LiveRange> live(count);
  std::vector<size_t> depth(count, 0);           // loops around the definition
  std::vector<std::vector<Ref>> ends_with_loop;  // by depth: values from just outside the loop that are read in it
  size_t position = 0;
  auto run = [&](auto& self, const Block& block, size_t loops) -> void {
    for (const Statement& s : block.statements) {
      const size_t here = position++;
      const Loop* loop = std::get_if<Loop>(&s);
      if (loop != nullptr) {
        ends_with_loop.emplace_back();
        self(self, loop->body, loops + 1);
        for (const Ref ref : ends_with_loop.back()) live[ref].end = std::max(live[ref].end, position - 1);
        ends_with_loop.pop_back();
      }
      const size_t at = loop != nullptr ? position - 1 : here;
      for (const Ref ref : refs_read(s)) {
        live[ref].end = std::max(live[ref].end, at);
        if (depth[ref] < loops) ends_with_loop[depth[ref]].push_back(ref);
      }
      for (const Ref ref : results_of(s)) {
        live[ref] = {.begin = at, .end = at};
        depth[ref] = loops;
      }
    }
  };
  if (kernel.templ) run(run, kernel.templ->epilogue, 0);
  run(run, kernel.body, 0);
  return live;
}

namespace {

bool is_special(ir::ScalarOp op) {
  using ir::ScalarOp;
  if (op == ScalarOp::div || op == ScalarOp::fmod || op == ScalarOp::pow || op == ScalarOp::atan2) return true;
  return op >= ScalarOp::sqrt && op <= ScalarOp::erfc;
}

bool is_free(ir::ScalarOp op) { return op == ir::ScalarOp::cast || op == ir::ScalarOp::bitcast; }

Expr matrix_flops(const Template& templ) {
  struct Flops {
    Expr operator()(const MatmulTemplate& t) const { return 2 * t.batch * t.m * t.n * t.k; }
    Expr operator()(const ConvTemplate& t) const {
      const int64_t inner = t.in_channels / std::max<int64_t>(t.groups, 1) * t.kernel_h * t.kernel_w;
      return 2 * t.batch * product({t.out_channels, t.out_h, t.out_w, inner});
    }
    Expr operator()(const AttentionTemplate& t) const {
      const Expr pairs = t.batch * t.heads * t.queries * t.keys;
      const Expr all = 2 * pairs * (t.head_dim + t.value_dim);
      return t.causal ? floor_div(all, 2) : all;
    }
  };
  return std::visit(Flops{}, templ.what);
}

std::vector<Operand> operands_of(const Template& templ) {
  struct Operands {
    std::vector<Operand> operator()(const MatmulTemplate& t) const {
      std::vector<Operand> all = {t.lhs, t.rhs};
      all.insert(all.end(), t.more_rhs.begin(), t.more_rhs.end());
      return all;
    }
    std::vector<Operand> operator()(const ConvTemplate& t) const { return {t.input, t.weight}; }
    std::vector<Operand> operator()(const AttentionTemplate& t) const {
      std::vector<Operand> all = {t.query, t.key, t.value};
      if (t.mask) all.push_back(*t.mask);
      return all;
    }
  };
  return std::visit(Operands{}, templ.what);
}

// How often a statement under `path` runs.
Expr iterations(const LoopPath& path, const Expr& outside) {
  Expr count = outside;
  for (const Loop* l : path) {
    for (const Range& r : l->ranges) count = count * r.extent;
  }
  return count;
}

}  // namespace

Work work_of(const Kernel& kernel) {
  Work work;
  Expr outside = 1;
  std::vector<Expr> read(kernel.buffers.size()), written(kernel.buffers.size());
  if (kernel.templ) {
    for (const Range& r : template_ranges(*kernel.templ)) outside = outside * r.extent;
    work.flops = matrix_flops(*kernel.templ);
    for (const Operand& o : operands_of(*kernel.templ)) read.at(o.buffer) = product(kernel.buffers.at(o.buffer).shape);
  }
  // The elements that an access can reach: by its own iterations, ranges that its index does not name left out.
  auto reached = [&](const std::vector<Expr>& index, const LoopPath& path) {
    bool all = kernel.templ.has_value();
    std::set<std::string> names;
    for (const Expr& e : index) {
      for (const std::string& s : e.symbols()) {
        names.insert(s);
        all = all || symbol_ref(s).has_value();
      }
    }
    if (all) return iterations(path, outside);
    Expr count = 1;
    for (const Loop* l : path) {
      for (const Range& r : l->ranges) {
        if (names.count(r.name) > 0) count = count * r.extent;
      }
    }
    return count;
  };
  for_each_statement(kernel, [&](const Statement& s, const LoopPath& path) {
    if (const Load* l = std::get_if<Load>(&s)) read.at(l->buffer) = read.at(l->buffer) + reached(l->index, path);
    if (const Store* t = std::get_if<Store>(&s))
      written.at(t->buffer) = written.at(t->buffer) + reached(t->index, path);
    if (const Compute* c = std::get_if<Compute>(&s)) {
      const Expr count = iterations(path, outside);
      if (is_special(c->op)) {
        work.special = work.special + count;
      } else if (!is_free(c->op)) {
        work.flops = work.flops + count * (c->op == ir::ScalarOp::fma ? 2 : 1);
      }
    }
    if (const Loop* l = std::get_if<Loop>(&s)) {
      LoopPath inner = path;
      inner.push_back(l);
      work.flops = work.flops + iterations(inner, outside) * static_cast<int64_t>(l->reductions.size());
    }
  });
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& b = kernel.buffers[i];
    if (b.role == BufferRole::local) continue;
    const Expr elements = product(b.shape);
    work.bytes_read = work.bytes_read + min(read[i], elements) * dtype_size(b.dtype);
    work.bytes_written = work.bytes_written + min(written[i], elements) * dtype_size(b.dtype);
  }
  return work;
}

}  // namespace litz::kernel_ir
