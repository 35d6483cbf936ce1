#include "runtime/elf_image.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "runtime/externals.h"
#include "runtime/profile_file.h"
#include "runtime/relocate.h"

namespace litz::runtime {

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#else
constexpr uint16_t kMachine = EM_NONE;
#endif

constexpr size_t kMaxImage = 256 << 20;
constexpr uint64_t kLeadingBytes = 64;

struct LoadError {
  std::string message;
};

[[noreturn]] void fail(const std::string& message) { throw LoadError{"kernel object: " + message}; }

uint64_t round_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// Groups of sections by what the pages allow. Each starts on a page of its own.
enum Group : uint8_t { code, constants, data, kGroups, not_loaded };

Group group_of(const Elf64_Shdr& section) {
  if (!(section.sh_flags & SHF_ALLOC)) return not_loaded;
  if (section.sh_flags & SHF_EXECINSTR) return code;
  return section.sh_flags & SHF_WRITE ? data : constants;
}

}  // namespace

class ElfLoader {
 public:
  ElfLoader(std::string_view object, std::string_view profile_name) : object_(object), profile_name_(profile_name) {}

  ElfImage load() {
    read_header();
    read_symbols();
    lay_out();
    copy_sections();
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type == SHT_RELA) relocate(s);
    }
    if (!profile_name_.empty() && has_lines()) map_code_from_file();
    protect();
    collect_functions();
    return std::move(image_);
  }

 private:
  template <typename T>
  std::vector<T> read_table(uint64_t offset, uint64_t count, const char* what) {
    if (count > object_.size() / sizeof(T) || offset > object_.size() - count * sizeof(T)) {
      fail(std::string(what) + " reaches beyond the end");
    }
    std::vector<T> out(count);
    if (count > 0) std::memcpy(out.data(), object_.data() + offset, count * sizeof(T));
    return out;
  }

  void read_header() {
    const auto header = read_table<Elf64_Ehdr>(0, 1, "the header")[0];
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) fail("not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      fail("not 64-bit little-endian");
    if (header.e_type != ET_REL) fail("not relocatable");
    if (header.e_machine != kMachine) fail("made for another kind of CPU");
    if (header.e_shentsize != sizeof(Elf64_Shdr)) fail("bad section headers");
    sections_ = read_table<Elf64_Shdr>(header.e_shoff, header.e_shnum, "the section table");
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL) continue;
      if (s.sh_size > object_.size() || s.sh_offset > object_.size() - s.sh_size)
        fail("a section reaches beyond the end");
    }
  }

  void read_symbols() {
    for (const Elf64_Shdr& s : sections_) {
      if (s.sh_type != SHT_SYMTAB) continue;
      if (s.sh_entsize != sizeof(Elf64_Sym) || s.sh_link >= sections_.size()) fail("bad symbol table");
      symbols_ = read_table<Elf64_Sym>(s.sh_offset, s.sh_size / sizeof(Elf64_Sym), "the symbol table");
      const Elf64_Shdr& strings = sections_[s.sh_link];
      if (strings.sh_type != SHT_STRTAB) fail("bad string table");
      strings_ = object_.substr(strings.sh_offset, strings.sh_size);
    }
  }

  std::string_view name_of(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= strings_.size()) fail("bad symbol name");
    const std::string_view rest = strings_.substr(symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  }

  // Offsets of sections, stubs and GOT cells in the image; maps it.
  void lay_out() {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t undefined = 0;
    for (const Elf64_Sym& s : symbols_) undefined += s.st_shndx == SHN_UNDEF ? 1 : 0;
    offsets_.assign(sections_.size(), 0);
    // Nothing begins at the start of the mapping: sanitizers look at the bytes before a function.
    uint64_t at = kLeadingBytes;
    for (uint8_t group = 0; group < kGroups; ++group) {
      if (group != code) group_begin_[group] = at = round_up(at, page);
      for (size_t i = 0; i < sections_.size(); ++i) {
        const Elf64_Shdr& s = sections_[i];
        if (group_of(s) != group) continue;
        const uint64_t alignment = std::max<uint64_t>(s.sh_addralign, 1);
        if (alignment > page || (alignment & (alignment - 1)) != 0) fail("bad section alignment");
        if (s.sh_size > kMaxImage) fail("too large");
        at = round_up(at, alignment);
        offsets_[i] = at;
        at += s.sh_size;
        if (at > kMaxImage) fail("too large");
      }
      if (group == code) {
        stub_begin_ = stub_end_ = round_up(at, kStubBytes);
        at = stub_begin_ + undefined * kStubBytes;
      } else if (group == constants) {
        got_begin_ = got_end_ = round_up(at, 8);
        at = got_begin_ + symbols_.size() * 8;
      }
    }
    group_begin_[kGroups] = image_.size_ = round_up(std::max<uint64_t>(at, 1), page);
    void* base = mmap(nullptr, image_.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) fail("no memory");
    image_.base_ = static_cast<std::byte*>(base);
  }

  void copy_sections() {
    image_.section_addresses_.assign(sections_.size(), 0);
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& s = sections_[i];
      if (group_of(s) == not_loaded) continue;
      image_.section_addresses_[i] = address(offsets_[i]);
      if (s.sh_type != SHT_NOBITS && s.sh_size > 0) {
        std::memcpy(image_.base_ + offsets_[i], object_.data() + s.sh_offset, s.sh_size);
      }
    }
  }

  uint64_t address(uint64_t offset) const { return reinterpret_cast<uint64_t>(image_.base_) + offset; }

  // Address of a symbol. `external` is set for a function of the C library, which may be far away.
  uint64_t resolve(const Elf64_Sym& symbol, bool* external) const {
    *external = false;
    if (symbol.st_shndx == SHN_ABS) return symbol.st_value;
    if (symbol.st_shndx == SHN_UNDEF) {
      const std::string_view name = name_of(symbol);
      void* function = external_function(name);
      if (function == nullptr) fail("calls \"" + std::string(name) + "\", which kernels may not");
      *external = true;
      return reinterpret_cast<uint64_t>(function);
    }
    if (symbol.st_shndx >= sections_.size() || group_of(sections_[symbol.st_shndx]) == not_loaded) {
      fail("a symbol lies in no loaded section");
    }
    if (symbol.st_value > sections_[symbol.st_shndx].sh_size) fail("a symbol lies outside its section");
    return address(offsets_[symbol.st_shndx] + symbol.st_value);
  }

  uint64_t stub_for(uint32_t symbol, uint64_t target) {
    auto [it, fresh] = stubs_.try_emplace(symbol, stub_end_);
    if (fresh) {
      write_stub(kMachine, image_.base_ + stub_end_, target);
      stub_end_ += kStubBytes;
    }
    return address(it->second);
  }

  uint64_t got_for(uint32_t symbol, uint64_t target) {
    auto [it, fresh] = cells_.try_emplace(symbol, got_end_);
    if (fresh) {
      std::memcpy(image_.base_ + got_end_, &target, sizeof target);
      got_end_ += 8;
    }
    return address(it->second);
  }

  void relocate(const Elf64_Shdr& table) {
    if (table.sh_info >= sections_.size()) fail("bad relocation section");
    const Elf64_Shdr& section = sections_[table.sh_info];
    if (group_of(section) == not_loaded) return;
    if (section.sh_type == SHT_NOBITS || table.sh_entsize != sizeof(Elf64_Rela)) fail("bad relocation section");
    const auto entries =
        read_table<Elf64_Rela>(table.sh_offset, table.sh_size / sizeof(Elf64_Rela), "a relocation table");
    for (const Elf64_Rela& r : entries) apply(section, offsets_[table.sh_info], r);
  }

  void apply(const Elf64_Shdr& section, uint64_t section_offset, const Elf64_Rela& r) {
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(r.r_info));
    if (type == 0) return;
    const auto kind = relocation_kind(kMachine, type);
    if (!kind) fail("relocation type " + std::to_string(type) + " is not supported");
    const auto bytes = static_cast<uint64_t>(kind->bytes);
    if (section.sh_size < bytes || r.r_offset > section.sh_size - bytes) fail("a relocation lies outside its section");
    const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(r.r_info));
    if (symbol >= symbols_.size()) fail("bad symbol index");
    bool external = false;
    uint64_t value = resolve(symbols_[symbol], &external);
    if (kind->target == RelocationTarget::got) value = got_for(symbol, value);
    if (kind->target == RelocationTarget::call && external) value = stub_for(symbol, value);
    const uint64_t place = section_offset + r.r_offset;
    value += static_cast<uint64_t>(r.r_addend);
    if (!apply_relocation(kMachine, type, image_.base_ + place, address(place), value))
      fail("a relocation does not fit");
  }

  bool has_lines() const { return object_.find(".debug_line") != std::string_view::npos; }

  // Replaces the pages of the code by those of a file with the same content. Without a file they stay.
  void map_code_from_file() {
    const uint64_t code_bytes = group_begin_[constants];
    const std::string bytes = profile_file_bytes(object_, {image_.base_, image_.size_}, offsets_, code_bytes);
    const int fd = bytes.empty() ? -1 : open_profile_file(profile_name_, bytes);
    if (fd < 0) return;
    const void* mapped =
        mmap(image_.base_, code_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, kProfileImageOffset);
    close(fd);
    if (mapped == MAP_FAILED) fail("cannot map its code from a file");
  }

  void protect() {
    const int rights[kGroups] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (uint8_t group = 0; group < kGroups; ++group) {
      const uint64_t size = group_begin_[group + 1] - group_begin_[group];
      if (size > 0 && mprotect(image_.base_ + group_begin_[group], size, rights[group]) != 0) {
        fail("the system does not allow executable memory");
      }
    }
    char* begin = reinterpret_cast<char*>(image_.base_);
    __builtin___clear_cache(begin, begin + group_begin_[constants]);
  }

  void collect_functions() {
    for (const Elf64_Sym& s : symbols_) {
      if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || s.st_shndx >= sections_.size()) continue;
      if (group_of(sections_[s.st_shndx]) != code) continue;
      bool external = false;
      image_.functions_.push_back({std::string(name_of(s)), resolve(s, &external), s.st_size});
    }
  }

  std::string_view object_;
  std::string_view profile_name_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::string_view strings_;
  std::vector<uint64_t> offsets_;  // of each section in the image
  std::array<uint64_t, kGroups + 1> group_begin_{};
  uint64_t stub_begin_ = 0;
  uint64_t stub_end_ = 0;
  uint64_t got_begin_ = 0;
  uint64_t got_end_ = 0;
  std::map<uint32_t, uint64_t> stubs_;  // symbol → offset in the image
  std::map<uint32_t, uint64_t> cells_;
  ElfImage image_;
};

Result<ElfImage> ElfImage::load(std::string_view object, std::string_view profile_name) {
  try {
    return ElfLoader(object, profile_name).load();
  } catch (const LoadError& e) {
    return Failure{e.message};
  }
}

ElfImage::ElfImage(ElfImage&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      functions_(std::move(other.functions_)),
      section_addresses_(std::move(other.section_addresses_)) {}

ElfImage::~ElfImage() {
  if (base_ != nullptr) munmap(base_, size_);
}

void* ElfImage::find_function(std::string_view name) const {
  for (const Symbol& s : functions_) {
    // The address is that of a place in the mapping.
    if (s.name == name) return base_ + (s.address - reinterpret_cast<uint64_t>(base_));
  }
  return nullptr;
}

}  // namespace litz::runtime
