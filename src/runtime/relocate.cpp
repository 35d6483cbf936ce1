#include "runtime/relocate.h"

#include <elf.h>

#include <cstring>

namespace litz::runtime {

namespace {

template <typename T>
T load(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

bool fits_signed(int64_t value, int bits) {
  const int64_t limit = int64_t{1} << (bits - 1);
  return value >= -limit && value < limit;
}

bool store_signed32(std::byte* place, int64_t value) {
  if (!fits_signed(value, 32)) return false;
  store(place, static_cast<int32_t>(value));
  return true;
}

std::optional<RelocationKind> x86_kind(uint32_t type) {
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
      return RelocationKind{RelocationTarget::symbol, 8};
    case R_X86_64_32:
    case R_X86_64_32S:
      return RelocationKind{RelocationTarget::symbol, 4};
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return RelocationKind{RelocationTarget::call, 4};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return RelocationKind{RelocationTarget::got, 4};
    default:
      return std::nullopt;
  }
}

bool apply_x86(uint32_t type, std::byte* place, uint64_t address, uint64_t value) {
  switch (type) {
    case R_X86_64_64:
      store(place, value);
      return true;
    case R_X86_64_PC64:
      store(place, value - address);
      return true;
    case R_X86_64_32:
      if (value > UINT32_MAX) return false;
      store(place, static_cast<uint32_t>(value));
      return true;
    case R_X86_64_32S:
      return store_signed32(place, static_cast<int64_t>(value));
    default:
      return store_signed32(place, static_cast<int64_t>(value - address));
  }
}

std::optional<RelocationKind> aarch64_kind(uint32_t type) {
  switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64:
      return RelocationKind{RelocationTarget::symbol, 8};
    case R_AARCH64_ABS32:
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return RelocationKind{RelocationTarget::symbol, 4};
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return RelocationKind{RelocationTarget::call, 4};
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return RelocationKind{RelocationTarget::got, 4};
    default:
      return std::nullopt;
  }
}

// Bits [low, low + count) of `value` into bits [at, at + count) of the instruction.
void insert_bits(std::byte* place, uint64_t value, int low, int count, int at) {
  const uint32_t mask = ((uint32_t{1} << count) - 1) << at;
  const auto field = static_cast<uint32_t>(value >> low) << at;
  store(place, (load<uint32_t>(place) & ~mask) | (field & mask));
}

// The low 12 bits of an address as the scaled offset of a load or store of 2^scale bytes.
bool insert_offset(std::byte* place, uint64_t value, int scale) {
  if (value % (uint64_t{1} << scale) != 0) return false;
  insert_bits(place, value & 0xfff, scale, 12 - scale, 10);
  return true;
}

bool apply_aarch64(uint32_t type, std::byte* place, uint64_t address, uint64_t value) {
  switch (type) {
    case R_AARCH64_ABS64:
      store(place, value);
      return true;
    case R_AARCH64_PREL64:
      store(place, value - address);
      return true;
    case R_AARCH64_PREL32:
      return store_signed32(place, static_cast<int64_t>(value - address));
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE: {
      const auto pages = static_cast<int64_t>((value & ~uint64_t{0xfff}) - (address & ~uint64_t{0xfff}));
      if (!fits_signed(pages, 33)) return false;
      insert_bits(place, static_cast<uint64_t>(pages), 12, 2, 29);
      insert_bits(place, static_cast<uint64_t>(pages), 14, 19, 5);
      return true;
    }
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return insert_offset(place, value, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return insert_offset(place, value, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return insert_offset(place, value, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return insert_offset(place, value, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return insert_offset(place, value, 4);
    default: {  // CALL26, JUMP26
      const auto distance = static_cast<int64_t>(value - address);
      if (!fits_signed(distance, 28) || distance % 4 != 0) return false;
      insert_bits(place, static_cast<uint64_t>(distance), 2, 26, 0);
      return true;
    }
  }
}

}  // namespace

std::optional<RelocationKind> relocation_kind(uint16_t machine, uint32_t type) {
  return machine == EM_X86_64 ? x86_kind(type) : machine == EM_AARCH64 ? aarch64_kind(type) : std::nullopt;
}

bool apply_relocation(uint16_t machine, uint32_t type, std::byte* place, uint64_t address, uint64_t value) {
  return machine == EM_X86_64 ? apply_x86(type, place, address, value) : apply_aarch64(type, place, address, value);
}

void write_stub(uint16_t machine, std::byte* place, uint64_t target) {
  if (machine == EM_X86_64) {
    // jmp *[rip + 2]; two bytes of padding; the address
    const unsigned char code[8] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0xcc, 0xcc};
    std::memcpy(place, code, sizeof code);
  } else {
    store(place, uint32_t{0x58000050});      // ldr x16, [pc + 8]
    store(place + 4, uint32_t{0xd61f0200});  // br x16
  }
  store(place + 8, target);
}

}  // namespace litz::runtime
