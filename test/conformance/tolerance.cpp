// How near a value must be. IEEE decides most rows: they are compared bit for bit. What goes through exp, log and their kin
// has the ulps that the row declares.
#include "test/conformance/session.h"

#include <cctype>
#include <cmath>
#include <cstdio>

namespace samples {
namespace {

double leastNormalOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-1022 : type == at::kHalf ? 0x1p-14 : 0x1p-126; }
double denormalOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-1074 : type == at::kFloat ? 0x1p-149 : type == at::kHalf ? 0x1p-24 : 0x1p-133; }

}  // namespace

double epsilonOf(at::ScalarType type) { return type == at::kDouble ? 0x1p-52 : type == at::kFloat ? 0x1p-23 : type == at::kHalf ? 0x1p-10 : 0x1p-7; }

double ulpsOf(Op op) { return rt::info(op).ulps; }

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
