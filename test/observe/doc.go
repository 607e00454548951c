// Package observe tests what is in packaging for other programs: the dashboard of Grafana, the alerts of Prometheus, the
// layout of Foxglove and the policies of SROS2. Each is compared with what rstate really offers: its /metrics, and the
// names in the ROS graph of a running daemon.
//
// It imports internal/httpapi, test/bed and rclgo.
package observe
