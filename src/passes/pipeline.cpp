#include "passes/pipeline.h"

#include "passes/assign_layouts.h"
#include "passes/common_subexpressions.h"
#include "passes/dead_code.h"
#include "passes/decompose.h"
#include "passes/fold_batch_norm.h"
#include "passes/form_linear.h"
#include "passes/inline_calls.h"
#include "passes/merge_linears.h"
#include "passes/simplify.h"
#include "passes/split_reductions.h"

namespace litz::passes {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> passes = {
      {"inline_calls", inline_calls},
      {"dead_code", dead_code},
      {"fold_batch_norm", fold_batch_norm},  // before decompose takes the norm apart
      {"form_linear", form_linear},          // before decompose takes addmm apart
      {"decompose", decompose},
      {"simplify", simplify},
      {"common_subexpressions", common_subexpressions},
      {"merge_linears", merge_linears},  // needs equal operands to be one value
      {"split_reductions", split_reductions},
      {"assign_layouts", assign_layouts},
      {"simplify_again", simplify},
      {"common_subexpressions_again", common_subexpressions},
      {"dead_code_again", dead_code},
  };
  return passes;
}

}  // namespace litz::passes
