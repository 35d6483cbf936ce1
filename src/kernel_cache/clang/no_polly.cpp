// Debian's static Clang libraries refer to Polly. A bundled build answers with an extension that registers nothing.
#include <llvm/Plugins/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no-polly", "", [](llvm::PassBuilder&) {}, nullptr};
}
