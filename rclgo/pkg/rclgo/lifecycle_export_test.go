package rclgo

// EventSubscribers counts the subscriptions of l's transition events.
func (l *Lifecycle) EventSubscribers() (n int, err error) {
	err = l.use("count", func() (err error) {
		n, err = l.h.Events().Matched()
		return err
	})
	return n, err
}
