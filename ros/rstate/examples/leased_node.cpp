// A lifecycle node that can be armed, and disarms by itself if its coordinator dies: leased_node.py in C++. The package builds
// it only with this option:
//
//   colcon build --packages-up-to rstate --cmake-args -DRSTATE_BUILD_EXAMPLES=ON
//   ros2 run rstate leased_node --ros-args -r __node:=arm_driver -p coordinator:=/rstate
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rstate/arm_lease.hpp"
#include "rstate_msgs/msg/arm_lease.hpp"
#include "std_srvs/srv/set_bool.hpp"

using std_srvs::srv::SetBool;
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
using rclcpp_lifecycle::State;

class LeasedNode : public rclcpp_lifecycle::LifecycleNode
{
public:
  LeasedNode()
  : LifecycleNode("leased_node")
  {
    const auto coordinator = declare_parameter<std::string>("coordinator", "/rstate");
    // What is late is of no use, so nothing is sent again. The queue is long because anyone may publish on the topic.
    leases_ = create_subscription<rstate_msgs::msg::ArmLease>(
      coordinator + "/arm_lease", rclcpp::QoS(100).best_effort().durability_volatile(),
      [this](const rstate_msgs::msg::ArmLease & m, const rclcpp::MessageInfo & info) {
        lease_.take(rstate::ArmLease::now(), m, rstate::ArmLease::writer(info));
      });
    arm_ = create_service<SetBool>(
      "~/arm", [this](
        const std::shared_ptr<rmw_request_id_t> caller, const std::shared_ptr<SetBool::Request> request) {
        on_arm(caller, request->data);
      });
    // A wall timer is steady. One of the node's clock would stand still with /clock.
    cycle_ = create_wall_timer(std::chrono::milliseconds(20), [this] {on_cycle();});
  }

  CallbackReturn on_activate(const State & state) override
  {
    active_ = true;
    return LifecycleNode::on_activate(state);
  }
  CallbackReturn on_deactivate(const State & state) override
  {
    leave();
    return LifecycleNode::on_deactivate(state);
  }
  CallbackReturn on_cleanup(const State &) override {return leave();}
  CallbackReturn on_shutdown(const State &) override {return leave();}
  CallbackReturn on_error(const State &) override {return leave();}

private:
  // The call to arm may overtake its lease, which may hold from its third message on only.
  static constexpr std::int64_t first_lease_in = 1'000'000'000;

  bool leased() {return lease_.holds(rstate::ArmLease::now());}

  void on_arm(const std::shared_ptr<rmw_request_id_t> & caller, bool on)
  {
    settle("superseded");
    if (!on) {
      disarm("it was told to");
      answer(*caller, true, "disarmed");
      return;
    }
    waiting_ = caller;
    waits_until_ = rstate::ArmLease::now() + first_lease_in;
    on_cycle();
  }

  void on_cycle()
  {
    // A process that was suspended may find another lease that holds: that one did not arm it.
    if (armed_ && !(leased() && lease_.lapses() == lapses_)) {
      disarm("its lease has ended");
    }
    if (waiting_ && active_ && leased()) {
      armed_ = true;
      lapses_ = lease_.lapses();
      answer(*std::exchange(waiting_, nullptr), true, "armed");
    } else if (waiting_ && (!active_ || rstate::ArmLease::now() >= waits_until_)) {
      settle(active_ ? "no arm lease holds" : "not active");
    }
    if (armed_) {
      // here it moves something
    }
  }

  // settle refuses a call to arm that still waits for its lease.
  void settle(const std::string & why)
  {
    if (waiting_) {
      answer(*std::exchange(waiting_, nullptr), false, why);
    }
  }

  void disarm(const char * why)
  {
    if (armed_) {
      armed_ = false;  // and takes the power from whatever moves
      RCLCPP_WARN(get_logger(), "disarmed: %s", why);
    }
  }

  CallbackReturn leave()
  {
    active_ = false;
    settle("not active");
    disarm("it is active no longer");
    return CallbackReturn::SUCCESS;
  }

  void answer(rmw_request_id_t & caller, bool success, const std::string & message)
  {
    SetBool::Response response;
    response.success = success;
    response.message = message;
    arm_->send_response(caller, response);
  }

  rstate::ArmLease lease_;
  bool active_{false};
  bool armed_{false};
  std::uint64_t lapses_{0};  // of the lease, when the node was armed
  std::shared_ptr<rmw_request_id_t> waiting_;
  std::int64_t waits_until_{0};
  rclcpp::Subscription<rstate_msgs::msg::ArmLease>::SharedPtr leases_;
  rclcpp::Service<SetBool>::SharedPtr arm_;
  rclcpp::TimerBase::SharedPtr cycle_;
};

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<LeasedNode>()->get_node_base_interface());
  rclcpp::shutdown();
}
