// The C++ compiler on PATH, for builds without LLVM: $LITZ_CXX, else the first of clang++, g++ and c++ that runs.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernel_cache/compiler.h"

namespace litz::kernel_cache {

namespace {

// As in clang/library.cpp; both GCC and Clang know these.
constexpr const char* kFlags[] = {"-x",
                                  "c++",
                                  "-std=c++20",
                                  "-O2",
                                  "-c",
                                  "-fPIC",
                                  "-w",
                                  "-ffp-contract=off",
                                  "-fno-math-errno",
                                  "-fno-trapping-math",
                                  "-fno-strict-aliasing",
                                  "-fno-exceptions",
                                  "-fno-asynchronous-unwind-tables",
                                  "-fno-stack-protector",
                                  "-fno-tree-vectorize"};

#if defined(__x86_64__)
constexpr const char* kX86Flags[] = {"-fcf-protection=none", "-mprefer-vector-width=512"};
#endif

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Run {
  int status = -1;     // exit status; -1 if the program did not run
  std::string output;  // stdout and stderr together
};

// Runs a program without a shell. The output comes through a pipe, read to its end before the program is waited for.
Run run(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> argv;
  for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));  // NOLINT: posix_spawnp's type
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Run result;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) result.output.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  if (error != 0) return {-1, std::strerror(error)};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

struct Compiler {
  std::string program;  // empty: none was found
  std::string version;
};

// Kernels use vector functions that older Clangs lack; any GCC that builds Litz will do.
bool is_old_clang(const std::string& version) {
  constexpr std::string_view kName = "clang version ";
  const size_t at = version.find(kName);
  int major = 0;
  return at != std::string::npos &&
         std::from_chars(version.data() + at + kName.size(), version.data() + version.size(), major).ec ==
             std::errc() &&
         major < 18;
}

const Compiler& compiler() {
  static const Compiler found = [] {
    if (const char* own = std::getenv("LITZ_CXX"); own != nullptr && *own != '\0') {
      const Run version = run({own, "--version"});
      return version.status == 0 ? Compiler{own, version.output} : Compiler{};
    }
    for (const char* name : {"clang++", "clang++-22", "g++", "c++"}) {
      const Run version = run({name, "--version"});
      if (version.status == 0 && !is_old_clang(version.output)) return Compiler{name, version.output};
    }
    return Compiler{};
  }();
  return found;
}

// A folder that goes at the end of its life.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "litz-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty()) std::filesystem::remove_all(path, error);
  }
};

std::vector<std::string> command_for(const KernelSource& source, const Target& target) {
  std::vector<std::string> command = {compiler().program};
  command.insert(command.end(), std::begin(kFlags), std::end(kFlags));
#if defined(__x86_64__)
  command.insert(command.end(), std::begin(kX86Flags), std::end(kX86Flags));
#endif
  if (!target.cpu.empty()) command.push_back("-march=" + target.cpu);
  for (const std::string& f : target.features) {
    if (f.size() > 1) command.push_back((f[0] == '-' ? "-mno-" : "-m") + f.substr(1));
  }
  if (target.isa == Isa::scalar) command.push_back("-ftree-vectorize");
  if (!source.debug_file.empty()) {
    command.insert(command.end(), {"-g1", "-D" + source.entry + "=" + function_name(source)});
  }
  return command;
}

}  // namespace

Result<KernelBinary> compile(const KernelSource& source, const Target& target) {
  if (source.kind != SourceKind::cpp) return Failure{"this compiler takes C++ only"};
  if (compiler().program.empty()) {
    return Failure{"no C++ compiler: this build of Litz has no LLVM and neither LITZ_CXX, clang++, g++ nor c++ runs"};
  }
  const TemporaryFolder folder;
  if (folder.path.empty()) return Failure{"cannot make a folder for a kernel: " + std::string(std::strerror(errno))};
  const std::filesystem::path file = folder.path / "kernel.cpp";
  const std::filesystem::path object = folder.path / "kernel.o";
  {
    std::ofstream out(file, std::ios::binary);
    if (!source.debug_file.empty()) out << "#line 1 \"" << source.debug_file << "\"\n";
    out << (source.debug_file.empty() ? source.text : source.readable);
    if (!out.flush()) return Failure{"cannot write a kernel to " + file.string()};
  }
  std::vector<std::string> command = command_for(source, target);
  command.insert(command.end(), {file.string(), "-o", object.string()});
  const Run result = run(command);
  if (result.status != 0) return Failure{"a kernel does not compile: " + result.output};
  std::string bytes = read_file(object);
  if (bytes.empty()) return Failure{"the compiler " + compiler().program + " left no object"};
  return KernelBinary{std::move(bytes), function_name(source)};
}

void rest_compiler() {}

const std::string& compiler_id() {
  static const std::string id = [] {
    std::string text = compiler().program + " " + compiler().version;
    for (const char* f : kFlags) text += std::string(" ") + f;
    return text;
  }();
  return id;
}

}  // namespace litz::kernel_cache
