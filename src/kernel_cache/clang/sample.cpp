// Data for record_order.cpp: a kernel with what the templates do (tiles, packing, epilogues) and what the golden
// kernels of tests/kernels lack. Written as the generator writes.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
typedef long i64;
typedef int i32;
typedef short i16;
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned short u16;
typedef float f32;
typedef double f64;
typedef f32 f32m __attribute__((may_alias));
typedef u16 u16m __attribute__((may_alias));
#ifdef __AVX512F__
#define LANES 16
#define madd(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, (unsigned short)-1, 4)
#else
#define LANES 8
#define madd(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif
typedef f32 f32v __attribute__((vector_size(4 * LANES)));
typedef f32v f32u __attribute__((aligned(4), may_alias));
typedef i32 i32v __attribute__((vector_size(4 * LANES)));
typedef u32 u32v __attribute__((vector_size(4 * LANES)));
typedef u32v u32u __attribute__((aligned(4), may_alias));
typedef u16 u16v __attribute__((vector_size(2 * LANES)));
typedef u16v u16u __attribute__((aligned(2), may_alias));
typedef f64 f64v __attribute__((vector_size(8 * LANES)));
typedef i64 i64v __attribute__((vector_size(8 * LANES)));

static inline i64 min_i64(i64 a, i64 b) { return b < a ? b : a; }
static inline f32v splat(f32 x) { return x - f32v{}; }
static inline f32v cast_bf16_f32v(u16v x) { return (f32v)(__builtin_convertvector(x, u32v) << 16); }
static inline f32 cast_bf16_f32(u16 x) { return __builtin_bit_cast(f32, (u32)x << 16); }
static inline u16v cast_f32_bf16v(f32v x) {
  const u32v u = (u32v)x;
  const u32v r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return __builtin_convertvector(x != x ? (u >> 16) | 64 : r, u16v);
}
static inline f32v max_f32v(f32v a, f32v b) {
#ifdef __AVX512F__
  return a != a ? a : __builtin_ia32_maxps512(a, b, 4);
#else
  return a != a || a > b ? a : b;
#endif
}
static inline f32v exp_f32v(f32v x) {
  const f32v t = madd(x, f32v{} + 0x1.715476p+0f, f32v{} + 0x1.8p23f);
  const f32v r = madd(t - 0x1.8p23f, f32v{} - 0x1.62e43p-1f, x);
  f32v p = madd(r, f32v{} + 0x1.6a5232p-10f, f32v{} + 0x1.12396cp-7f);
  p = madd(p, r * r, r) + 1.0f;
#ifdef __AVX512F__
  return __builtin_ia32_scalefps512_mask(p, t - 0x1.8p23f, f32v{}, (u16)-1, 4);
#else
  return p * __builtin_bit_cast(f32v, (__builtin_bit_cast(i32v, t) << 23) + 0x3f800000);
#endif
}
static inline f32v erf_f32v(f32v x) {
  const f32v a = (f32v)((u32v)x & (~(u32)0 >> 1));
  const f32v b = (a > 3.95f ? f32v{} + 3.95f : a) - 1.0f;
  const f32v large = 1.0f - exp_f32v(-madd(b, f32v{} + 0x1.51c9b2p+1f, f32v{} + 0x1.d97fcp+0f));
  const i32v top = (i32)0x80000000 + i32v{};
  const f32v sign =
      __builtin_bit_cast(f32v, (__builtin_bit_cast(i32v, large) & ~top) | (__builtin_bit_cast(i32v, x) & top));
  return a < 0.92f ? x : sign;
}
static inline f32 hsum(f32v a) {
  f32v b;
#if LANES == 16
  b = __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  a = a + b;
  b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
  a = a + b;
#else
  b = __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
  a = a + b;
#endif
  return a[0] + a[1] + a[2] + a[3];
}
static inline void check(i64* p, i64 index, i64 size) {
  i64 none = 0;
  if (__atomic_compare_exchange_n(p, &none, 1, false, 5, 5)) p[1] = index, p[2] = size;
}

static __attribute__((noinline)) void tile_4(const f32m* a, const u16m* b, f32m* c, i64 k) {
  f32v c0_0 = {}, c0_1 = {};
  f32v c1_0 = {}, c1_1 = {};
  f32v c2_0 = {}, c2_1 = {};
  f32v c3_0 = {}, c3_1 = {};
#pragma GCC unroll 1
  for (i64 s = 0; s < k; ++s) {
    __builtin_prefetch((const i8*)(b + s * 2 * LANES) + 4096);
    const u32v q = *(const u32u*)(b + s * 2 * LANES);
    const f32v w0 = (f32v)(q << 16), w1 = (f32v)(q & 0xffff0000u);
    {
      const f32v t = a[s] - f32v{};
      c0_0 = madd(t, w0, c0_0);
      c0_1 = madd(t, w1, c0_1);
    }
    {
      const f32v t = a[s + 272] - f32v{};
      c1_0 = madd(t, w0, c1_0);
      c1_1 = madd(t, w1, c1_1);
    }
    {
      const f32v t = a[s + 544] - f32v{};
      c2_0 = madd(t, w0, c2_0);
      c2_1 = madd(t, w1, c2_1);
    }
    {
      const f32v t = a[s + 816] - f32v{};
      c3_0 = madd(t, w0, c3_0);
      c3_1 = madd(t, w1, c3_1);
    }
  }
  *(f32u*)(c + 0 * LANES) = c0_0;
  *(f32u*)(c + 1 * LANES) = c0_1;
  *(f32u*)(c + 2 * LANES) = c1_0;
  *(f32u*)(c + 3 * LANES) = c1_1;
  *(f32u*)(c + 4 * LANES) = c2_0;
  *(f32u*)(c + 5 * LANES) = c2_1;
  *(f32u*)(c + 6 * LANES) = c3_0;
  *(f32u*)(c + 7 * LANES) = c3_1;
}
static __attribute__((noinline)) void tile_1(const f32m* a, i64 at, const f32m* w, f32m* c, i64 kh0, i64 kh1, i64 kw0,
                                             i64 kw1) {
  f32v c0 = *(const f32u*)c;
  for (i64 kh = kh0; kh < kh1; ++kh) {
    for (i64 kw = kw0; kw < kw1; ++kw) {
#pragma GCC unroll 4
      for (i64 s = 0; s < 4; ++s) {
        c0 = madd(splat(a[at + s * 1024 + kh * 32 + kw]), *(const f32u*)(w + ((s * 3 + kh) * 3 + kw) * LANES), c0);
      }
    }
  }
  *(f32u*)c = c0;
}
static void pack_left(const u16m* from, i64 rows, i64 k, f32m* to) {
  for (i64 r = 0; r < rows; ++r) {
    const u16m* const x = from + r * 256;
    f32m* const y = to + r * 272;
    i64 i = 0;
    for (; i + LANES <= k; i += LANES) *(f32u*)(y + i) = cast_bf16_f32v(*(const u16u*)(x + i));
    for (; i < k; ++i) y[i] = cast_bf16_f32(x[i]);
    y[k] = 0;
  }
}
static void epilogue(void* const* args, i64 m0, i64 rows, i64 n0, const f32m* c) {
  const u16m* const b0 = (const u16m*)args[2];
  u16m* const b1 = (u16m*)args[3];
  for (i64 n = n0; n < n0 + 2 * LANES; n += LANES) {
    const f32v bias = cast_bf16_f32v(*(const u16u*)(b0 + n));
    for (i64 i = 0; i < rows; ++i) {
      const f32v sum = *(const f32u*)(c + i * 2 * LANES + (n - n0)) + bias;
      const f32v half = cast_bf16_f32v(cast_f32_bf16v(sum)) * 0x1p-1f;
      *(u16u*)(b1 + (512 * (m0 + i)) + n) = cast_f32_bf16v(half * (0x1p+0f + erf_f32v(sum * 0x1.6a09e6p-1f)));
    }
  }
}
// Parts of tiles: row, column, function
static const i16 parts[] = {0, 1, 0, 0, 0, 1, 0, 3, 1, 0, 2, 0, 3, 2, 1};

static void products(void* const* args, i64 begin, i64 end, void* scratch) {
  f32m* const sums = (f32m*)scratch;
  f32m* const rows = (f32m*)((u8*)scratch + 1664);
  i64 packed_left = -1;
  const u16m* const left = (const u16m*)args[0];
  const u16m* const right = (const u16m*)args[1];
  for (i64 task = begin; task < end; ++task) {
    const i64 nb = task % 8, mb = task / 8 % 3, b = task / 24;
    const i64 t1 = mb * 5 + 5 < 5 ? mb * 5 + 5 : 5, m0 = mb * 12 + (mb < 4 ? mb : 4);
    if (packed_left != b + mb) pack_left(left + m0 * 256, t1 * 12, 256, rows);
    packed_left = b + mb;
    for (i64 i = mb * 5; i < t1; ++i) {
      tile_4(rows + i * 272, right + nb * 256 * LANES, sums, 128);
      epilogue(args, m0 + i, 4 - (i < 4), nb * 2 * LANES, sums);
    }
  }
}
static void convolution(void* const* args, i64 begin, i64 end, void* scratch) {
  f32m* const sums = (f32m*)scratch;
  const f32m* const in = (const f32m*)args[0];
  const f32m* const w = (const f32m*)args[1];
  f32m* const out = (f32m*)args[3];
  for (i64 oh = begin; oh < end; ++oh) {
    const i64 h = oh * 2 - 1, kh0 = h < 0 ? (0 - h) / 1 : 0, khe = h < 32 ? (31 - h) / 2 + 1 : 0;
    for (i64 z = 0; z < 352; z += LANES) *(f32u*)(sums + z) = f32v{};
    for (i64 s = 0; s < 5; ++s) {
      const i16* const part = parts + s * 3;
      switch (part[2]) {
        case 0:
          tile_1(in, h * 32 + part[1], w, sums + part[0] * 11 * LANES, kh0, min_i64(khe, 3), part[0], 3);
          break;
        case 1:
          tile_1(in, h * 32, w, sums + part[1] * LANES, kh0, 2, 0, part[1]);
          break;
      }
    }
    for (i64 x = 0; x < 10; ++x) {
      const f32v v = max_f32v(*(const f32u*)(sums + x * LANES), splat(0x0p+0f));
      *(f32u*)(out + ((512 * oh) + (16 * x))) = v > 6.0f ? splat(6.0f) : v;
    }
  }
}
static void softmax(void* const* args, i64 begin, i64 end, void* scratch) {
  f32m* const sums = (f32m*)scratch;
  f32m* const rows = (f32m*)((u8*)scratch + 1664);
  // Softmax over scores with a mask; 64-bit sums; an index that is checked.
  const f32m* const x = (const f32m*)args[0];
  const i64* const index = (const i64*)args[1];
  const bool* const mask = (const bool*)args[2];
  f64* const out = (f64*)args[3];
  i64* const fault = (i64*)args[4];
  for (i64 r = begin; r < end; ++r) {
    i64 at = index[r];
    if (at < 0) at += 77;
    if ((unsigned long)at >= 77ul) {
      check(fault, at, 77);
      continue;
    }
    f32v top = splat(-__builtin_inff()), sum = {};
    i64v count = {};
    f64v wide = {};
    for (i64 i = 0; i < 64; i += LANES) {
      f32v s = *(const f32u*)(x + at * 64 + i) * 0x1.6a09e6p-4f;
      for (int l = 0; l < LANES; ++l) s[l] = mask[i + l] ? s[l] : -__builtin_inff();
      const f32v before = top;
      top = max_f32v(top, s);
      sum = sum * exp_f32v(before - top) + exp_f32v(s - top);
      count += __builtin_convertvector(s > top, i64v) & 1;
      wide += __builtin_convertvector(s, f64v);
      *(f32u*)(sums + i) = s;
    }
    const f32 total = hsum(sum);
    f64 mean = 0;
    i64 n = 0;
    for (int l = 0; l < LANES; ++l) mean += wide[l], n += count[l];
    out[r] = __builtin_log1p(mean / (f64)(n + 1)) + (f64)__builtin_expf(total) + (f64)(n % (at | 1) + n / 7);
    ((f32v*)rows)[r] = total != 0 ? *(const f32u*)sums / total : f32v{};
  }
}
static void strided(void* const* args, i64 begin, i64 end, void* scratch) {
  // Strided reads, a transposition in registers, half floats.
  const f32m* const x = (const f32m*)args[0];
  _Float16* const out = (_Float16*)args[3];
  for (i64 t = begin; t < end; ++t) {
    f32v a;
    for (int l = 0; l < LANES; ++l) a[l] = x[t * 256 + l * 17];
    const f32v b = *(const f32u*)(x + t * 64);
#if LANES == 16
    const f32v low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const f32v lanes = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
#else
    const f32v low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const f32v lanes = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
#endif
    const f32v y = low + lanes;
    for (int l = 0; l < LANES; ++l) out[t * LANES + l] = (_Float16)y[l];
    ((i8*)scratch)[t] = (i8)(__builtin_floorf(y[0]) == __builtin_rintf(y[1])) ^ (i8)(y[2] < 0);
  }
}
extern "C" void litz_sample(void* const* args, i64 phase, i64 begin, i64 end, void* scratch) {
  if (phase == 0) return products(args, begin, end, scratch);
  if (phase == 1) return convolution(args, begin, end, scratch);
  if (phase == 2) return softmax(args, begin, end, scratch);
  strided(args, begin, end, scratch);
}
