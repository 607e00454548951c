module rstate

go 1.25

require (
	github.com/looplab/fsm v1.0.3
	github.com/tiiuae/rclgo v0.0.0
	go.uber.org/zap v1.28.0
	gopkg.in/yaml.v3 v3.0.1
)

require go.uber.org/multierr v1.10.0 // indirect

replace github.com/tiiuae/rclgo => ./rclgo
