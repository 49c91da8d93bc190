// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plumb/core/traffic.h"
#include "plumb/fabric/observer.h"
#include "plumb/fabric/statistics.h"

namespace plumb::trace {

/// What a flow's payload did on the wires.
struct FlowMotion {
  fabric::Cycle first = fabric::kNever;  ///< cycle in which its first packet was offered
  fabric::Cycle last = 0;                ///< cycle in which its last payload was delivered
  double steady = 0.0;  ///< bytes per cycle over the middle half of its payload; 0: too short
};

/// Watches a simulation: how each flow's payload arrives, and how long packets take from offer to delivery.
class FlowMeter final : public fabric::Observer {
 public:
  explicit FlowMeter(const Traffic& traffic);

  void on(std::span<const fabric::Event> events) override;

  [[nodiscard]] std::vector<FlowMotion> flows() const;
  /// Offer to delivery of the packets that a rank sent, cycles.
  [[nodiscard]] const std::vector<fabric::Histogram>& latency_from() const noexcept { return latency_; }

 private:
  struct Progress {
    std::int64_t bytes = 0;    ///< of the whole flow
    std::int64_t arrived = 0;  ///< so far
    fabric::Cycle first = fabric::kNever;
    fabric::Cycle last = 0;
    std::array<fabric::Cycle, 2> marks{};       ///< cycles of the first and third quarter
    std::array<std::int64_t, 2> bytes_there{};  ///< bytes that had arrived by then
  };

  std::vector<Progress> flows_;
  std::vector<fabric::Cycle> offered_;  ///< by number of the packet
  std::vector<fabric::Histogram> latency_;
};

/// Hands every event on to several observers.
class Fan final : public fabric::Observer {
 public:
  explicit Fan(std::vector<fabric::Observer*> observers) : observers_(std::move(observers)) {}
  void on(std::span<const fabric::Event> events) override {
    for (fabric::Observer* o : observers_) o->on(events);
  }

 private:
  std::vector<fabric::Observer*> observers_;  // not owned
};

}  // namespace plumb::trace
