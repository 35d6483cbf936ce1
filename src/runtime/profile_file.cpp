#include "runtime/profile_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "runtime/relocate.h"

namespace litz::runtime {

namespace {

template <typename T>
T read_at(const std::string& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void write_at(std::string& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// The object as the tail of the file: what referred to places in the object refers to places in the file.
class Tail {
 public:
  Tail(std::string_view object, std::span<const uint64_t> sections, uint64_t position)
      : bytes_(object), offsets_(sections), position_(position), header_(read_at<Elf64_Ehdr>(bytes_, 0)) {}

  // False if some debug information cannot be relocated.
  bool convert() {
    for (uint64_t i = 0; i < header_.e_shnum; ++i) {
      if (section(i).sh_type == SHT_SYMTAB) symtab_ = i;
    }
    // Relocations need the symbols as they were.
    for (uint64_t i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr s = section(i);
      if (s.sh_type == SHT_RELA && s.sh_info < header_.e_shnum && !is_loaded(section(s.sh_info)) && !relocate(s)) {
        return false;
      }
    }
    place_symbols();
    for (uint64_t i = 0; i < header_.e_shnum; ++i) place_section(i);
    return true;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  uint64_t section_place(uint64_t i) const { return header_.e_shoff + i * sizeof(Elf64_Shdr); }
  Elf64_Shdr section(uint64_t i) const { return read_at<Elf64_Shdr>(bytes_, section_place(i)); }
  static bool is_loaded(const Elf64_Shdr& s) { return (s.sh_flags & SHF_ALLOC) != 0; }
  uint64_t address_of(uint64_t i) const { return kProfileImageOffset + offsets_[i]; }

  bool relocate(const Elf64_Shdr& table) {
    const Elf64_Shdr target = section(table.sh_info);
    const Elf64_Shdr symbols = section(symtab_);
    if (target.sh_type == SHT_NOBITS) return false;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.sh_size; at += sizeof(Elf64_Rela)) {
      const auto r = read_at<Elf64_Rela>(bytes_, table.sh_offset + at);
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(r.r_info));
      const auto kind = relocation_kind(header_.e_machine, type);
      const uint64_t symbol_at = ELF64_R_SYM(r.r_info) * sizeof(Elf64_Sym);
      if (!kind || symbol_at + sizeof(Elf64_Sym) > symbols.sh_size) return false;
      const auto bytes = static_cast<uint64_t>(kind->bytes);
      if (target.sh_size < bytes || r.r_offset > target.sh_size - bytes) return false;
      const auto symbol = read_at<Elf64_Sym>(bytes_, symbols.sh_offset + symbol_at);
      if (symbol.st_shndx >= header_.e_shnum) return false;
      const uint64_t base = is_loaded(section(symbol.st_shndx)) ? address_of(symbol.st_shndx) : 0;
      const uint64_t value = base + symbol.st_value + static_cast<uint64_t>(r.r_addend);
      auto* place = reinterpret_cast<std::byte*>(bytes_.data() + target.sh_offset + r.r_offset);
      if (!apply_relocation(header_.e_machine, type, place, /*address=*/r.r_offset, value)) return false;
    }
    return true;
  }

  void place_symbols() {
    const Elf64_Shdr symbols = section(symtab_);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      auto symbol = read_at<Elf64_Sym>(bytes_, symbols.sh_offset + at);
      const bool here = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < header_.e_shnum;
      if (!here || !is_loaded(section(symbol.st_shndx))) continue;
      symbol.st_value += address_of(symbol.st_shndx);
      write_at(bytes_, symbols.sh_offset + at, symbol);
    }
  }

  void place_section(uint64_t i) {
    Elf64_Shdr s = section(i);
    if (s.sh_type == SHT_RELA) {
      s = Elf64_Shdr{};
    } else if (is_loaded(s)) {
      s.sh_addr = s.sh_offset = address_of(i);
    } else {
      s.sh_offset += position_;
    }
    write_at(bytes_, section_place(i), s);
  }

  std::string bytes_;
  std::span<const uint64_t> offsets_;
  uint64_t position_;
  Elf64_Ehdr header_;
  uint64_t symtab_ = 0;
};

}  // namespace

std::string profile_file_bytes(std::string_view object, std::span<const std::byte> image,
                               std::span<const uint64_t> sections, size_t code_bytes) {
  const uint64_t position = kProfileImageOffset + image.size();
  Tail tail(object, sections, position);
  if (!tail.convert()) return "";
  std::string file(kProfileImageOffset, '\0');
  auto header = read_at<Elf64_Ehdr>(tail.bytes(), 0);
  header.e_type = ET_DYN;
  header.e_shoff += position;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  write_at(file, 0, header);
  Elf64_Phdr code{};
  code.p_type = PT_LOAD;
  code.p_flags = PF_R | PF_X;
  code.p_offset = code.p_vaddr = code.p_paddr = kProfileImageOffset;
  code.p_filesz = code.p_memsz = code_bytes;
  code.p_align = 4096;
  write_at(file, sizeof(Elf64_Ehdr), code);
  file.append(reinterpret_cast<const char*>(image.data()), image.size());
  return file + tail.bytes();
}

int open_profile_file(std::string_view name, std::string_view bytes) {
  static std::atomic<int> counter{0};
  const std::string folder = "/tmp/litz-perf-" + std::to_string(getpid());
  mkdir(folder.c_str(), 0700);
  struct stat s{};
  if (lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid() || (s.st_mode & 022)) return -1;
  std::string plain(name);
  for (char& c : plain) {
    if (c == '/' || c == '\0') c = '_';
  }
  const std::string path = folder + "/" + std::to_string(counter++) + "-" + plain + ".so";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  if (fd < 0) return -1;
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n <= 0) {
      close(fd);
      unlink(path.c_str());
      return -1;
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return fd;
}

}  // namespace litz::runtime
