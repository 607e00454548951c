// What a node has to do that must not stay armed when its coordinator is gone: the arithmetic of the arm lease, for C++17.
// It needs no ROS, reads no clock of its own accord, starts nothing, and is tested with the vectors that the coordinator's
// own arithmetic is tested with.
//
//   rstate::ArmLease lease;
//   on each message of ~/arm_lease:     lease.take(rstate::ArmLease::now(), message);
//   when told to arm:                   armed = lease.holds(rstate::ArmLease::now());  // and answer with that
//   when told to disarm:                armed = false;
//   in every cycle, or every 20 ms:     if (armed && !lease.holds(rstate::ArmLease::now())) { armed = false; … }
//
// A lease that has ended does not come back, so `armed` falls with it and rises with the next call only. An object is one
// thread's. It may allocate while it takes a message: a control loop in real time is given ends() through a
// std::atomic<std::int64_t>, and compares that with now() by itself.
#ifndef RSTATE__ARM_LEASE_HPP_
#define RSTATE__ARM_LEASE_HPP_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace rstate
{

// ArmLease works out when the lease ends that it is told of. All times are nanoseconds of this machine's steady clock.
class ArmLease
{
public:
  // window is for how long it is remembered how fast a message can be.
  static constexpr std::int64_t window = 10'000'000'000;
  // remembered is how many terms that have run out are known.
  static constexpr std::size_t remembered = 64;

  // now reads the steady clock.
  static std::int64_t now()
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  // take takes a message that was received at a moment, and says whether it counts. What is old, of a term that has run
  // out, or of another instance whose term is not above a lease that holds, does not. A message is a
  // rstate_msgs::msg::ArmLease, or anything that has its fields.
  template<typename Message>
  bool take(std::int64_t at, const Message & m)
  {
    holds(at);  // what has run out by now is over, whatever this message says
    const bool same = m.instance_id == instance_;
    if (m.instance_id.empty() || m.valid_ns <= 0 ||
      std::find(ended_.begin(), ended_.end(), Term{m.instance_id, m.term}) != ended_.end())
    {
      return false;
    }
    if (same && (m.term < term_ || (m.term == term_ && m.seq <= seq_))) {
      return false;
    }
    if (!same && !lapsed_ && !instance_.empty() && m.term <= term_) {
      return false;
    }
    if (!same) {
      ways_.clear();  // another sender's clock
    }
    note(at, sum(at, -static_cast<std::uint64_t>(m.proved_ns)));
    instance_ = m.instance_id;
    term_ = m.term;
    seq_ = m.seq;
    lapsed_ = false;
    ends_ = sum(sum(m.proved_ns, ways_.front().took), m.valid_ns);
    holds(at);  // it may have been too long on its way
    return true;
  }

  // holds says whether there is a lease that has not run out. One that has is over for good.
  bool holds(std::int64_t at)
  {
    if (instance_.empty() || lapsed_) {
      return false;
    }
    if (at < ends_) {
      return true;
    }
    lapsed_ = true;
    ended_.emplace_back(instance_, term_);
    if (ended_.size() > remembered) {
      ended_.pop_front();
    }
    return false;
  }

  // ends is when the newest lease ends, or ended; 0 before the first.
  std::int64_t ends() const {return ends_;}

private:
  using Term = std::pair<std::string, std::uint64_t>;
  struct Way
  {
    std::int64_t at;    // receipt
    std::int64_t took;  // receipt minus proof: the distance of the clocks, and the delay
  };

  // sum wraps: what a message says is not ours to trust, and a signed overflow would be undefined.
  template<typename Second>
  static std::int64_t sum(std::int64_t a, Second b)
  {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  // note keeps the fastest message of the window in front.
  void note(std::int64_t at, std::int64_t took)
  {
    while (!ways_.empty() && ways_.back().took >= took) {
      ways_.pop_back();
    }
    ways_.push_back({at, took});
    while (at - ways_.front().at > window) {
      ways_.pop_front();
    }
  }

  std::string instance_;  // of the newest message that counted; empty: there is none
  std::uint64_t term_{0};
  std::uint64_t seq_{0};
  std::int64_t ends_{0};
  bool lapsed_{false};      // the newest lease has run out
  std::deque<Way> ways_;    // candidates for the fastest message of the window, the slowest last
  std::deque<Term> ended_;  // run out, the oldest first
};

}  // namespace rstate

#endif  // RSTATE__ARM_LEASE_HPP_
