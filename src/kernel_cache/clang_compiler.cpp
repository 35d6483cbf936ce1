// Clang in this process: loads liblitz_clang.so when the first kernel is compiled.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <filesystem>
#include <utility>

#include "kernel_cache/clang/library.h"
#include "kernel_cache/compiler.h"

namespace litz::kernel_cache {

namespace {

std::atomic<const ClangLibrary*> loaded{nullptr};

// The program or library that this code is part of.
std::filesystem::path own_module() {
  Dl_info info{};
  return dladdr(reinterpret_cast<const void*>(&own_module), &info) != 0 ? info.dli_fname : "";
}

Result<const ClangLibrary*> load() {
  // Beside us; else where the dynamic linker looks: the rpath leads there in the build folder, and from bin to lib.
  const std::filesystem::path module = own_module();
  std::filesystem::path file = module.parent_path() / LITZ_CLANG_FILE;
  std::error_code error;
  if (!module.has_parent_path() || !std::filesystem::exists(file, error)) file = LITZ_CLANG_FILE;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Failure{"cannot load the compiler, " + file.string() + ", which belongs beside " + module.string() + ": " +
                   dlerror()};
  }
  const auto* library = static_cast<const ClangLibrary*>(dlsym(handle, kClangSymbol));
  if (library == nullptr || std::string(library->id) != compiler_id()) {
    return Failure{"the compiler " + file.string() + " belongs to another build of Litz: " +
                   (library == nullptr ? dlerror() : library->id + (", not " + compiler_id()))};
  }
  loaded = library;
  rest_compiler();  // what only loading needed
  return library;
}

// Drops the pages of the library's read-only parts (code, tables); they come back from the file when they are touched.
// `data` points to a pointer into the library.
int drop_pages(dl_phdr_info* info, size_t, void* data) {
  const auto inside = reinterpret_cast<ElfW(Addr)>(*static_cast<const ClangLibrary**>(data));
  bool ours = false;
  for (size_t i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    ours = ours || (part.p_type == PT_LOAD && inside >= begin && inside < begin + part.p_memsz);
  }
  for (size_t i = 0; ours && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    const ElfW(Addr) offset = begin % part.p_align;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic linker gives addresses as integers
    auto* const page = reinterpret_cast<void*>(begin - offset);
    madvise(page, part.p_memsz + offset, MADV_DONTNEED);
  }
  return ours ? 1 : 0;
}

}  // namespace

Result<KernelBinary> compile(const KernelSource& source, const Target& target) {
  if (source.kind != SourceKind::cpp) return Failure{"this compiler takes C++ only"};
  static const Result<const ClangLibrary*> library = load();
  if (!library) return Failure{library.error()};
  std::string result;
  if (!(*library)->compile(source, target, result)) return Failure{std::move(result)};
  return KernelBinary{std::move(result), function_name(source)};
}

void rest_compiler() {
  const ClangLibrary* library = loaded;
  if (library == nullptr) return;
  dl_iterate_phdr(drop_pages, static_cast<void*>(&library));
}

const std::string& compiler_id() {
  static const std::string id = LITZ_CLANG_ID;
  return id;
}

}  // namespace litz::kernel_cache
