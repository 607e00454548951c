// The arithmetic of the arm lease for C++17: a node that uses it does not stay armed if its coordinator dies. It needs no ROS,
// reads a clock only in now(), and starts nothing. The tests use the same vectors as the tests of the coordinator.
//
//   rstate::ArmLease lease;
//   on each message of ~/arm_lease:     lease.take(rstate::ArmLease::now(), message);
//   when told to arm:                   armed = lease.holds(rstate::ArmLease::now());  // and answer with that
//   when told to disarm:                armed = false;
//   in every cycle, or every 20 ms:     if (armed && !lease.holds(rstate::ArmLease::now())) { armed = false; … }
//
// A lease that has ended does not become valid again, so only the next call arms the node again. Use an object in one thread
// only. take() may allocate: give a real-time loop ends() in a std::atomic<std::int64_t>, and compare it with now() there.
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

// ArmLease computes the end of the lease from its messages. All times are nanoseconds of this machine's steady clock.
//
// A lease belongs to one instance. The delay of the first message of another instance is unknown, so that message never
// extends a valid lease. The other instance takes the lease over when it has sent enough messages and the first one is silent.
class ArmLease
{
public:
  // window is how long the time of the fastest message is kept.
  static constexpr std::int64_t window = 10'000'000'000;
  // remembered is how many ended terms are kept.
  static constexpr std::size_t remembered = 64;
  // An instance lives if it has sent this many messages, over at least this time.
  static constexpr std::uint64_t enough = 3;
  static constexpr std::int64_t long_enough = 150'000'000;

  // now reads the steady clock.
  static std::int64_t now()
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  // take processes a message that was received at a moment, and returns whether it counts. A message does not count if it is
  // old, if its term has ended, or if its instance has sent too few messages while the lease of another is valid. A message
  // is a rstate_msgs::msg::ArmLease, or anything that has its fields.
  template<typename Message>
  bool take(std::int64_t at, const Message & m)
  {
    const bool held = holds(at);  // what has run out by now is over, whatever this message says
    if (m.instance_id.empty() || m.valid_ns <= 0 ||
      std::find(ended_.begin(), ended_.end(), Term{m.instance_id, m.term}) != ended_.end())
    {
      return false;
    }
    const bool other = m.instance_id != now_.instance;
    Source & source = other ? next_ : now_;
    if (other && m.instance_id != next_.instance) {
      next_ = Source();
      next_.instance = m.instance_id;
    }
    if (!source.hear(at, m.term, m.seq, m.proved_ns, m.valid_ns)) {
      return false;
    }
    if (other && held && !source.lives(at)) {
      ends_ = std::min(now_.ends(), source.ends());
      holds(at);
      return false;
    }
    if (other) {
      if (held) {
        end();
      }
      now_ = std::move(next_);
    }
    next_ = Source();
    lapsed_ = false;
    ends_ = now_.ends();
    holds(at);  // it may have been too long on its way
    return true;
  }

  // holds says whether there is a lease that has not run out. One that has is over for good.
  bool holds(std::int64_t at)
  {
    if (now_.instance.empty() || lapsed_) {
      return false;
    }
    if (at < ends_) {
      return true;
    }
    lapsed_ = true;
    end();
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

  // Source is an instance that says something of a lease, and what is known of its messages.
  struct Source
  {
    std::string instance;  // empty: there is none
    std::uint64_t term{0}, seq{0};
    std::int64_t proved{0}, valid{0};  // of the newest message
    std::int64_t since{0};             // receipt of the first
    std::uint64_t heard{0};            // so many
    std::deque<Way> ways;              // candidates for the fastest message of the window, the slowest last

    // hear takes a message, unless it is older than what has been heard.
    bool hear(
      std::int64_t at, std::uint64_t its_term, std::uint64_t its_seq, std::int64_t proved_ns, std::int64_t valid_ns)
    {
      if (heard == 0) {
        since = at;
      } else if (its_term < term || (its_term == term && its_seq <= seq)) {
        return false;
      }
      term = its_term;
      seq = its_seq;
      proved = proved_ns;
      valid = valid_ns;
      heard++;
      const std::int64_t took = sum(at, -static_cast<std::uint64_t>(proved));
      while (!ways.empty() && ways.back().took >= took) {
        ways.pop_back();
      }
      ways.push_back({at, took});
      while (at - ways.front().at > window) {
        ways.pop_front();
      }
      return true;
    }

    // lives says whether it has spoken often enough.
    bool lives(std::int64_t at) const {return heard >= enough && at - since >= long_enough;}

    // ends is when its lease ends, as far as it has said.
    std::int64_t ends() const {return sum(sum(proved, ways.front().took), valid);}
  };

  // sum wraps: what a message says is not ours to trust, and a signed overflow would be undefined.
  template<typename Second>
  static std::int64_t sum(std::int64_t a, Second b)
  {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }

  // end remembers that the present term is over.
  void end()
  {
    ended_.emplace_back(now_.instance, now_.term);
    if (ended_.size() > remembered) {
      ended_.pop_front();
    }
  }

  Source now_;   // whose lease it is
  Source next_;  // another that has spoken since
  std::int64_t ends_{0};
  bool lapsed_{false};      // the newest lease has run out
  std::deque<Term> ended_;  // over, the oldest first
};

}  // namespace rstate

#endif  // RSTATE__ARM_LEASE_HPP_
