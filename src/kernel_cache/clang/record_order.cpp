// record_order LIBRARY ORDER SAMPLE…: writes the names of the functions that compiling the samples runs, for the linker
// to put side by side. The system maps 16 pages around each that is touched: functions that lie scattered among five
// times as many take three times the memory.
//
// How: a copy of the library has a breakpoint instruction as the first byte of each function. The first call of a
// function lands in the handler, which notes it and puts the byte back. For x86.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "kernel_cache/clang/library.h"

namespace {

using litz::kernel_cache::ClangLibrary;
using litz::kernel_cache::kClangSymbol;

constexpr unsigned char kBreakpoint = 0xcc;

std::vector<unsigned char> first_bytes;  // of the functions, by address in the library; 0: none starts there
std::vector<size_t> ran;                 // addresses, in the order of the first calls

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "record_order: %s\n", what.c_str());
  std::exit(1);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void on_breakpoint(int, siginfo_t*, void* context) {
  static char* base = nullptr;
  auto& pc = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  char* at = reinterpret_cast<char*>(--pc);  // NOLINT(performance-no-int-to-ptr): the saved register is an integer
  if (Dl_info info; base == nullptr && dladdr(at, &info) != 0) base = static_cast<char*>(info.dli_fbase);
  const size_t address = static_cast<size_t>(at - base);
  if (base == nullptr || address >= first_bytes.size() || first_bytes[address] == 0) _exit(2);
  const long page = sysconf(_SC_PAGESIZE);
  if (mprotect(at - reinterpret_cast<size_t>(at) % page, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) _exit(3);
  *reinterpret_cast<unsigned char*>(at) = first_bytes[address];
  ran.push_back(address);
}

// Puts breakpoints into `bytes`, a shared object. The result: address → names.
std::multimap<size_t, std::string> set_breakpoints(std::string& bytes) {
  const auto at = [&](size_t offset) { return bytes.data() + offset; };
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(at(0));
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(at(header->e_shoff));
  std::multimap<size_t, std::string> names;
  for (size_t s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(at(sections[s].sh_offset));
    const char* strings = at(sections[sections[s].sh_link].sh_offset);
    for (size_t i = 0; i < sections[s].sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& symbol = symbols[i];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
      const Elf64_Shdr& section = sections[symbol.st_shndx];
      char* first = at(section.sh_offset + symbol.st_value - section.sh_addr);
      if (first_bytes.size() <= symbol.st_value) first_bytes.resize(symbol.st_value + 1);
      if (first_bytes[symbol.st_value] == 0) first_bytes[symbol.st_value] = static_cast<unsigned char>(*first);
      *first = static_cast<char>(kBreakpoint);
      names.emplace(symbol.st_value, strings + symbol.st_name);
    }
  }
  return names;
}

// Names of CPUs, not "native": the same order on every machine.
void compile_sample(const ClangLibrary& library, const std::string& path) {
  litz::KernelSource source;
  source.text = source.readable = read_file(path);
  source.entry = "litz_sample";
  const auto run = [&](litz::Isa isa, const char* cpu) {
    litz::Target target;
    target.isa = isa;
    target.cpu = cpu;
    std::string result;
    if (!library.compile(source, target, result)) fail(path + " does not compile: " + result);
  };
  if (path.find(".scalar.") != std::string::npos) return run(litz::Isa::scalar, "haswell");
  run(litz::Isa::avx512, "sapphirerapids");
  if (path.find(".avx512.") != std::string::npos) return;
  run(litz::Isa::avx2, "haswell");
  source.debug_file = "sample.cpp";
  run(litz::Isa::avx512, "sapphirerapids");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) fail("usage: record_order LIBRARY ORDER SAMPLE...");
  std::string bytes = read_file(argv[1]);
  const auto names = set_breakpoints(bytes);
  const std::string copy = std::filesystem::absolute(argv[2]).string() + ".so";
  if (!(std::ofstream(copy, std::ios::binary) << bytes).flush()) fail("cannot write " + copy);

  ran.reserve(first_bytes.size());  // the handler allocates nothing
  struct sigaction action{};
  action.sa_sigaction = on_breakpoint;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGTRAP, &action, nullptr);
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::remove(copy.c_str());
  if (handle == nullptr) fail(dlerror());
  const auto* library = static_cast<const ClangLibrary*>(dlsym(handle, kClangSymbol));
  if (library == nullptr) fail(dlerror());
  for (int i = 3; i < argc; ++i) compile_sample(*library, argv[i]);

  std::ofstream order(argv[2]);
  for (const size_t address : ran) {
    const auto [begin, end] = names.equal_range(address);
    for (auto it = begin; it != end; ++it) order << it->second << '\n';
  }
  if (!order.flush()) fail(std::string("cannot write ") + argv[2]);
  std::_Exit(0);  // what the library does at exit has breakpoints too, and is of no interest
}
