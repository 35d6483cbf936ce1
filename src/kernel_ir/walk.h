// Small questions about a kernel: what a statement reads and defines, what a value depends on, how much work there is.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel_ir/kernel.h"

namespace litz::kernel_ir {

// The loops around a statement, outermost first.
using LoopPath = std::vector<const Loop*>;

// Calls visit(statement, loops around it) for each statement of `block` in order, a loop before its body.
template <typename Visit>
void for_each_statement(const Block& block, LoopPath& path, Visit&& visit) {
  for (const Statement& s : block.statements) {
    visit(s, static_cast<const LoopPath&>(path));
    if (const Loop* loop = std::get_if<Loop>(&s)) {
      path.push_back(loop);
      for_each_statement(loop->body, path, visit);
      path.pop_back();
    }
  }
}

// The same for a whole kernel: a template's epilogue, then the loops.
template <typename Visit>
void for_each_statement(const Kernel& kernel, Visit&& visit) {
  LoopPath path;
  if (kernel.templ) for_each_statement(kernel.templ->epilogue, path, visit);
  for_each_statement(kernel.body, path, visit);
}

// Calls visit(statement) for each statement, which it may change; a loop before its body.
template <typename Visit>
void for_each_statement(Block& block, Visit&& visit) {
  for (Statement& s : block.statements) {
    visit(s);
    if (Loop* loop = std::get_if<Loop>(&s)) for_each_statement(loop->body, visit);
  }
}

// What a statement defines: one ref, or a loop's results.
std::vector<Ref> results_of(const Statement& statement);
// What it reads itself, refs in index expressions and masks included. Of a loop: what its reductions take from its
// body.
std::vector<Ref> refs_read(const Statement& statement);
// Refs that an expression names.
std::vector<Ref> refs_of(const Expr& e);
// The index expressions of a statement: of an access, an Index, the size of a Check, a loop's extents.
std::vector<Expr*> expressions(Statement& statement);
std::vector<const Expr*> expressions(const Statement& statement);
// Calls visit(ref) for each ref that the statement holds, which it may change; not those within expressions.
template <typename Visit>
void for_each_ref(Statement& statement, Visit visit);

// One more than the largest ref in use.
Ref used_refs(const Kernel& kernel);

// The ranges of a template's epilogue, with their extents: "m", "n", …
std::vector<Range> template_ranges(const Template& templ);

// For each ref, the ranges whose iteration its value may depend on, through operands too. A value loaded from a buffer
// that the kernel writes may depend on every range around the load.
std::vector<std::set<std::string>> range_dependence(const Kernel& kernel);

// Where a value is defined and last read, as positions in the order of for_each_statement. A value read inside a loop
// that it is defined outside of lives to the end of that loop. Values never read end where they start.
struct LiveRange {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const LiveRange&) const = default;
};
std::vector<LiveRange> live_ranges(const Kernel& kernel);

// The work of one run of a kernel. An element read several times counts once, as far as the buffer's size tells.
struct Work {
  Expr bytes_read;
  Expr bytes_written;
  Expr flops;    // additions, multiplications, comparisons …; a fused multiply-add counts as two
  Expr special;  // divisions, roots, exponentials and the like
};
Work work_of(const Kernel& kernel);

template <typename Visit>
void for_each_ref(Statement& statement, Visit visit) {
  struct Each {
    Visit& visit;
    void operator()(Constant& s) { visit(s.result); }
    void operator()(Index& s) { visit(s.result); }
    void operator()(Compute& s) {
      visit(s.result);
      for (Ref& arg : s.args) visit(arg);
    }
    void operator()(Load& s) {
      visit(s.result);
      if (s.mask != kNoRef) visit(s.mask);
    }
    void operator()(Store& s) {
      visit(s.value);
      if (s.mask != kNoRef) visit(s.mask);
    }
    void operator()(Check& s) {
      visit(s.result);
      visit(s.value);
    }
    void operator()(Loop& s) {
      for (Reduction& r : s.reductions) {
        visit(r.input);
        for (Ref& result : r.results) visit(result);
      }
    }
  };
  std::visit(Each{visit}, statement);
}

}  // namespace litz::kernel_ir
