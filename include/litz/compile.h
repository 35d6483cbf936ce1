// Compiles functions on tensors.
//
//   auto f = litz::compile([](litz::Tensor x) { return litz::sin(litz::cos(x)); });
//   litz::Tensor y = f(litz::randn({10000}));
//
// The function is run once on stand-ins for its arguments, at the first call with tensors of these dtypes, shapes and
// strides; what it does to them becomes the program. Its C++ control flow runs then and only then. Tensors that it
// captured (weights) are read by handle at every call: they are packed once, and packed again when they change.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "litz/options.h"
#include "litz/tensor.h"

namespace litz {

class CompiledFunction;
struct Report;

namespace api {

class Program;

// The user's function, its type erased. `lengths` has an entry for each argument: how many tensors it takes, or
// kOneTensor for an argument that is a Tensor.
inline constexpr size_t kOneTensor = SIZE_MAX;
struct Body {
  void* function;
  std::vector<Tensor> (*run)(void* function, std::span<const Tensor> tensors, std::span<const size_t> lengths);
};

template <typename T>
inline constexpr bool is_tensor = std::is_same_v<T, Tensor>;
template <typename T>
inline constexpr bool is_list = std::is_same_v<T, std::vector<Tensor>>;
template <typename T>
inline constexpr bool is_tuple = false;
template <typename... T>
inline constexpr bool is_tuple<std::tuple<T...>> = (is_tensor<T> && ...);
template <>
inline constexpr bool is_tuple<std::pair<Tensor, Tensor>> = true;
template <size_t N>
inline constexpr bool is_tuple<std::array<Tensor, N>> = true;

inline size_t length(const Tensor&) { return kOneTensor; }
inline size_t length(const std::vector<Tensor>& list) { return list.size(); }

inline void append(std::vector<const Tensor*>& out, const Tensor& tensor) { out.push_back(&tensor); }
inline void append(std::vector<const Tensor*>& out, const std::vector<Tensor>& list) {
  for (const Tensor& tensor : list) out.push_back(&tensor);
}

// The next argument, taken off the front of `tensors` and `lengths`.
template <typename Argument>
Argument take(std::span<const Tensor>& tensors, std::span<const size_t>& lengths) {
  const size_t count = lengths.front() == kOneTensor ? 1 : lengths.front();
  const std::span<const Tensor> own = tensors.first(count);
  tensors = tensors.subspan(count);
  lengths = lengths.subspan(1);
  if constexpr (is_tensor<Argument>) {
    return own.front();
  } else {
    return Argument(own.begin(), own.end());
  }
}

template <typename Result>
std::vector<Tensor> to_list(Result&& result) {
  using R = std::remove_cvref_t<Result>;
  if constexpr (is_tensor<R>) {
    return {std::forward<Result>(result)};
  } else if constexpr (is_list<R>) {
    return std::forward<Result>(result);
  } else {
    return std::apply([](auto&&... part) { return std::vector<Tensor>{part...}; }, std::forward<Result>(result));
  }
}

template <typename Result>
Result from_list(std::vector<Tensor>&& list) {
  if constexpr (is_tensor<Result>) {
    return std::move(list.front());
  } else if constexpr (is_list<Result>) {
    return std::move(list);
  } else {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return Result{std::move(list[I])...};
    }(std::make_index_sequence<std::tuple_size_v<Result>>());
  }
}

template <typename Fn, typename... Arguments>
std::vector<Tensor> run_body(void* function, [[maybe_unused]] std::span<const Tensor> tensors,
                             [[maybe_unused]] std::span<const size_t> lengths) {
  // Braces, so that the arguments are taken in order.
  std::tuple<Arguments...> arguments{take<Arguments>(tensors, lengths)...};
  return to_list(std::apply(*static_cast<Fn*>(function), std::move(arguments)));
}

}  // namespace api

// A compiled function of any type, for report and refresh. Copies share what was compiled.
class LITZ_API CompiledFunction {
 public:
  ~CompiledFunction();
  CompiledFunction(const CompiledFunction&);
  CompiledFunction& operator=(const CompiledFunction&);

 protected:
  CompiledFunction(const CompileOptions& options, std::source_location at);
  std::vector<Tensor> call(std::span<const Tensor* const> arguments, std::span<const size_t> lengths,
                           api::Body body) const;

 private:
  friend LITZ_API Report report(const CompiledFunction& function);
  friend LITZ_API void refresh(const CompiledFunction& function);
  std::shared_ptr<api::Program> program_;
};

// A compiled function that takes what `Fn` takes and returns what it returns. May be called from many threads at once.
template <typename Fn>
class Compiled : public CompiledFunction {
 public:
  Compiled(Fn function, const CompileOptions& options, std::source_location at)
      : CompiledFunction(options, at), function_(std::make_shared<Fn>(std::move(function))) {}

  // Compiles if it was not called with such dtypes, shapes and strides before, then runs. Results share memory with
  // arguments, captured tensors and each other exactly where those of `Fn` would.
  // Throws UserError (and IndexError) for arguments that do not fit, UnsupportedError, InternalError, and what `Fn`
  // throws while it is traced.
  template <typename... Arguments>
  auto operator()(const Arguments&... arguments) const {
    static_assert(((api::is_tensor<Arguments> || api::is_list<Arguments>) && ...),
                  "a compiled function takes litz::Tensor and std::vector<litz::Tensor>; capture everything else");
    static_assert(std::is_invocable_v<Fn&, Arguments...>,
                  "the function that was compiled does not take these arguments (by value or by const reference)");
    using Result = std::remove_cvref_t<std::invoke_result_t<Fn&, Arguments...>>;
    static_assert(api::is_tensor<Result> || api::is_list<Result> || api::is_tuple<Result>,
                  "a compiled function returns a litz::Tensor, or a std::vector, array, pair or tuple of them");
    const api::Body body{static_cast<void*>(function_.get()), api::run_body<Fn, Arguments...>};
    const std::array<size_t, sizeof...(Arguments)> lengths{api::length(arguments)...};
    if constexpr ((api::is_tensor<Arguments> && ...)) {
      const std::array<const Tensor*, sizeof...(Arguments)> flat{&arguments...};
      return api::from_list<Result>(call(flat, lengths, body));
    } else {
      std::vector<const Tensor*> flat;
      (api::append(flat, arguments), ...);
      return api::from_list<Result>(call(flat, lengths, body));
    }
  }

 private:
  std::shared_ptr<Fn> function_;
};

// `function` takes any number of Tensors and std::vector<Tensor>s and returns a Tensor, or a vector, array, pair or
// tuple of them. A call on stand-ins (inside another compiled function) becomes a part of that program.
template <typename Fn>
Compiled<std::decay_t<Fn>> compile(Fn&& function, const CompileOptions& options = {},
                                   std::source_location at = std::source_location::current()) {
  return Compiled<std::decay_t<Fn>>(std::forward<Fn>(function), options, at);
}

// Packs the weights again at the next call. Needed only after writes through pointers that were taken before the
// weights were packed; without it such a write is found within some calls, and said.
LITZ_API void refresh(const CompiledFunction& function);

// Gives memory that is kept for results back to the system.
LITZ_API void empty_cache();
// Forgets the kernels that are held in memory, those of ops outside `compile` too.
LITZ_API void reset();

// Takes what is said once (an op that runs outside Litz's kernels, a weight that changed unseen) instead of stderr.
LITZ_API void set_warning_handler(std::function<void(const std::string&)> handler);

LITZ_API std::string version();

}  // namespace litz
