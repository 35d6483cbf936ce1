import subprocess
import sys
from pathlib import Path

import size_budget

BODY = "  x();\n"


def test_cpp_functions_are_found() -> None:
    source = """#include <a>
namespace litz {
struct S {
  S(int a) : a_{a}, b_(a) {
    f();
  }
  int get() const { return a_; }
  int a_ = 0;
  std::vector<int> v = {1, 2};
};
enum class E : int { a, b };
const int table[] = {1, 2};
template <typename T, typename U = std::vector<int>>
std::map<T, U> g(T t = {}) {
  auto h = [](int x) { return x; };
  if (t) { // }
    return "}";
  }
}
const auto lambda = [](char c) {
  return c == '{' || 1'000;
};
}  // namespace litz
TEST(A, B) {
  const char* r = R"(
{)";
}
"""
    assert size_budget.cpp_functions(source) == [
        ("S", 4, 3),
        ("get", 7, 1),
        ("g", 13, 7),
        ("function", 20, 3),
        ("TEST", 24, 4),
    ]


def test_python_functions_are_found() -> None:
    source = "class A:\n    def f(self):\n        def g():\n            pass\n        return g\n"
    assert sorted(size_budget.python_functions(source)) == [("f", 2, 4), ("g", 3, 2)]


def run(root: Path, path: str, text: str) -> subprocess.CompletedProcess[str]:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    return subprocess.run([sys.executable, size_budget.__file__, str(root)], capture_output=True, text=True)


def function(lines: int) -> str:
    return "void f() {\n" + BODY * (lines - 2) + "}\n"


def test_small_file_passes(tmp_path: Path) -> None:
    result = run(tmp_path, "src/a.cpp", function(60))
    assert (result.returncode, result.stdout) == (0, "")


def test_long_function_warns(tmp_path: Path) -> None:
    result = run(tmp_path, "src/a.cpp", function(61))
    assert result.returncode == 0
    assert result.stdout == "warning: src/a.cpp:1: function f has 61 lines (limit 120)\n"


def test_too_long_function_fails(tmp_path: Path) -> None:
    result = run(tmp_path, "src/a.cpp", function(121))
    assert result.returncode == 1
    assert result.stdout.startswith("error: src/a.cpp:1: function f has 121 lines")


def test_too_long_python_function_fails(tmp_path: Path) -> None:
    result = run(tmp_path, "scripts/a.py", "def f():\n" + "    x()\n" * 120)
    assert result.returncode == 1
    assert "function f has 121 lines" in result.stdout


def test_file_limits(tmp_path: Path) -> None:
    assert run(tmp_path, "src/a.h", "int a;\n" * 1000).returncode == 0
    result = run(tmp_path, "src/a.h", "int a;\n" * 1001)
    assert (result.returncode, "file has 1001 lines" in result.stdout) == (1, True)


def test_golden_sources_are_excepted(tmp_path: Path) -> None:
    assert run(tmp_path, "tests/kernels/golden/a.cpp", "int a;\n" * 1001).stdout == ""
