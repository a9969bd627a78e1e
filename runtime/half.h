// float16 and bfloat16 as storage: converted to float for arithmetic, rounded to nearest even when stored.
#pragma once

#include "runtime/device.h"

#include <cstdint>
#include <cstring>

namespace rt {

namespace bits {
RT_HD inline uint32_t of(float v) { uint32_t b; memcpy(&b, &v, 4); return b; }
RT_HD inline float toFloat(uint32_t b) { float v; memcpy(&v, &b, 4); return v; }
}  // namespace bits

struct BFloat16 {
  uint16_t raw = 0;
  BFloat16() = default;
  RT_HD BFloat16(float v) {
    uint32_t b = bits::of(v);
    raw = v != v ? uint16_t(0x7fc0) : uint16_t((b + 0x7fff + ((b >> 16) & 1)) >> 16);
  }
  RT_HD operator float() const { return bits::toFloat(uint32_t(raw) << 16); }
};

struct Half {
  uint16_t raw = 0;
  Half() = default;
  RT_HD Half(float v) {
    uint32_t b = bits::of(v), sign = (b >> 16) & 0x8000, magnitude = b & 0x7fffffff;
    if (magnitude > 0x7f800000) { raw = uint16_t(sign | 0x7e00); return; }      // NaN
    if (magnitude >= 0x477ff000) { raw = uint16_t(sign | 0x7c00); return; }     // rounds to infinity, or is it
    if (magnitude < 0x38800000) {                                               // subnormal: the adder rounds
      float scaled = bits::toFloat(magnitude) + 0.5f;
      raw = uint16_t(sign | (bits::of(scaled) - 0x3f000000));
      return;
    }
    raw = uint16_t(sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13));
  }
  RT_HD operator float() const {
    uint32_t sign = uint32_t(raw & 0x8000) << 16, exponent = (raw >> 10) & 0x1f, mantissa = raw & 0x3ff;
    if (exponent == 31) return bits::toFloat(sign | 0x7f800000 | (mantissa << 13));
    if (exponent == 0) return bits::toFloat(sign | bits::of(float(mantissa) * 5.9604644775390625e-8f));
    return bits::toFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
};

}  // namespace rt
