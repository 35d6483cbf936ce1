// Relocations of ELF objects: how an address is written into code and data. No memory is mapped here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace litz::runtime {

// What a relocation refers to, apart from symbol + addend.
enum class RelocationTarget : uint8_t {
  symbol,  // the symbol itself
  call,    // the symbol, or a stub that jumps to it where it is out of reach
  got,     // an 8-byte cell that holds the symbol's address
};

struct RelocationKind {
  RelocationTarget target;
  int bytes;  // written at the place
};

// `machine`: EM_X86_64 or EM_AARCH64. Nothing if the type is not supported.
std::optional<RelocationKind> relocation_kind(uint16_t machine, uint32_t type);

// Writes `value` (symbol, stub or GOT cell, plus addend) for an instruction or datum at `place`, whose final address is
// `address`. False if the value does not fit.
bool apply_relocation(uint16_t machine, uint32_t type, std::byte* place, uint64_t address, uint64_t value);

// Code that jumps to an absolute address.
inline constexpr size_t kStubBytes = 16;
void write_stub(uint16_t machine, std::byte* place, uint64_t target);

}  // namespace litz::runtime
