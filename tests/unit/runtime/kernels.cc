// Kernels as the code generator makes them, for the tests of the runtime. Loaded as an object file, not linked.
extern "C" {

float expf(float);
void* memcpy(void*, const void*, unsigned long);

struct Fault {
  long check, index, size;
};

// y[i] = 2 * x[i], one task an element. args: x, y.
void scale(void* const* args, long, long begin, long end, void*) {
  auto* x = static_cast<const float*>(args[0]);
  auto* y = static_cast<float*>(args[1]);
  for (long i = begin; i < end; ++i) y[i] = 2.0f * x[i];
}

// y = sum of x[0..64) in two phases: 8 partial sums in shared scratch, then their sum. args: x, y.
void sum64(void* const* args, long phase, long begin, long end, void*) {
  auto* x = static_cast<const float*>(args[0]);
  auto* partial = static_cast<float*>(args[2]);
  if (phase == 0) {
    for (long t = begin; t < end; ++t) {
      float s = 0;
      for (long i = 0; i < 8; ++i) s += x[8 * t + i];
      partial[t] = s;
    }
    return;
  }
  float s = 0;
  for (long t = 0; t < 8; ++t) s += partial[t];
  *static_cast<float*>(args[1]) = s;
}

// y[i] = x[index[i]] for i < 4, x of 10 elements. args: x, index, y.
void gather(void* const* args, long, long, long, void*) {
  auto* x = static_cast<const float*>(args[0]);
  auto* index = static_cast<const long*>(args[1]);
  auto* y = static_cast<float*>(args[2]);
  auto* fault = static_cast<Fault*>(args[4]);
  for (long i = 0; i < 4; ++i) {
    if (index[i] < 0 || index[i] >= 10) {
      *fault = {1, index[i], 10};
      return;
    }
    y[i] = x[index[i]];
  }
}

// Functions of the C library, tables and thread scratch. args: x[8], y[8].
void library_calls(void* const* args, long, long begin, long end, void* scratch) {
  static const float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  auto* x = static_cast<const float*>(args[0]);
  auto* y = static_cast<float*>(args[1]);
  auto* copy = static_cast<float*>(scratch);
  memcpy(copy, x, 8 * sizeof(float));
  for (long i = begin; i < end; ++i) {
    float r = 0;
    switch (i) {
      case 0:
        r = expf(copy[0]);
        break;
      case 1:
        r = copy[1] + 10;
        break;
      case 2:
        r = copy[2] * 3;
        break;
      case 3:
        r = copy[3] - 4;
        break;
      case 4:
        r = expf(copy[4]) * copy[5];
        break;
      default:
        r = copy[i];
        break;
    }
    y[i] = r * table[i & 7];
  }
}

// y[i] = x[i] * w[i % 4]. args: x, w, y.
void multiply(void* const* args, long, long begin, long end, void*) {
  auto* x = static_cast<const float*>(args[0]);
  auto* w = static_cast<const float*>(args[1]);
  auto* y = static_cast<float*>(args[2]);
  for (long i = begin; i < end; ++i) y[i] = x[i] * w[i % 4];
}
}
