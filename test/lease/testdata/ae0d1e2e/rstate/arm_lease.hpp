// The arithmetic of the arm lease for C++17: a node that uses it does not stay armed if its coordinator dies. It needs no ROS,
// reads a clock only in now(), and starts nothing. The tests use the same vectors as the tests of the coordinator.
//
//   rstate::ArmLease lease;
//   on each message of ~/arm_lease:     lease.take(rstate::ArmLease::now(), message, rstate::ArmLease::writer(info));
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
// A lease belongs to its source: one instance and one writer. No source extends the lease of another one, or ends it. Which of
// several sources armed the node is unknown, so the lease is valid only until the first of them ends. Then it is not valid for
// a pause, whatever the others say.
class ArmLease
{
public:
  // window is how long the time of the fastest message is kept.
  static constexpr std::int64_t window = 10'000'000'000;
  // sources is how many sources are known.
  static constexpr std::size_t sources = 64;
  // pause is for how long after the end of one source's lease another source's does not count.
  static constexpr std::int64_t pause = 150'000'000;
  // most is the greatest term or number of a message, jump how far a term may be above the one before, longest the greatest
  // time. Beyond them, a message was not sent by rstate.
  static constexpr std::uint64_t most = std::uint64_t{1} << 48, jump = std::uint64_t{1} << 32;
  static constexpr std::int64_t longest = std::int64_t{1} << 61;

  // now reads the steady clock.
  static std::int64_t now()
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  // writer returns what identifies the publisher of a message: of a rclcpp::MessageInfo, or of anything like it.
  template<typename Info>
  static std::string writer(const Info & info)
  {
    const auto & gid = info.get_rmw_message_info().publisher_gid.data;
    return std::string(reinterpret_cast<const char *>(&gid[0]), sizeof(gid));
  }

  // take processes a message that was received at a moment, and returns whether it counts. A message does not count if it is
  // old, if its term has ended, or if no daemon can have sent it. A message is a rstate_msgs::msg::ArmLease, or anything that
  // has its fields. Without the writer, another publisher can extend the lease in the name of its instance.
  template<typename Message>
  bool take(std::int64_t at, const Message & m, const std::string & writer = std::string())
  {
    look(at);
    const auto found = std::find_if(
      sources_.begin(), sources_.end(),
      [&](const Source & s) {return s.instance == m.instance_id && s.writer == writer;});
    Source source;
    source.instance = m.instance_id;
    source.writer = writer;
    if (found != sources_.end()) {
      source = *found;
    }
    const bool taken = source.take(at, m);
    if (taken) {
      if (source.lapsed) {
        lapse(source);
      }
      if (found != sources_.end()) {
        sources_.erase(found);
      } else if (sources_.size() == sources) {
        forget(at);
      }
      sources_.push_back(std::move(source));
    }
    holds(at);
    return taken;
  }

  // holds says whether there is a lease that has not run out. One that has is over for good.
  bool holds(std::int64_t at)
  {
    look(at);
    bool valid = false, paused = evicted_ != 0 && at < evicted_ + pause;
    std::int64_t first = 0;
    for (const Source & s : sources_) {
      paused = paused || (s.lapsed && at < s.seen + pause);
      if (!s.lapsed) {
        first = valid ? std::min(first, s.ends()) : s.ends();
        valid = true;
      }
    }
    if (!valid || paused) {
      return false;
    }
    ends_ = first;
    return true;
  }

  // ends is when the lease ends, or ended; 0 before the first.
  std::int64_t ends() const {return ends_;}

  // lapses counts the leases that have run out: compare it with its value at arming if your process may be suspended.
  std::uint64_t lapses() const {return lapses_;}

private:
  struct Way
  {
    std::int64_t at;    // receipt
    std::int64_t took;  // receipt minus proof: the distance of the clocks, and the delay
  };

  // Source is an instance, with one writer, that says something of a lease, and what is known of its messages.
  struct Source
  {
    std::string instance, writer;
    std::uint64_t term{0}, seq{0};
    std::int64_t proved{0}, valid{0};  // of the newest message
    std::deque<Way> ways;              // candidates for the fastest message of the window, the slowest last
    bool lapsed{false};                // the newest term has run out
    std::int64_t seen{0};              // when that was seen

    // take takes a message, unless it is old or of a term that is over.
    template<typename Message>
    bool take(std::int64_t at, const Message & m)
    {
      holds(at);  // what has run out by now is over, whatever this message says
      if (instance.empty() || m.term > most || m.seq > most || m.proved_ns < 0 || m.proved_ns > longest ||
        m.valid_ns <= 0 || m.valid_ns > longest)
      {
        return false;
      }
      if (!ways.empty() &&
        (m.term < term || m.term - term > jump || (m.term == term && (lapsed || m.seq <= seq))))
      {
        return false;
      }
      term = m.term;
      seq = m.seq;
      proved = m.proved_ns;
      valid = m.valid_ns;
      lapsed = false;
      const std::int64_t took = at - proved;
      while (!ways.empty() && ways.back().took >= took) {
        ways.pop_back();
      }
      ways.push_back({at, took});
      while (at - ways.front().at > window) {
        ways.pop_front();
      }
      holds(at);  // it may have been too long on its way
      return true;
    }

    // ends is when its newest lease ends, or ended.
    std::int64_t ends() const {return proved + ways.front().took + valid;}

    bool holds(std::int64_t at)
    {
      if (!ways.empty() && !lapsed && at >= ends()) {
        lapsed = true;
        seen = at;
      }
      return !ways.empty() && !lapsed;
    }
  };

  // look notes which leases have run out.
  void look(std::int64_t at)
  {
    for (Source & s : sources_) {
      if (!s.lapsed && !s.holds(at)) {
        lapse(s);
      }
    }
  }

  void lapse(const Source & s)
  {
    lapses_++;
    ends_ = s.ends();
  }

  // forget forgets a source. Forgetting a valid lease counts as its end, because its end will not be seen.
  void forget(std::int64_t at)
  {
    auto one = std::find_if(sources_.begin(), sources_.end(), [](const Source & s) {return s.lapsed;});
    if (one == sources_.end()) {
      one = sources_.begin();
      evicted_ = ends_ = at;
      lapses_++;
    }
    sources_.erase(one);
  }

  std::deque<Source> sources_;  // the one that was heard last is the last
  std::int64_t ends_{0}, evicted_{0};
  std::uint64_t lapses_{0};
};

}  // namespace rstate

#endif  // RSTATE__ARM_LEASE_HPP_
