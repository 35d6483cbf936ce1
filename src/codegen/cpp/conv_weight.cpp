#include "codegen/cpp/conv_weight.h"

#include "schedule/templates.h"

namespace litz::codegen::cpp {
namespace {

std::string str(int64_t value) { return std::to_string(value); }

}  // namespace

// Where many taps are not needed, or they do not lie evenly.
bool PackWeight::by_tap() const {
  if (taps() == 1) return false;
  const bool even = conv.kernel_h == 1 || conv.kernel_w == 1 || stride(2) == stride(3) * conv.kernel_w;
  const bool joins = channels() == 1 || stride(1) == tap_stride() * taps() || tap_stride() == stride(1) * channels();
  return !even || !joins || static_cast<int64_t>(schedule::needed_taps(conv).size()) * 2 < taps();
}

// Rows are (channel, tap), or (tap, channel) where channels are innermost in memory; or the channels of one tap.
PackRight PackWeight::pack() const {
  PackRight pack{
      .name = "pack_weight", .lanes = lanes, .columns = columns, .k_stride = stride(1), .n_stride = stride(0)};
  if (fetch) pack.ahead = columns * pack.n_stride;
  if (by_tap()) return pack;
  if (channels() == 1) {
    pack.k_stride = tap_stride();
  } else if (taps() > 1 && stride(1) == tap_stride() * taps()) {
    pack.k_stride = tap_stride();
    pack.taps = taps(), pack.channels = channels();
  }
  return pack;
}

void PackWeight::write_calls(Writer& out) const {
  const std::string from = "weight + p * " + str(columns * stride(0));
  const std::string rest = str(conv.out_channels) + " - p * " + str(columns);
  if (!by_tap()) {
    out.line("pack_weight(" + from + ", " + str(taps() * channels()) + ", " + rest + ", w);");
    return;
  }
  for (const int64_t tap : schedule::needed_taps(conv)) {
    const int64_t at = tap / conv.kernel_w * stride(2) + tap % conv.kernel_w * stride(3);
    out.line("pack_weight(" + from + " + " + str(at) + ", " + str(channels()) + ", " + rest + ", w + " +
             str(tap * channels() * columns) + ");");
  }
}

}  // namespace litz::codegen::cpp
