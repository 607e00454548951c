// A participant of a stepped loop, a world in which a ball falls to the ground: stepped_node.py in C++. The package builds it
// only with this option:
//
//   colcon build --packages-up-to rstate --cmake-args -DRSTATE_BUILD_EXAMPLES=ON
//   ros2 run rstate stepped_node --ros-args -r __node:=world -p height:=10.0
#include <algorithm>
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rstate_msgs/srv/step.hpp"
#include "std_msgs/msg/float64.hpp"

using rstate_msgs::srv::Step;
using std_msgs::msg::Float64;
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
using rclcpp_lifecycle::State;

class SteppedNode : public rclcpp_lifecycle::LifecycleNode
{
public:
  SteppedNode()
  : LifecycleNode("stepped_node")
  {
    drop_ = now_.height = next_.height = declare_parameter<double>("height", 10.0);
    heights_ = create_publisher<Float64>("~/height", 1);
    step_ = create_service<Step>(
      "~/step", [this](const std::shared_ptr<Step::Request> request, std::shared_ptr<Step::Response> response) {
        on_step(*request, *response);
      });
  }

  CallbackReturn on_activate(const State & state) override
  {
    active_ = true;
    return LifecycleNode::on_activate(state);
  }
  CallbackReturn on_deactivate(const State & state) override
  {
    active_ = false;
    return LifecycleNode::on_deactivate(state);
  }
  CallbackReturn on_error(const State &) override
  {
    active_ = false;
    return CallbackReturn::SUCCESS;
  }

private:
  static constexpr double gravity = 9.81;  // m/s²

  struct Ball
  {
    double height{0};  // m
    double speed{0};   // m/s
  };

  // on_step answers a phase. An error stops the loop.
  void on_step(const Step::Request & request, Step::Response & response)
  {
    if (!active_) {
      response.message = "it is not active";
      return;
    }
    if (request.phase == Step::Request::RESET) {
      now_ = {drop_, 0};
    } else if (request.phase == Step::Request::STEP_BEGIN) {
      next_ = now_;
    } else if (request.phase == Step::Request::STEP_SIMULATOR) {
      // A step that was interrupted is run again with the same number. So what it did counts from its end.
      const double dt = request.dt.sec + request.dt.nanosec / 1e9;
      next_.speed = now_.speed + gravity * dt;
      next_.height = std::max(now_.height - next_.speed * dt, 0.0);
    } else if (request.phase == Step::Request::STEP_END) {
      now_ = next_;
      Float64 height;
      height.data = now_.height;
      heights_->publish(height);
      if (now_.height == 0.0) {
        response.want = Step::Response::SUCCEED;
        response.message = "the ball has hit the ground";
      }
    }
    response.ok = true;
  }

  double drop_{0};
  bool active_{false};
  Ball now_;
  Ball next_;  // where the step leads
  rclcpp_lifecycle::LifecyclePublisher<Float64>::SharedPtr heights_;
  rclcpp::Service<Step>::SharedPtr step_;
};

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<SteppedNode>()->get_node_base_interface());
  rclcpp::shutdown();
}
