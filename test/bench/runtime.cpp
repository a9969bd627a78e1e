// The runtime beside LibTorch, both in one process, turn by turn: small programs as verification runs them, elementwise rows,
// reductions and products of large tensors.
//
//   bench-runtime [--repeats=N] [--large] [--only=TEXT] [--json=FILE]
//
// --large adds the matrix product of 10000 x 10000; --only leaves the lines whose names contain the text. A line gives the median of both sides, the spread of the ratio, and the
// ratio that is wanted. Figures are no test: the exit status is 0.
#include "runtime/ops.h"
#include "runtime/parallel.h"
#include "runtime/stream.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using rt::DType;
using rt::Tensor;

struct Options {
  int repeats = 9;
  bool large = false;
  const char* json = nullptr;
  std::string only;
};

double seconds(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// One line of the table: how often LibTorch's time ours goes into it (`wanted` is the least).
struct Line {
  std::string name;
  double ours, theirs, ratio, lowest, highest, wanted, bytes;
};

class Table {
 public:
  explicit Table(const Options& options) : options_(options) {
    std::printf("%-44s %12s %12s %8s %16s %8s\n", "", "runtime", "LibTorch", "ratio", "spread", "wanted");
  }

  /// `bytes`: what a call moves at least, where bandwidth is told; 0 otherwise.
  void add(const std::string& name, double wanted, double bytes, const std::function<void()>& ours, const std::function<void()>& theirs) {
    if (name.find(options_.only) == name.npos) return;
    ours(), theirs();
    std::vector<double> mine, referee, ratios;
    for (int i = 0; i < options_.repeats; ++i) {
      mine.push_back(seconds(ours));
      referee.push_back(seconds(theirs));
      ratios.push_back(referee.back() / mine.back());
    }
    const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
    Line line{name, medianOf(mine), medianOf(referee), medianOf(ratios), *low, *high, wanted, bytes};
    std::printf("%-44s %9.3f ms %9.3f ms %8.2f %7.2f to %5.2f %8.2f", name.c_str(), line.ours * 1e3, line.theirs * 1e3, line.ratio, line.lowest, line.highest, wanted);
    if (bytes > 0) std::printf("  %5.1f GB/s", bytes / line.ours / 1e9);
    std::printf("\n");
    std::fflush(stdout);
    lines_.push_back(line);
  }

  bool save() const {
    if (!options_.json) return true;
    std::FILE* file = std::fopen(options_.json, "w");
    if (!file) return std::fprintf(stderr, "error: %s cannot be written\n", options_.json), false;
    std::fprintf(file, "[\n");
    for (size_t i = 0; i < lines_.size(); ++i) {
      const Line& l = lines_[i];
      std::fprintf(file, "  {\"name\": \"%s\", \"seconds\": %.9g, \"libtorch_seconds\": %.9g, \"ratio\": %.4g, \"lowest\": %.4g, \"highest\": %.4g, \"wanted\": %.4g}%s\n", l.name.c_str(), l.ours, l.theirs,
                   l.ratio, l.lowest, l.highest, l.wanted, i + 1 < lines_.size() ? "," : "");
    }
    std::fprintf(file, "]\n");
    return std::fclose(file) == 0;
  }

 private:
  Options options_;
  std::vector<Line> lines_;
};

std::vector<float> numbers(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = float((i * 2654435761u) % 2001) / 1000 - 1;
  return values;
}

struct Pair {
  Tensor ours;
  at::Tensor theirs;
};
Pair made(std::vector<int64_t> shape, bool gradient = false) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  auto* values = new std::vector<float>(numbers(size_t(n)));
  Pair pair{rt::fromBlob(values->data(), shape, {}, DType::float32, [values](void*) { delete values; }), at::from_blob(values->data(), shape, at::kFloat).clone()};
  pair.ours.setRequiresGrad(gradient);
  pair.theirs.set_requires_grad(gradient);
  return pair;
}

// Ten operations on up to 64 elements, forward and backward, as a candidate rewrite is tried.
void smallPrograms(Table& table) {
  using namespace rt::ops;
  constexpr int calls = 2000;
  for (int64_t n : {1, 8, 64}) {
    Pair x = made({n}, true), w = made({n}, true), b = made({n});
    table.add("10 ops forward and backward, " + std::to_string(n) + " elements, 2000 x", 10, 0, [&] {
      for (int i = 0; i < calls; ++i) {
        const Tensor h = tanh(add(mul(x.ours, w.ours), b.ours)), gate = sigmoid(h), picked = where(gt(h, 0), mul(gate, h), mul(h, 0.1));
        const Tensor loss = sum(square(picked));
        rt::backward({&loss, 1}, {});
        x.ours.clearGrad(), w.ours.clearGrad();
      }
    }, [&] {
      for (int i = 0; i < calls; ++i) {
        const at::Tensor h = at::tanh(at::add(at::mul(x.theirs, w.theirs), b.theirs)), gate = at::sigmoid(h), picked = at::where(h.gt(0), at::mul(gate, h), at::mul(h, 0.1));
        at::sum(at::square(picked)).backward();
        x.theirs.mutable_grad() = at::Tensor(), w.theirs.mutable_grad() = at::Tensor();
      }
    });
  }
}

// 512 x 512 x 100 elements, as an article on device-side comparison has them.
void elementwise(Table& table) {
  const Pair a = made({512, 512, 100}), b = made({512, 512, 100});
  const double n = 512 * 512 * 100;
  table.add("copy of 26.2 M float32", 1, 8 * n, [&] { (void)a.ours.clone(); }, [&] { (void)a.theirs.clone(); });
  table.add("eq of 26.2 M float32", 1, 9 * n, [&] { (void)rt::ops::eq(a.ours, b.ours); }, [&] { (void)at::eq(a.theirs, b.theirs); });
  table.add("add of 26.2 M float32", 1, 12 * n, [&] { (void)rt::ops::add(a.ours, b.ours); }, [&] { (void)at::add(a.theirs, b.theirs); });
  const Tensor mask = rt::ops::gt(a.ours, 0);
  const at::Tensor theirMask = a.theirs.gt(0);
  table.add("where of 26.2 M float32", 1, 13 * n, [&] { (void)rt::ops::where(mask, a.ours, b.ours); }, [&] { (void)at::where(theirMask, a.theirs, b.theirs); });
}

void alongRows(Table& table) {
  const Pair a = made({4096, 4096});
  const double n = 4096.0 * 4096;
  table.add("sum over the last dimension, 4096 x 4096", 0.8, 4 * n, [&] { (void)rt::ops::sum(a.ours, {1}); }, [&] { (void)a.theirs.sum(1); });
  table.add("softmax over the last dimension, 4096 x 4096", 0.8, 8 * n, [&] {
    const Tensor in[] = {a.ours};
    (void)rt::call(rt::Op::softmax, in, {{-1}});
  }, [&] { (void)a.theirs.softmax(-1); });
}

void products(Table& table, bool large) {
  std::vector<int64_t> sizes = {1024, 2048, 4096};
  if (large) sizes.push_back(10000);
  for (int64_t n : sizes) {
    const Pair a = made({n, n});
    table.add("matmul of " + std::to_string(n) + " x " + std::to_string(n), 0.8, 0, [&] { (void)rt::ops::matmul(a.ours, a.ours); }, [&] { (void)a.theirs.matmul(a.theirs); });
  }
}

bool parse(int count, char** arguments, Options& options) {
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(arguments[i], "--repeats=", 10) == 0) options.repeats = std::max(1, std::atoi(arguments[i] + 10));
    else if (std::strcmp(arguments[i], "--large") == 0) options.large = true;
    else if (std::strncmp(arguments[i], "--json=", 7) == 0) options.json = arguments[i] + 7;
    else if (std::strncmp(arguments[i], "--only=", 7) == 0) options.only = arguments[i] + 7;
    else return std::fprintf(stderr, "error: unknown argument %s; there are --repeats=N, --large, --only=TEXT and --json=FILE\n", arguments[i]), false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  if (!parse(count, arguments, options)) return 2;
  // LibTorch's threads would go on spinning for work, and take a core away from what runs next.
  if (!std::getenv("OMP_WAIT_POLICY")) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv(arguments[0], arguments);  // libgomp reads it when it is loaded; where this fails the bench goes on
  }
  const int threads = rt::threadCount();
  Table table(options);
  rt::setThreadCount(1), at::set_num_threads(1);
  smallPrograms(table);
  rt::setThreadCount(threads), at::set_num_threads(threads);
  elementwise(table);
  alongRows(table);
  products(table, options.large);
  return table.save() ? 0 : 2;
}
