#include "kernel_ir/canonical.h"

#include <map>
#include <set>

#include "kernel_ir/walk.h"

namespace litz::kernel_ir {

namespace {

class Renamer {
 public:
  explicit Renamer(const Kernel& kernel) : kernel_(kernel) {}

  Kernel run() {
    kernel_.name = "kernel";
    kernel_.source_ops.clear();
    kernel_.notes.clear();
    kernel_.checks.assign(kernel_.checks.size(), "");
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      Buffer& b = kernel_.buffers[i];
      b.name = "a" + std::to_string(i);
      b.source.clear();
      for (const auto* list : {&b.shape, &b.strides}) {
        for (const Expr& e : *list) taken_.merge(e.symbols());
      }
    }
    if (kernel_.templ) {
      for (const Range& r : template_ranges(*kernel_.templ)) taken_.insert(r.name);
      rename(kernel_.templ->accumulator);
      block(kernel_.templ->epilogue);
    }
    block(kernel_.body);
    for (auto* list : {&kernel_.schedule.vector_ranges, &kernel_.schedule.tile_ranges}) {
      for (std::string& name : *list) {
        if (const auto it = names_.find(name); it != names_.end()) name = *it->second.symbol_name();
      }
    }
    kernel_.next_ref = next_ref_;
    return std::move(kernel_);
  }

 private:
  void rename(Ref& ref) {
    if (ref == kNoRef) return;
    const auto [it, fresh] = refs_.emplace(ref, next_ref_);
    if (fresh) {
      names_.emplace("%" + std::to_string(ref), ref_symbol(next_ref_));
      ++next_ref_;
    }
    ref = it->second;
  }

  void enter(std::vector<Range>& ranges) {
    for (Range& r : ranges) {
      std::string name;
      do {
        name = "i" + std::to_string(next_range_++);
      } while (taken_.count(name) > 0);
      names_.insert_or_assign(r.name, Expr::symbol(name));
      r.name = name;
    }
  }

  // Definitions come before uses, so that a ref is numbered where it is defined; a loop's results after its body.
  void block(Block& b) {
    for (Statement& s : b.statements) {
      if (Loop* loop = std::get_if<Loop>(&s)) {
        enter(loop->ranges);
        block(loop->body);
      } else {
        for (Expr* e : expressions(s)) *e = e->substitute(names_);
      }
      for_each_ref(s, [this](Ref& ref) { rename(ref); });
    }
  }

  Kernel kernel_;
  std::map<std::string, Expr> names_;  // ranges and refs to their new names
  std::map<Ref, Ref> refs_;
  std::set<std::string> taken_;
  Ref next_ref_ = 0;
  int next_range_ = 0;
};

}  // namespace

Kernel canonical(const Kernel& kernel) { return Renamer(kernel).run(); }

}  // namespace litz::kernel_ir
