#include "tools/opt_cli.h"

int main(int argc, char** argv) {
  CLI::App app("Shows what Litz makes of a Graph or a kernel, stage by stage", "litz-opt");
  litz::tools::OptArguments arguments;
  litz::tools::add_opt_options(&app, &arguments);
  CLI11_PARSE(app, argc, argv);
  return litz::tools::run_opt(arguments);
}
