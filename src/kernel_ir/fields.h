// The fields of a Schedule and of the templates by name: printer and parser both walk these lists.
#pragma once

#include <string_view>
#include <tuple>

#include "kernel_ir/kernel.h"

namespace litz::kernel_ir {

template <typename T, typename Member>
struct Field {
  std::string_view name;
  Member T::* member;
};
template <typename T, typename Member>
Field(std::string_view, Member T::*) -> Field<T, Member>;

// Converts to anything; only its type is used.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is its purpose
};

// The number of members of an aggregate.
template <typename T, typename... Args>
consteval size_t member_count() {
  if constexpr (requires { T{Args{}..., Anything{}}; }) {
    return member_count<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

constexpr auto fields(const MatmulTemplate* /*type*/) {
  using T = MatmulTemplate;
  return std::make_tuple(Field{"batch", &T::batch}, Field{"m", &T::m}, Field{"n", &T::n}, Field{"k", &T::k},
                         Field{"dtype", &T::dtype}, Field{"rhs_panel", &T::rhs_panel}, Field{"lhs", &T::lhs},
                         Field{"rhs", &T::rhs}, Field{"more_rhs", &T::more_rhs}, Field{"rhs_starts", &T::rhs_starts});
}

constexpr auto fields(const ConvTemplate* /*type*/) {
  using T = ConvTemplate;
  return std::make_tuple(Field{"batch", &T::batch}, Field{"groups", &T::groups}, Field{"in_channels", &T::in_channels},
                         Field{"out_channels", &T::out_channels}, Field{"in_h", &T::in_h}, Field{"in_w", &T::in_w},
                         Field{"out_h", &T::out_h}, Field{"out_w", &T::out_w}, Field{"kernel_h", &T::kernel_h},
                         Field{"kernel_w", &T::kernel_w}, Field{"stride_h", &T::stride_h},
                         Field{"stride_w", &T::stride_w}, Field{"pad_h", &T::pad_h}, Field{"pad_w", &T::pad_w},
                         Field{"dilation_h", &T::dilation_h}, Field{"dilation_w", &T::dilation_w},
                         Field{"dtype", &T::dtype}, Field{"in_block", &T::in_block}, Field{"out_block", &T::out_block},
                         Field{"panel", &T::panel}, Field{"input", &T::input}, Field{"weight", &T::weight});
}

constexpr auto fields(const AttentionTemplate* /*type*/) {
  using T = AttentionTemplate;
  return std::make_tuple(Field{"batch", &T::batch}, Field{"heads", &T::heads}, Field{"queries", &T::queries},
                         Field{"keys", &T::keys}, Field{"head_dim", &T::head_dim}, Field{"value_dim", &T::value_dim},
                         Field{"head_group", &T::head_group}, Field{"dtype", &T::dtype}, Field{"scale", &T::scale},
                         Field{"causal", &T::causal}, Field{"mask_dtype", &T::mask_dtype}, Field{"query", &T::query},
                         Field{"key", &T::key}, Field{"value", &T::value}, Field{"mask", &T::mask});
}

constexpr auto fields(const Schedule* /*type*/) {
  using T = Schedule;
  return std::make_tuple(Field{"vector_ranges", &T::vector_ranges}, Field{"tile_ranges", &T::tile_ranges},
                         Field{"vector_lanes", &T::vector_lanes}, Field{"unroll", &T::unroll},
                         Field{"grain", &T::grain}, Field{"task_ranges", &T::task_ranges},
                         Field{"task_block", &T::task_block}, Field{"tile_m", &T::tile_m}, Field{"tile_n", &T::tile_n},
                         Field{"block_m", &T::block_m}, Field{"block_n", &T::block_n}, Field{"block_k", &T::block_k},
                         Field{"pack_lhs", &T::pack_lhs}, Field{"along_k", &T::along_k},
                         Field{"columns_outer", &T::columns_outer}, Field{"share_rhs", &T::share_rhs},
                         Field{"dot", &T::dot}, Field{"amx", &T::amx}, Field{"num_warps", &T::num_warps},
                         Field{"num_stages", &T::num_stages}, Field{"blocks", &T::blocks});
}

// Calls visit(name, value) for each field.
template <typename T, typename Visit>
void for_each_field(T& object, Visit visit) {
  using Plain = std::remove_const_t<T>;
  constexpr auto list = fields(static_cast<const Plain*>(nullptr));
  static_assert(std::tuple_size_v<decltype(list)> == member_count<Plain>(), "a member is missing from the list above");
  std::apply([&](const auto&... field) { (visit(field.name, object.*(field.member)), ...); }, list);
}

}  // namespace litz::kernel_ir
