#include "codegen/triton/forward_locals.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "kernel_ir/walk.h"
#include "support/check.h"

namespace litz::codegen::triton {

namespace {

using kernel_ir::Block;
using kernel_ir::Buffer;
using kernel_ir::BufferRole;
using kernel_ir::Kernel;
using kernel_ir::kNoRef;
using kernel_ir::Load;
using kernel_ir::Loop;
using kernel_ir::Ref;
using kernel_ir::Statement;
using kernel_ir::Store;

[[noreturn]] void unsupported(const Buffer& buffer, const std::string& why) {
  throw UnsupportedError("triton-local-buffer", "local buffer '" + buffer.name + "' " + why,
                         "keep the value in an output, or compute it again");
}

// The loop that fills a local buffer, and its store.
struct Source {
  const Loop* loop = nullptr;  // null while it is being rewritten
  Store store;
  bool lost = false;
};

class Forwarder {
 public:
  explicit Forwarder(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel run() {
    for (Statement& s : kernel_.body.statements) {
      sources_.clear();
      Loop& phase = std::get<Loop>(s);
      phase.body = rewrite(phase.body, /*around=*/nullptr);
    }
    return std::move(kernel_);
  }

 private:
  bool is_local(uint32_t buffer) const { return kernel_.buffers[buffer].role == BufferRole::local; }

  // Loops that are finished are kept: sources point into them.
  Block rewrite(const Block& block, const Loop* around) {
    Block out;
    for (const Statement& s : block.statements) {
      if (const Store* store = std::get_if<Store>(&s); store != nullptr && is_local(store->buffer)) {
        note(*store, around);
      } else if (const Load* load = std::get_if<Load>(&s); load != nullptr && is_local(load->buffer)) {
        compute_again(*load, &out);
      } else if (const Loop* loop = std::get_if<Loop>(&s)) {
        inner_loop(*loop, &out);
      } else {
        out.statements.push_back(renamed(s));
      }
    }
    return out;
  }

  void inner_loop(const Loop& loop, Block* out) {
    auto kept = std::make_unique<Loop>(loop);
    const std::map<uint32_t, Source> before = sources_;
    std::vector<uint32_t> outer = std::exchange(pending_, {});
    Block body = rewrite(loop.body, kept.get());
    Loop result = loop;
    result.body = body;
    for (kernel_ir::Reduction& r : result.reductions) r.input = now(r.input);
    kept->body = std::move(body);
    // What loops inside this one stored is not to be had outside: it uses values that are not known there.
    std::map<uint32_t, Source> after = before;
    for (const auto& [buffer, source] : sources_) {
      const auto it = before.find(buffer);
      if (it == before.end() || it->second.loop != source.loop) after[buffer] = Source{.lost = true};
    }
    for (const uint32_t buffer : pending_) after[buffer] = Source{kept.get(), sources_[buffer].store};
    sources_ = std::move(after);
    pending_ = std::move(outer);
    loops_.push_back(std::move(kept));
    out->statements.push_back(std::move(result));
  }

  void note(const Store& store, const Loop* around) {
    const Buffer& buffer = kernel_.buffers[store.buffer];
    if (around == nullptr) unsupported(buffer, "is written outside a loop");
    if (store.mask != kNoRef) unsupported(buffer, "is written under a mask");
    Store now_store = store;
    now_store.value = now(store.value);
    sources_[store.buffer] = Source{nullptr, std::move(now_store)};
    pending_.push_back(store.buffer);
  }

  Ref now(Ref ref) const {
    const auto it = replaced_.find(ref);
    return it == replaced_.end() ? ref : it->second;
  }

  // With loads from local buffers replaced by what was computed.
  Statement renamed(Statement s) const {
    kernel_ir::for_each_ref(s, [this](Ref& ref) { ref = now(ref); });
    std::map<std::string, Expr> symbols;
    for (const Expr* e : kernel_ir::expressions(s)) {
      for (const Ref ref : kernel_ir::refs_of(*e))
        symbols.emplace("%" + std::to_string(ref), kernel_ir::ref_symbol(now(ref)));
    }
    for (Expr* e : kernel_ir::expressions(s)) *e = e->substitute(symbols);
    return s;
  }

  void compute_again(const Load& load, Block* out) {
    const Buffer& buffer = kernel_.buffers[load.buffer];
    if (load.mask != kNoRef) unsupported(buffer, "is read under a mask");
    const auto it = sources_.find(load.buffer);
    LITZ_CHECK(it != sources_.end(), "a local buffer is read before it is written");
    const Source& source = it->second;
    if (source.lost) unsupported(buffer, "is read outside the loop around the one that writes it");
    if (source.loop == nullptr) {
      if (renamed(load) != renamed(Load{load.result, load.dtype, load.buffer, source.store.index})) {
        unsupported(buffer, "is read in the loop that writes it");
      }
      replaced_[load.result] = source.store.value;
      return;
    }
    // Each range of the loop is a dimension's index there, and that dimension's index here is its value.
    std::map<std::string, Expr> symbols;
    for (size_t d = 0; d < source.store.index.size(); ++d) {
      const auto range = source.store.index[d].symbol_name();
      if (range) symbols.emplace(*range, load.index[d]);
      if (!range && source.store.index[d] != load.index[d]) unsupported(buffer, "is not written one range a dimension");
    }
    for (const kernel_ir::Range& r : source.loop->ranges) {
      if (symbols.count(r.name) == 0 && r.extent != Expr(1)) unsupported(buffer, "does not hold every iteration");
      if (symbols.count(r.name) == 0) symbols.emplace(r.name, 0);
    }
    replaced_[load.result] = copy_slice(source, std::move(symbols), buffer, out);
  }

  // Copies the statements of the source's body that its value needs, in order; gives the new value.
  Ref copy_slice(const Source& source, std::map<std::string, Expr> symbols, const Buffer& buffer, Block* out) {
    const std::vector<Statement>& body = source.loop->body.statements;
    std::set<Ref> needed = {source.store.value};
    std::vector<const Statement*> slice;
    for (auto s = body.rbegin(); s != body.rend(); ++s) {
      const std::vector<Ref> results = kernel_ir::results_of(*s);
      const bool used = std::any_of(results.begin(), results.end(), [&](Ref r) { return needed.count(r) > 0; });
      if (!used) continue;
      if (std::holds_alternative<Loop>(*s)) unsupported(buffer, "holds what an inner loop gives");
      if (const Load* l = std::get_if<Load>(&*s); l != nullptr && kernel_.buffers[l->buffer].role != BufferRole::in) {
        unsupported(buffer, "holds what the kernel may have overwritten");
      }
      for (const Ref ref : kernel_ir::refs_read(*s)) needed.insert(ref);
      slice.push_back(&*s);
    }
    std::map<Ref, Ref> copies;
    for (auto s = slice.rbegin(); s != slice.rend(); ++s) {
      Statement copy = **s;
      const Ref old = kernel_ir::results_of(copy)[0];
      const Ref fresh = kernel_.next_ref++;
      kernel_ir::for_each_ref(copy, [&](Ref& ref) {
        if (const auto it = copies.find(ref); it != copies.end()) ref = it->second;
        if (ref == old) ref = fresh;
      });
      for (Expr* e : kernel_ir::expressions(copy)) *e = e->substitute(symbols);
      copies.emplace(old, fresh);
      symbols.insert_or_assign("%" + std::to_string(old), kernel_ir::ref_symbol(fresh));
      out->statements.push_back(std::move(copy));
    }
    const auto value = copies.find(source.store.value);
    return value == copies.end() ? source.store.value : value->second;
  }

  Kernel kernel_;
  std::map<uint32_t, Source> sources_;
  std::vector<uint32_t> pending_;  // stored to in the loop being rewritten
  std::map<Ref, Ref> replaced_;    // loads by what they would give
  std::vector<std::unique_ptr<Loop>> loops_;
};

// Removes what nothing uses, from the end.
bool drop_unused(Block& block, std::set<Ref>& used) {
  std::vector<Statement> kept;
  for (auto s = block.statements.rbegin(); s != block.statements.rend(); ++s) {
    const std::vector<Ref> results = kernel_ir::results_of(*s);
    bool needed = std::holds_alternative<Store>(*s) || std::holds_alternative<kernel_ir::Check>(*s) ||
                  std::any_of(results.begin(), results.end(), [&](Ref r) { return used.count(r) > 0; });
    if (Loop* loop = std::get_if<Loop>(&*s)) {
      if (needed) {
        for (const Ref ref : kernel_ir::refs_read(*s)) used.insert(ref);
      } else if (loop->kind == kernel_ir::RangeKind::reduction) {
        loop->reductions.clear();
        loop->kind = kernel_ir::RangeKind::serial;
      }
      needed = drop_unused(loop->body, used) || needed || loop->kind == kernel_ir::RangeKind::parallel;
    }
    if (!needed) continue;
    for (const Ref ref : kernel_ir::refs_read(*s)) used.insert(ref);
    kept.push_back(std::move(*s));
  }
  std::reverse(kept.begin(), kept.end());
  block.statements = std::move(kept);
  return std::any_of(block.statements.begin(), block.statements.end(), [](const Statement& s) {
    return std::holds_alternative<Store>(s) || std::holds_alternative<kernel_ir::Check>(s) ||
           std::holds_alternative<Loop>(s);
  });
}

}  // namespace

Kernel forward_locals(Kernel kernel) {
  const bool any = std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                               [](const Buffer& b) { return b.role == BufferRole::local; });
  if (!any) return kernel;
  Kernel result = Forwarder(std::move(kernel)).run();
  std::erase_if(result.buffers, [](const Buffer& b) { return b.role == BufferRole::local; });
  std::set<Ref> used;
  drop_unused(result.body, used);
  return result;
}

}  // namespace litz::codegen::triton
