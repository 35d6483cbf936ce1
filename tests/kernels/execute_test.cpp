// Generated loop nests against the interpreter: sizes with and without tails, reductions, masks, indirect access,
// faults.
#include "tests/kernels/execute.h"

#include <gtest/gtest.h>

namespace litz::tests {
namespace {

using std::to_string;

TEST(Execute, PointwiseOfAnySize) {
  for (const int n : {1, 7, 16, 17, 64, 1000, 4099}) {
    execute(with(R"(kernel @k(x: f32[$N] in, y: f32[$N] in, z: f32[$N] out) {
      parallel i0 < $N {
        %0 = load x[i0] : f32
        %1 = load y[i0] : f32
        %2 = const 0.1 : f32
        %3 = mul %0, %2 : f32
        %4 = sub %3, %1 : f32
        %5 = div %4, %0 : f32
        %6 = max %5, %1 : f32
        %7 = neg %6 : f32
        %8 = abs %7 : f32
        %9 = sqrt %8 : f32
        store z[i0], %9
      }
    })",
                 {{"$N", to_string(n)}}));
  }
}

TEST(Execute, Broadcast) {
  execute(R"(kernel @k(x: f32[5,33] in, row: f32[33] in, column: f32[5] in, one: f32[1] in, y: f32[5,33] out) {
    parallel i0 < 5, i1 < 33 {
      %0 = load x[i0, i1] : f32
      %1 = load row[i1] : f32
      %2 = load column[i0] : f32
      %3 = load one[0] : f32
      %4 = add %0, %1 : f32
      %5 = mul %4, %2 : f32
      %6 = add %5, %3 : f32
      store y[i0, i1], %6
    }
  })");
}

TEST(Execute, BlockedLayout) {
  execute(R"(kernel @k(x: f32[2,3,4,5,16] in, bias: f32[48] in, y: f32[2,3,4,5,16] out) {
    parallel n < 2, co < 3, h < 4, w < 5, ci < 16 {
      %0 = load x[n, co, h, w, ci] : f32
      %1 = load bias[16*co + ci] : f32
      %2 = add %0, %1 : f32
      %3 = const 0.0 : f32
      %4 = max %2, %3 : f32
      store y[n, co, h, w, ci], %4
    }
  })");
}

TEST(Execute, TransposedOperandAndResult) {
  execute(R"(kernel @k(x: f32[37,19] in, z: f32[19,37] in, y: f32[19,37] out) {
    parallel i0 < 19, i1 < 37 {
      %0 = load x[i1, i0] : f32
      %1 = load z[i0, i1] : f32
      %2 = add %0, %1 : f32
      store y[i0, i1], %2
    }
  })");
  execute(R"(kernel @k(x: f32[19,37] in, y: f32[37,19] out) {
    parallel i0 < 19, i1 < 37 {
      %0 = load x[i0, i1] : f32
      store y[i1, i0], %0
    }
  })");
}

TEST(Execute, PlainToBlockedLayout) {
  execute(R"(kernel @k(x: f32[2,32,9] in, y: f32[2,2,9,16] out) {
    parallel n < 2, co < 2, w < 9, ci < 16 {
      %0 = load x[n, 16*co + ci, w] : f32
      store y[n, co, w, ci], %0
    }
  })");
  execute(R"(kernel @k(x: f32[2,2,9,16] in, y: f32[2,30,9] out) {
    parallel n < 2, c < 30, w < 9 {
      %0 = load x[n, floor_div(c, 16), w, mod(c, 16)] : f32
      store y[n, c, w], %0
    }
  })");
}

TEST(Execute, QuasiAffineIndices) {
  execute(R"(kernel @k(x: f32[34] in, y: f32[100] out) {
    parallel i0 < 100 {
      %0 = load x[floor_div(i0, 3)] : f32
      %1 = load x[mod(i0 + 5, 7)] : f32
      %2 = index mod(2*i0 - 31, 11)
      %3 = cast %2 : f32
      %4 = add %0, %1 : f32
      %5 = add %4, %3 : f32
      store y[i0], %5
    }
  })",
          {.specials = false});
}

constexpr const char* kSoftmax = R"(kernel @softmax(x: f32[$R,$C] in, y: f32[$R,$C] out) {
  parallel i0 < $R {
    %3 = loop r0 < $C reduce(max f32 %2) { %2 = load x[i0, r0] : f32 }
    %7 = loop r1 < $C reduce(sum f32 %6) {
      %4 = load x[i0, r1] : f32
      %5 = sub %4, %3 : f32
      %6 = exp %5 : f32
    }
    loop r2 < $C {
      %8 = load x[i0, r2] : f32
      %9 = sub %8, %3 : f32
      %10 = exp %9 : f32
      %11 = div %10, %7 : f32
      store y[i0, r2], %11
    }
  }
})";

TEST(Execute, Softmax) {
  for (const int columns : {1, 5, 16, 33, 100, 512}) {
    execute(with(kSoftmax, {{"$R", "5"}, {"$C", to_string(columns)}}),
            {.tolerance = 2e-6, .specials = false, .max_schedules = 2});
  }
  execute(with(kSoftmax, {{"$R", "6"}, {"$C", "40"}}), {.tolerance = 2e-6, .specials = true});
}

TEST(Execute, SoftmaxThatKeepsItsRow) {
  execute(R"(kernel @softmax(x: f32[5,70] in, y: f32[5,70] out, e: f32[70] local) {
    parallel i0 < 5 {
      %3 = loop r0 < 70 reduce(max f32 %2) { %2 = load x[i0, r0] : f32 }
      %7 = loop r1 < 70 reduce(sum f32 %6) {
        %4 = load x[i0, r1] : f32
        %5 = sub %4, %3 : f32
        %6 = exp %5 : f32
        store e[r1], %6
      }
      loop r2 < 70 {
        %8 = load e[r2] : f32
        %9 = div %8, %7 : f32
        store y[i0, r2], %9
      }
    }
  })",
          {.tolerance = 2e-6, .specials = false});
}

TEST(Execute, SumsOfRowsAndColumns) {
  for (const int n : {1, 31, 100, 5000}) {
    execute(with(R"(kernel @k(x: f32[3,$N] in, y: f32[3] out) {
      parallel i0 < 3 {
        %1 = loop r0 < $N reduce(sum f32 %0) { %0 = load x[i0, r0] : f32 }
        store y[i0], %1
      }
    })",
                 {{"$N", to_string(n)}}),
            {.tolerance = 1e-5, .floor = 1, .specials = false});
    execute(with(R"(kernel @k(x: f32[$N,45] in, y: f32[45] out) {
      parallel i0 < 45 {
        %1 = loop r0 < $N reduce(sum f32 %0) { %0 = load x[r0, i0] : f32 }
        store y[i0], %1
      }
    })",
                 {{"$N", to_string(n)}}),
            {.tolerance = 1e-5, .floor = 1, .specials = false});
  }
}

TEST(Execute, LongSumsKeepTheirPrecision) {
  // 2^21 terms with mean 1000: adding them up in one chain would lose 4 digits.
  execute(R"(kernel @k(x: f32[2097155] in, y: f32[1] out) {
    parallel i0 < 1 {
      %3 = loop r0 < 2097155 reduce(sum f32 %2) {
        %0 = load x[r0] : f32
        %1 = const 1000.0 : f32
        %2 = add %0, %1 : f32
      }
      store y[0], %3
    }
  })",
          {.tolerance = 3e-7, .specials = false, .max_schedules = 1});
}

TEST(Execute, ReductionOverSeveralRanges) {
  execute(R"(kernel @k(x: f32[4,3,5,16] in, y: f32[4,16] out) {
    parallel n < 4, ci < 16 {
      %1 = loop h < 3, w < 5 reduce(sum f32 %0) { %0 = load x[n, h, w, ci] : f32 }
      %2 = const 15.0 : f32
      %3 = div %1, %2 : f32
      store y[n, ci], %3
    }
  })",
          {.tolerance = 1e-5, .floor = 1, .specials = false});
  execute(R"(kernel @k(x: f32[6,4,50] in, y: f32[4] out) {
    parallel i < 4 {
      %1 = loop a < 6, b < 50 reduce(sum f32 %0) { %0 = load x[a, i, b] : f32 }
      store y[i], %1
    }
  })",
          {.tolerance = 1e-5, .floor = 1, .specials = false});
}

TEST(Execute, EveryReductionOfEveryDtype) {
  for (const char* dtype : {"f32", "f64", "i64", "i32", "i16", "i8", "u8"}) {
    const bool floats = dtype[0] == 'f';
    for (const char* op : {"sum", "prod", "max", "min"}) {
      SCOPED_TRACE(std::string(op) + " of " + dtype);
      const bool exact = !floats || op[0] == 'm';
      execute(with(R"(kernel @k(x: $D[3,37] in, y: $D[3] out, z: $D[37] out) {
        parallel i0 < 3 {
          %1 = loop r0 < 37 reduce($O $D %0) { %0 = load x[i0, r0] : $D }
          store y[i0], %1
        }
        parallel i1 < 37 {
          %3 = loop r1 < 3 reduce($O $D %2) { %2 = load x[r1, i1] : $D }
          store z[i1], %3
        }
      })",
                   {{"$D", dtype}, {"$O", op}}),
              {.tolerance = exact ? 0 : 1e-5, .floor = 1e-6, .specials = exact, .spread = 1, .max_schedules = 2});
    }
  }
}

TEST(Execute, ArgmaxAndArgmin) {
  for (const char* dtype : {"f32", "f64", "i64", "i32", "i8", "u8"}) {
    for (const char* op : {"argmax", "argmin"}) {
      SCOPED_TRACE(std::string(op) + " of " + dtype);
      execute(with(R"(kernel @k(x: $D[6,50] in, y: i64[6] out, v: $D[6] out, z: i64[50] out) {
        parallel i0 < 6 {
          %1, %2 = loop r0 < 5, r1 < 10 reduce($O $D %0) { %0 = load x[i0, 10*r0 + r1] : $D }
          store y[i0], %1
          store v[i0], %2
        }
        parallel i1 < 50 {
          %4, %5 = loop r2 < 6 reduce($O $D %3) { %3 = load x[r2, i1] : $D }
          store z[i1], %4
        }
      })",
                   {{"$D", dtype}, {"$O", op}}),
              {.max_schedules = 2});
    }
  }
}

TEST(Execute, ArgmaxOfNothingButTheLowest) {
  execute(R"(kernel @k(x: f32[2,40] in, y: i64[2] out) {
    parallel i0 < 2 {
      %2, %3 = loop r0 < 40 reduce(argmax f32 %1) { %0 = load x[i0, r0] : f32  %1 = const -inf : f32 }
      store y[i0], %2
    }
  })");
}

TEST(Execute, AnyAndAll) {
  execute(R"(kernel @k(x: f32[4,21] in, y: bool[4] out, z: bool[4] out) {
    parallel i0 < 4 {
      %4, %5 = loop r0 < 21 reduce(any bool %2, all bool %3) {
        %0 = load x[i0, r0] : f32
        %1 = const 4.0 : f32
        %2 = gt %0, %1 : bool
        %3 = le %0, %1 : bool
      }
      store y[i0], %4
      store z[i0], %5
    }
  })");
}

TEST(Execute, EmptyRanges) {
  execute(R"(kernel @k(x: f32[3,0] in, y: f32[3] out, z: f32[3] out) {
    parallel i0 < 3 {
      %1, %2 = loop r0 < 0 reduce(sum f32 %0, max f32 %0) { %0 = load x[i0, r0] : f32 }
      store y[i0], %1
      store z[i0], %2
    }
  })");
}

TEST(Execute, MaximumPoolingWithPadding) {
  for (const char* dtype : {"f32", "i8"}) {
    execute(with(R"(kernel @pool(x: $D[2,7,9,16] in, y: $D[2,4,5,16] out) {
      parallel n < 2, h < 4, w < 5, c < 16 {
        %12 = loop kh < 3, kw < 3 reduce(max $D %11) {
          %0 = index 2*h + kh - 1
          %1 = index 2*w + kw - 1
          %2 = const 0 : i64
          %3 = const 7 : i64
          %4 = const 9 : i64
          %5 = ge %0, %2 : bool
          %6 = lt %0, %3 : bool
          %7 = ge %1, %2 : bool
          %8 = lt %1, %4 : bool
          %9 = bit_and %5, %6 : bool
          %10 = bit_and %9, %7 : bool
          %13 = bit_and %10, %8 : bool
          %11 = load x[n, 2*h + kh - 1, 2*w + kw - 1, c] if %13 else $L : $D
        }
        store y[n, h, w, c], %12
      }
    })",
                 {{"$D", dtype}, {"$L", dtype[0] == 'f' ? "-inf" : "-128"}}));
  }
}

TEST(Execute, MaskedConcatenation) {
  execute(R"(kernel @cat(a: f32[30] in, b: f32[25] in, y: f32[55] out) {
    parallel i0 < 55 {
      %0 = index i0
      %1 = const 30 : i64
      %2 = lt %0, %1 : bool
      %3 = bit_not %2 : bool
      %4 = load a[i0] if %2 else 0 : f32
      %5 = load b[i0 - 30] if %3 else 0 : f32
      %6 = select %2, %4, %5 : f32
      store y[i0], %6
    }
  })");
}

TEST(Execute, MaskedStore) {
  for (const char* dtype : {"f32", "f64", "bf16", "i64", "i8", "bool"}) {
    execute(with(R"(kernel @k(x: $D[4,21] in, m: bool[4,21] in, y: $D[4,21] in_out, t: $D[21,4] in_out) {
      parallel i0 < 4, i1 < 21 {
        %0 = load x[i0, i1] : $D
        %1 = load m[i0, i1] : bool
        store y[i0, i1], %0 if %1
        store t[i1, i0], %0 if %1
      }
    })",
                 {{"$D", dtype}}));
  }
}

constexpr const char* kEmbedding = R"(kernel @embedding(i: i64[13] in, table: f32[50,37] in, y: f32[13,37] out) {
  checks("embedding")
  parallel n < 13, d < 37 {
    %0 = load i[n] : i64
    %1 = check %0 < 50 wraps #0
    %2 = load table[%1, d] : f32
    store y[n, d], %2
  }
})";

TEST(Execute, EmbeddingChecksItsIndices) {
  execute(kEmbedding, {.index_limit = 50});
  execute(kEmbedding, {.index_limit = 52, .seed = 3});
  // Every lane has an index of its own.
  execute(R"(kernel @gather(i: i64[45] in, x: f32[50] in, y: f32[45] out) {
    checks("gather")
    parallel n < 45 {
      %0 = load i[n] : i64
      %1 = check %0 < 50 wraps #0
      %2 = load x[%1] : f32
      store y[n], %2
    }
  })",
          {.index_limit = 50});
}

TEST(Execute, NegativeIndicesAreFaultsUnlessTheyWrap) {
  for (const char* rows : {"37", "1"}) {  // one index a row; one a lane
    execute(with(R"(kernel @embedding(i: i64[9] in, table: f32[50,$R] in, y: f32[9,$R] out) {
  checks("embedding")
  parallel n < 9, d < $R {
    %0 = load i[n] : i64
    %1 = check %0 < 50 #0
    %2 = load table[%1, d] : f32
    store y[n, d], %2
  }
})",
                 {{"$R", rows}}),
            {.index_limit = 50});
  }
}

TEST(Execute, IndexOutOfAnEmptyTableTouchesNothing) {
  execute(R"(kernel @gather(i: i64[5] in, x: f32[0] in, y: f32[5] out) {
    checks("gather")
    parallel n < 5 {
      %0 = load i[n] : i64
      %1 = check %0 < 0 #0
      %2 = load x[%1] : f32
      store y[n], %2
    }
  })",
          {.index_limit = 5});
}

TEST(Execute, ScatterThroughIndices) {
  execute(R"(kernel @put(x: f32[33] in, y: f32[2,33] in_out) {
    parallel n < 33 {
      %0 = index mod(7*n, 33)
      %1 = load x[n] : f32
      store y[1, %0], %1
    }
  })");
}

TEST(Execute, UpdateInPlace) {
  execute(R"(kernel @k(x: f32[100] in_out) {
    parallel i0 < 100 {
      %0 = load x[i0] : f32
      %1 = add %0, %0 : f32
      store x[i0], %1
    }
  })");
}

TEST(Execute, SerialLoopThatReadsWhatItWrote) {
  execute(R"(kernel @cumsum(x: f32[5,20] in, y: f32[5,21] in_out) {
    parallel i0 < 5 {
      loop s < 20 {
        %0 = load x[i0, s] : f32
        %1 = load y[i0, s] : f32
        %2 = add %0, %1 : f32
        store y[i0, s + 1], %2
      }
    }
  })");
}

TEST(Execute, NestedInnerLoops) {
  execute(R"(kernel @k(x: f32[3,4,40] in, y: f32[3,4] out, z: f32[3] out) {
    parallel i0 < 3 {
      %4 = loop r0 < 4 reduce(max f32 %3) {
        %1 = loop r1 < 40 reduce(sum f32 %0) { %0 = load x[i0, r0, r1] : f32 }
        %2 = const 2.0 : f32
        %3 = mul %1, %2 : f32
        store y[i0, r0], %3
      }
      store z[i0], %4
    }
  })",
          {.tolerance = 1e-5, .floor = 1, .specials = false});
}

TEST(Execute, LayerNormWithGelu) {
  execute(R"(kernel @ln(x: f32[6,100] in, w: f32[100] in, b: f32[100] in, y: f32[6,100] out) {
    parallel i0 < 6 {
      %90 = const 100.0 : f32
      %1 = loop r0 < 100 reduce(sum f32 %0) { %0 = load x[i0, r0] : f32 }
      %2 = div %1, %90 : f32
      %6 = loop r1 < 100 reduce(sum f32 %5) {
        %3 = load x[i0, r1] : f32
        %4 = sub %3, %2 : f32
        %5 = mul %4, %4 : f32
      }
      %7 = div %6, %90 : f32
      %8 = const 1e-5 : f32
      %9 = add %7, %8 : f32
      %10 = rsqrt %9 : f32
      loop r2 < 100 {
        %11 = load x[i0, r2] : f32
        %12 = sub %11, %2 : f32
        %13 = mul %12, %10 : f32
        %14 = load w[r2] : f32
        %15 = mul %13, %14 : f32
        %16 = load b[r2] : f32
        %17 = add %15, %16 : f32
        %18 = const 0.7071067811865476 : f32
        %19 = mul %17, %18 : f32
        %20 = erf %19 : f32
        %21 = const 1.0 : f32
        %22 = add %20, %21 : f32
        %23 = const 0.5 : f32
        %24 = mul %17, %23 : f32
        %25 = mul %24, %22 : f32
        store y[i0, r2], %25
      }
    }
  })",
          {.tolerance = 1e-5, .floor = 1, .specials = false});
}

TEST(Execute, SmallVectors) {
  // Extents below a full vector.
  for (const int n : {2, 3, 8, 9}) {
    execute(with(R"(kernel @k(x: f32[40,$N] in, y: f32[40,$N] out, z: f32[40] out) {
      parallel i0 < 40, i1 < $N {
        %0 = load x[i0, i1] : f32
        %1 = exp %0 : f32
        store y[i0, i1], %1
      }
      parallel i2 < 40 {
        %3 = loop r < $N reduce(max f32 %2) { %2 = load x[i2, r] : f32 }
        store z[i2], %3
      }
    })",
                 {{"$N", to_string(n)}}),
            {.tolerance = 3e-7, .floor = 1e-37});
  }
}

}  // namespace
}  // namespace litz::tests
