// Clang 22: source text in memory to object code in memory. No file is read or written.
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetOptions.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernel_cache/clang/library.h"
#include "kernel_cache/compiler.h"

namespace litz::kernel_cache {

namespace {

// Flags of every kernel, for the front end. Floating point keeps NaN, infinities and subnormals, and nothing is
// contracted. Its own defaults are: no exceptions, no errno from maths. Passes are run below.
constexpr const char* kFlags[] = {"-O2",
                                  "-std=c++20",
                                  "-emit-llvm-only",
                                  "-disable-llvm-passes",
                                  "-x",
                                  "c++",
                                  "-mrelocation-model",
                                  "pic",
                                  "-pic-level",
                                  "2",
                                  "-ffp-contract=off",
                                  "-relaxed-aliasing",
                                  "-mframe-pointer=none",
                                  "-mprefer-vector-width=512",
                                  "-nostdsysteminc",
                                  "-nobuiltininc",
                                  "-w"};

// Kernels for vector units are written as vectors, so of LLVM's -O2 they need few passes, once each: half the time, and
// code as fast in the kernels that were measured. Long kernels (templates) are unrolled by their generator: there a
// loop unrolls only where a pragma says so, as looking for more takes a third of the time.
constexpr const char* kBeforeUnrolling =
    "cgscc(inline,function(sroa<modify-cfg>,early-cse,simplifycfg,instcombine<no-verify-fixpoint>)),globaldce,"
    "function(loop-simplify,lcssa,loop-mssa(loop-rotate,licm),loop(indvars))";
constexpr const char* kUnrollShort = "function(loop-unroll<O2;no-runtime;no-upperbound;no-peeling>)";
constexpr const char* kAfterUnrolling =
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,dse,simplifycfg)";
constexpr size_t kLongSource = 8000;  // bytes

struct Cpu {
  std::string name;
  std::vector<std::string> features;
};

Cpu detect_cpu() {
  Cpu cpu{llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    cpu.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  std::sort(cpu.features.begin(), cpu.features.end());
  return cpu;
}

const Cpu& host_cpu() {
  static const Cpu cpu = detect_cpu();
  return cpu;
}

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

std::vector<std::string> arguments(const KernelSource& source, const Target& target, const std::string& file) {
  std::vector<std::string> args(std::begin(kFlags), std::end(kFlags));
  args.insert(args.end(), {"-triple", llvm::sys::getDefaultTargetTriple()});
  const bool native = target.cpu == "native";
  const std::string cpu = native ? host_cpu().name : target.cpu;
  if (!cpu.empty()) args.insert(args.end(), {"-target-cpu", cpu});
  for (const std::string& f : native ? host_cpu().features : target.features) {
    args.insert(args.end(), {"-target-feature", f});
  }
  if (!source.debug_file.empty()) {
    args.insert(args.end(), {"-debug-info-kind=line-tables-only", "-dwarf-version=4", "-debugger-tuning=gdb",
                             "-funwind-tables=2", "-D", source.entry + "=" + function_name(source)});
  }
  args.push_back(file);
  return args;
}

std::unique_ptr<llvm::TargetMachine> make_machine(const clang::TargetOptions& options) {
  std::string error;
  const llvm::Triple triple(options.Triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  std::string features;
  for (const std::string& f : options.Features) features += (features.empty() ? "" : ",") + f;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, options.CPU, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, Isa isa, size_t source_bytes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager passes;
  if (isa == Isa::scalar) {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else {
    llvm::cantFail(builder.parsePassPipeline(passes, kBeforeUnrolling));
    if (source_bytes > kLongSource) {
      const llvm::LoopUnrollOptions options(/*OptLevel=*/2, /*OnlyWhenForced=*/true);
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::LoopUnrollPass(options)));
    } else {
      llvm::cantFail(builder.parsePassPipeline(passes, kUnrollShort));
    }
    llvm::cantFail(builder.parsePassPipeline(passes, kAfterUnrolling));
  }
  passes.run(module, modules);
}

std::string emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile, /*DisableVerify=*/true)) {
    return {};
  }
  passes.run(module);
  return object.str().str();
}

bool compile_source(const KernelSource& source, const Target& target, std::string& result) {
  initialize_llvm();
  const bool debug = !source.debug_file.empty();
  const std::string file = debug ? source.debug_file : "kernel.cpp";
  const std::string& text = debug ? source.readable : source.text;
  const std::vector<std::string> args = arguments(source, target, file);
  std::vector<const char*> pointers;
  for (const std::string& a : args) pointers.push_back(a.c_str());

  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(file, /*ModificationTime=*/0, llvm::MemoryBuffer::getMemBuffer(text, file));
  std::string messages;
  llvm::raw_string_ostream message_stream(messages);
  clang::DiagnosticOptions message_options;
  const auto fail = [&](const char* what) {
    result = what + messages;
    return false;
  };

  clang::CompilerInstance instance(std::make_shared<clang::CompilerInvocation>());
  instance.setVirtualFileSystem(files);
  instance.setVerboseOutputStream(message_stream);
  instance.createDiagnostics(new clang::TextDiagnosticPrinter(message_stream, message_options),
                             /*ShouldOwnClient=*/true);
  if (!clang::CompilerInvocation::CreateFromArgs(instance.getInvocation(), pointers, instance.getDiagnostics())) {
    return fail("bad compiler flags: ");
  }
  instance.createFileManager();
  llvm::LLVMContext context;
  clang::EmitLLVMOnlyAction action(&context);
  if (!instance.ExecuteAction(action)) return fail("a kernel does not compile: ");
  const std::unique_ptr<llvm::Module> module = action.takeModule();
  const auto machine = make_machine(instance.getTargetOpts());
  if (!machine) return fail("no code generator for this machine");
  optimize(*module, *machine, target.isa, text.size());
  result = emit_object(*module, *machine);
  return result.empty() ? fail("a kernel has no machine code") : true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ClangLibrary litz_clang;
const ClangLibrary litz_clang = {LITZ_CLANG_ID, compile_source};

}  // namespace litz::kernel_cache
