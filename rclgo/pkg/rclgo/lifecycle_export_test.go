package rclgo

// EventSubscribers counts who hears l's transition events.
func (l *Lifecycle) EventSubscribers() (n int, err error) {
	err = l.use("count", func() (err error) {
		n, err = l.h.Events().Matched()
		return err
	})
	return n, err
}
