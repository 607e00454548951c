module example.org/greeter

go 1.25

require github.com/tiiuae/rclgo v0.0.0

// In a module of your own, use the path of your copy of rclgo.
replace github.com/tiiuae/rclgo => ../../..
