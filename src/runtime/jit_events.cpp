#include "runtime/jit_events.h"

#include <elf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

// The interface that gdb looks for by name: see "JIT Compilation Interface" in its manual.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are gdb's
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;  // 0: nothing, 1: register, 2: unregister
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

// gdb sets a breakpoint here.
__attribute__((noinline, weak, visibility("default"))) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}

__attribute__((weak, visibility("default"))) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

namespace litz::runtime {

namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

std::mutex& debugger_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

class GdbRegistration : public JitRegistration {
 public:
  explicit GdbRegistration(std::string object) : object_(std::move(object)) {
    std::lock_guard lock(debugger_mutex());
    entry_ = {__jit_debug_descriptor.first_entry, nullptr, object_.data(), object_.size()};
    if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = &entry_;
    __jit_debug_descriptor.first_entry = &entry_;
    notify(1);
  }

  ~GdbRegistration() override {
    std::lock_guard lock(debugger_mutex());
    (entry_.prev_entry != nullptr ? entry_.prev_entry->next_entry : __jit_debug_descriptor.first_entry) =
        entry_.next_entry;
    if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = entry_.prev_entry;
    notify(2);
  }

 private:
  void notify(uint32_t action) {
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_descriptor.relevant_entry = &entry_;
    __jit_debug_register_code();
  }

  std::string object_;
  jit_code_entry entry_{};
};

// A copy of the object whose section headers say where the sections are in memory.
std::string with_addresses(const ElfImage& image, std::string_view object) {
  std::string copy(object);
  Elf64_Ehdr header;
  std::memcpy(&header, copy.data(), sizeof header);
  const auto addresses = image.section_addresses();
  for (size_t i = 0; i < addresses.size(); ++i) {
    char* place = copy.data() + header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr);
    std::memcpy(place, &addresses[i], sizeof addresses[i]);
  }
  return copy;
}

void write_perf_map(const ElfImage& image, std::string_view entry, std::string_view name) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return;
  for (const ElfImage::Symbol& s : image.functions()) {
    const std::string shown =
        s.name == entry ? "litz::" + std::string(name) : "litz::" + std::string(name) + "::" + s.name;
    std::fprintf(file, "%llx %llx %s\n", static_cast<unsigned long long>(s.address),
                 static_cast<unsigned long long>(s.size), shown.c_str());
  }
  std::fclose(file);
}

}  // namespace

bool profiling_wanted() { return is_set("LITZ_PERF"); }

std::unique_ptr<JitRegistration> announce_kernel(const ElfImage& image, std::string_view object, std::string_view entry,
                                                 std::string_view name) {
  if (profiling_wanted()) write_perf_map(image, entry, name);
  const bool has_lines = object.find(".debug_line") != std::string_view::npos;  // compiled with the debug option
  if (!has_lines && !is_set("LITZ_DEBUG")) return nullptr;
  return std::make_unique<GdbRegistration>(with_addresses(image, object));
}

}  // namespace litz::runtime
