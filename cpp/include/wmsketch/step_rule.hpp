// How far to step on example t.
#pragma once

#include <cmath>
#include <cstdint>

namespace wmsketch {

// optimal: eta0 / (1 + eta0 * l2 * t), the paper's. constant: eta0. invsqrt: eta0 / sqrt(t + 1).
enum class Schedule : std::uint8_t { optimal, constant, invsqrt };

struct StepRule {
  Schedule schedule = Schedule::optimal;
  double eta0 = 0.1;
  double l2 = 1e-6;

  double rate(std::uint64_t t) const {
    switch (schedule) {
      case Schedule::optimal:
        return eta0 / (1.0 + eta0 * l2 * static_cast<double>(t));
      case Schedule::invsqrt:
        return eta0 / std::sqrt(static_cast<double>(t) + 1.0);
      case Schedule::constant:
        break;
    }
    return eta0;
  }
};

}  // namespace wmsketch
