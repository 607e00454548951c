package rclgo

// DiscoveryRange is how far the nodes of a context look for other nodes.
type DiscoveryRange int

// The ranges, numbered as in rmw/discovery_options.h.
const (
	DiscoveryRangeNotSet DiscoveryRange = iota
	DiscoveryRangeOff
	DiscoveryRangeLocalhost
	DiscoveryRangeSubnet
	DiscoveryRangeSystemDefault
)

// Discovery is how the nodes of a context discover other nodes.
type Discovery struct {
	Range       DiscoveryRange
	StaticPeers []string
}

// Discovery returns what rcl has read from ROS_AUTOMATIC_DISCOVERY_RANGE and
// ROS_STATIC_PEERS; in Jazzy also from ROS_LOCALHOST_ONLY, which later releases ignore.
func (c *Context) Discovery() (d Discovery, err error) {
	err = c.ask("read the context's discovery options", func() error {
		number, peers, err := c.loop.rctx.Discovery()
		d = Discovery{DiscoveryRange(number), peers}
		return err
	})
	return d, err
}

// LeaveDiscoveryToMiddleware changes the range to DiscoveryRangeSystemDefault: the
// middleware then follows its own configuration only and ignores the static peers. Call it
// before you make the first node of the context, which is when the middleware reads the
// range.
func (c *Context) LeaveDiscoveryToMiddleware() error {
	return c.ask("leave discovery to the middleware", func() error {
		return c.loop.rctx.LeaveDiscovery()
	})
}
