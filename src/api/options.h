// From the public options to those of the library.
#pragma once

#include "litz/options.h"
#include "support/options.h"

namespace litz::api {

// The environment's defaults with what was set on top.
Options to_options(const CompileOptions& options);
// What differs from the plain defaults, as public options.
CompileOptions from_options(const Options& options);

}  // namespace litz::api
