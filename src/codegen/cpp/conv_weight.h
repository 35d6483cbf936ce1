// A convolution's weight that is packed by its own kernel: a panel at a time, into scratch.
#pragma once

#include "codegen/cpp/matmul_pack.h"
#include "codegen/cpp/writer.h"
#include "kernel_ir/kernel.h"

namespace litz::codegen::cpp {

// Scratch holds [tap][channel of the group][columns]. Taps that meet padding only may be left out.
struct PackWeight {
  const kernel_ir::ConvTemplate& conv;  // its weight has strides
  int lanes = 1;
  int64_t columns = 0;
  bool fetch = false;  // the next panel's weight beforehand

  // Defines the function that the calls need.
  void write(Writer& out) const { pack().write(out); }
  // Fills "w" with panel "p" of "weight".
  void write_calls(Writer& out) const;

 private:
  int64_t stride(size_t d) const { return conv.weight.strides[d].constant(); }
  int64_t taps() const { return conv.kernel_h * conv.kernel_w; }
  int64_t tap_stride() const { return conv.kernel_w == 1 ? stride(2) : stride(3); }
  int64_t channels() const { return conv.in_channels / conv.groups; }
  bool by_tap() const;
  PackRight pack() const;
};

}  // namespace litz::codegen::cpp
