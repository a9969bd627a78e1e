// How near a value must be. IEEE decides most rows: they are compared bit for bit. What goes through exp, log and their kin
// has the ulps that the row declares.
#include "test/conformance/session.h"

#include <cctype>
#include <cmath>
#include <cstdio>

namespace samples {
namespace {

template <typename Info> double declared(const Info& row, double otherwise) {
  if constexpr (requires { row.ulps; }) return double(row.ulps);
  else return otherwise;
}

// Rows whose formula goes through a library's own exp, log and so on.
double ulpsByFormula(Op op) {
  const rt::OpInfo& row = rt::info(op);
  switch (op) {
    case Op::lerp: return 4;  // LibTorch's vector loop fuses
    case Op::norm: case Op::logsumexp: case Op::var: case Op::std: case Op::softmax: case Op::log_softmax: return 16;
    case Op::mean: case Op::matmul: case Op::mm: case Op::linear: case Op::sum: case Op::prod: case Op::cumsum: return 4;
    default: break;
  }
  std::string_view forward = row.forward;
  for (const char* exact : {"std::floor", "std::ceil", "std::nearbyint", "std::trunc", "std::fmod"})
    if (forward.find(exact) != forward.npos) return 0;
  return forward.find("std::") != forward.npos || forward.find("power") != forward.npos ? 4 : 0;
}

double leastNormalOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-1022 : type == at::kHalf ? 0x1p-14 : 0x1p-126; }
double denormalOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-1074 : type == at::kFloat ? 0x1p-149 : type == at::kHalf ? 0x1p-24 : 0x1p-133; }

}  // namespace

double epsilonOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-52 : type == at::kFloat ? 0x1p-23 : type == at::kHalf ? 0x1p-10 : 0x1p-7; }

double ulpsOf(Op op) { return declared(rt::info(op), ulpsByFormula(op)); }

// The formula's words that are rows, each with its own ulps.
double gradientUlpsOf(Op op) {
  double worst = ulpsOf(op);
  for (const char* text : rt::info(op).gradients) {
    std::string word;
    for (const char* c = text;; ++c) {
      if (std::isalnum(static_cast<unsigned char>(*c)) || *c == '_') {
        word += *c;
        continue;
      }
      if (auto named = rt::opNamed(word)) worst = std::max(worst, ulpsOf(*named));
      word.clear();
      if (!*c) break;
    }
  }
  return 4 * worst;
}

bool near(const rt::Scalar& ours, const rt::Scalar& theirs, at::ScalarType type, double ulps, double size) {
  if (ours.kind == rt::Scalar::Kind::integer && theirs.kind == rt::Scalar::Kind::integer) return ours.i == theirs.i;
  const double a = ours.toDouble(), b = theirs.toDouble();
  if ((std::isnan(a) && std::isnan(b)) || (a == b && (ulps > 0 || std::signbit(a) == std::signbit(b)))) return true;
  if (ulps == 0 || !std::isfinite(a) || !std::isfinite(b)) return false;
  if (std::max(std::abs(a), std::abs(b)) < 4 * leastNormalOf(type)) return true;  // LibTorch's vector functions flush
  return std::abs(a - b) <= std::max(ulps * epsilonOf(type) * std::max({std::abs(a), std::abs(b), size}), 2 * denormalOf(type));
}

std::string textOf(const rt::Scalar& v) {
  char text[40];
  if (v.kind == rt::Scalar::Kind::floating && std::isnan(v.d)) return "nan";
  if (v.kind == rt::Scalar::Kind::boolean) return v.b ? "true" : "false";
  if (v.kind == rt::Scalar::Kind::integer) std::snprintf(text, sizeof text, "%lld", static_cast<long long>(v.i));
  else std::snprintf(text, sizeof text, "%.17g", v.d);
  return text;
}

}  // namespace samples
