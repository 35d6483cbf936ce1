// All of Litz's C++ API.
#pragma once

#include "litz/backends.h"
#include "litz/compile.h"
#include "litz/create.h"
#include "litz/dlpack.h"
#include "litz/dtype.h"
#include "litz/error.h"
#include "litz/ops.h"
#include "litz/options.h"
#include "litz/report.h"
#include "litz/tensor.h"
