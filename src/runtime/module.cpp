#include "runtime/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/elf_image.h"
#include "runtime/jit_events.h"

namespace litz::runtime {

namespace {

bool is_shared_library(std::string_view bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN;
}

struct Library {
  void* handle = nullptr;
  int file = -1;  // stays open: dlopen takes libraries of equal name for the same one, and the name holds the number
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle != nullptr) dlclose(handle);
    if (file >= 0) close(file);
  }

  // Through an anonymous file, so that nothing is left on disk. Returns what went wrong, if anything.
  std::optional<std::string> open(std::string_view bytes) {
    file = memfd_create("litz-kernel", MFD_CLOEXEC);
    if (file < 0) return "no anonymous file for a kernel library";
    while (!bytes.empty()) {
      const ssize_t n = write(file, bytes.data(), bytes.size());
      if (n <= 0) return "cannot write a kernel library into memory";
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return std::string("cannot load a kernel library: ") + dlerror();
    return std::nullopt;
  }
};

}  // namespace

struct LoadedKernel::Image {
  std::optional<ElfImage> object;
  std::unique_ptr<JitRegistration> registration;
  Library library;
};

LoadedKernel::LoadedKernel(std::unique_ptr<Image> image, CpuKernel entry) : image_(std::move(image)), entry_(entry) {}
LoadedKernel::~LoadedKernel() = default;

size_t LoadedKernel::code_bytes() const { return image_->object ? image_->object->size() : 0; }

Result<std::shared_ptr<const LoadedKernel>> LoadedKernel::load(const KernelBinary& binary, std::string_view name) {
  auto image = std::make_unique<Image>();
  void* entry = nullptr;
  if (is_shared_library(binary.bytes)) {
    if (auto error = image->library.open(binary.bytes)) return Failure{*error};
    entry = dlsym(image->library.handle, binary.entry.c_str());
  } else {
    auto object = ElfImage::load(binary.bytes, profiling_wanted() ? name : std::string_view());
    if (!object) return Failure{object.error()};
    image->object.emplace(std::move(*object));
    entry = image->object->find_function(binary.entry);
  }
  if (entry == nullptr) return Failure{"kernel object: no function \"" + binary.entry + "\""};
  if (image->object) image->registration = announce_kernel(*image->object, binary.bytes, binary.entry, name);
  return std::shared_ptr<const LoadedKernel>(new LoadedKernel(std::move(image), reinterpret_cast<CpuKernel>(entry)));
}

Result<std::shared_ptr<const LoadedKernel>> LoadedKernel::load_shared(const std::string& digest,
                                                                      const KernelBinary& binary,
                                                                      std::string_view name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& loaded = *new std::map<std::string, std::weak_ptr<const LoadedKernel>>;
  std::lock_guard lock(mutex);
  if (auto it = loaded.find(digest); it != loaded.end()) {
    if (auto kernel = it->second.lock()) return kernel;
  }
  auto kernel = load(binary, name);
  if (!kernel) return kernel;
  std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
  loaded[digest] = *kernel;
  return kernel;
}

}  // namespace litz::runtime
